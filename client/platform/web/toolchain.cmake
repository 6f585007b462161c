# SPDX-License-Identifier: MIT
# Compiles for browsers: WebAssembly by Debian's clang, lld and wasi-libc. client/package/web.py uses it.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(RAIM_WASM ON)
