#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a real raimd records: files of rounds that play to their end, whatever ends the process, the
arena or the disk meanwhile."""

import json
import os
import signal
import stat
import subprocess
import unittest

import harness
import arenas_api
from harness import BIN, START_S, Stage, arena, config
from ports import free_port

SHORT = {"round_time": 2, "break_time": 0.5}


class Recorded(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.state, self.run = (self.stage.directory / name for name in ("state", "run"))
        for directory in (self.state, self.run):
            directory.mkdir()
        self.env = {"STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(self.run)}
        self.recordings = self.state / "recordings"

    def start(self, text, prefix=()):
        self.path = self.stage.write_config(text)
        self.daemon = self.stage.raimd("-c", self.path, env=self.env, prefix=prefix)
        return self.daemon.wait_started()

    def serve(self, *arenas, **keys):
        return self.start(config(*arenas, **keys))

    def reload(self, text, words="configuration reloaded"):
        self.path.write_text(text, encoding="utf-8")
        before = self.daemon.log.count(words)
        self.daemon.send(signal.SIGHUP)
        self.daemon.poll(words, lambda: self.daemon.log.count(words) > before)

    def files(self, pattern="*.raimrec", directory=None):
        return sorted((directory or self.recordings).glob(pattern))

    def replay(self, *paths):
        """What each file holds; every one plays to its end."""
        if not paths:
            return []
        said = subprocess.run([BIN / "replay", *paths], check=True, text=True, timeout=START_S,
                              stdout=subprocess.PIPE).stdout
        rows = [json.loads(line) for line in said.splitlines()]
        for row in rows:
            self.assertIsNone(row["fault"], row)
            self.assertEqual(row["played"], row["ticks"])
            self.assertTrue(row["complete"])
        return rows

    def counts(self, index=0):
        return self.daemon.get_json()["arenas"][index]["recording"]

    def wait_finished(self, count, index=0):
        return self.daemon.poll(f"{count} recordings", lambda: self.counts(index)["finished"]
                                >= count, 3 * START_S)

    def command(self, name, **fields):
        """Status and JSON of a command over the control socket."""
        self.daemon.poll("the control socket", lambda: "control started" in self.daemon.log)
        answer = arenas_api.Api.unix(self.run / "control.sock").command(name, **fields)
        return answer.status, answer.json


class RecordingTest(Recorded):
    def test_each_round_that_somebody_plays_is_a_file(self):
        daemon = self.serve(arena("east", bots=2, **SHORT), arena("west", bots=2, **SHORT))
        self.assertEqual(stat.S_IMODE(self.recordings.stat().st_mode), 0o700)
        bots = self.stage.bots(daemon, 2, ports=daemon.ports[:1])
        self.wait_finished(2)
        bots.stop()
        before = self.counts()
        self.assertEqual(self.counts(1)["begun"], 0) # bots alone
        daemon.stop()
        paths = self.files()
        self.assertGreaterEqual(len(paths), 2)
        self.assertEqual(self.files("*.part"), [])
        for path in paths:
            self.assertRegex(path.name, r"^east-\d{8}T\d{6}Z-r\d+\.raimrec$")
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        rows = self.replay(*paths)
        self.assertEqual([row["round"] for row in rows],
                         sorted({row["round"] for row in rows}))
        for row in rows:
            self.assertEqual((row["arena"], row["bots"]), ("east", 2))
            self.assertIn(row["clients"], (1, 2))
            self.assertLessEqual(row["ticks"], 2 * harness.TICK_HZ)
        # Half of the second round is finished by the end of the process.
        self.assertEqual(before["dropped"] + before["failed"], 0)
        self.assertGreater(before["bytes"], 0)

    def test_a_sigkill_costs_ten_seconds_at_most(self):
        keys = {"bots": 3, "recording": "all"}
        daemon = self.serve(arena("east", **keys))
        daemon.poll("a file in progress", lambda: self.files("*.part"))
        begun = daemon.get_json()["arenas"][0]["tick"]
        # The first frame is complete after 10 s, and written within the half second after it.
        daemon.poll("a frame", lambda: self.files("*.part")[0].stat().st_size > 3000
                    and daemon.get_json()["arenas"][0]["tick"] > begun + 12 * harness.TICK_HZ, 60)
        played = daemon.get_json()["arenas"][0]["tick"]
        daemon.expected_status = -signal.SIGKILL
        daemon.stop(signal.SIGKILL)
        part, = self.files("*.part")
        again = self.start(self.path.read_text(encoding="utf-8"))
        again.poll("word of the file", lambda: f"recording completed file={part.stem}" in again.log)
        self.assertFalse(part.exists())
        row, = self.replay(part.with_suffix(""))
        self.assertGreaterEqual(row["ticks"], played - 11 * harness.TICK_HZ)
        self.assertGreaterEqual(row["ticks"], 9.9 * harness.TICK_HZ)

    def test_a_clip_is_ordered_while_a_round_is_recorded(self):
        daemon = self.serve(arena("east", bots=2, recording="all"), arena("west"))
        daemon.poll("a recording", lambda: self.counts()["now"])
        daemon.poll("two seconds", lambda: daemon.get_json()["arenas"][0]["tick"] > 120)
        status, said = self.command("arena-clip", arena="east", seconds=5)
        self.assertEqual(status, 200, said)
        self.assertRegex(said["recording"], r"^east-\d{8}T\d{6}Z-r1-clip\.raimrec$")
        row, = self.replay(self.recordings / said["recording"])
        self.assertGreater(row["ticks"], 60)
        for fields, status, words in (
                ({"arena": "west"}, 409, "not being recorded"),
                ({"arena": "north"}, 404, "no such arena"),
                ({"arena": "east", "seconds": 601}, 400, "want 1 to 600 seconds"),
                ({"arena": "east", "seconds": "-1"}, 400, "want 1 to 600 seconds")):
            answer = self.command("arena-clip", **fields)
            self.assertEqual(answer[0], status)
            self.assertIn(words, answer[1]["error"])

    def test_a_reload_changes_what_is_recorded_where_and_what_is_kept(self):
        other = self.state / "other"
        text = lambda recording, **keys: config(
            arena("east", bots=2, recording=recording), **keys)
        daemon = self.start(text("all"))
        daemon.poll("a recording", lambda: self.counts()["now"])
        self.reload(text("none"))
        self.wait_finished(1)
        self.assertFalse(self.counts()["now"])
        first, = self.files()
        other.mkdir(mode=0o700)
        self.reload(text("all", recordings_directory=str(other)))
        daemon.poll("a file in the other directory", lambda: self.files("*.part", other))
        self.reload(text("none", recordings_directory=str(other)))
        self.wait_finished(2)
        second, = self.files(directory=other)
        self.assertIn("-p2", second.name)
        self.replay(first, second)
        # What is too old goes at once, in the directory that is in use.
        os.rename(second, other / "east-20200101T000000Z-r1.raimrec")
        self.reload(text("none"))
        self.reload(text("none", recordings_directory=str(other), recordings_days=1))
        daemon.poll("the end of a recording", lambda: not self.files(directory=other))
        self.assertTrue(first.exists())
        # Outside of what the sandbox leaves, nothing changes.
        outside = self.stage.directory / "outside"
        outside.mkdir(mode=0o700)
        if 'landlock="abi' in daemon.log:
            self.reload(text("all", recordings_directory=str(outside)), "recordings not moved")
            daemon.poll("a recording", lambda: self.counts()["now"])
            self.assertEqual(list(outside.iterdir()), [])

    def test_the_end_of_an_arena_finishes_its_file(self):
        self.serve(arena("east", bots=2, recording="all"), arena("west"))
        self.daemon.poll("a recording", lambda: self.counts()["now"])
        status, said = self.command("arena-remove", arena="east")
        self.assertEqual(status, 200, said)
        self.daemon.poll("a finished file", self.files)
        self.replay(*self.files())

    def test_arenas_are_recorded(self):
        first = free_port()
        daemon = self.start(arenas_api.config(
            arenas_api.template(bots=2, recording="all"), first=first, count=1))
        daemon.poll("the control socket", lambda: "control started" in daemon.log)
        api = arenas_api.Api.unix(self.run / "control.sock")
        self.assertEqual(api.ask("PUT", "/v1/arenas/match-1", {"template": "duel"}).status, 201)
        daemon.poll("a file in progress", lambda: self.files("*.part"))
        self.assertIn(api.ask("DELETE", "/v1/arenas/match-1").status, (200, 202, 204))
        daemon.poll("a finished file", self.files)
        self.replay(*self.files())

    def test_another_map_begins_another_file(self):
        self.serve(arena("east", bots=2, recording="all"))
        self.daemon.poll("a recording", lambda: self.counts()["now"])
        status, said = self.command("arena-map", arena="east",
                                  map=str(harness.ROOT / "config/maps/duel.conf"))
        self.assertEqual(status, 200, said)
        self.wait_finished(1)
        self.daemon.poll("another recording", lambda: self.counts()["now"])
        self.daemon.stop()
        self.assertEqual([row["map"] for row in self.replay(*self.files())],
                         ["crossfire", "duel"])

    def test_without_a_directory_nothing_is_recorded(self):
        self.env = {}
        daemon = self.serve(arena("east", bots=2, recording="all"))
        self.assertIn("recordings off: there is no $STATE_DIRECTORY", daemon.log)
        self.assertEqual(self.counts(), {"now": False, "begun": 0, "finished": 0, "dropped": 0,
                                         "failed": 0, "bytes": 0})

    def test_a_configured_directory_that_cannot_be_used_ends_the_start(self):
        open_to_all = self.stage.directory / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        for directory, words in (("/nowhere/at/all", "No such file or directory"),
                                 (open_to_all, "others than this user may write to it")):
            path = self.stage.write_config(
                config(arena("east"), recordings_directory=str(directory)))
            said = harness.run_raimd("-c", path, env=self.env)
            self.assertEqual(said.returncode, 1)
            self.assertIn("recordings failed: ", said.stderr)
            self.assertIn(words, said.stderr)


if __name__ == "__main__":
    harness.main()
