# SPDX-License-Identifier: MIT
# Debian packages by CPack: what they hold besides what `cmake --install` installs anyway, and how
# they describe themselves. `./dev package` configures with this; /usr is the prefix.
set(CPACK_PACKAGE_CONTACT "The raimd authors <raimd@users.noreply.github.com>")
set(CPACK_PACKAGE_VENDOR "The raimd authors")
# Each package begins its own description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_GENERATOR DEB)
set(CPACK_SET_DESTDIR ON) # for /etc, which is outside the prefix
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_SOURCE_DIR}/build/packages)
set(CPACK_COMPONENTS_ALL raimd raim client clientlib)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_RAIMD_PACKAGE_NAME raimd)
set(CPACK_DEBIAN_RAIMD_PACKAGE_SECTION net)
# kill, with which the unit reloads.
set(CPACK_DEBIAN_RAIMD_PACKAGE_DEPENDS procps)
set(CPACK_COMPONENT_RAIMD_DESCRIPTION "dedicated server for 2D arena shooters
One process runs many arenas on UDP, decides alone what happens in them, and
sends every player what could come into their sight and nothing else.

It is configured by /etc/raimd/raimd.conf, runs as a hardened service with a
watchdog, and tells its status as JSON over HTTP.")
set(debian ${PROJECT_SOURCE_DIR}/cmake/debian)
set(CPACK_DEBIAN_RAIMD_PACKAGE_CONTROL_EXTRA
  ${debian}/conffiles ${debian}/postinst ${debian}/prerm ${debian}/postrm)

set(CPACK_DEBIAN_RAIM_PACKAGE_NAME raim)
set(CPACK_DEBIAN_RAIM_PACKAGE_SECTION net)
set(CPACK_DEBIAN_RAIM_PACKAGE_DEPENDS fonts-dejavu-core)
# For names and chat in Chinese, Japanese and Korean; for videos of recordings.
set(CPACK_DEBIAN_RAIM_PACKAGE_SUGGESTS "fonts-noto-cjk | fonts-droid-fallback, ffmpeg")
set(CPACK_COMPONENT_RAIM_DESCRIPTION "2D arena shooter for servers that run raimd
Run, aim and shoot among walls that hide what is behind them. Inputs are
predicted, so that distance to the server is hardly felt.

raim-bots, which joins with many bots at once, is included: opponents, and a
load to test a server with.")

set(CPACK_DEBIAN_CLIENTLIB_PACKAGE_NAME libraimclient1)
set(CPACK_DEBIAN_CLIENTLIB_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_CLIENTLIB_PACKAGE_CONTROL_EXTRA
  ${debian}/libraimclient1/shlibs ${debian}/libraimclient1/triggers)
set(CPACK_COMPONENT_CLIENTLIB_DESCRIPTION "client library of raimd, a server for 2D arena shooters
It paces inputs, predicts the local player, interpolates the others, encrypts
and resumes when a connection breaks.")

set(CPACK_DEBIAN_CLIENT_PACKAGE_NAME libraimclient-dev)
set(CPACK_DEBIAN_CLIENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_CLIENT_PACKAGE_DEPENDS
  "libraimclient1 (= ${PROJECT_VERSION}), libenet-dev, libsodium-dev, libxxhash-dev")
set(CPACK_COMPONENT_CLIENT_DESCRIPTION "client library of raimd, to compile programs with
It paces inputs, predicts the local player, interpolates the others, encrypts
and resumes when a connection breaks.

This package holds the headers, the archive and what pkg-config and CMake need
to find the library.")

configure_file(${debian}/changelog.in changelog @ONLY)
execute_process(COMMAND gzip -9nf changelog
  WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES ${debian}/copyright ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}
    COMPONENT ${component})
endforeach()
install(FILES ${debian}/libraimclient1/overrides
  DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME libraimclient1
  COMPONENT clientlib)
include(CPack)
