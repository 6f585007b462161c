#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the operator has done to a raimd that runs: arenas that come, go, pause and change their
map, a configuration that is read again, the level of the log."""

import json
import re
import signal

import harness
import test_control
from harness import ROOT, arena, config, poll
from test_control import EXIT_REJECTED, EXIT_USAGE

RUINS = ROOT / "config/maps/ruins.conf"


class ActsTest(test_control.Operator):
    def begin(self, *arenas):
        """A raimd whose configuration can be written anew, with write()."""
        self.path = self.stage.write_config(config(*arenas))
        daemon = self.stage.raimd("-c", self.path, env=self.env).wait_started()
        daemon.poll("the control socket", lambda: "control started" in daemon.log)
        return daemon

    def write(self, *arenas):
        self.path.write_text(config(*arenas), encoding="utf-8")

    def names(self):
        return [shown["name"] for shown in json.loads(self.ctl("status", "--json"))["arenas"]]

    def shown(self, name):
        return next(shown for shown in json.loads(self.ctl("status", "--json"))["arenas"]
                    if shown["name"] == name)

    # --- pauses ---

    def test_a_paused_arena_says_so_and_ticks_on(self):
        daemon = self.serve(arena("one"), arena("two", bots=2))
        self.assertEqual(self.ctl("arena", "pause", "two"), "")
        poll("the pause", lambda: self.shown("two")["round"]["phase"] == "paused")
        self.assertEqual(self.shown("one")["round"]["phase"], "play")
        table = self.ctl("status").splitlines()
        self.assertEqual(table[3].split()[:3], ["two", "crossfire", "paused"])
        for line in table:
            self.assertLessEqual(len(line), 80, line)
        # Metrics and status are rendered apart.
        def told(line):
            poll(line, lambda: f"raimd_arena_paused{line}\n" in daemon.ask("/metrics").text)
        told('{arena="two"} 1')
        told('{arena="one"} 0')
        tick = self.shown("two")["tick"]
        poll("ticks", lambda: self.shown("two")["tick"] > tick)
        daemon.poll("ticks of both", daemon.ticks)
        self.ctl("arena", "resume", "two")
        poll("the end of the pause", lambda: self.shown("two")["round"]["phase"] == "play")
        self.assertIn("no such arena", self.ctl("arena", "pause", "six", status=EXIT_REJECTED))

    # --- the log ---

    def test_no_level_of_the_log_hides_an_order(self):
        daemon = self.serve()
        self.ctl("say", "first")
        self.ctl("log", "level", "warning")
        self.ctl("say", "second")
        self.ctl("log", "level", "info")
        self.ctl("say", "third")
        daemon.poll("the last order", lambda: 'text="third"' in daemon.log)
        self.assertIn('text="first"', daemon.log)
        self.assertIn('text="second"', daemon.log)
        self.assertIn("error, warning or info",
                      self.ctl("log", "level", "loud", status=EXIT_USAGE))

    def test_the_log_begins_as_it_is_configured(self):
        path = self.stage.write_config('log_level = "error";\n' + config(arena("one")))
        daemon = self.stage.raimd("-c", path, env=self.env)
        poll("an answer", lambda: self.socket.exists() and self.names() == ["one"])
        self.assertEqual(daemon.log, "")

    # --- arenas ---

    def test_arenas_come_and_go_while_others_play_on(self):
        daemon = self.begin(arena("one"))
        bots = self.stage.bots(daemon, 2, ports=daemon.ports)
        daemon.wait_pressing(2)
        self.assertIn("no arena of this name", self.ctl("arena", "add", "six", status=EXIT_REJECTED))
        self.assertIn("runs already", self.ctl("arena", "add", "one", status=EXIT_REJECTED))
        self.write(arena("one"), arena("two", bots=3))
        self.assertEqual(self.ctl("arena", "add", "two"), "")
        poll("the new arena", lambda: self.names() == ["one", "two"])
        poll("its bots", lambda: len(self.shown("two")["players"]) == 3)
        self.assertEqual(self.ctl("arena", "remove", "two"), "")
        poll("its end", lambda: self.names() == ["one"])
        self.assertEqual(len(self.players("one")), 2)
        self.assertIn("no such arena", self.ctl("arena", "remove", "two", status=EXIT_REJECTED))
        bots.stop(signal.SIGINT)

    def test_an_arena_is_added_again_at_once(self):
        daemon = self.begin(arena("one"), arena("two"))
        bots = self.stage.bots(daemon, 2, ports=daemon.ports[1:])
        poll("its players", lambda: len(self.shown("two")["players"]) == 2)
        bots.send(signal.SIGSTOP) # so that the goodbye takes its time
        self.assertEqual(self.ctl("arena", "remove", "two"), "")
        self.assertEqual(self.ctl("arena", "add", "two"), "")
        self.assertEqual(self.names(), ["one", "two"])
        bots.send(signal.SIGCONT)
        bots.stop(signal.SIGINT)

    def test_bans_hold_in_an_arena_that_comes_later(self):
        daemon = self.begin(arena("one"))
        self.ctl("ban", "127.0.0.0/8", "--yes")
        self.write(arena("one"), arena("two"))
        self.ctl("arena", "add", "two")
        poll("the new arena", lambda: self.names() == ["one", "two"])
        bots = self.stage.bots(daemon, 1, seconds=1, ports=[self.shown("two")["port"]])
        bots.expected_status = None
        bots.process.wait(harness.START_S)
        bots.expected_status = bots.process.returncode
        poll("the rejection", lambda: self.shown("two")["rejections"]["banned"] == 1)

    def test_a_map_changes_while_everybody_stays(self):
        daemon = self.begin(arena("one", bots=1))
        bots = self.stage.bots(daemon, 2)
        daemon.wait_pressing(2)
        hashed = daemon.get_json("/arenas/one/map")["hash"]
        self.assertEqual(self.ctl("arena", "map", "one", RUINS), "")
        poll("the other map", lambda: self.shown("one")["map"] == "ruins")
        poll("another picture", lambda: daemon.get_json("/arenas/one/map")["hash"] != hashed)
        self.assertEqual(len(self.players("one")), 2)
        self.assertIn("none.conf", self.ctl("arena", "map", "one", "none.conf",
                                            status=EXIT_REJECTED))
        self.assertEqual(self.shown("one")["map"], "ruins")
        bots.stop(signal.SIGINT)

    # --- reload ---

    def test_reload_tells_what_it_did_and_what_it_could_not(self):
        daemon = self.begin(arena("one", bots=2))
        self.assertEqual(self.ctl("reload"), "nothing has changed\n")
        self.write(arena("one", bots=3, tick_hz=30), arena("two"))
        lines = self.ctl("reload").splitlines()
        self.assertEqual(sorted(lines), [
            f"applied: {self.path}:4: arenas[0].bots: 2 -> 3",
            f'applied: {self.path}:5: arenas[1]: nothing -> "two"',
            f"needs a restart: {self.path}:4: arenas[0].tick_hz: 60 -> 30"])
        poll("the bot and the arena", lambda: self.names() == ["one", "two"]
             and len(self.shown("one")["players"]) == 3)
        self.assertEqual(self.shown("one")["tick_hz"], 60)
        daemon.poll("word of it", lambda: "arenas[0].bots: 2 -> 3" in daemon.log)

    def test_reload_says_why_nothing_is_recorded(self):
        del self.env["STATE_DIRECTORY"]
        self.begin(arena("one", recording="none"))
        self.write(arena("one", recording="all"))
        self.assertIn("recordings stay off: there is no $STATE_DIRECTORY", self.ctl("reload"))

    def test_reload_with_a_mistake_tells_all_and_does_nothing(self):
        self.begin(arena("one", bots=2))
        self.write(arena("one", bots=-3, motd="x" * 121), arena("two"))
        told = self.ctl("reload", status=EXIT_REJECTED).splitlines()
        self.assertIn("the new configuration was rejected", told[0])
        self.assertEqual(
            [re.sub(r" got .*", "", line) for line in sorted(told[1:])],
            [f"{self.path}:4: arenas[0].bots:", f"{self.path}:4: arenas[0].motd:"])
        self.assertEqual(self.names(), ["one"])
        poll("two bots", lambda: len(self.shown("one")["players"]) == 2)
        self.write(arena("one", bots=2))
        self.assertEqual(self.ctl("reload"), "nothing has changed\n")


if __name__ == "__main__":
    harness.main()
