#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""raimd replaces libenet's functions for time and sockets by its own; a libenet that calls its own
all the same, as if linked with -Bsymbolic, is refused at the start."""

import pathlib
import re
import struct
import subprocess
import unittest

import harness
from harness import Stage, arena, config

LIBRARY = "libenet.so.7"
DT_FLAGS, DF_SYMBOLIC, PT_DYNAMIC = 30, 2, 2


def library_path():
    listed = subprocess.run(["ldd", harness.BIN / "raimd"], capture_output=True, text=True,
                            check=True).stdout
    found = re.search(rf"{re.escape(LIBRARY)} => (\S+)", listed)
    return pathlib.Path(found[1]) if found else None


def make_symbolic(library):
    """The same library, which looks for its symbols in itself first."""
    data = bytearray(library)
    headers, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for at in range(headers, headers + size * count, size):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, at)
        if kind != PT_DYNAMIC:
            continue
        for entry in range(offset, offset + length, 16):
            tag, value = struct.unpack_from("<QQ", data, entry)
            if tag == DT_FLAGS:
                struct.pack_into("<QQ", data, entry, tag, value | DF_SYMBOLIC)
                return bytes(data)
    return None


class InterpositionTest(unittest.TestCase):
    def setUp(self):
        path = library_path()
        if path is None:
            self.skipTest(f"raimd is not linked with {LIBRARY} as a shared library")
        self.library = path.read_bytes()
        if self.library[:6] != b"\x7fELF\x02\x01" or make_symbolic(self.library) is None:
            self.skipTest(f"{path} has no flags to change")

    def start(self, stage, library):
        """A raimd that uses this library."""
        directory = stage.directory / "lib"
        directory.mkdir()
        (directory / LIBRARY).write_bytes(library)
        path = stage.write_config(config(arena()))
        return stage.raimd("--config", path, env={"LD_LIBRARY_PATH": str(directory)})

    def test_a_library_that_calls_its_own_functions_is_refused(self):
        with Stage() as stage:
            daemon = self.start(stage, make_symbolic(self.library))
            daemon.expected_status = 1
            daemon.wait(harness.START_S)
            self.assertRegex(daemon.log, r"libenet does not call this program's enet_time_get")
            self.assertNotIn("arena started", daemon.log)

    def test_a_copy_of_the_same_library_is_taken(self):
        with Stage() as stage:
            self.start(stage, self.library).wait_started()


if __name__ == "__main__":
    unittest.main()
