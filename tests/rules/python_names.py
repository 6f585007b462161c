#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""No Python file uses a name that nobody defines, or imports what it does not use: pyflakes says so.
A test that fails by its own mistake only in a branch, or is skipped, would hide that otherwise."""

import importlib.util
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def main():
    if importlib.util.find_spec("pyflakes") is None:
        print("skipped: python3-pyflakes is not installed")
        sys.exit(SKIPPED)
    files = [path for path in ROOT.rglob("*.py")
             if not path.relative_to(ROOT).parts[0].startswith(("build", "."))]
    sys.exit(subprocess.run([sys.executable, "-m", "pyflakes", *files], check=False).returncode)


if __name__ == "__main__":
    main()
