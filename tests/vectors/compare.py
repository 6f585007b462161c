#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares what a program prints with a file of vectors.

compare.py PROGRAM FILE [--bless]: `--bless` rewrites the file after an intended change.
"""

import pathlib
import subprocess
import sys


def main():
    program, path = sys.argv[1], pathlib.Path(sys.argv[2])
    printed = subprocess.run([program], check=True, timeout=280, stdout=subprocess.PIPE,
                             text=True).stdout
    if "--bless" in sys.argv[3:]:
        path.write_text(printed, encoding="utf-8")
    if printed != path.read_text(encoding="utf-8"):
        sys.exit(f"{path.name} is not what {pathlib.Path(program).name} prints; if the change is "
                 "intended, run this with --bless")


if __name__ == "__main__":
    main()
