#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""libraimclient as ./dev package --windows makes it: squad.c, compiled against the archive by
mingw-w64, plays an encrypted match under Wine against the real raimd.

Exits 77 without Wine, mingw-w64 or the archive.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/daemon"))

import harness # pylint: disable=wrong-import-position
from harness import Stage, arena # pylint: disable=wrong-import-position

COMPILER = "x86_64-w64-mingw32-gcc"


class WindowsTest(unittest.TestCase):
    def test_the_example_scores_in_an_encrypted_match_under_wine(self):
        with tempfile.TemporaryDirectory() as directory, Stage() as stage:
            with zipfile.ZipFile(ARCHIVES[0]) as archive:
                archive.extractall(directory)
            folder = next(pathlib.Path(directory).iterdir())
            subprocess.run([COMPILER, "-Wall", "-Wextra", "-Werror", f"-I{folder}/include",
                            folder / "squad.c", f"-L{folder}/lib", "-lraimclient", "-l:libpthread.a",
                            "-o", folder / "bin/squad.exe"], check=True)
            environment = {**os.environ, "WINEPREFIX": f"{directory}/wine", "WINEDEBUG": "-all"}
            subprocess.run(["wine", "wineboot", "--init"], check=True, env=environment,
                           timeout=harness.LIFE_S, capture_output=True)
            daemon = stage.serve(arena(bots=6, map=str(ROOT / "config/maps/duel.conf"),
                                       encryption="required"))
            said = subprocess.run(["wine", folder / "bin/squad.exe", "127.0.0.1",
                                   str(daemon.ports[0])], check=True, env=environment, text=True,
                                  timeout=harness.LIFE_S, stdout=subprocess.PIPE).stdout
            subprocess.run(["wineserver", "--kill"], check=False, env=environment)
            print(said, end="")
            self.assertRegex(said, r"^[1-9]\d* shots, [1-9]\d* hits\s*$")


if __name__ == "__main__":
    ARCHIVES = sorted((ROOT / "build/windows").glob("raimclient-*.zip"))
    if not (shutil.which("wine") and shutil.which(COMPILER) and ARCHIVES):
        print("no Wine, mingw-w64 or build/windows/raimclient-*.zip: SKIPPED")
        sys.exit(harness.SKIPPED)
    unittest.main(verbosity=2)
