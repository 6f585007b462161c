#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The client that was written from the document alone: it reads every vector as the document says,
and in a real arena it reads every snapshot and sees players where the server's own code does."""

import contextlib
import json
import signal
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
sys.path[:0] = [str(harness.ROOT / "proto"), str(harness.ROOT / "tests/vectors")]
import messages
try:
    import example
except ImportError: # it needs python3-enet
    example = None

FRAMES = 80     # before its router forgets it
LONGEST_S = 90  # until it has seen and done enough; chance decides, and how busy the machine is
ENOUGH = 0, "the test has ended"


@unittest.skipUnless(example, "skipped: python3-enet is not installed")
class VectorsTest(unittest.TestCase):
    """vectors.json: `value` is what example.py reads from `hex`."""

    def test_every_message_of_the_server_is_read_as_told(self):
        read = list(messages.values(example, messages.load()))
        for vector, value in read:
            self.assertEqual(value, vector["value"], vector["name"])
        self.assertGreaterEqual(len(read), 5)


@unittest.skipUnless(example, "skipped: python3-enet is not installed")
class SessionTest(unittest.TestCase):
    """session.json: what the reference client decodes is what example.py decodes."""

    def setUp(self):
        self.told = json.loads((harness.ROOT / "proto/session.json").read_text())

    def test_rare_snapshots_are_read_as_told(self):
        vectors = json.loads((harness.ROOT / "proto/vectors.json").read_text())
        welcome = next(vector["value"] for vector in vectors if vector["name"] == "welcome")
        for pair in self.told["snapshots"]:
            snapshots = example.Snapshots(welcome | {"tick": pair["tick"]})
            for vector in pair["snapshots"]:
                reader = example.Reader(bytes.fromhex(vector["hex"]))
                self.assertEqual(reader.kind(), example.SNAPSHOT)
                self.assertEqual(json.loads(json.dumps(snapshots.read(reader))), vector["value"],
                                 pair["name"])
        self.assertEqual(len(self.told["snapshots"]), 3)

    def test_a_whole_session_is_read_as_told(self):
        client = example.Client("127.0.0.1", 9)
        client.peer, client.trip, read = Peer(), 0.1, 0
        for message in self.told["session"]:
            if message["from"] == "client":
                continue
            client.receive(example.Reader(bytes.fromhex(message["hex"])))
            self.assertEqual(client.errors, 0, message["hex"])
            if "value" in message:
                self.assertEqual(json.loads(json.dumps(client.frames[-1])), message["value"])
                read += 1
        self.assertEqual(read, len(client.frames))
        self.assertGreater(read, 15)
        ticks = [frame["tick"] for frame in client.frames]
        self.assertTrue(max(ticks) > 2**31 > min(ticks)) # it wraps
        self.assertEqual(client.welcome["arena"], "session")
        self.assertEqual({each["name"] for each in client.members.values()}, {"Ada", "Bob"})

    def test_inputs_are_rejected_for_every_reason(self):
        self.assertEqual({each["rejected"] for each in self.told["inputs"]},
                         {"", "input_late", "input_early", "ack", "malformed"})


@unittest.skipUnless(example, "skipped: python3-enet is not installed")
class CollisionsTest(unittest.TestCase):
    """collisions.json: collision.py moves players to the grid step as the world does."""

    def setUp(self):
        self.told = json.loads((harness.ROOT / "proto/collisions.json").read_text())
        obstacles = [example.Obstacle([(x / 32, y / 32) for x, y in each["points"]], each["seams"])
                     for each in self.told["obstacles"]]
        self.map = example.Map([side / 32 for side in self.told["border"]], obstacles)
        self.radius = self.told["player_radius"]

    def test_runs_end_where_the_server_ends_them(self):
        welcome = {"tick": 0, "epoch": 0, "max_rewind": 0, "max_players": 1, "shots": 1,
                   "tick_hz": self.told["tick_hz"], "rules": [0, self.told["player_speed"]]}
        ways = example.Snapshots(welcome).ways
        for tick, x, y, move_x, move_y, *end in self.told["runs"]:
            steps = ways[1 + example.DIRECTIONS.index((move_x, move_y))]
            motion = steps[0] / 32, steps[1] / 32
            to = self.map.run((x / 32, y / 32), motion, self.radius, tick)
            self.assertEqual([each * 32 for each in to], end, (tick, x, y, move_x, move_y))
        self.assertGreater(len(self.told["runs"]), 200)

    def test_players_are_pushed_apart_as_the_server_does(self):
        for x, y, other_x, other_y, *ends in self.told["pushes"]:
            a, b = self.map.push_apart((x / 32, y / 32), (other_x / 32, other_y / 32), self.radius)
            self.assertEqual([each * 32 for each in (*a, *b)], ends, (x, y, other_x, other_y))
        self.assertGreater(len(self.told["pushes"]), 20)


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
        self.tell(example.write((0, 1), (example.EVENTS, 4), (1, 5), (self.client.next_event, 16),
                                (0, 6), (4, 3), (0, 2), (number, 16), (0, 1), (0, 1), (0, 1)))

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
    """Among bots, behind a router that once forgets it, watched through the reference client, until
    it has seen and done enough of everything."""

    @classmethod
    def setUpClass(cls):
        stage = cls.enterClassContext(Stage())
        # On the small map it meets somebody all the time.
        cls.daemon = stage.serve(arena("pit", bots=6, spectator_delay=0.0,
                                       map=str(harness.ROOT / "config/maps/duel.conf")))
        port = cls.daemon.ports[0]
        nat = Nat(port)
        cls.addClassCleanup(nat.close)
        cls.client = example.Client("127.0.0.1", nat.port)
        play = threading.Thread(target=cls.client.play, args=(harness.LIFE_S,))
        play.start()
        try:
            harness.poll("snapshot", lambda: cls.client.frames)
            begin, cls.welcome = time.monotonic(), cls.client.welcome
            cls.own, cls.seen = cls.welcome["player"], {}
            with cls.witness(port):
                harness.poll("play", lambda: len(cls.client.frames) > FRAMES)
                nat.rebind()
                harness.poll("enough of everything", cls.has_seen_enough, LONGEST_S, 0.5)
            row = next(row for row in cls.daemon.get_json()["arenas"][0]["players"]
                       if row["id"] == cls.own)
            # Its counts are read before the message that tells of the last point.
            harness.poll("word of every point", lambda: cls.client.members.get(
                cls.own, {}).get("score", -1) >= row["score"])
            cls.played_s = time.monotonic() - begin
        finally:
            cls.client.ended = cls.client.ended or ENOUGH
            play.join()
        cls.daemon.wait_players(0)

    @classmethod
    @contextlib.contextmanager
    def witness(cls, port):
        """Within, what the reference client sees goes into `seen`: players by place, by tick."""
        def read(lines):
            for line in lines:
                tick, *players = line.split()
                cls.seen[int(tick)] = {place: (x, y, life) for place, x, y, life in (
                    map(int, player.split(":")) for player in players)}
        with subprocess.Popen([harness.BIN / "witness", "127.0.0.1", str(port), str(cls.own),
                               str(harness.LIFE_S)], stdout=subprocess.PIPE, text=True) as witness:
            reader = threading.Thread(target=read, args=(witness.stdout,))
            reader.start()
            try:
                yield
            finally:
                witness.terminate()
                reader.join()
        if witness.returncode != -signal.SIGTERM:
            raise AssertionError(f"the witness ended with {witness.returncode}")

    @classmethod
    def has_seen_enough(cls):
        return (cls.client.welcome is not cls.welcome and cls.walked() > 100
                and len(cls.shots()) > 5 and len(cls.ages()) > 5 and len(cls.compared()) > 100)

    @classmethod
    def compared(cls):
        """Of each player in a frame that the witness saw in its tick, too: (when and who, what the
        client saw, what the witness saw)."""
        return [((frame["tick"], place), (player["x"], player["y"], player["life"]), theirs[place])
                for frame in list(cls.client.frames) for theirs in [cls.seen.get(frame["tick"], {})]
                for place, player in frame["players"].items() if place in theirs]

    @classmethod
    def walked(cls):
        """Between its places furthest apart from left to right, in units."""
        xs = [frame["players"][frame["self"]["slot"]]["x"] / 32
              for frame in list(cls.client.frames) if frame["self"]["alive"]]
        return max(xs) - min(xs) if xs else 0

    @classmethod
    def shots(cls):
        """All counts of its own shots that it was told."""
        return {frame["self"]["shots"] for frame in list(cls.client.frames)}

    @classmethod
    def ages(cls):
        """How many ticks ago its bullets were launched as it saw them first, by place and launch."""
        ages = {}
        for frame in list(cls.client.frames):
            for place, bullet in frame["bullets"].items():
                if place // cls.welcome["shots"] == frame["self"]["slot"]:
                    ages.setdefault((place, bullet["tick"]), frame["tick"] - bullet["tick"])
        return ages

    def test_it_plays_to_the_end_and_reads_everything(self):
        self.assertIs(self.client.ended, ENOUGH)
        self.assertEqual(self.client.errors, 0)
        # A client that is lost to a router notices it after 1.5 s.
        self.assertGreater(len(self.client.frames), 10 * (self.played_s - 3))

    def test_it_sees_players_where_the_server_has_them(self):
        for what, seen, theirs in self.compared():
            self.assertEqual(seen, theirs, what)

    def test_it_resumes_where_it_was(self):
        self.assertIsNot(self.client.welcome, self.welcome)
        for key in ("player", "token"):
            self.assertEqual(self.client.welcome[key], self.welcome[key], key)
        self.assertGreater(self.client.welcome["tick"], self.welcome["tick"])

    def test_its_bullets_are_launched_in_the_tick_that_it_saw(self):
        ages = self.ages()
        print(f"own bullets launched {statistics.median(ages.values())} ticks ago", flush=True)
        self.assertGreater(statistics.median(ages.values()), 1) # that of a bullet as of now

    def test_it_knows_its_name(self):
        self.assertEqual(self.client.members[self.own]["name"], "Example")


@unittest.skipUnless(example, "skipped: python3-enet is not installed")
class DemoTest(unittest.TestCase):
    """An arena as the demo's: it hits somebody, and predicts itself."""

    class Judge(example.Client if example else object):
        """Compares each snapshot with the prediction, where nobody is near enough to push."""
        right = wrong = 0

        def take_frame(self, frame):
            players = frame["players"].copy()
            me = players.pop(frame["self"]["slot"], None)
            told = self.predicted.get(frame["tick"])
            if me and told and frame["self"]["steers"] and all(
                    max(abs(it["x"] - me["x"]), abs(it["y"] - me["y"])) > 32 * 60
                    for it in players.values()):
                self.right += told == (me["x"] / 32, me["y"] / 32)
                self.wrong += told != (me["x"] / 32, me["y"] / 32)
            super().take_frame(frame)

    def test_it_hits_and_predicts_itself(self):
        stage = self.enterContext(Stage())
        duel = str(harness.ROOT / "config/maps/duel.conf")
        daemon = stage.serve(arena(map=duel, bots=6, spectator_delay=0.0))
        client = self.Judge("127.0.0.1", daemon.ports[0])
        for _ in range(4): # the first ten seconds are enough where the machine keeps up
            client.ended, client.right, client.wrong = None, 0, 0
            client.play(10)
            if client.hits and client.right > 60 and client.wrong < 0.2 * client.right:
                break
        print(f"shots={client.shots} hits={client.hits} right={client.right} wrong={client.wrong}",
              flush=True)
        self.assertEqual((client.welcome["arena"], client.welcome["map_name"]), ("arena", "duel"))
        self.assertGreater(client.hits, 0)
        self.assertGreater(client.right, 60)
        self.assertLess(client.wrong, 0.2 * client.right) # inputs that came late
        self.assertEqual(client.errors, 0)


if __name__ == "__main__":
    harness.main()
