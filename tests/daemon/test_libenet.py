#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""raimd and its clients work with any libenet: also with one that calls its own functions, as if
linked with -Bsymbolic, which no program can replace."""

import pathlib
import re
import struct
import subprocess
import unittest

import harness
from harness import Stage, arena

LIBRARY = "libenet.so.7"
DT_FLAGS, DF_SYMBOLIC, PT_DYNAMIC = 30, 2, 2
CLIENTS = 8


def library_path(program):
    listed = subprocess.run(["ldd", harness.BIN / program], capture_output=True, text=True,
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


class LibenetTest(unittest.TestCase):
    def test_no_program_defines_functions_of_libenet(self):
        for program in ("raimd", "raim-bots", "raim"):
            symbols = subprocess.run(["nm", "-D", "--defined-only", harness.BIN / program],
                                     capture_output=True, text=True, check=True).stdout
            self.assertNotRegex(symbols, r" enet_")

    def test_players_play_with_a_library_that_calls_its_own_functions(self):
        path = library_path("raimd")
        if path is None or library_path("raim-bots") != path:
            self.skipTest(f"raimd and raim-bots are not linked with one {LIBRARY}")
        library = path.read_bytes()
        symbolic = make_symbolic(library) if library[:6] == b"\x7fELF\x02\x01" else None
        if symbolic is None:
            self.skipTest(f"{path} has no flags to change")
        with Stage() as stage:
            directory = stage.directory / "lib"
            directory.mkdir()
            (directory / LIBRARY).write_bytes(symbolic)
            env = {"LD_LIBRARY_PATH": str(directory)}
            daemon = stage.serve(arena(encryption="required"), core_dumps=True, env=env)
            bots = stage.bots(daemon, CLIENTS, env=env)
            tick = daemon.wait_pressing(CLIENTS)["arenas"][0]["tick"]
            daemon.poll("two seconds of ticks", lambda:
                        daemon.get_json()["arenas"][0]["tick"] > tick + 2 * harness.TICK_HZ)
            bots.stop()
            report = bots.report()
            self.assertEqual(report["connected"], CLIENTS)
            self.assertEqual(report["disconnected"], 0)
            self.assertEqual(report["decode_errors"], 0)
            daemon.wait_players(0)
            mapped = pathlib.Path(f"/proc/{daemon.pid}/maps")
            self.assertIn(f"{directory}/{LIBRARY}", mapped.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
