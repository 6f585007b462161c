# SPDX-License-Identifier: MIT
# Puts text files into programs: embed_text(target name file) adds to the target a generated C
# source that defines `const char name[]`, the file's bytes and a closing NUL. The target's
# embedded.h must declare it. Run as a script (-P), this file is the generator itself.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${INPUT}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REPEAT "0x..," 16 line)
  string(REGEX REPLACE "(${line})" "    \\1\n" bytes "${bytes}")
  file(WRITE "${OUTPUT}"
    "#include \"embedded.h\"\n\nconst char ${NAME}[] = {\n${bytes}0x00};\n")
  return()
endif()

set(EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(embed_text target name file)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}.c")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DINPUT=${file}" "-DOUTPUT=${output}" "-DNAME=${name}"
            -P "${EMBED_SCRIPT}"
    DEPENDS "${file}" "${EMBED_SCRIPT}"
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
