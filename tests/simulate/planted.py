#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Plants bugs in a copy of the tree, one at a time, and shows that `./dev simulate` finds each.

Every planted/NAME.patch begins with a line "Breaks: INVARIANT", or several with " or " between
them. A bug counts as found when a simulation fails by one of them within ten minutes of search.

    planted.py [--seed N] [NAME...]
    planted.py --check      only whether every patch applies
"""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TREE = ROOT / "build/planted/tree"
SECONDS = 600


def run(*command, **options):
    return subprocess.run(command, cwd=TREE, capture_output=True, text=True, **options)


def check():
    """Whether the patches apply, to the tree itself; prints those that do not."""
    checks = [subprocess.run(["git", "apply", "--check", str(patch)], cwd=ROOT, check=False)
              for patch in (HERE / "planted").glob("*.patch")]
    return not checks or any(check.returncode != 0 for check in checks)


def copy_tree():
    """Copies the files that git knows, and leaves the times of the unchanged ones alone."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        source, target = ROOT / name, TREE / name
        if not source.is_file():
            continue
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def build():
    for command in (["cmake", "--preset", "release"],
                    ["cmake", "--build", "--preset", "release", "--target", "simulate"]):
        built = run(*command)
        if built.returncode != 0:
            sys.exit(built.stdout + built.stderr)


def find(patch, seed):
    """Returns whether the bug of a patch is found, and prints how."""
    wanted = re.match(r"Breaks: (.*)", patch.read_text(encoding="utf-8")).group(1).split(" or ")
    applied = run("patch", "--fuzz=0", "-p1", "-i", str(patch))
    if applied.returncode != 0:
        print(f"planted {patch.stem}: does not apply: {applied.stdout}")
        return False
    build()
    begin = time.monotonic()
    search = run("build/release/bin/simulate", "--seconds", str(SECONDS), "--hours", "100000",
                 "--seed", str(seed))
    seconds = time.monotonic() - begin
    found = re.search(r"FAILED: (\w+): (.*)\n    seed (\d+), step (\d+)", search.stdout)
    good = found is not None and found.group(1) in wanted
    print(f"planted {patch.stem}: {'found' if good else 'NOT FOUND'} in {seconds:.1f} s,"
          f" wanted {' or '.join(wanted)}", flush=True)
    for line in search.stdout.splitlines():
        if re.match(r"simulate: FAILED|    (seed|replay|fault)", line):
            print("   ", line[:200].strip())
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=random.getrandbits(48))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.check:
        return check()
    patches = [patch for patch in sorted((HERE / "planted").glob("*.patch"))
               if not options.names or patch.stem in options.names]
    found = 0
    for patch in patches:
        copy_tree()
        found += find(patch, options.seed)
    print(f"simulate planted={len(patches)} found={found} seed={options.seed}")
    return found != len(patches)


if __name__ == "__main__":
    sys.exit(main())
