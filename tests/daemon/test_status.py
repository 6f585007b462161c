#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The status that a raimd serves over HTTP: its paths, its keys, and that asking costs no tick."""

import contextlib
import json
import socket
import time
import unittest

import harness
from harness import Pace, Stage, arena

CLIENTS = 8 if harness.SLOW else 32
REQUESTS_PER_S = 50 if harness.SLOW else 200
SECONDS = 3
SILENT_S = 5 # that a connection may say nothing

# What tools may rely on. (That there is nothing else, the schema says: see test_http.py.)
TOP_KEYS = ["schema", "version", "uptime_s", "workers", "overloaded_workers",
            "players", "unread_state_lines", "lost_state_changes", "on_demand",
            "results", "masters", "lan_discovery", "ban_list", "agones", "arenas"]
PLAYERS_KEYS = ["now", "bots", "spectators", "max"]
ARENA_KEYS = ["name", "hostname", "tags", "region", "website", "locked", "port", "map", "state",
              "round", "vote", "tick", "tick_hz", "tick_us", "stages_us",
              "late_ticks", "skipped_ticks", "snapshot_interval", "overloaded",
              "overload_cause", "bytes_in", "bytes_out", "packets_in", "packets_out", "queries", "queries_limited", "masters",
              "rejections", "recording", "lag_compensation_ms", "hits", "spectators", "away", "players"]
ROUND_KEYS = ["number", "phase", "left_s", "score_limit", "winner"]
TICK_US_KEYS = ["p50", "p99", "max"]
STAGES = ["receive", "step", "interest", "encode", "send"]
REJECTION_KEYS = ["malformed", "unexpected", "version", "name", "full", "silent", "input_late",
                  "input_early", "ack", "chat", "muted", "draining", "banned", "access",
                  "goodbye", "password", "chat_commands", "vote", "oversize", "connectionless", "fragment", "compressed", "commands",
                  "connect_requests", "cookie", "connect_rate", "connections", "inputs",
                  "unencrypted", "forged", "replayed", "handshakes", "sessions", "budget", "ahead", "repeated",
                  "acknowledgements", "disconnect", "gateway_key",
                  "gateway_socket", "gateway_time", "overtime"]
HITS_KEYS = ["total", "rewound", "in_past", "clamped", "rewound_ms_mean", "rewound_ms_max"]
PLAYER_KEYS = ["id", "name", "bot", "away", "score", "deaths", "ping_ms", "inputs_due",
               "inputs_missed", "connected_s"]


class StatusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stage = cls.enterClassContext(Stage())
        cls.begun = time.monotonic()
        cls.daemon = stage.serve(arena("first", bots=3, max_players=CLIENTS),
                                 arena("second", max_players=CLIENTS, tick_hz=30,
                                       lag_compensation=0), workers=2)
        cls.started = time.monotonic()
        stage.bots(cls.daemon, CLIENTS)
        cls.daemon.wait_pressing(CLIENTS)

    def test_status_has_its_keys(self):
        status = self.daemon.get_json()
        self.assertLessEqual(set(TOP_KEYS), set(status))
        self.assertEqual(list(status["players"]), PLAYERS_KEYS)
        for shown in status["arenas"]:
            self.assertLessEqual(set(ARENA_KEYS), set(shown))
            self.assertEqual(list(shown["round"]), ROUND_KEYS)
            self.assertEqual(list(shown["tick_us"]), TICK_US_KEYS)
            self.assertEqual(list(shown["stages_us"]), STAGES)
            for stage in STAGES:
                self.assertEqual(list(shown["stages_us"][stage]), ["p50", "p99", "percent"])
            self.assertEqual(list(shown["rejections"]), REJECTION_KEYS)
            self.assertEqual(list(shown["hits"]), HITS_KEYS)
            for player in shown["players"]:
                self.assertEqual(list(player), PLAYER_KEYS)

    def test_values_mean_what_they_say(self):
        daemon, since = self.daemon, time.monotonic()
        status = daemon.get_json()
        self.assertEqual((status["schema"], status["workers"]), (1, 2))
        self.assertRegex(status["version"], r"^\d+\.\d+\.\d+$")
        # Whole seconds, of a status that was rendered a moment before.
        self.assertGreaterEqual(status["uptime_s"], since - self.started - 2)
        self.assertLessEqual(status["uptime_s"], time.monotonic() - self.begun + 1)
        self.assertEqual(status["players"], {"now": CLIENTS, "bots": 3, "spectators": 0,
                                             "max": 2 * CLIENTS})
        first, second = status["arenas"]
        self.assertEqual([first["name"], second["name"]], ["first", "second"])
        self.assertEqual([first["port"], second["port"]], daemon.ports)
        self.assertEqual([first["tick_hz"], second["tick_hz"]], [60, 30])
        self.assertEqual((first["map"], first["state"]), ("crossfire", "running"))
        self.assertEqual([first["lag_compensation_ms"], second["lag_compensation_ms"]], [200, 0])
        self.assertEqual([first["away"], second["away"]], [0, 0])
        self.assertEqual(first["round"], {"number": 1, "phase": "play", "left_s": None,
                                          "score_limit": 0, "winner": None})
        for shown in status["arenas"]:
            times = shown["tick_us"]
            self.assertTrue(0 < times["p50"] <= times["p99"] <= times["max"], times)
            stages = shown["stages_us"]
            self.assertAlmostEqual(sum(stages[name]["percent"] for name in STAGES), 100, delta=0.5)
            for name in STAGES:
                self.assertTrue(0 < stages[name]["p50"] <= stages[name]["p99"] <= times["max"] + 1,
                                (name, stages, times))
            # Every datagram that is counted has bytes.
            self.assertGreater(shown["bytes_in"], 8 * shown["packets_in"])
            self.assertGreater(shown["bytes_out"], 8 * shown["packets_out"])
            ids = [player["id"] for player in shown["players"]]
            self.assertEqual(len(ids), len(set(ids)))
            for player in shown["players"]:
                self.assertEqual(player["name"].startswith("Bot "), player["bot"])
                self.assertEqual(player["ping_ms"] > 0, not player["bot"], player)
                self.assertLessEqual(player["connected_s"], status["uptime_s"] + 2)
                self.assertFalse(player["away"])
                self.assertLessEqual(player["inputs_missed"], player["inputs_due"])
        self.assertEqual(sum(player["bot"] for player in first["players"]), 3)

    def test_time_goes_on(self):
        before = self.daemon.get_json()
        def went_on():
            after = self.daemon.get_json()
            return (after["uptime_s"] > before["uptime_s"]
                    and all(new["tick"] > old["tick"] and new["packets_in"] > old["packets_in"]
                            and (new["players"][-1]["connected_s"]
                                 > old["players"][-1]["connected_s"])
                            for old, new in zip(before["arenas"], after["arenas"])))
        self.daemon.poll("newer status", went_on)

    def test_what_was_rewound_is_counted_where_anything_is(self):
        def hits():
            return [shown["hits"] for shown in self.daemon.get_json()["arenas"]]
        self.daemon.poll("rewound hits", lambda: hits()[0]["rewound"] > 0, 60)
        self.daemon.poll("hits", lambda: hits()[1]["total"] > 0, 60)
        rewound, present = hits()
        self.assertTrue(rewound["in_past"] <= rewound["rewound"] <= rewound["total"], rewound)
        self.assertTrue(0 < rewound["rewound_ms_mean"] <= rewound["rewound_ms_max"] <= 200, rewound)
        self.assertEqual([present[key] for key in HITS_KEYS[1:]], [0] * 5)

    def test_inputs_are_counted_of_those_who_send_some(self):
        def inputs(is_bot):
            return [player["inputs_due"] for shown in self.daemon.get_json()["arenas"]
                    for player in shown["players"] if player["bot"] == is_bot]
        self.daemon.poll("inputs of all clients", lambda: min(inputs(False)) > 60)
        self.assertEqual(set(inputs(True)), {0})

    def test_health(self):
        answer = self.daemon.ask("/healthz")
        self.assertEqual(answer.status, 200)
        health = json.loads(answer.text)
        self.assertEqual(list(health), ["status", "uptime_s"])
        self.assertIn(health["status"], ("ok", "overloaded")) # as the machine is

    def test_every_answer_is_json_that_nobody_keeps(self):
        for method, path, status in (("GET", "/status", 200), ("GET", "/status?a=b", 200),
                                     ("GET", "/healthz", 200), ("GET", "/map", 404),
                                     ("GET", "/status/", 404), ("GET", "/../etc/passwd", 404),
                                     ("POST", "/status", 405), ("DELETE", "/healthz", 405),
                                     ("PUT", "/nowhere", 404)):
            with self.subTest(f"{method} {path}"):
                answer = self.daemon.ask(path, method, b"x" * 100 if method == "POST" else None)
                self.assertEqual(answer.status, status)
                self.assertEqual(answer.getheader("Content-Type"), "application/json")
                self.assertEqual(answer.getheader("Cache-Control"), "no-store")
                self.assertEqual(int(answer.getheader("Content-Length")),
                                 len(answer.text.encode("utf-8")))
                self.assertEqual("error" in json.loads(answer.text), status != 200)
                if status == 405:
                    self.assertEqual(answer.getheader("Allow"), "GET, HEAD")

    def test_head_is_get_without_the_body(self):
        for path in ("/status", "/healthz"):
            answer = self.daemon.ask(path, "HEAD")
            self.assertEqual((answer.status, answer.text), (200, ""))
            self.assertGreater(int(answer.getheader("Content-Length")), 10)
            self.assertEqual(answer.getheader("Content-Type"), "application/json")

    def test_many_requests_cost_no_tick(self):
        pace = Pace(self.daemon)
        pace.sample()
        asked = 0
        with self.daemon.connect() as kept:
            begin = time.monotonic()
            while asked < REQUESTS_PER_S * SECONDS:
                passed = time.monotonic() - begin
                if asked > passed * REQUESTS_PER_S:
                    time.sleep(asked / REQUESTS_PER_S - passed)
                if asked % 2 == 0:
                    answer = self.daemon.ask()
                else:
                    kept.request("GET", "/status")
                    answer = kept.getresponse()
                    answer.read()
                self.assertEqual(answer.status, 200)
                asked += 1
        pace.sample()
        seconds, stalled_s = time.monotonic() - begin, pace.stalls.seconds()
        print(f"{asked} requests in {seconds:.1f} s, late {pace.grown(0, 'late_ticks')}, stalled"
              f" for {stalled_s:.2f} s", flush=True)
        for index in range(2):
            pace.check_skipped(index, stalled_s)

    def test_clients_that_say_nothing_stand_in_nobodys_way(self):
        with contextlib.ExitStack() as stack:
            line = b"GET /status HTTP/1.1\r\n"
            for said in (b"", b"G", line, line + b"\r\n") * 8:
                idle = stack.enter_context(socket.create_connection(self.daemon.status_address))
                idle.sendall(said)
            begin = time.monotonic()
            self.assertEqual(self.daemon.ask("/healthz").status, 200)
            self.assertLess(time.monotonic() - begin, SILENT_S) # when the first of them is ended

    def test_what_is_not_http_is_turned_away(self):
        for said in (b"nonsense\r\n\r\n", b"GET " + b"/" * 20000 + b" HTTP/1.1\r\n\r\n",
                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 TLS\r\n\r\n"):
            with socket.create_connection(self.daemon.status_address, harness.START_S) as odd:
                with contextlib.suppress(ConnectionError):
                    odd.sendall(said)
                    while got := odd.recv(4096):
                        self.assertNotIn(b" 200 ", got)
        self.assertEqual(self.daemon.ask("/healthz").status, 200)


if __name__ == "__main__":
    harness.main()
