#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes client/examples/love/raim.cdef: the public headers of libraimclient as declarations that
LuaJIT's ffi.cdef reads, without the preprocessor and without inline functions. --check compares
instead, and exits with 1 where the file is out of date, with 77 where there is no compiler."""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / "client/examples/love/raim.cdef"
ROOMS = ("lib/common", "lib/geometry", "lib/map", "lib/world", "proto", "client/core",
         "client/link")
HEAD = """// SPDX-License-Identifier: MIT
// The public headers of libraimclient, by tools/generate/cdef.py.
"""


def top_level(text):
    """The declarations and definitions of preprocessed C, one by one."""
    start = depth = 0
    for match in re.finditer(r"[{};]", text):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        ends_function = match[0] == "}" and "static inline" in text[start:match.end()]
        if depth == 0 and (match[0] == ";" or ends_function):
            yield text[start:match.end()].strip()
            start = match.end()


def preprocess(source, rooms):
    """The preprocessed lines of a file that are from this tree."""
    text = subprocess.run(["cc", "-std=c17", "-E", *(f"-I{ROOT / room}" for room in rooms),
                           ROOT / source], text=True, capture_output=True, check=True).stdout
    own, is_own = [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            is_own = marker[1].startswith(str(ROOT))
        elif is_own:
            own.append(line)
    return "\n".join(own)


def declarations():
    """The text of the file."""
    kept = [re.sub(r"\s+", " ", one) for one in top_level(preprocess("client/link/link.h", ROOMS))
            if not one.startswith(("static inline", "static_assert", "_Static_assert"))]
    return HEAD + "\n".join(kept) + "\n"


def main(arguments):
    if shutil.which("cc") is None:
        print("skipped: no cc")
        return 77
    text = declarations()
    if arguments != ["--check"]:
        TARGET.write_text(text, encoding="ascii")
        return 0
    if TARGET.read_text(encoding="ascii") == text:
        return 0
    print(f"{TARGET.relative_to(ROOT)} differs from the headers: run tools/generate/cdef.py")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
