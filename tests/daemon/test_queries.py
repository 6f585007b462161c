#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The queries that server browsers and hosters' tools ask a raimd on its arenas' ports, by a small
client of their own."""

import re
import socket
import struct
import unittest

import harness
from harness import Stage, arena

INFO, PLAYERS, RULES = b"TSource Engine Query\0", b"U", b"V"
PREFIX = b"\xff\xff\xff\xff"
NO_CHALLENGE = b"\xff\xff\xff\xff"
PLAYING = 3
BOTS = 2
HOSTNAME = "Caf\u00e9 \u2694 hall"


class Reader:
    """Takes a reply apart."""

    def __init__(self, data):
        self.data = data

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data)
        self.data = self.data[struct.calcsize("<" + form):]
        return values if len(values) > 1 else values[0]

    def text(self):
        text, _, self.data = self.data.partition(b"\0")
        return text.decode("utf-8")


class Asker:
    """A client that asks an arena."""

    def __init__(self, port, address="127.0.0.1"):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.settimeout(harness.START_S)
        self.socket.connect((address, port))
        self.sizes = [] # (request, reply) of what was answered with a challenge

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def exchange(self, request):
        self.socket.send(request)
        return self.socket.recv(4096)

    def challenge(self, question, padding=b""):
        """The challenge with which a first question is answered."""
        first = question if question == INFO else question + NO_CHALLENGE
        request = PREFIX + first + padding
        reply = self.exchange(request)
        self.sizes.append((len(request), len(reply)))
        if reply[:5] != PREFIX + b"A" or len(reply) != 9:
            raise AssertionError(f"no challenge: {reply}")
        return reply[5:]

    def ask(self, question, padding=b""):
        """The reply after its kind."""
        reply = self.exchange(PREFIX + question + self.challenge(question, padding) + padding)
        kind = {INFO: b"I", PLAYERS: b"D", RULES: b"E"}[question]
        if reply[:5] != PREFIX + kind or len(reply) > 1400:
            raise AssertionError(f"{len(reply)} bytes for {question}: {reply}")
        return Reader(reply[5:])

    def info(self, padding=b""):
        reader = self.ask(INFO, padding)
        info = {"protocol": reader.take("B")}
        for key in ("name", "map", "folder", "game"):
            info[key] = reader.text()
        (info["id"], info["players"], info["max"], info["bots"], kind, system, info["password"],
         info["secure"]) = reader.take("HBBBccBB")
        info["kind"] = kind + system
        info["version"] = reader.text()
        info["extra"], info["port"] = reader.take("BH")
        if info["extra"] & 0x20:
            info["keywords"] = reader.text()
        info["rest"] = reader.data
        return info

    def players(self):
        reader = self.ask(PLAYERS)
        players = []
        for _ in range(reader.take("B")):
            index, name, (score, seconds) = reader.take("B"), reader.text(), reader.take("if")
            players.append({"index": index, "name": name, "score": score, "seconds": seconds})
        if reader.data:
            raise AssertionError(f"after the players: {reader.data}")
        return players

    def rules(self):
        reader = self.ask(RULES)
        rules = {}
        for _ in range(reader.take("H")):
            key = reader.text()
            rules[key] = reader.text()
        if reader.data:
            raise AssertionError(f"after the rules: {reader.data}")
        return rules


class QueryTest(unittest.TestCase):
    """One daemon for all: every test has its own source port, but their network has one rate."""

    @classmethod
    def setUpClass(cls):
        stage = cls.enterClassContext(Stage())
        cls.daemon = stage.serve(arena("open", bots=BOTS, max_players=10),
                                 arena("shy", bots=BOTS, query_names=False, hostname=HOSTNAME,
                                       tags=["ffa", "eu"], region="Europe",
                                       website="https://example.org/shy"),
                                 arena("mute", queries=False), arena("busy"))
        stage.bots(cls.daemon, PLAYING, ports=cls.daemon.ports[:1])
        stage.bots(cls.daemon, PLAYING, ports=cls.daemon.ports[1:2])
        cls.daemon.wait_pressing(2 * PLAYING)

    def asker(self, index=0):
        return self.enterContext(Asker(self.daemon.ports[index]))

    def shown(self, index=0):
        return self.daemon.get_json()["arenas"][index]

    def test_info(self):
        status = self.daemon.get_json()
        self.assertEqual(self.asker().info(), {
            "protocol": 17, "name": "open", "map": "crossfire", "folder": "raim", "game": "raim",
            "id": 0, "players": PLAYING + BOTS, "max": 10 + BOTS, "bots": BOTS, "kind": b"dl",
            "password": 0, "secure": 0, "version": status["version"], "extra": 0x80,
            "port": self.daemon.ports[0], "rest": b""})

    def test_players_are_those_of_the_status(self):
        players = self.asker().players()
        shown = self.shown()["players"]
        self.assertEqual(sorted(player["name"] for player in players),
                         sorted(player["name"] for player in shown))
        for player in players:
            row = next(row for row in shown if row["name"] == player["name"])
            if row["bot"]:
                self.assertEqual(player["seconds"], -1)
            else:
                self.assertLess(abs(player["seconds"] - row["connected_s"]), 5)
            self.assertGreaterEqual(player["score"], 0)

    def test_scores_and_seconds_go_on(self):
        asker = self.asker()
        def seconds():
            return max(player["seconds"] for player in asker.players())
        before = seconds()
        harness.poll("later answer", lambda: seconds() > before + 0.5, interval_s=0.2)
        def score():
            return sum(player["score"] for player in asker.players())
        harness.poll("score", score, 60, 0.5)

    def test_rules(self):
        rules = self.asker().rules()
        self.assertEqual(rules["tick_hz"], "60")
        self.assertEqual(rules["view_width"], "1600")
        self.assertEqual(rules["sight"], "true")
        self.assertEqual(rules["player_speed"], "300")
        self.assertEqual(rules["bullet_lifetime"], "1.2")
        self.assertEqual((rules["round_time"], rules["score_limit"]), ("0", "0"))
        table = (harness.ROOT / "lib/world/rules.h").read_text(encoding="ascii")
        ours = set(re.findall(r"^    X\((\w+),", table, re.M))
        self.assertEqual(ours - set(rules), set())
        self.assertEqual(len(rules), 7 + len(ours))

    def test_an_arena_presents_itself(self):
        info, rules = self.asker(1).info(), self.asker(1).rules()
        self.assertEqual((info["name"], info["extra"], info["keywords"], info["rest"]),
                         (HOSTNAME, 0xA0, "ffa,eu", b""))
        self.assertEqual((rules["region"], rules["website"]),
                         ("Europe", "https://example.org/shy"))
        shown = self.shown(1)
        self.assertEqual((shown["name"], shown["hostname"], shown["tags"]),
                         ("shy", HOSTNAME, ["ffa", "eu"]))

    def test_no_address_is_told(self):
        asker = self.asker()
        for question in (INFO, PLAYERS, RULES):
            reply = asker.ask(question).data
            self.assertNotIn(b"127.0", reply)
            self.assertNotIn(socket.inet_aton("127.0.0.1"), reply)

    def test_padded_requests(self):
        asker = self.asker()
        self.assertEqual(asker.info(padding=bytes(1150))["name"], "open")
        self.assertEqual(asker.info(padding=bytes(3))["name"], "open")

    def test_no_reply_before_the_challenge_is_larger_than_its_request(self):
        asker = self.asker()
        for question in (INFO, PLAYERS, RULES):
            asker.challenge(question)
            # A wrong challenge gets the right one.
            reply = asker.exchange(PREFIX + question + b"\1\2\3\4")
            self.assertEqual((len(reply), reply[4:5]), (9, b"A"))
        for request, reply in asker.sizes:
            self.assertLessEqual(reply, request)

    def test_a_challenge_is_of_one_port(self):
        first, second = self.asker(), self.asker()
        stolen = first.challenge(PLAYERS)
        self.assertEqual(second.exchange(PREFIX + PLAYERS + stolen)[4:5], b"A")
        self.assertEqual(first.exchange(PREFIX + PLAYERS + stolen)[4:5], b"D")

    def test_names_can_be_withheld(self):
        names = sorted(player["name"] for player in self.asker(1).players())
        self.assertEqual(names, ["Bot 1", "Bot 2"] + ["player"] * PLAYING)

    def test_queries_can_be_switched_off(self):
        before = self.shown(2)["rejections"]["connectionless"]
        asker = self.asker(2)
        asker.socket.send(PREFIX + INFO)
        self.daemon.poll("count", lambda: self.shown(2)["rejections"]["connectionless"] == before + 1)
        asker.socket.setblocking(False)
        self.assertRaises(BlockingIOError, asker.socket.recv, 1)
        self.assertEqual(self.shown(2)["queries"], 0)

    def test_a_flood_is_limited_and_counted(self):
        sent = 2000
        asker = self.asker(3)
        request = PREFIX + PLAYERS + asker.challenge(PLAYERS)
        def counted(count):
            arena_shown = self.shown(3)
            return (arena_shown["queries"] + arena_shown["queries_limited"] == count + 1
                    and arena_shown)
        for first in range(0, sent, 200): # which any buffer of a socket holds
            for _ in range(200):
                asker.socket.send(request)
            shown = self.daemon.poll("counts of all", lambda: counted(first + 200))
        self.assertGreater(shown["queries_limited"], sent / 2)
        self.assertGreaterEqual(shown["queries"], 60)
        self.assertEqual(shown["rejections"]["connectionless"], 0)


if __name__ == "__main__":
    harness.main()
