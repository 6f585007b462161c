#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The client that was written from the document alone: it reads every vector as the document says,
and in a real arena it reads every snapshot and sees players where the server's own code does."""

import json
import statistics
import subprocess
import sys
import threading
import time
import unittest

import harness
from harness import Stage, arena
from test_network import Nat

sys.dont_write_bytecode = True
sys.path.insert(0, str(harness.ROOT / "proto"))
try:
    import example
except ImportError: # it needs python3-enet
    example = None

SECONDS = 30
WATCHED_S = 24


@unittest.skipUnless(example, "skipped: python3-enet is not installed")
class VectorsTest(unittest.TestCase):
    """vectors.json: `value` is what example.py reads from `hex`."""

    def test_every_message_of_the_server_is_read_as_told(self):
        snapshots, read = None, 0
        for vector in json.loads((harness.ROOT / "proto/vectors.json").read_text()):
            reader = example.Reader(bytes.fromhex(vector["hex"]))
            kind = reader.kind()
            if kind == example.WELCOME:
                value = reader.welcome()
                snapshots = example.Snapshots(value)
            elif kind == example.ROSTER:
                value = reader.each(reader.entry)
            elif kind == example.EVENTS:
                value = dict(zip(("sequence", "events"), reader.events()))
            elif kind == example.SNAPSHOT:
                value = snapshots.read(reader)
            elif kind == example.GOODBYE:
                value = {"reason": reader.u(8), "text": reader.text(120)}
                if "token" in vector["value"]: # a client's
                    value["token"] = [reader.u(8) for _ in range(16)]
            else:
                continue # what clients write, and obstacles, which example.py does not mind
            # JSON names places by strings.
            self.assertEqual(json.loads(json.dumps(value)), vector["value"], vector["name"])
            read += 1
        self.assertEqual(read, 7)


class Peer:
    """Keeps what is sent to it."""

    def __init__(self):
        self.sent = []

    def send(self, channel, packet):
        self.sent.append((channel, packet.data))


@unittest.skipUnless(example, "skipped: python3-enet is not installed")
class MatchTest(unittest.TestCase):
    """What no short match shows: it is told the vectors, and what follows from them."""

    def setUp(self):
        vectors = json.loads((harness.ROOT / "proto/vectors.json").read_text())
        self.vectors = {vector["name"]: bytes.fromhex(vector["hex"]) for vector in vectors}
        self.client = example.Client("127.0.0.1", 9)
        self.client.peer, self.client.trip = Peer(), 0.1
        for name in ("welcome", "roster", "snapshot whole", "snapshot delta", "events"):
            self.tell(self.vectors[name])
        self.assertEqual((self.client.errors, len(self.client.frames)), (0, 2))

    def tell(self, message):
        self.client.receive(example.Reader(message))

    def tell_round(self, number):
        """EVENTS with a phase of play, without end or limit."""
        self.tell(example.write((0, 1), (example.EVENTS, 4), (self.client.next_event, 16), (0, 11),
                                (4, 3), (0, 2), (number, 16), (0, 1), (0, 1), (0, 1)))

    def press(self, steers):
        """Whether what it presses moves, and whether it fires."""
        frame = self.client.frames[0]
        self.client.press(frame | {"self": frame["self"] | {"steers": steers}})
        bits = int.from_bytes(self.client.peer.sent[-1][1], "little") >> 73
        return (bits & 3, bits >> 2 & 3) != (1, 1), bool(bits >> 4 & 1)

    def test_another_round_begins_at_0(self):
        self.assertEqual(self.client.members[1026]["score"], 1)
        self.assertEqual(self.client.welcome["phase"]["winner"], 1026)
        self.tell_round(2)
        self.assertEqual(self.client.members[1026]["score"], 1)
        self.tell_round(3)
        self.assertEqual({each["score"] for each in self.client.members.values()}, {0})
        self.assertEqual(self.client.errors, 0)

    def test_it_presses_nothing_where_nobody_moves(self):
        self.assertEqual(self.press(steers=1), (True, True))
        self.assertEqual(self.press(steers=0), (False, False))

    def test_welcomed_anew_it_forgets_the_arena_before(self):
        self.tell(self.vectors["welcome"])
        self.assertEqual((self.client.members, self.client.snapshots.frames), ({}, {}))
        self.tell(self.vectors["snapshot delta"]) # its baseline was of before
        self.assertEqual(self.client.errors, 1)
        self.tell(self.vectors["snapshot whole"])
        self.tell(self.vectors["snapshot delta"])
        self.assertEqual((self.client.errors, len(self.client.frames)), (1, 4))

    def test_it_waits_for_a_restart_and_for_no_other_end(self):
        before = time.monotonic()
        self.tell(example.write((0, 1), (example.GOODBYE, 4), (13, 8), (0, 7)))
        self.assertIsNone(self.client.ended)
        self.assertIsNone(self.client.snapshots)
        self.assertGreaterEqual(self.client.patience, before + 0.3)
        self.assertEqual(self.client.welcome["token"][0], 160)
        self.tell(self.vectors["goodbye"])
        self.assertEqual(self.client.ended, (5, "full"))


@unittest.skipUnless(example, "skipped: python3-enet is not installed")
class ExampleTest(unittest.TestCase):
    """Half a minute among bots, behind a router that once forgets it, watched through the reference
    client."""

    @classmethod
    def setUpClass(cls):
        stage = cls.enterClassContext(Stage())
        cls.daemon = stage.serve(arena("pit", bots=12, spectator_delay=0.0))
        cls.port = cls.daemon.ports[0]
        nat = Nat(cls.port)
        cls.addClassCleanup(nat.close)
        cls.client = example.Client("127.0.0.1", nat.port)
        play = threading.Thread(target=cls.client.play, args=(SECONDS,))
        play.start()
        try:
            harness.poll("snapshot", lambda: cls.client.frames)
            cls.welcome = cls.client.welcome
            cls.own = cls.welcome["player"]
            with subprocess.Popen(
                    [harness.BIN / "witness", "127.0.0.1", str(cls.port), str(cls.own),
                     str(WATCHED_S)], stdout=subprocess.PIPE, text=True) as witness:
                harness.poll("play", lambda: len(cls.client.frames) > 10 * WATCHED_S / 3)
                nat.rebind()
                watched = witness.communicate(timeout=60)[0]
            if witness.returncode != 0:
                raise AssertionError(f"the witness ended with {witness.returncode}")
            cls.row = next(row for row in cls.daemon.get_json()["arenas"][0]["players"]
                           if row["id"] == cls.own)
        finally:
            play.join()
        cls.daemon.wait_players(0)
        cls.seen = {}
        for line in watched.splitlines():
            tick, *players = line.split()
            cls.seen[int(tick)] = {place: (x, y, life) for place, x, y, life in (
                map(int, player.split(":")) for player in players)}

    def test_it_plays_to_the_end_and_reads_everything(self):
        self.assertIsNone(self.client.ended)
        self.assertEqual(self.client.errors, 0)
        self.assertGreater(len(self.client.frames), 10 * (SECONDS - 2))

    def test_it_sees_players_where_the_server_has_them(self):
        compared = 0
        for frame in self.client.frames:
            theirs = self.seen.get(frame["tick"], {})
            for place, player in frame["players"].items():
                if place in theirs:
                    self.assertEqual((player["x"], player["y"], player["life"]), theirs[place],
                                     (frame["tick"], place))
                    compared += 1
        self.assertGreater(compared, 300)

    def test_it_resumes_where_it_was(self):
        self.assertIsNot(self.client.welcome, self.welcome)
        for key in ("player", "token"):
            self.assertEqual(self.client.welcome[key], self.welcome[key], key)
        self.assertGreater(self.client.welcome["tick"], self.welcome["tick"])

    def test_it_walks_and_shoots(self):
        own = [frame["players"][frame["self"]["place"]] for frame in self.client.frames
               if frame["self"]["alive"]]
        xs = [player["x"] / 32 for player in own]
        self.assertGreater(max(xs) - min(xs), 100)
        shots = {frame["self"]["shots"] for frame in self.client.frames}
        self.assertGreater(len(shots), 5)

    def test_its_bullets_are_launched_in_the_tick_that_it_saw(self):
        ages = {} # of own bullets as they are seen first, by place and launch
        for frame in self.client.frames:
            for place, bullet in frame["bullets"].items():
                if place // self.welcome["shots"] == frame["self"]["place"]:
                    ages.setdefault((place, bullet["tick"]), frame["tick"] - bullet["tick"])
        print(f"own bullets launched {statistics.median(ages.values())} ticks ago", flush=True)
        self.assertGreater(len(ages), 5)
        self.assertGreater(statistics.median(ages.values()), 1) # that of a bullet as of now

    def test_it_hears_of_every_point(self):
        told = self.client.members[self.own]
        self.assertEqual(told["name"], "Example")
        self.assertGreaterEqual(told["score"], self.row["score"])


if __name__ == "__main__":
    harness.main()
