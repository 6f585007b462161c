# SPDX-License-Identifier: MIT
# find_package(raimclient) defines raim::client.
include(CMakeFindDependencyMacro)
find_dependency(PkgConfig)
pkg_check_modules(ENET REQUIRED IMPORTED_TARGET libenet>=1.3.17)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium>=1.0.18)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash>=0.8)
include(${CMAKE_CURRENT_LIST_DIR}/raimclientTargets.cmake)
