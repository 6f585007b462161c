#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The golden test of determinism: a seeded match must give the digests in
tests/golden/world.txt with GCC and Clang, at -O0 and -O3.

world.py [--build-dir DIR] compiles lib/geometry, lib/map, lib/world and world_digest.c four ways,
runs all variants and compares their output. `--bless` rewrites world.txt after an intended change
of the game. Exits with 77 when a compiler is missing and the others agree.
"""

import argparse
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GOLDEN = HERE / "world.txt"
VARIANTS = [(compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O3")]
# The flags of the build that affect results.
FLAGS = ["-std=c17", "-ffp-contract=off", "-fno-math-errno"]
TIMEOUT_S = 280
SKIPPED = 77


def digests(variant, directory, flags=(), emulator=()):
    """Compiles one variant into the directory and returns its output; `emulator` are the words that
    run a program of its architecture."""
    compiler, level = variant
    program = pathlib.Path(directory, f"world_digest_{compiler}{level}")
    rooms = [ROOT / "lib/common", ROOT / "lib/geometry", ROOT / "lib/map", ROOT / "lib/world"]
    sources = [HERE / "world_digest.c", *(path for room in rooms for path in room.glob("*.c"))]
    subprocess.run([compiler, *FLAGS, *flags, level, *(f"-I{room}" for room in rooms),
                    *map(str, sources), "-o", str(program), "-lxxhash", "-lm"],
                   check=True, timeout=TIMEOUT_S)
    return subprocess.run([*emulator, str(program)], check=True, timeout=TIMEOUT_S,
                          stdout=subprocess.PIPE, text=True).stdout


def first_difference(expected, got):
    """Describes the first line in which two outputs differ."""
    ours, theirs = expected.splitlines(), got.splitlines()
    for want, have in zip(ours, theirs):
        if want != have:
            return f"want '{want}', got '{have}'"
    return f"want {len(ours)} lines, got {len(theirs)}"


def run(directory):
    """Returns each variant's output by its name, without variants whose compiler is missing."""
    variants = [variant for variant in VARIANTS if shutil.which(variant[0])]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        outputs = pool.map(lambda variant: digests(variant, directory), variants)
    return {" ".join(variant): output for variant, output in zip(variants, outputs)}


def compare(expected, outputs):
    """Prints a line per variant. Returns true when all outputs are as expected."""
    good = True
    for name, output in outputs.items():
        same = output == expected
        print(f"{name}: {'same' if same else first_difference(expected, output)}")
        good = good and same
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--bless", action="store_true", help="rewrite the golden file")
    parser.add_argument("--build-dir", type=pathlib.Path, help="keep the compiled programs in DIR")
    options = parser.parse_args()

    if options.build_dir:
        options.build_dir.mkdir(parents=True, exist_ok=True)
        outputs = run(options.build_dir)
    else:
        with tempfile.TemporaryDirectory() as directory:
            outputs = run(directory)

    missing = sorted({compiler for compiler, _ in VARIANTS if not shutil.which(compiler)})
    if not outputs:
        print(f"skipped: no {' and no '.join(missing)}")
        return SKIPPED

    if options.bless:
        blessed = next(iter(outputs.values()))
        if missing or not blessed or not compare(blessed, outputs):
            print("not blessed: all variants must be present and agree")
            return 1
        GOLDEN.write_text(blessed, encoding="ascii")
        print(f"blessed {GOLDEN.relative_to(ROOT)}")
        return 0

    if not GOLDEN.exists():
        print(f"{GOLDEN.relative_to(ROOT)} is missing; create it with --bless")
        return 1
    if not compare(GOLDEN.read_text(encoding="ascii"), outputs):
        print("the world has changed; if this is intended, run tests/golden/world.py --bless")
        return 1
    if missing:
        print(f"skipped: {' and '.join(missing)}, which is not installed")
        return SKIPPED
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        sys.exit(f"golden: {error}")
