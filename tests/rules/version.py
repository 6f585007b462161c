#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The version stands in CMakeLists.txt. What other people's programs read it from must have the same:
version.py prints each file that has another one, and fails."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = r"(\d+\.\d+\.\d+)"
# The first match is the version.
PLACES = {"debian/changelog": rf"^raimd \({VERSION}\) ", "CHANGELOG.md": rf"^## {VERSION}\b",
          "deploy/chart/Chart.yaml": rf"^version: {VERSION}\nappVersion: \1$"}


def find(name, pattern):
    found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else "none"


def main():
    version = find("CMakeLists.txt", rf"^project\(raimd VERSION {VERSION} ")
    other = {name: found for name, pattern in PLACES.items() if (found := find(name, pattern)) != version}
    for name, found in other.items():
        print(f"{name}: the version is {found}; CMakeLists.txt has {version}")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
