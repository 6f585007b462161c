#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""raimrec verify and raimrec audit on recordings of matches over a simulated network: what they
print, their exit statuses, and that the figures of players who cheat differ from the others'."""

import json
import os
import signal
import statistics
import subprocess
import unittest

import harness
from harness import BIN, Stage, poll, run_raimrec

try:
    import jsonschema
except ImportError:
    jsonschema = None

GOOD, DIFFERS, EXIT_USAGE, UNREADABLE, OTHER_VERSION = 0, 1, 64, 66, 76
SECONDS = 20 if harness.SLOW else 90
CLIENTS = 12

SCHEMA = json.loads((harness.ROOT / "tools/raimrec/audit.schema.json").read_text(encoding="ascii"))


class AuditTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = cls.enterClassContext(Stage()).directory
        cls.path = cls.record("match.raimrec", SECONDS, "clients", CLIENTS)
        cls.bytes = cls.path.read_bytes()

    @classmethod
    def record(cls, name, *arguments):
        seconds, *players = arguments
        path = cls.directory / name
        subprocess.run([BIN / "record_match", path, str(seconds), *map(str, players)], check=True)
        return path

    def write(self, name, content):
        path = self.directory / name
        path.write_bytes(content)
        return path

    def verify(self, status, *paths):
        result = run_raimrec("verify", *paths)
        self.assertEqual((result.returncode, result.stderr), (status, ""), result.stdout)
        return result.stdout.splitlines()

    def audit(self, path):
        result = run_raimrec("audit", "--json", path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_usage(self):
        for options in ([], ["play"], ["verify"], ["audit"], ["audit", "a", "b"],
                        ["verify", "--json", "a"]):
            with self.subTest(options):
                result = run_raimrec(*options)
                self.assertEqual((result.returncode, result.stdout), (EXIT_USAGE, ""))

    def test_right_recordings(self):
        head, *lines = self.verify(GOOD, self.path, self.path)
        self.assertEqual(head.split(),
                         ["RESULT", "LENGTH", "TICKS", "COMPARED", "TICKS/S", "SPEED", "FILE"])
        self.assertEqual(len(lines), 2)
        for line in lines:
            words = line.split()
            self.assertEqual(words[:4], ["verified", f"{SECONDS}.0", "s", str(60 * SECONDS)])
            self.assertGreaterEqual(int(words[4]), SECONDS) # digests
            self.assertEqual(words[-1], str(self.path))

    def test_damage_is_located(self):
        place = len(self.bytes) // 2
        content = bytearray(self.bytes)
        content[place] ^= 16
        lines = self.verify(DIFFERS, self.path, self.write("flipped", content))
        self.assertEqual([line.split()[0] for line in lines[1:3]], ["verified", "damaged"])
        self.assertIn("the data frame is damaged: after tick ", lines[3])
        begin = int(lines[3].rsplit(" ", 1)[1])
        self.assertLessEqual(begin, place)
        self.assertEqual(content[begin:begin + 4], b"\x28\xb5\x2f\xfd") # of zstd, RFC 8878

    def test_a_missing_end(self):
        lines = self.verify(DIFFERS, self.write("short", self.bytes[:len(self.bytes) * 2 // 3]))
        self.assertEqual(lines[1].split()[:2], ["cut", "off"])
        self.assertIn("its end is missing", lines[2])
        result = run_raimrec("audit", "--json", self.directory / "short")
        self.assertEqual(result.returncode, DIFFERS)
        self.assertIn("which is missing", result.stderr)
        self.assertIsNone(json.loads(result.stdout)["fault"])

    def test_another_version(self):
        content = bytearray(self.bytes)
        content[16] += 1 # the format, behind zstd's eight bytes and the magic's eight
        path = self.write("foreign", content)
        lines = self.verify(OTHER_VERSION, path)
        self.assertEqual(lines[1].split()[0], "foreign")
        self.assertIn("it needs ", lines[2])
        self.assertEqual(run_raimrec("audit", path).returncode, OTHER_VERSION)
        # Of several files the worst one counts.
        self.verify(DIFFERS, path, self.write("bad", b"bad"), "/nowhere")
        self.verify(UNREADABLE, path, self.path, "/nowhere")

    def test_what_is_no_file(self):
        fifo = self.directory / "fifo"
        os.mkfifo(fifo)
        for path in (fifo, self.directory, "/dev/zero", "/nowhere", self.write("empty", b"")):
            with self.subTest(path):
                self.assertEqual(self.verify(UNREADABLE, path)[1].split()[0], "unreadable")
                result = run_raimrec("audit", path)
                self.assertEqual((result.returncode, result.stdout), (UNREADABLE, ""))

    def test_an_interrupt_ends_it(self):
        out = self.directory / "out"
        with open(out, "wb") as sink, subprocess.Popen(
                [BIN / "raimrec", "verify", *[self.path] * 5000], stdout=sink,
                preexec_fn=harness.prepare_program) as program:
            try:
                poll("a file is verified", lambda: out.stat().st_size > 200)
                program.send_signal(signal.SIGINT)
                self.assertEqual(program.wait(harness.START_S), -signal.SIGINT)
            finally:
                program.kill()

    def test_a_full_disk_is_told(self):
        if not os.access("/dev/full", os.W_OK):
            self.skipTest("no /dev/full")
        for action in ("verify", "audit"):
            with open("/dev/full", "wb") as full:
                result = subprocess.run([BIN / "raimrec", action, self.path], stdout=full,
                                        stderr=subprocess.PIPE, check=False, timeout=60)
            self.assertEqual(result.returncode, 1)
            self.assertIn(b"cannot write", result.stderr)

    def test_audit_of_a_damaged_recording_ends_at_the_fault(self):
        content = bytearray(self.bytes)
        content[len(content) // 2] ^= 16
        path = self.write("damaged", content)
        result = run_raimrec("audit", "--json", path)
        self.assertEqual(result.returncode, DIFFERS)
        self.assertIn(f"raimd: {path}: audited up to the fault: the data frame", result.stderr)
        document = json.loads(result.stdout)
        self.assertIn("damaged", document["fault"])
        self.assertLess(document["ticks"], 60 * SECONDS)
        self.assertEqual(len(document["players"]), CLIENTS)

    def test_json_is_as_its_schema_says(self):
        document = self.audit(self.path)
        self.assertEqual((document["map"], document["ticks"]), ("crossfire", 60 * SECONDS))
        if jsonschema is None:
            self.skipTest("no jsonschema")
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
        bots = self.audit(self.record("bots.raimrec", 10, "bots", 4))
        jsonschema.Draft202012Validator(SCHEMA).validate(bots)
        for player in bots["players"]:
            self.assertTrue(player["bot"])
            self.assertIsNone(player["network"]["inputs_per_s"])

    def test_the_table_tells_what_the_json_tells(self):
        lines = run_raimrec("audit", self.path).stdout.splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith("shots"))
        for player, line in zip(self.audit(self.path)["players"], lines[begin + 1:]):
            words = line.split()
            self.assertEqual(words[0], player["name"])
            shots = player["shots"]
            self.assertEqual([float(word) for word in words[1:7]],
                             [shots[key] for key in ("present_s", "alive_s", "kills", "deaths",
                                                     "fired", "hits")])

    @unittest.skipIf(harness.SLOW, "skipped: too short a match")
    def test_cheats_stand_out(self):
        players = {each["name"]: each for each in self.audit(self.path)["players"]}
        aimbot, wallhack = players.pop("bot-0"), players.pop("bot-1")
        others = players.values()

        def median(group, key):
            return statistics.median(each[group][key] for each in others)

        self.assertLess(aimbot["reactions"]["median_ms"], 60)
        self.assertGreater(median("reactions", "median_ms"), 120)
        self.assertGreater(aimbot["reactions"]["below_100_ms_percent"], 70)
        self.assertLess(median("reactions", "below_100_ms_percent"), 40)
        self.assertGreater(aimbot["shots"]["on_target_percent"], 95)
        self.assertGreaterEqual(aimbot["aim"]["flicks"], 5)
        self.assertLess(max(each["aim"]["flicks"] for each in others), 3)

        def on_hidden(player):
            hidden = player["hidden"]
            return ((hidden["sent_aimed_s"] + hidden["unsent_aimed_s"]) /
                    (hidden["sent_chance_s"] + hidden["unsent_chance_s"]))

        self.assertGreater(on_hidden(wallhack), 7)
        self.assertLess(max(map(on_hidden, others)), 6)
        self.assertGreater(wallhack["hidden"]["tracking_s"], 0.5)

        for player in (aimbot, wallhack, *others):
            network = player["network"]
            self.assertTrue(15 < network["inputs_per_s"] <= 65, network)
            self.assertTrue(15 < network["round_trip_median_ms"] < 150, network)
            self.assertLess(network["missed_percent"], 2)


if __name__ == "__main__":
    harness.main()
