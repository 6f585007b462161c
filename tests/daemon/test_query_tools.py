#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A raimd as other people's query tools see it, each where it is installed: quakestat of Debian's
qstat, and npm's gamedig."""

import json
import re
import shutil
import subprocess
import unittest

import harness
from harness import Stage, arena

PLAYING = 3
BOTS = 2
HOSTNAME = "The open hall"
SHOWN = {"hostname": HOSTNAME, "tags": ["ffa", "no-bots"], "region": "Europe",
         "website": "https://example.org/open"}


class ToolsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stage = cls.enterClassContext(Stage())
        cls.daemon = stage.serve(arena("open", bots=BOTS, **SHOWN))
        cls.target = f"127.0.0.1:{cls.daemon.ports[0]}"
        stage.bots(cls.daemon, PLAYING)
        cls.daemon.wait_pressing(PLAYING)

    def names(self):
        return sorted(row["name"] for row in self.daemon.get_json()["arenas"][0]["players"])

    @unittest.skipUnless(shutil.which("quakestat"), "skipped: qstat is not installed")
    def test_quakestat_sees_it_all(self):
        command = ["quakestat", "-a2s", self.target, "-P", "-R", "-json"]
        seen, = json.loads(subprocess.check_output(command, timeout=harness.START_S))
        self.assertEqual((seen["status"], seen["name"], seen["map"]),
                         ("online", HOSTNAME, "crossfire"))
        self.assertEqual((seen["numplayers"], seen["maxplayers"]), (PLAYING + BOTS, 64 + BOTS))
        self.assertEqual(seen["rules"]["player_speed"], "300")
        self.assertEqual((seen["rules"]["region"], seen["rules"]["website"]),
                         (SHOWN["region"], SHOWN["website"]))
        self.assertEqual(sorted(player["name"] for player in seen["players"]), self.names())
        self.assertTrue(all(isinstance(player["score"], int) for player in seen["players"]))
        times = [player["time"] for player in seen["players"]]
        self.assertEqual(times.count("-1s"), BOTS, times)
        self.assertTrue(all(re.fullmatch(r"-?[\dhm]+s?", time) for time in times), times)

    @unittest.skipUnless(shutil.which("gamedig"),
                         "skipped: gamedig is not installed (npm install -g gamedig)")
    def test_gamedig_sees_it_all(self):
        command = ["gamedig", "--type", "protocol-valve", self.target, "--requestRules"]
        seen = json.loads(subprocess.check_output(command, timeout=3 * harness.START_S))
        self.assertNotIn("error", seen)
        self.assertEqual((seen["name"], seen["map"], seen["maxplayers"]),
                         (HOSTNAME, "crossfire", 64 + BOTS))
        self.assertEqual(seen["raw"]["tags"], SHOWN["tags"])
        self.assertEqual([len(seen["players"]), len(seen["bots"])], [PLAYING, BOTS])
        self.assertEqual(sorted(player["name"] for player in seen["players"] + seen["bots"]),
                         self.names())
        self.assertTrue(all("score" in player["raw"] for player in seen["players"]))
        self.assertEqual(seen["raw"]["rules"]["player_speed"], "300")


if __name__ == "__main__":
    harness.main()
