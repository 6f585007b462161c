#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Other processors: i386 (32 bits), arm64, and s390x (big-endian), by Debian's cross compilers and
qemu's user mode. On each of them the golden world, the unit tests of the wire, the encryption and
the client, raim-bots that play against a raimd of this machine, and, on arm64 and i386, for which
raimd is built, too, raimrec verify of a recording that this machine made.

architectures.py [ARCHITECTURE...] wants the cross compilers and RAIM_BIN with a raimd; `./dev
test-architectures` runs it. RAIM_PACKAGES lists what a build takes, of which each architecture gets
the libraries, extracted into build/architectures/. Exits 77 where they cannot be had.
"""

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

from tree import NoTree, make_tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/daemon"), str(ROOT / "tests/golden")]

import world # pylint: disable=wrong-import-position

DIRECTORY = ROOT / "build/architectures"
# Debian's name: GNU's triplet of its libraries, the prefix of its compiler, qemu's name, flags. The
# x87 would round differently.
ARCHITECTURES = {
    "i386": ("i386-linux-gnu", "i686-linux-gnu", "i386", ["-msse2", "-mfpmath=sse"]),
    "arm64": ("aarch64-linux-gnu", "aarch64-linux-gnu", "aarch64", []),
    "s390x": ("s390x-linux-gnu", "s390x-linux-gnu", "s390x", []),
}
COMPONENTS = ("client", "crypto", "proto", "recording", "replication")
# A minute under qemu, of what other tests have tried there, too.
TOO_LONG = ("view",)
STEP_S = 600
SKIPPED = 77


class Failure(Exception):
    """What a step did not do."""


def run(*words, **more):
    result = subprocess.run([str(word) for word in words], text=True, capture_output=True,
                            check=False, timeout=STEP_S, **more)
    if result.returncode != 0:
        raise Failure(f"{' '.join(map(str, words))}:"
                      f" {result.stdout[-4000:]}{result.stderr[-2000:]}")
    return result.stdout


def unit_tests():
    """The tests' names."""
    names = [path.stem.removeprefix("test_") for component in COMPONENTS
             for path in sorted((ROOT / "tests/unit" / component).glob("test_*.c"))]
    return [name for name in names if name not in TOO_LONG]


class Architecture:
    """The compiler, the libraries and the emulator of one."""

    def __init__(self, name):
        libraries, compiler, emulator, self.flags = ARCHITECTURES[name]
        self.compiler = f"{compiler}-gcc"
        self.has_raimd = name in ("arm64", "i386")
        packages = [word for word in os.environ["RAIM_PACKAGES"].split()
                    if word.endswith("-dev")]
        suite = platform.freedesktop_os_release()["VERSION_CODENAME"]
        self.root = make_tree(DIRECTORY / name, suite, ["libc6-dev", *packages], name)
        self.emulator = [f"qemu-{emulator}-static", "-L", str(self.root)]
        self.build = DIRECTORY / name / "build"
        self.environment = {
            **os.environ, "PKG_CONFIG_SYSROOT_DIR": str(self.root),
            "PKG_CONFIG_LIBDIR": f"{self.root}/usr/lib/{libraries}/pkgconfig:"
                                 f"{self.root}/usr/share/pkgconfig"}

    def missing(self):
        """The tools that are not installed."""
        return [tool for tool in (self.compiler, self.emulator[0]) if not shutil.which(tool)]

    def play_golden_world(self):
        """The digests of tests/golden/world.txt."""
        with tempfile.TemporaryDirectory() as directory:
            output = world.digests((self.compiler, "-O3"), directory,
                                   [f"--sysroot={self.root}", *self.flags], self.emulator)
        expected = world.GOLDEN.read_text(encoding="ascii")
        if output != expected:
            raise Failure(f"golden world: {world.first_difference(expected, output)}")

    def make(self):
        """The unit tests, raim-bots and, where it runs, raimd."""
        programs = ["raim-bots", "raimd", "raimrec"] if self.has_raimd else ["raim-bots"]
        run("cmake", "-S", ROOT, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            "-DRAIM_WERROR=ON", "-DCMAKE_SYSTEM_NAME=Linux",
            f"-DCMAKE_SYSTEM_PROCESSOR={self.compiler.split('-', maxsplit=1)[0]}",
            f"-DCMAKE_C_COMPILER={self.compiler}", f"-DCMAKE_C_FLAGS={' '.join(self.flags)}",
            f"-DCMAKE_SYSROOT={self.root}", "-DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER",
            f"-DCMAKE_CROSSCOMPILING_EMULATOR={';'.join(self.emulator)}", env=self.environment)
        run("cmake", "--build", self.build, "--target", *programs,
            *(f"test_{component}" for component in COMPONENTS))

    def test(self):
        """How many unit tests passed."""
        names = "|".join(unit_tests())
        said = run("ctest", "--test-dir", self.build, "--no-tests=error", "-j", 3 * os.cpu_count(),
                   "--timeout", STEP_S, "-R", f"^unit\\.({names})$")
        return re.search(r"tests passed, \d+ tests failed out of (\d+)", said)[1]

    def play(self):
        """Bots of this architecture against a server of ours, over an encrypted connection."""
        import harness # pylint: disable=import-outside-toplevel
        with harness.Stage() as stage:
            daemon = stage.serve(harness.arena(bots=20, encryption="required"))
            report = json.loads(run(*self.emulator, self.build / "bin/raim-bots", "--clients", 2,
                                    "--seconds", 6, "--json", f"127.0.0.1:{daemon.ports[0]}"))
        figures = {key: report[key] for key in (
            "connected", "snapshots", "decode_errors", "predictions", "mispredictions", "hits")}
        if (report["connected"] != 2 or report["decode_errors"] > 0 or report["snapshots"] < 100
                or report["predictions"] < 50
                or report["mispredictions"] > report["predictions"] / 20):
            raise Failure(f"bots that play: {figures}")
        return figures

    def verify(self):
        """A recording of this machine. Returns what became of it."""
        if not self.has_raimd:
            return "not tried"
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "match.raimrec")
            run(pathlib.Path(os.environ["RAIM_BIN"], "record_match"), path, 30, "clients", 12)
            result = subprocess.run(
                [*self.emulator, self.build / "bin/raimrec", "verify", path], text=True,
                capture_output=True, check=False, timeout=STEP_S)
        lines = result.stdout.splitlines()[1:]
        if result.returncode != 0 or len(lines) != 1 or not lines[0].startswith("verified"):
            raise Failure(f"recording: {result.stdout}{result.stderr}")
        return "verified"


def examine(name):
    """Does all of it and prints a line. Returns false where a tool is missing."""
    begin = time.monotonic()
    architecture = Architecture(name)
    missing = architecture.missing()
    if missing:
        print(f"{name}: SKIPPED: no {' and no '.join(missing)}", flush=True)
        return False
    architecture.play_golden_world()
    architecture.make()
    passed = architecture.test()
    recording = architecture.verify()
    figures = architecture.play()
    print(f"{name}: golden world: same; {passed} unit tests passed; recording: {recording};"
          f" bots: {figures}; {time.monotonic() - begin:.0f} s", flush=True)
    return True


def main(names):
    if not set(names) <= ARCHITECTURES.keys():
        sys.exit(f"no such architecture; there are: {' '.join(ARCHITECTURES)}")
    status = 0
    for name in names or ARCHITECTURES:
        try:
            if not examine(name) and status == 0:
                status = SKIPPED
        except NoTree as error:
            print(f"{name}: SKIPPED: {error}", flush=True)
            status = status or SKIPPED
        except (Failure, subprocess.SubprocessError) as error:
            print(f"{name}: FAILED: {error}", flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
