#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The operator and a raimd that runs: raimctl, and the same over HTTP with curl, on its socket."""

import calendar
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
import unittest
import unittest.mock

import harness
import arenas_api
import test_manual
from harness import BIN, ROOT, START_S, Stage, arena, poll
from stalls import Stalls

EXIT_REJECTED, EXIT_USAGE, EXIT_UNREACHABLE = 1, 64, 69


class Operator(unittest.TestCase):
    """Somebody with a raimctl; what they try is in other classes."""

    def setUp(self):
        self.stage = self.enterContext(Stage())
        # In memory where that can be: a busy disk stores a ban later than after a second.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.state = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(
            prefix="raimd-test-", dir=memory)))
        self.run = self.stage.directory / "run"
        self.run.mkdir()
        self.socket = self.run / "control.sock"
        self.env = {"STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(self.run)}

    def serve(self, *arenas):
        daemon = self.stage.serve(*(arenas or (arena("one"), arena("two", bots=2))), env=self.env)
        daemon.poll("the control socket", lambda: "control started" in daemon.log)
        return daemon

    def ctl(self, *words, status=0, socket=None):
        """What raimctl says on standard output, or on standard error where it is to fail."""
        result = subprocess.run([BIN / "raimctl", "-s", socket or self.socket, *map(str, words)],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                timeout=START_S, check=False)
        harness.check_sane(result.stderr)
        self.assertEqual(result.returncode, status, result.stderr)
        if status == 0:
            self.assertEqual(result.stderr, "")
            return result.stdout
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("raimctl: "), result.stderr)
        return result.stderr

    def post(self, command, status=200, **fields):
        """A command without the time that a process takes to start."""
        body = json.dumps(fields)
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(str(self.socket))
            control.sendall(f"POST /v1/commands/{command} HTTP/1.0\r\n"
                            f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
            self.assertIn(b" %d " % status, control.makefile("rb").readline())

    def players(self, where):
        """Clients that play, as `raimctl players --json` tells."""
        return [player for player in json.loads(self.ctl("players", "--json"))["players"]
                if player["arena"] == where and not player["bot"]]

    def ends(self, bots, all_have=True):
        """Why the clients of a raim-bots ended, in order of their names. It ends by itself once all
        of them have been told."""
        if all_have:
            bots.wait(START_S)
        else:
            bots.stop(signal.SIGINT)
        rows = sorted(json.loads(bots.out)["players"], key=lambda row: row["name"])
        return [(row["end"], row["text"]) for row in rows]


class ControlTest(Operator):
    def test_the_log_says_who_ordered_what(self):
        daemon = self.serve()
        self.ctl("say", "one", "hello")
        who = "root" if os.getuid() == 0 else f"uid:{os.getuid()}"
        self.assertIn(f'command given by={who} via=raimctl command=say arena=one text="hello"', daemon.log)
        self.assertIn("no such arena", self.ctl("say", "six", "hello", status=EXIT_REJECTED))
        self.ctl("players")
        self.assertEqual(daemon.log.count("command given by="), 1) # not what was rejected or asked

    def test_orders_are_logged_at_any_level(self):
        daemon = self.serve()
        self.ctl("log", "level", "error")
        self.ctl("say", "one", "hello")
        self.assertIn("via=raimctl command=log-level level=error", daemon.log)
        self.assertIn('command=say arena=one text="hello"', daemon.log)
        self.assertIn("want the level", self.ctl("log", "level", "audit", status=EXIT_USAGE))

    def test_an_order_is_answered_when_the_status_shows_it(self):
        self.serve()
        for order, phase in (("pause", "paused"), ("resume", "play")) * 10:
            self.ctl("arena", order, "one")
            arenas = json.loads(self.ctl("status", "--json"))["arenas"]
            self.assertEqual(arenas[0]["round"]["phase"], phase)

    # --- asking ---

    def test_an_unknown_arena_is_a_mistake(self):
        self.serve()
        for words in (["players"], ["vote", "list"], ["recording", "list"]):
            with self.subTest(words):
                self.assertIn("no such arena: nope", self.ctl(*words, "nope", status=EXIT_REJECTED))
                self.ctl(*words, "two")

    def test_mistakes_about_keys_name_the_file(self):
        missing = self.stage.directory / "none" / "key"
        for words in (["token", "key", missing],
                      ["token", "make", "--key", missing, "--arena", "one"]):
            self.assertIn(f"no token: {missing}: No such file", self.ctl(*words, status=EXIT_REJECTED))

    def test_columns_that_say_nothing_are_left_out(self):
        self.serve(arena("one"), arena("two"))
        self.assertNotIn("HOSTNAME", self.ctl("status"))
        self.ctl("ban", "192.0.2.1", "--yes", "spam")
        self.assertIn("192.0.2.1", self.ctl("bans"))

    def test_tables_fit_80_columns_and_agree_with_the_json(self):
        daemon = self.serve()
        bots = self.stage.bots(daemon, 4)
        daemon.wait_pressing(4)
        table = self.ctl("status").splitlines()
        self.assertIn("players 4 of 128, bots 2", table[0])
        self.assertEqual([line.split()[0] for line in table[1:]], ["ARENA", "one", "two"])
        self.assertEqual(table[3].split()[4:6], ["2", "2"]) # players, bots
        status = json.loads(self.ctl("status", "--json"))
        self.assertEqual(status["players"]["now"], 4)
        self.assertEqual([arena["port"] for arena in status["arenas"]], daemon.ports)

        rows = self.ctl("players").splitlines()
        self.assertEqual(len(rows), 1 + 6)
        self.assertEqual(len(self.ctl("players", "one").splitlines()), 1 + 2)
        for player in json.loads(self.ctl("players", "--json"))["players"]:
            self.assertEqual(player["address"], None if player["bot"] else "127.0.0.1")
        for line in table + rows:
            self.assertLessEqual(len(line), 80, line)
        # Addresses are for the operator alone.
        self.assertNotIn("127.0.0.1", daemon.ask("/status").text)
        bots.stop(signal.SIGINT)

    def test_watch_shows_the_status_again_until_it_is_stopped(self):
        self.serve()
        with subprocess.Popen([BIN / "raimctl", "-s", self.socket, "status", "--watch"],
                              stdout=subprocess.PIPE, text=True) as watch:
            seen = [line for line in (watch.stdout.readline() for _ in range(8))
                    if "workers" in line]
            watch.terminate()
        self.assertEqual(len(seen), 2)

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_arenas_are_completed_whole_and_nothing_else_is(self):
        name = "a-name-that-no-column-shows-whole"[:31]
        daemon = self.serve(arena(name, bots=1), arena("two"))
        bots = self.stage.bots(daemon, 1)
        daemon.wait_pressing(1)
        for words in (["kick"], ["say"], ["arena", "pause"], ["arena", "map"]):
            self.assertEqual(complete("raimctl", *words, options=("-s", self.socket)), [name, "two"])
        self.assertEqual(complete("raimctl", "kick", "two", options=("-s", self.socket)), [])
        self.assertEqual(complete("raimctl", "kick", options=("-s", "/nonexistent")), [])
        bots.stop(signal.SIGINT)

    # --- ordering ---

    def test_kick_ends_a_session_with_its_reason(self):
        daemon = self.serve()
        bots = self.stage.bots(daemon, 2, ports=daemon.ports[:1])
        daemon.wait_pressing(2)
        victim, other = sorted(self.players("one"), key=lambda player: player["name"])
        self.assertEqual(self.ctl("kick", "one", victim["id"], "be nice"), "")
        daemon.wait_players(1)
        self.assertIn("no such player id", self.ctl("kick", "one", victim["id"], status=EXIT_REJECTED))
        self.assertIn("no such arena", self.ctl("kick", "six", other["id"], status=EXIT_REJECTED))
        daemon.poll("word of it", lambda: "command=kick arena=one" in daemon.log)
        bot = next(player for player in json.loads(self.ctl("players", "--json"))["players"]
                   if player["bot"])
        self.ctl("kick", "two", bot["id"], status=EXIT_REJECTED)
        self.assertEqual([player["id"] for player in self.players("one")], [other["id"]])
        self.assertEqual(self.ends(bots, all_have=False)[0], ("kicked", "be nice"))

    def test_answers_come_when_the_arenas_give_them(self):
        daemon = self.serve()
        for _ in range(10):
            begin, stalls = time.monotonic(), Stalls(daemon.pid)
            self.post("say", text="hello")
            # A main thread that is not woken sees each of them with its next duty, once a second.
            self.assertLess(time.monotonic() - begin - stalls.seconds(), 0.5)

    def test_say_reaches_everybody_of_an_arena_or_of_all(self):
        daemon = self.serve()
        bots = self.stage.bots(daemon, 1, ports=daemon.ports[:1])
        daemon.wait_pressing(1)
        self.assertEqual(self.ctl("say", "maintenance at noon"), "")
        self.assertEqual(self.ctl("say", "one", "you alone"), "")
        self.assertIn("no such arena", self.ctl("say", "six", "hello", status=EXIT_REJECTED))
        for text, told in (("x" * 121, "120 bytes"), (" ", "120 bytes"),
                           ("a\nb", "control characters")):
            self.assertIn(told, self.ctl("say", text, status=EXIT_REJECTED))
        # The goodbye comes behind what was said, and nobody else comes, goes or shoots.
        self.ctl("kick", "one", self.players("one")[0]["id"])
        daemon.wait_players(0)
        bots.stop(signal.SIGINT)
        report = json.loads(bots.out)
        self.assertEqual((report["events"], report["decode_errors"]), (2, 0))

    def test_mute_shows_among_the_players(self):
        daemon = self.serve()
        bots = self.stage.bots(daemon, 1, ports=daemon.ports[:1])
        daemon.wait_pressing(1)
        player = self.players("one")[0]
        self.assertFalse(player["muted"])
        self.ctl("mute", "one", player["id"])
        poll("the mute", lambda: self.players("one")[0]["muted"])
        self.ctl("unmute", "one", player["id"])
        poll("the end of the mute", lambda: not self.players("one")[0]["muted"])
        self.ctl("mute", "one", player["id"] + 1, status=EXIT_REJECTED)
        bots.stop(signal.SIGINT)

    # --- bans ---

    def test_a_ban_ends_who_is_in_and_keeps_them_out_after_a_restart(self):
        daemon = self.serve()
        bots = self.stage.bots(daemon, 4)
        daemon.wait_pressing(4)
        told = self.ctl("ban", "127.0.0.0/8", "no more", status=EXIT_USAGE)
        self.assertEqual(told.count("disconnects 4 players"), 1)
        self.assertIn("--yes", told)
        self.assertEqual(daemon.get_json()["players"]["now"], 4)
        self.ctl("ban", "127.0.0.0/8", "--for", "1h", "--yes", "no more")
        daemon.wait_players(0)
        self.assertEqual(self.ends(bots), [("banned", "no more")] * 4)
        daemon.stop()
        self.assertEqual(stat.S_IMODE((self.state / "bans").stat().st_mode) & 0o022, 0)

        daemon = self.serve()
        ban, = json.loads(self.ctl("bans", "--json"))["bans"]
        self.assertEqual((ban["address"], ban["reason"]), ("127.0.0.0/8", "no more"))
        self.assertTrue(3000 < ban["left_s"] <= 3600)
        bots = self.stage.bots(daemon, 1, seconds=1)
        bots.expected_status = None
        self.assertEqual(self.rejected(daemon, bots, "banned"), 1)
        self.ctl("unban", "127.0.0.0/8")
        self.assertEqual(self.ctl("bans").splitlines()[1:], [])
        self.assertIn("no such ban", self.ctl("unban", "127.0.0.0/8", status=EXIT_REJECTED))
        bots = self.stage.bots(daemon, 1)
        daemon.wait_pressing(1)
        bots.stop(signal.SIGINT)

    def test_a_ban_and_its_end_are_answered_when_they_are_in_force(self):
        """Whoever connects right after the answer meets the new list, in every arena."""
        daemon = self.serve()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as player:
            player.settimeout(START_S)
            for _ in range(20):
                for command, is_banned in (("ban", True), ("unban", False)):
                    self.post(command, address="127.0.0.1")
                    player.sendto(b"\xff\xff\xff\xffRAIM\1\2".ljust(512, b"\0"),
                                  ("127.0.0.1", daemon.ports[0]))
                    self.assertEqual(player.recv(2048)[8] != 2, is_banned, command)
                    if is_banned: # a cookie follows, for who believes encrypted answers only
                        self.assertEqual(player.recv(2048)[8], 2)

    def rejected(self, daemon, bots, reason):
        """How many connections were rejected for a reason, once the bots have ended."""
        bots.process.wait(START_S)
        bots.expected_status = bots.process.returncode
        return poll("the rejection", lambda: sum(
            arena["rejections"][reason] for arena in daemon.get_json()["arenas"]))

    def test_a_ban_ends_by_itself(self):
        daemon = self.serve()
        begin = time.monotonic()
        self.ctl("ban", "127.0.0.1", "--for", "3s") # in whole seconds: two at least
        if "127.0.0.1" not in self.ctl("bans"):
            self.assertGreater(time.monotonic() - begin, 2) # on a machine that holds the test up
        poll("the ban's end", lambda: "127.0.0.1" not in self.ctl("bans"))
        bots = self.stage.bots(daemon, 1)
        daemon.wait_pressing(1)
        bots.stop(signal.SIGINT)

    def test_a_ban_until_a_date_ends_at_that_second(self):
        self.serve()
        now = int(time.time())
        until = lambda: json.loads(self.ctl("bans", "--json"))["bans"][0]["until_s"]
        self.post("ban", address="192.0.2.1", until_s=now + 77)
        self.assertEqual(until(), now + 77)
        self.ctl("ban", "192.0.2.1", "--until", "2101-01-01T00:00:01Z")
        self.assertEqual(until(), calendar.timegm((2101, 1, 1, 0, 0, 1)))
        for fields in ({"until_s": now - 1}, {"until_s": now + 77, "seconds": 77}):
            self.post("ban", status=400, address="192.0.2.1", **fields)

    def test_a_player_is_banned_by_the_address(self):
        daemon = self.serve()
        bots = self.stage.bots(daemon, 1, ports=daemon.ports[:1])
        daemon.wait_pressing(1)
        player, = [row for row in self.players("one") if not row["bot"]]
        self.ctl("ban", "one", player["id"] + 1, status=EXIT_REJECTED)
        self.ctl("ban", "six", player["id"], status=EXIT_REJECTED)
        date = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 3 * 86400))
        told = self.ctl("ban", "one", player["id"], "--until", date, "that was enough")
        self.assertIn("127.0.0.1 disconnects 1 player: bot-1 (one)", told)
        daemon.wait_players(0)
        self.assertEqual(self.ends(bots), [("banned", "that was enough")])
        ban, = json.loads(self.ctl("bans", "--json"))["bans"]
        self.assertEqual((ban["address"], ban["by"]), ("127.0.0.1", self.giver()))
        row = self.ctl("bans").splitlines()[1].split()
        self.assertEqual(row[0], "127.0.0.1")
        self.assertIn(f"{date}T00:00:00Z", row)
        self.assertIn(self.giver(), row)

    @staticmethod
    def giver():
        return "root" if os.geteuid() == 0 else f"uid:{os.geteuid()}"

    def test_nobody_bans_everybody(self):
        self.serve()
        for network in ("0.0.0.0/0", "::/0", "::ffff:0:0/96", "::/3"):
            for options in ([], ["--wide"], ["--wide", "--yes"]):
                if network == "::/3" and options:
                    continue
                self.ctl("ban", network, *options, status=EXIT_REJECTED)
        self.assertIn("--wide", self.ctl("ban", "64.0.0.0/7", status=EXIT_REJECTED))
        for client, network in (("192.0.2.7 40000 22", "192.0.2.0/24"),
                                ("2001:db8::7 40000 22", "2001:db8::/32")):
            with unittest.mock.patch.dict(os.environ, {"SSH_CLIENT": client}):
                self.assertIn("your own address", self.ctl("ban", network, status=EXIT_REJECTED))
                self.ctl("ban", "198.51.100.0/24")
                self.ctl("ban", network, "--wide")
        self.ctl("ban", "64.0.0.0/7", "--wide")
        for options in (["--for", "soon"], ["--until", "2001-01-01"], ["--until", "tomorrow"],
                        ["--for", "1h", "--until", "2101-01-01"]):
            self.ctl("ban", "192.0.2.1", *options, status=EXIT_USAGE)

    def test_wrong_networks_are_rejected(self):
        self.serve()
        for network in ("127.0.0.1/8", "localhost", "1.2.3", "::1/64", "10.0.0.0/33"):
            self.assertIn("192.0.2.0/24", self.ctl("ban", network, status=EXIT_REJECTED))
        self.assertEqual(json.loads(self.ctl("bans", "--json"))["bans"], [])

    def test_bans_that_are_not_understood_are_kept_and_told(self):
        (self.state / "bans").write_text("raimd bans 3\n192.0.2.1 0 me fine\nplayer 17 0 me x\n",
                                         encoding="utf-8")
        daemon = self.serve()
        self.assertIn("192.0.2.1", self.ctl("bans"))
        self.assertIn(f'file is kept unchanged file="{self.state}/bans" line=3 lines=1', daemon.log)
        self.assertEqual(daemon.get_json()["unread_state_lines"], 1)
        def ready(): # or overloaded for a while, on a busy machine
            answer = daemon.ask("/readyz")
            return (answer.status, json.loads(answer.text)["status"]) == (200, "degraded")
        poll("degraded and ready", ready)
        self.ctl("ban", "192.0.2.2", "--yes")
        self.assertIn("\nplayer 17 0 me x\n", (self.state / "bans").read_text("utf-8"))

    # --- the end ---

    def test_drain_lets_nobody_in_and_ends_when_everybody_has_left(self):
        daemon = self.serve()
        bots = self.stage.bots(daemon, 1, ports=daemon.ports[:1])
        daemon.wait_pressing(1)
        with subprocess.Popen([BIN / "raimctl", "-s", self.socket, "drain"],
                              stdout=subprocess.PIPE, text=True) as drain:
            name = daemon.get_json()["arenas"][0]["players"][0]["name"]
            self.assertEqual(drain.stdout.readline(),
                             f"draining: 1 player left; {daemon.get_json()['arenas'][0]['name']}: {name}\n")
            late = self.stage.bots(daemon, 1, seconds=1)
            self.assertEqual(self.rejected(daemon, late, "draining"), 1)
            self.assertIsNone(drain.poll())
            self.assertIsNone(daemon.process.poll())
            bots.stop(signal.SIGINT)
            self.assertTrue(drain.stdout.read().endswith("raimd has ended\n"))
        self.assertEqual(drain.returncode, 0)
        daemon.wait(START_S)
        self.assertFalse(self.socket.exists())

    def test_drain_ends_at_its_deadline(self):
        daemon = self.serve()
        bots = self.stage.bots(daemon, 1)
        daemon.wait_pressing(1)
        begin = time.monotonic()
        self.assertIn("raimd has ended", self.ctl("drain", "--timeout", 2))
        self.assertGreaterEqual(time.monotonic() - begin, 2)
        daemon.wait(START_S)
        self.assertEqual(self.ends(bots)[0][0], "shutdown")

    def test_a_second_sigterm_waits_for_nobody(self):
        daemon = self.serve()
        bots = self.stage.bots(daemon, 1)
        daemon.wait_pressing(1)
        bots.send(signal.SIGSTOP) # it will not answer the goodbye
        try:
            daemon.expected_status = -signal.SIGTERM
            daemon.send(signal.SIGTERM)
            daemon.poll("the first signal", lambda: "stopping signal=TERM" in daemon.log)
            daemon.stop()
        finally:
            bots.send(signal.SIGCONT)
        bots.stop(signal.SIGINT)
        self.serve() # what was left lying there hinders nobody

    @unittest.skipUnless(shutil.which("curl"), "no curl")
    def test_a_drain_ends_though_nobody_asks_for_anything_more(self):
        daemon = self.serve()
        self.assertEqual(self.curl("/v1/commands/drain", "-X", "POST"),
                         (200, '{"arenas":2,"done":2}\n'))
        self.assertLess(daemon.wait(START_S), 3) # else the main thread would be late to see it

    # --- the socket ---

    def test_the_socket_is_for_owner_and_group_and_goes_with_the_daemon(self):
        daemon = self.serve()
        mode = self.socket.stat().st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o660)
        second = self.stage.write_config(harness.config(arena("other")), "second.conf")
        own = self.stage.directory / "second"
        own.mkdir()
        result = harness.run_raimd("-c", second, env={**self.env, "STATE_DIRECTORY": str(own)})
        self.assertEqual(result.returncode, 1)
        self.assertIn("another program listens there", result.stderr)
        self.ctl("status")
        daemon.stop()
        self.assertFalse(self.socket.exists())

    def test_a_socket_that_a_killed_daemon_left_is_replaced(self):
        daemon = self.serve()
        daemon.expected_status = -signal.SIGKILL
        daemon.send(signal.SIGKILL)
        daemon.wait(START_S)
        self.assertEqual(self.ctl("status", status=EXIT_UNREACHABLE),
                         f"raimctl: cannot reach raimd at {self.socket}: Connection refused\n")
        self.serve()
        self.ctl("status")

    def test_an_output_that_cannot_be_written_is_an_error(self):
        self.serve()
        for words in (["status"], ["status", "--json"], ["status", "--watch"], ["bans"],
                      ["arena", "list"], ["players"], ["events"], ["log", "level", "info"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([BIN / "raimctl", "-s", self.socket, *words], stdout=full,
                                        stderr=subprocess.PIPE, text=True, timeout=START_S,
                                        check=False)
            prints = words[0] != "log"
            self.assertEqual(result.returncode, EXIT_REJECTED if prints else 0, words)
            self.assertEqual("cannot write to the standard output" in result.stderr, prints, words)
            self.assertNotIn("rejected", result.stderr, words)

    def test_something_else_in_its_place_is_left_alone(self):
        self.socket.write_text("precious", encoding="utf-8")
        path = self.stage.write_config(harness.config(arena("one")))
        result = harness.run_raimd("-c", path, env=self.env)
        self.assertEqual(result.returncode, 1)
        self.assertIn("control.sock", result.stderr)
        self.assertEqual(self.socket.read_text(encoding="utf-8"), "precious")

    def test_it_is_off_unless_there_is_a_place_for_it(self):
        daemon = self.stage.serve(arena("one"), env={"STATE_DIRECTORY": str(self.state)})
        self.assertNotIn("control started", daemon.log)
        other = self.stage.directory / "elsewhere.sock"
        text = harness.config(arena("two"), control_socket=str(other))
        daemon = self.stage.raimd("-c", self.stage.write_config(text, "elsewhere.conf"))
        daemon.wait_started().poll("the socket", other.exists)
        poll("an answer", lambda: "two" in self.ctl("status", socket=other))

    # --- HTTP ---

    def curl(self, path, *options):
        """Status and text of an answer."""
        result = subprocess.run(["curl", "-sS", "--unix-socket", self.socket, "-w", "\n%{http_code}",
                                 *options, f"http://raimd{path}"], capture_output=True, text=True,
                                timeout=START_S, check=True)
        text, _, status = result.stdout.rpartition("\n")
        return int(status), text

    @unittest.skipUnless(shutil.which("curl"), "no curl")
    def test_curl_can_do_what_raimctl_can(self):
        self.serve()
        def post(path, body, *options):
            return self.curl(f"/v1/{path}", *options, "--json",
                             body if isinstance(body, str) else json.dumps(body))

        self.assertEqual(json.loads(self.curl("/v1/status")[1])["schema"], 1)
        self.assertEqual(post("commands/say", {"text": "hello"}),
                         (200, '{"arenas":2,"done":2}\n'))
        self.assertEqual(post("commands/say", {"text": "a & b", "arena": "one"}),
                         (200, '{"arenas":1,"done":1}\n'))
        self.assertEqual(post("commands/ban", {"address": "192.0.2.1"}),
                         (200, '{"bans":1,"stored":true}\n'))
        # Without this curl may still send when the answer has come and the connection is closed.
        patiently = ["-H", "Expect: 100-continue", "--expect100-timeout", str(START_S)]
        self.assertEqual(self.curl("/v1/commands/say")[0], 405)
        for path, body, status in (
                ("status", {"x": 1}, 405), ("nothing", {}, 404), ("commands/nothing", {}, 404),
                ("commands/say", {}, 400), ("commands/say", {"text": "hi", "colour": "red"}, 400),
                ("commands/say", {"text": "hi", "player": 5}, 400),
                ("commands/say", {"arena": "six", "text": "x"}, 404),
                ("commands/say", {"text": "x" * 600}, 400), ("commands/say", "x" * 60000, 400),
                ("commands/say", {"text": "a\0b"}, 400), ("commands/say", {"text": "a\nb"}, 400),
                ("commands/say", "text=hi", 400), ("commands/say", ["hi"], 400),
                ("commands/kick", {"arena": "one", "player": 0}, 400),
                ("commands/kick", {"arena": "one", "player": "1025"}, 400),
                ("commands/kick", {"arena": "one", "player": 65536}, 400),
                ("commands/kick", {"arena": "one", "player": 1025}, 409),
                ("commands/ban", {"address": "192.0.2.1", "seconds": 0}, 400),
                ("commands/ban", {"address": "192.0.2.1", "wide": "yes"}, 400),
                ("commands/ban", {"address": "192.0.2.1", "seconds": 99999999999}, 400)):
            with self.subTest(path, body=body):
                answer = post(path, body)
                self.assertEqual(answer[0], status)
                self.assertIn("error", json.loads(answer[1]))
        self.assertEqual(post("commands/say", "x" * 100000, *patiently)[0], 413)

    def test_commands_are_listed_and_described_alike(self):
        """What the server lists is what openapi.json describes and raimctl offers."""
        self.serve()
        listed = json.loads(self.ctl("commands"))["commands"]
        self.assertGreater(len(listed), 30)
        for row in listed:
            described = arenas_api.DOCUMENT["paths"][row["path"]][row["method"].lower()]
            self.assertEqual(described["summary"], row["help"])
            if row["method"] != "GET":
                content = described["requestBody"]["content"]["application/json"]
                self.assertEqual(content["schema"], row["fields"])
        offered = subprocess.run([BIN / "raimctl", "--manual"], capture_output=True, text=True,
                                 check=True).stdout
        self.assertLessEqual({row["name"] for row in listed} - {"ban preview"},
                             set(re.findall(r"^\*([a-z ]+)\*", offered, re.M)))

    def test_nothing_is_posted_over_tcp(self):
        daemon = self.serve()
        self.assertEqual(daemon.ask("/status", "POST", "text=hello").status, 405)
        for path in ("say", "kick", "ban", "drain", "players", "bans", "reload", "log-level",
                     "arena-add", "arena-remove", "arena-pause", "arena-map"):
            for place in ("/", "/v1/", "/v1/commands/"):
                for method in ("POST", "GET"):
                    body = '{"text": "hello"}' if method == "POST" else None
                    self.assertIn(daemon.ask(f"{place}{path}", method, body).status, (404, 405))
        self.assertNotIn("command given", daemon.log)

    def test_many_orders_at_once_are_all_answered(self):
        self.serve()
        clients = [subprocess.Popen([BIN / "raimctl", "-s", self.socket, "say", f"message {i}"])
                   for i in range(12)]
        self.assertEqual([client.wait(START_S) for client in clients], [0] * 12)


def complete(program, *words, options=()):
    """What bash offers behind these words."""
    script = ROOT / "tools/completions" / f"{program}.bash"
    result = subprocess.run(
        ["bash", "-c", f'source {script}; COMP_WORDS=("$@" ""); COMP_CWORD=$#; _{program};'
         ' printf "%s\\n" "${COMPREPLY[@]}"', "bash", program, *map(str, options), *words],
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}, capture_output=True, text=True,
        timeout=START_S, check=True)
    return result.stdout.split()


class UsageTest(unittest.TestCase):
    def raimctl(self, *words):
        return subprocess.run([BIN / "raimctl", *words], capture_output=True, text=True,
                              timeout=START_S, check=False)

    def test_help_and_version_go_to_standard_output(self):
        for words, start in ((["-h"], "Usage: raimctl"), (["--help"], "Usage: raimctl"),
                             (["-V"], "raimctl 0."), (["--version"], "raimctl 0.")):
            result = self.raimctl(*words)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertTrue(result.stdout.startswith(start))
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_wrong_usage_exits_64_before_anything_is_asked(self):
        for words in ([], ["dance"], ["status", "now"], ["kick", "one"], ["say"], ["unban"],
                      ["say", "a", "b", "c"], ["say", "--json", "a"], ["drain", "--for", "1h"],
                      ["--nonsense"], ["ban", "192.0.2.1", "--for", "soon"], ["status", "--timeout"],
                      ["arena"], ["arena", "dance"], ["arena", "add"], ["arena", "map", "one"],
                      ["arena", "pause", "one", "two"], ["log", "level", "loud"],
                      ["kick", "one", "Ada"], ["arena", "clip", "one", "soon"], ["log", "info"], ["log", "level"],
                      ["reload", "now"], ["ban", "192.0.2.1", "--for", "5mm"],
                      ["ban", "192.0.2.1", "--for", "0"]):
            with self.subTest(words):
                result = self.raimctl("-s", "/nonexistent/control.sock", *words)
                self.assertEqual((result.returncode, result.stdout), (EXIT_USAGE, ""))
                self.assertIn("--help", result.stderr)

    def test_half_a_command_is_told_its_other_halves(self):
        self.assertTrue(self.raimctl("log").stderr.startswith(
            "raimctl: want one of: log level"))
        self.assertTrue(self.raimctl("arena", "dance").stderr.startswith(
            "raimctl: want one of: arena add, arena remove, arena pause, arena resume, "
            "arena map, arena clip, arena list, arena show, arena create, arena change, arena end, "
            "arena templates, arena capacity\n"))

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_the_options_of_raimd_are_completed(self):
        self.assertEqual(set(complete("raimd")), test_manual.options_of_help("raimd"))

    def test_every_command_is_in_the_help_and_in_the_completion(self):
        names = re.findall(r"^\*([a-z ]+)\*", self.raimctl("--manual").stdout, re.M)
        self.assertGreater(len(names), 40)
        if shutil.which("bash") is None:
            self.skipTest("no bash")
        for name in names:
            self.assertRegex(self.raimctl("--help").stdout, rf"(?m)^  {name}\b")
            *before, last = name.split()
            self.assertIn(last, complete("raimctl", *before))

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_what_belongs_to_an_option_is_completed(self):
        here = set(os.listdir())
        for words in (["-s"], ["token", "key"], ["token", "make", "--key"]):
            self.assertEqual(set(complete("raimctl", *words)), here, words)
        for words in (["drain", "--timeout"], ["ban", "192.0.2.1", "--for"],
                      ["token", "make", "--name"]):
            self.assertEqual(complete("raimctl", *words), [], words)
        self.assertIn("--for", complete("raimctl", "token", "make", "--key", "file"))


if __name__ == "__main__":
    harness.main()
