#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes the configuration of a raimd that is being played on."""

import json
import os
import signal
import socket
import unittest

import harness
from harness import ROOT, SLOW, Stage, arena, config
from ports import free_port
from test_operator import Manager

MAPS = ROOT / "config/maps"
RELOADS = 5 if SLOW else 20
CLIENTS = 4 if SLOW else 16


def with_rules(text, **rules):
    """The text of an arena's group with rules in it."""
    listed = " ".join(f"{key} = {value};" for key, value in rules.items())
    return f"{text[:-1]} rules = {{ {listed} }}; }}"


def with_rotation(text, *maps):
    listed = ", ".join(json.dumps(str(MAPS / f"{name}.conf")) for name in maps)
    return f"{text[:-1]} rotation = ({listed}); }}"


class ReloadTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.reloads = 0

    def serve(self, *arenas, env=None, prefix=(), **keys):
        self.path = self.stage.write_config(config(*arenas, **keys))
        # Freed memory that a sanitizer keeps aside would look like a leak.
        options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
        self.daemon = self.stage.raimd("-c", self.path, prefix=prefix, env={
            "ASAN_OPTIONS": options, **(env or {})}).wait_started()
        return self.daemon

    def reload(self, *arenas, words="configuration reloaded", **keys):
        """Writes another configuration and has it read; returns what was logged."""
        self.stage.write_config(config(*arenas, **keys))
        before = len(self.daemon.log)
        self.daemon.send(signal.SIGHUP)
        self.daemon.poll(f"'{words}'", lambda: words in self.daemon.log[before:])
        return self.daemon.log[before:]

    def arena(self, name):
        """The status of an arena, or None."""
        for row in self.daemon.get_json()["arenas"]:
            if row["name"] == name:
                return row
        return None

    def wait_arena(self, what, name, ready):
        def seen():
            row = self.arena(name)
            return row if ready(row) else None
        return self.daemon.poll(what, seen)

    def bots_of(self, name):
        return sum(player["bot"] for player in self.arena(name)["players"])


class ApplyTest(ReloadTest):
    def test_bots_come_and_go_and_players_stay(self):
        self.serve(arena("one", bots=2))
        bots = self.stage.bots(self.daemon, 3)
        self.daemon.wait_pressing(3)
        for count in (5, 0, 1):
            log = self.reload(arena("one", bots=count))
            self.assertIn(f"-> {count}", log)
            self.wait_arena(f"{count} bots", "one",
                            lambda row, count=count: row["tick"] and self.bots_of("one") == count)
            self.assertEqual(self.daemon.get_json()["players"]["now"], 3)
        bots.send(signal.SIGINT)
        report = bots.report()
        self.assertEqual(report["decode_errors"], 0)
        self.assertEqual([row["end"] for row in report["players"]], ["left"] * 3)

    def test_rules_and_map_reach_the_status(self):
        self.serve(arena("one"))
        bots = self.stage.bots(self.daemon, 2)
        self.daemon.wait_pressing(2)
        self.reload(with_rules(arena("one"), player_radius=30))
        self.daemon.poll("larger players", lambda: self.daemon.get_json(
            "/arenas/one/map")["player_radius"] == 30)
        self.reload(with_rules(arena("one", map=str(MAPS / "duel.conf")), player_radius=30))
        self.wait_arena("another map", "one", lambda row: row["map"] == "duel")
        self.daemon.wait_pressing(2)
        bots.send(signal.SIGINT)
        self.assertEqual(bots.report()["decode_errors"], 0)

    def test_limits_and_names_change_without_another_match(self):
        port = free_port()
        self.serve(arena("one", port=port, max_players=4))
        bots = self.stage.bots(self.daemon, 3)
        self.daemon.wait_pressing(3)
        self.reload(arena("two", port=port, max_players=2), words="applied=2 restart=0")
        row = self.wait_arena("the new name", "two", lambda row: row)
        self.assertEqual(len(row["players"]), 3)
        self.assertEqual(self.daemon.get_json()["players"]["max"], 2)
        self.assertNotIn("match started", self.daemon.log)
        self.reload(arena("two", port=port, max_players=4), words="applied=1 restart=0")
        self.reload(arena("two", port=port, max_players=4, hostname="Hall \u2694", tags=["ffa"],
                          region="EU", website="https://example.org"), words="applied=4 restart=0")
        row = self.wait_arena("the hostname", "two", lambda row: row["hostname"] != "two")
        self.assertEqual([row[key] for key in ("hostname", "tags", "region", "website", "locked")],
                         ["Hall \u2694", ["ffa"], "EU", "https://example.org", False])
        bots.send(signal.SIGINT)
        bots.report()

    def test_bots_leave_room_for_as_many_as_may_play(self):
        self.serve(arena("one", max_players=1000, bots=24))
        log = self.reload(arena("one", max_players=900, bots=60))
        self.assertIn("arenas[0].max_players: 1000 -> 900", log)
        self.assertRegex(log, r"needs a restart: .*arenas\[0\].bots: 24 -> 60")
        self.assertIn("applied=1 restart=1", log)
        self.wait_arena("fewer places", "one", lambda row: self.daemon.get_json()["players"]["max"]
                        == 900)
        self.wait_arena("as many bots", "one", lambda row: self.bots_of("one") == 24)

    def test_what_needs_a_restart_is_told_each_time(self):
        self.serve(arena("one", max_players=4, tick_hz=60), workers=1)
        for _ in range(2):
            log = self.reload(arena("one", max_players=5, tick_hz=30), workers=2,
                              words="applied=0 restart=3")
            for words in ("workers: 1 -> 2", "max_players: 4 -> 5", "tick_hz: 60 -> 30"):
                self.assertRegex(log, f"warning configuration needs a restart: .*{words}")
        status = self.daemon.get_json()
        self.assertEqual(status["players"]["max"], 4)
        self.assertEqual(status["arenas"][0]["tick_hz"], 60)
        self.reload(arena("one", max_players=4, tick_hz=60), workers=1,
                    words="applied=0 restart=0")

    def test_bad_file_changes_nothing(self):
        self.serve(arena("one", bots=2))
        log = self.reload(arena("one", bots=3), arena("two", tick_hz=1),
                          words="configuration rejected mistakes=1")
        self.assertIn("arenas[1].tick_hz: got 1", log)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", 0))
            log = self.reload(arena("one", bots=3), arena("two", port=taken.getsockname()[1]),
                              words="configuration rejected mistakes=1")
            self.assertIn("arena failed arena=two: cannot bind", log)
        self.wait_arena("two bots", "one", lambda row: row["tick"] and self.bots_of("one") == 2)
        self.assertIsNone(self.arena("two"))
        self.reload(arena("one", bots=3), arena("two"), words="applied=2 restart=0")


class FleetTest(ReloadTest):
    def test_arena_comes_and_goes_while_another_is_played(self):
        port = free_port()
        first, second = arena("one"), arena("two", port=port)
        self.serve(first, workers=1)
        stays = self.stage.bots(self.daemon, 4)
        self.daemon.wait_pressing(4)
        for _ in range(2):
            self.reload(first, second, workers=1, words="applied=1 restart=0")
            self.daemon.poll("readiness", self.daemon.ticks)
            guests = self.stage.bots(self.daemon, 2, ports=[port])
            self.daemon.wait_pressing(6)
            self.reload(first, workers=1, words="applied=1 restart=0")
            self.daemon.poll("the end", lambda: f"arena ended arena=two port={port}" in
                             self.daemon.log)
            self.daemon.poll("status without it", lambda: self.arena("two") is None)
            guests.send(signal.SIGINT)
            report = guests.report()
            self.assertEqual([row["end"] for row in report["players"]], ["shutdown"] * 2)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.bind(("127.0.0.1", port))
        self.assertEqual(len(self.arena("one")["players"]), 4)
        stays.send(signal.SIGINT)
        report = stays.report()
        self.assertEqual([row["end"] for row in report["players"]], ["left"] * 4)
        self.assertEqual(report["decode_errors"], 0)

    def test_all_arenas_may_be_others_at_once(self):
        # With those that have not left yet, more than may be configured.
        most = 20 if SLOW else 140
        def arenas(letter):
            return [arena(f"{letter}{i}", max_players=1, max_spectators=0) for i in range(most)]
        # With a control there are bans, which all are to be told.
        self.serve(*arenas("a"), env={"RUNTIME_DIRECTORY": str(self.stage.directory)})
        log = self.reload(*arenas("b"))
        self.assertIn(f"configuration reloaded applied={2 * most} restart=0", log)
        self.wait_arena("the others", "b0", lambda row: row and row["tick"] > 60)
        self.assertIsNone(self.arena("a0"))

    def test_arena_that_goes_ends_its_streams(self):
        self.serve(arena("one", spectator_delay=0.0), arena("two"))
        with self.daemon.connect() as here, self.daemon.connect() as gone:
            for connection, name in (here, "one"), (gone, "two"):
                connection.request("GET", f"/arenas/{name}/stream")
            streams = here.getresponse(), gone.getresponse()
            for stream in streams:
                self.assertEqual(stream.readline(), b"event: hello\n")
            self.reload(arena("one", spectator_delay=0.0))
            streams[1].read() # to its end
            for _ in range(20):
                streams[0].readline()
        self.assertEqual(self.daemon.ask("/arenas/two").status, 404)

    def test_service_manager_hears_on_while_arenas_come_and_go(self):
        manager = self.enterContext(Manager(self.stage.directory / "notify"))
        self.serve(arena("one"), env={"NOTIFY_SOCKET": str(manager.path),
                                      "WATCHDOG_USEC": "400000"},
                   prefix=["sh", "-c", 'WATCHDOG_PID=$$ exec "$@"', "sh"])
        for i in range(4):
            self.reload(arena("one"), *[arena("two")] * (i % 2 == 0))
            heard = len(manager.heard("WATCHDOG=1"))
            self.daemon.poll("two signs of life",
                             lambda heard=heard: len(manager.heard("WATCHDOG=1")) > heard + 1)
        words = [text for _, text in manager.messages
                 if text.startswith(("READY", "RELOADING"))]
        self.assertEqual(words, ["READY=1"] + ["RELOADING=1", "READY=1"] * 4)

    def test_silent_client_does_not_hold_an_arena_that_goes(self):
        self.serve(arena("one"), arena("two"))
        bots = self.stage.bots(self.daemon, 2, ports=self.daemon.ports[1:])
        self.daemon.wait_pressing(2)
        bots.send(signal.SIGSTOP)
        try:
            begin = self.arena("one")["tick"]
            self.reload(arena("one"))
            self.daemon.poll("the end", lambda: "arena ended arena=two" in self.daemon.log)
            self.wait_arena("ticks", "one", lambda row: row["tick"] > begin)
        finally:
            bots.send(signal.SIGCONT)


class SteadyTest(ReloadTest):
    def test_many_reloads_disturb_nobody_and_keep_no_memory(self):
        # Without spectators, whose past fills memory for its first ten seconds.
        quiet = arena("quiet", max_spectators=0)
        def busy(i):
            path = MAPS / f"{('crossfire', 'duel')[i % 2]}.conf"
            return with_rules(arena("busy", bots=i % 3, max_spectators=0, map=str(path)),
                              bullet_speed=600 + 10 * i)
        self.serve(quiet, busy(0))
        crowds = [self.stage.bots(self.daemon, CLIENTS, seed=i + 1, ports=[port])
                  for i, port in enumerate(self.daemon.ports)]
        self.daemon.wait_pressing(2 * CLIENTS)
        resident_kb = []
        for i in range(1, RELOADS + 1):
            self.reload(quiet, busy(i), arena(f"extra{i}", max_spectators=0))
            self.wait_arena("the map", "busy", lambda row, i=i: row["map"] ==
                            ("crossfire", "duel")[i % 2])
            resident_kb.append(self.daemon.resident_kb())
        print(f"resident after reloads: {resident_kb} kB", flush=True)
        self.daemon.wait_players(2 * CLIENTS)
        for crowd in crowds:
            crowd.send(signal.SIGINT)
            report = crowd.report()
            self.assertEqual(report["decode_errors"], 0)
            self.assertEqual([row["end"] for row in report["players"]], ["left"] * CLIENTS)
        # The first few fill the allocator's pools; what leaks grows on.
        half = RELOADS // 2
        growth = max(resident_kb[half:]) - max(resident_kb[:half])
        self.assertLess(growth, 0.1 * max(resident_kb[:half]), resident_kb)


class RotationTest(ReloadTest):
    def test_maps_are_played_in_turns(self):
        self.serve(with_rotation(arena("one", round_time=1, break_time=0.2, map=str(
            MAPS / "duel.conf")), "crossfire"))
        bots = self.stage.bots(self.daemon, 4)
        self.daemon.wait_pressing(4)
        for name in ("duel", "crossfire", "duel", "crossfire"):
            self.wait_arena(name, "one", lambda row, name=name: row["map"] == name)
        self.assertEqual(self.daemon.get_json()["players"]["now"], 4)
        bots.send(signal.SIGINT)
        report = bots.report()
        self.assertEqual(report["decode_errors"], 0)
        self.assertEqual([row["end"] for row in report["players"]], ["left"] * 4)

    def test_a_rotation_that_does_not_turn_disturbs_nobody(self):
        self.serve(arena("one"))
        self.reload(with_rotation(arena("one"), "duel"), words="applied=1 restart=0")
        self.reload(arena("one"), words="applied=1 restart=0")
        self.assertNotIn("match started", self.daemon.log)

    def test_a_rotation_may_be_changed_while_it_turns(self):
        def turning(*maps):
            return with_rotation(arena("one", bots=1, round_time=1, break_time=0), *maps)
        self.serve(turning("duel"))
        for maps in ("duel", "ruins"), ("ruins",), ("duel", "ruins", "duel"):
            self.reload(turning(*maps))
            for name in maps:
                self.wait_arena(name, "one", lambda row, name=name: row["map"] == name)

    def test_rules_wait_for_the_next_round(self):
        keys = {"bots": 1, "round_time": 1, "break_time": 0}
        self.serve(arena("one", **keys))
        self.daemon.poll("a tick", lambda: self.arena("one")["tick"] > 0)
        self.reload(with_rules(arena("one", **keys), player_radius=30))
        self.daemon.poll("larger players", lambda: self.daemon.get_json(
            "/arenas/one/map")["player_radius"] == 30)

    def test_a_round_that_waits_for_players_takes_rules_at_once(self):
        self.serve(arena("one", round_time=600))
        self.daemon.poll("a tick", lambda: self.arena("one")["tick"] > 0)
        self.reload(with_rules(arena("one", round_time=600), player_radius=30))
        self.daemon.poll("larger players", lambda: self.daemon.get_json(
            "/arenas/one/map")["player_radius"] == 30)

    def test_what_waits_for_a_round_is_told_so(self):
        self.serve(arena("one", round_time=600))
        log = self.reload(arena("one", round_time=900, break_time=5, bots=2, max_players=3))
        for words in ("round_time: 600 -> 900, with the next round\n",
                      "break_time: 10 -> 5, with the next break\n",
                      "bots: 0 -> 2, with the next round\n", "max_players: 64 -> 3\n"):
            self.assertIn(words, log)

    def test_an_arena_without_rounds_begins_its_first_at_once(self):
        self.serve(arena("one", bots=2))
        bots = self.stage.bots(self.daemon, 2)
        self.daemon.wait_pressing(2)
        log = self.reload(arena("one", bots=3, round_time=600))
        self.assertIn("round_time: 0 -> 600\n", log)
        row = self.wait_arena("a clock", "one", lambda row: row["round"]["left_s"] is not None)
        self.assertEqual(row["round"]["number"], 2)
        self.assertEqual(sum(player["bot"] for player in row["players"]), 3)
        self.daemon.wait_pressing(2)
        bots.send(signal.SIGINT)
        self.assertEqual(bots.report()["decode_errors"], 0)


if __name__ == "__main__":
    harness.main()
