# SPDX-License-Identifier: MIT
# find_package(raimclient) defines raim::client, the shared library, and, where the libraries that
# it needs are installed for compiling, raim::client_static.
include(${CMAKE_CURRENT_LIST_DIR}/raimclientTargets.cmake)
find_package(PkgConfig QUIET)
find_package(Threads QUIET)
if(PkgConfig_FOUND AND Threads_FOUND)
  pkg_check_modules(ENET QUIET IMPORTED_TARGET libenet>=1.3.17)
  pkg_check_modules(SODIUM QUIET IMPORTED_TARGET libsodium>=1.0.18)
  pkg_check_modules(XXHASH QUIET IMPORTED_TARGET libxxhash>=0.8)
  if(ENET_FOUND AND SODIUM_FOUND AND XXHASH_FOUND)
    include(${CMAKE_CURRENT_LIST_DIR}/raimclientStaticTargets.cmake)
  endif()
endif()
