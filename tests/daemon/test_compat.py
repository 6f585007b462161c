#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Today's raimd takes over what each released version left in tests/compat/VERSION, and plays with
its client. It believes to run on that machine and a moment later: a preloaded library gives it the
boot_id, and steps its clocks back."""

import contextlib
import gzip
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import time
import unittest

import arenas_api
import harness
from harness import ROOT, Stage
from ports import free_ports
from test_access import UNREACHABLE, raimctl

sys.path[:0] = [str(ROOT / "tests/rules"), str(ROOT / "tests/faults")]

import format_versions  # noqa: E402
from page import BOOT_STEP, CLOCK_STEP, Page  # noqa: E402

FOLDERS = sorted((ROOT / "tests/compat").glob("[0-9]*"))
LAYOUT_AT = 8 # in a checkpoint
WRONG_VERSION = 4 # a reason of GOODBYE
OTHER_VERSION = 76 # exit status of raimrec
PLAY_S = 30 # at most


class Release:
    """A copy of what a version left, and today's raimd on it."""

    def __init__(self, stage, folder):
        self.stage, self.folder = stage, folder
        self.home = stage.directory / folder.name
        self.state, self.run = self.home / "state", self.home / "run"
        self.socket = self.run / "control.sock"
        shutil.copytree(folder, self.home)
        self.known = json.loads((folder / "known.json").read_text())
        was, now = format_versions.released(folder), format_versions.today()
        self.same = {name for name in was if now[name][0] == was[name][0]}
        self.unpack()
        self.move_ports()

    def unpack(self):
        """Git keeps no modes; what is mostly zeros is packed."""
        for path in [path for path in self.home.rglob("*") if path.is_file()]:
            if path.suffix == ".gz":
                path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
                path.unlink()
                path = path.with_suffix("")
            path.chmod(0o600)
        self.state.joinpath("recordings").chmod(0o700)

    def move_ports(self):
        first = free_ports(len(self.known["ports"]))
        self.ports = {port: first + i for i, port in enumerate(self.known["ports"])}
        for path in (self.home / "raimd.conf", *self.state.glob("*.arena")):
            path.write_text(re.sub(r"\b\d{5}\b", lambda it: str(
                self.ports.get(int(it[0]), it[0])), path.read_text()))
        self.east, _, self.guild, *_ = self.ports.values()

    def serve(self, page):
        page[CLOCK_STEP] = self.known["time_s"] - int(time.time())
        page[BOOT_STEP] = self.known["boottime_s"] - int(time.clock_gettime(time.CLOCK_BOOTTIME))
        boot_id = self.run / "boot_id"
        boot_id.write_text(self.known["boot_id"])
        self.daemon = self.stage.raimd("-c", self.home / "raimd.conf", env={
            **page.env, "FAULT_BOOT_ID": str(boot_id), "STATE_DIRECTORY": str(self.state),
            "RUNTIME_DIRECTORY": str(self.run)}).wait_started()
        self.daemon.poll("the control socket", self.socket.exists)
        return self.daemon

    def client(self, *words):
        """The exit status of the frozen client, and what it prints."""
        result = subprocess.run(["/usr/bin/python3", self.folder / "client.pyz", *map(str, words)],
                                text=True, stdout=subprocess.PIPE, check=False, timeout=60)
        return result.returncode, json.loads(result.stdout) if result.stdout else None

    def ask(self, *words):
        status, out, complaint = raimctl("-s", self.socket, *words)
        if status != 0:
            raise AssertionError(complaint)
        return json.loads(out)


class Takeover:
    """The tests of a release, which is in `folder`."""

    def setUp(self):
        self.release = Release(self.enterContext(Stage()), self.folder)
        self.known = self.release.known
        self.recordings = {path.name for path in self.folder.glob("state/recordings/*.raimrec")}
        self.is_replayed = {"recording", "world"} <= self.release.same

    def serve(self):
        page = self.enterContext(contextlib.closing(Page(self.release.stage, "fault_shim")))
        return self.release.serve(page)

    def check_matches(self, word):
        """All sessions are there with the score that they had."""
        daemon = self.serve()
        for name, players in self.known["players"].items():
            daemon.poll(f"word of {name}", lambda name=name: f" arena={name} players=" in daemon.log)
            self.assertIn(f"arena {word} arena={name} ", daemon.log)
            def seen(name=name):
                return {str(row["id"]): (row["name"], row["score"]) for row in
                        daemon.get_json(f"/arenas/{name}")["players"] if not row["bot"]}
            self.assertEqual(daemon.poll("the players", seen),
                             {who: tuple(row) for who, row in players.items()})

    def test_matches_go_on(self):
        same = {"checkpoint_file", "checkpoint"} <= self.release.same
        self.check_matches("restored" if same else "continued")

    def test_matches_go_on_where_checkpoints_have_another_layout(self):
        for path in self.release.run.glob("*.checkpoint"):
            data = bytearray(path.read_bytes())
            data[LAYOUT_AT] += 100
            path.write_bytes(data)
        self.check_matches("continued")

    def test_what_the_state_directory_has(self):
        daemon, release, known = self.serve(), self.release, self.known
        api = arenas_api.Api.unix(release.socket)
        self.assertEqual([row["address"] for row in release.ask("bans", "--json")["bans"]],
                         ["192.0.2.0/24"])
        self.assertIn("ban list loaded networks=2 ", daemon.log)
        arena = api.arena("match-1")
        self.assertEqual((arena["name"], arena["port"]),
                         (known["on_demand"], release.ports[known["ports"][3]]))
        with api.events(after=0) as stream:
            self.assertEqual(stream.next()[:2], tuple(known["arena_event"]))
        events = [json.loads(line)["id"] for line in daemon.ask("/events.jsonl").text.splitlines()]
        self.assertEqual([event for event in events if event in known["events"]], known["events"])
        lines = [json.loads(line) for line in
                 (self.folder / "state/results.jsonl").read_text().splitlines()]
        daemon.poll("the results", lambda: release.ask("results", "--json")["results"]
                    [:len(lines)] == lines)
        played = {row["name"] for line in lines for row in line["players"]
                  if not row["bot"] and row["shots"] + row["deaths"]}
        daemon.poll("the leaderboard", lambda: played == {
            row["name"] for row in daemon.get_json("/leaderboard")["players"]})
        self.assertEqual(release.state.joinpath("server.key").read_bytes(),
                         self.folder.joinpath("state/server.key").read_bytes())
        self.assertIn("raimd_unread_state_lines 0\n", daemon.ask("/metrics").text)

    def test_a_spent_token_stays_spent(self):
        daemon = self.serve()
        def join(name):
            return self.release.stage.bots(daemon, 1, 1, ports=[self.release.guild],
                                           network=["--access", self.known[name]])
        spent = join("spent")
        spent.expected_status = UNREACHABLE
        spent.wait(harness.START_S)
        self.assertEqual(join("unspent").report()["connected"], 1)

    def test_recordings_are_replayed_or_name_the_version_that_they_need(self):
        self.assertEqual(sum("-clip" in name for name in self.recordings), 1)
        for name in self.recordings:
            result = harness.run_raimrec("verify", self.release.state / "recordings" / name)
            self.assertEqual(result.returncode, 0 if self.is_replayed else OTHER_VERSION, result)
            if not self.is_replayed:
                self.assertIn(f"it needs {self.folder.name}", result.stdout)

    def test_the_configuration_is_accepted(self):
        result = harness.run_raimd("-t", "-c", self.release.home / "raimd.conf")
        self.assertEqual(result.returncode, 0, result.stderr)

    @unittest.skipUnless(importlib.util.find_spec("enet"), "python3-enet is not installed")
    def test_its_client_plays_or_is_told_why_not(self):
        daemon = self.serve()
        _, report = self.release.client("127.0.0.1", self.release.east, PLAY_S, self.known["token"])
        if "protocol" not in self.release.same:
            self.assertEqual(report["ended"][0], WRONG_VERSION, report)
            self.assertIn("version", report["ended"][1])
            return
        self.assertEqual((report["errors"], report["ended"]), (0, [0, "enough"]), report)
        player, = [who for who, row in self.known["players"]["east"].items() if row[0] == "Example"]
        self.assertEqual(report["player"], int(player)) # it has its session again
        daemon.stop()
        new = [path for path in self.release.state.glob("recordings/*.raimrec")
               if path.name not in self.recordings]
        self.assertTrue(new)
        for path in new if self.is_replayed else ():
            status, read = self.release.client("--records", path)
            self.assertIn(status, (0, harness.SKIPPED), path)
            self.assertTrue(status or read["records"]["STEP"])


assert FOLDERS
for path in FOLDERS:
    name = "Takeover_" + path.name.replace(".", "_")
    globals()[name] = type(name, (Takeover, unittest.TestCase), {"folder": path})


if __name__ == "__main__":
    harness.main()
