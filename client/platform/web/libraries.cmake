# SPDX-License-Identifier: MIT
# The libraries of a browser's build, by the names that pkg-config has for them elsewhere, compiled
# from the sources in RAIM_SOURCES (client/package/sources.py).
function(raim_web_library name include)
  cmake_parse_arguments(LIBRARY "" "" "SOURCES;FLAGS" ${ARGN})
  string(TOLOWER web_${name} target)
  if(LIBRARY_SOURCES)
    file(GLOB_RECURSE sources ${LIBRARY_SOURCES})
    add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
    target_compile_options(${target} PRIVATE -w ${LIBRARY_FLAGS})
    target_include_directories(${target} SYSTEM PUBLIC ${include})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} SYSTEM INTERFACE ${include})
  endif()
  add_library(PkgConfig::${name} ALIAS ${target})
endfunction()

# What their configure scripts would write.
set(made ${CMAKE_BINARY_DIR}/libraries)
file(WRITE ${made}/jansson/jansson_config.h "#define JSON_INLINE inline
#define JSON_INTEGER_IS_LONG_LONG 1
#define JSON_HAVE_LOCALECONV 0
#define JSON_HAVE_ATOMIC_BUILTINS 0
#define JSON_HAVE_SYNC_BUILTINS 0
#define JSON_PARSER_MAX_DEPTH 2048
")
file(WRITE ${made}/jansson/jansson_private_config.h "#define HAVE_STDINT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define HAVE_STRTOLL 1
#define INITIAL_HASHTABLE_ORDER 3
")
# libsodium ends the program by a signal where its use is wrong.
file(WRITE ${made}/sodium/signal.h "#define SIGKILL 9
#define raise(signal) __builtin_trap()
")

raim_web_library(ENET ${RAIM_SOURCES}/enet/include FLAGS -DHAS_OFFSETOF=1
  SOURCES ${RAIM_SOURCES}/enet/[!uw]*.c) # neither unix.c nor win32.c
raim_web_library(JANSSON "${RAIM_SOURCES}/jansson/src;${made}/jansson" FLAGS -DHAVE_CONFIG_H
  SOURCES ${RAIM_SOURCES}/jansson/src/*.c)
raim_web_library(SODIUM ${RAIM_SOURCES}/libsodium/src/libsodium/include
  FLAGS -D_GNU_SOURCE -DCONFIGURED=1 -DNATIVE_LITTLE_ENDIAN=1 -DHAVE_GETENTROPY=1 -I${made}/sodium
    -I${RAIM_SOURCES}/libsodium/src/libsodium/include/sodium
  SOURCES ${RAIM_SOURCES}/libsodium/src/libsodium/*.c)
raim_web_library(ZSTD ${RAIM_SOURCES}/libzstd/lib FLAGS -DZSTD_DISABLE_ASM
  SOURCES ${RAIM_SOURCES}/libzstd/lib/common/*.c ${RAIM_SOURCES}/libzstd/lib/decompress/*.c)
raim_web_library(XXHASH ${RAIM_SOURCES}/xxhash FLAGS -DXXH_VECTOR=0 SOURCES ${RAIM_SOURCES}/xxhash/xxhash.c)

# What a browser's build has no use for, or does by itself.
foreach(name CURL)
  add_library(web_none_${name} INTERFACE)
  add_library(PkgConfig::${name} ALIAS web_none_${name})
endforeach()
add_library(Threads::Threads INTERFACE IMPORTED GLOBAL)
