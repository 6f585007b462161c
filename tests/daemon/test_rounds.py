#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Rounds, breaks, pauses and rotations of a real raimd, as the client that was written from the
document alone is told of them, among bots of the reference client; and what of them outlives the
process."""

import copy
import json
import re
import signal
import subprocess
import sys
import threading
import time
import unittest

import harness
import test_control
from harness import ROOT, SLOW, START_S, arena, config, poll
from ports import free_port
from test_access import raimctl

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "proto"))
try:
    import example
except ImportError: # it needs python3-enet
    example = None

MAPS = ROOT / "config/maps"
PLAY, BREAK, PAUSED = range(3)
CLIENTS = 2 if SLOW else 6
EASY = {"player_radius": 24.0, "respawn_delay": 0.3, "spawn_protection": 0.0}


def map_file(name):
    return str(MAPS / f"{name}.conf")


def in_rounds(name="one", maps=("duel",), rules=None, **keys):
    """The text of an arena that is played in short rounds."""
    text = arena(name, **{"map": map_file(maps[0]), "round_time": 1.0, "break_time": 0.5, **keys})
    rotation = ", ".join(json.dumps(map_file(other)) for other in maps[1:])
    changed = harness.value({**EASY, **(rules or {})})
    return f"{text[:-1]} rotation = ({rotation}); rules = {changed}; }}"


if example:
    class Watcher(example.Client):
        """Keeps what it is told, welcome by welcome: phases with their tick and frames."""

        def __init__(self, port):
            super().__init__("127.0.0.1", port)
            self.told = [] # of each welcome: itself, [(tick, phase)], [frame]
            self.taken = [] # phases of the present message

        def receive(self, r):
            peek = copy.copy(r)
            kind, entered = peek.kind(), self.welcome
            super().receive(r)
            if self.welcome is not entered:
                self.told.append((self.welcome, [(self.welcome["tick"], self.welcome["phase"])],
                                  []))
            elif kind in (example.EVENTS, example.SNAPSHOT) and self.told and self.frames:
                if not self.told[-1][2] or self.told[-1][2][-1] is not self.frames[-1]:
                    self.told[-1][2].append(self.frames[-1])
                self.told[-1][1].extend((self.frames[-1]["tick"], phase) for phase in self.taken)
                self.taken = []

        def take_phase(self, phase):
            super().take_phase(phase)
            self.taken.append(phase)

        def phases(self):
            """All that it was told of, in order: (phase, round)."""
            return [(phase["phase"], phase["round"]) for _, told, _ in self.told
                    for _, phase in told]


class RoundsTest(test_control.Operator):
    def start(self, *arenas):
        self.path = self.stage.write_config(config(*arenas))
        self.daemon = self.stage.raimd("-c", self.path, env=self.env).wait_started()
        self.daemon.poll("the control socket", lambda: "control started" in self.daemon.log)
        return self.daemon

    def again(self, end=signal.SIGKILL):
        """Ends the process and starts the next."""
        if end == signal.SIGKILL:
            self.daemon.expected_status = -signal.SIGKILL
        self.daemon.stop(end)
        self.daemon = self.stage.raimd("-c", self.path, env=self.env).wait_started()
        self.daemon.poll("the control socket", lambda: "control started" in self.daemon.log)

    def row(self, name="one"):
        return self.daemon.get_json(f"/arenas/{name}")

    def wait_row(self, what, ready, name="one", deadline_s=START_S):
        def seen():
            answer = self.daemon.ask(f"/arenas/{name}") # the name may be one to come
            row = json.loads(answer.text) if answer.status == 200 else None
            return row if row and ready(row) else None
        return self.daemon.poll(what, seen, deadline_s)

    def wait_score(self, least):
        self.wait_row("a score", lambda row: sum(player["score"] for player in row["players"])
                      >= least, deadline_s=2 * START_S)

    def wait_phase(self, phase, name="one"):
        return self.wait_row(phase, lambda row: row["round"]["phase"] == phase, name)

    def clients(self, name="one"):
        return {player["name"]: player for player in self.row(name)["players"]
                if not player["bot"]}

    def are_back(self, count, name="one"):
        found = self.clients(name)
        return len(found) == count and not any(player["away"] for player in found.values())

    def watch(self, port):
        """A Watcher that plays until the test ends."""
        client = Watcher(port)
        thread = threading.Thread(target=client.play, args=(harness.LIFE_S,))
        thread.start()
        def end():
            client.ended = client.ended or ("test",)
            thread.join()
        self.addCleanup(end)
        poll("a frame", lambda: client.frames)
        return client

    def finish(self, bots, count):
        """The bots' report; nobody was lost, and everything could be read."""
        bots.send(signal.SIGINT)
        report = bots.report()
        self.assertEqual([row["end"] for row in report["players"]], ["left"] * count)
        self.assertEqual(report["decode_errors"], 0)
        return report


@unittest.skipUnless(example, "skipped: python3-enet is not installed")
class PlayTest(RoundsTest):
    def check_standstill(self, frames, begin, end):
        """Nobody moves from one tick to another, and nothing flies. Returns the frames."""
        still = [frame for frame in frames if begin <= frame["tick"] < end]
        for frame in still:
            self.assertEqual(frame["bullets"], {}, frame["tick"])
            self.assertEqual(frame["self"]["hits"], still[0]["self"]["hits"])
            self.assertEqual(frame["self"]["shots"], still[0]["self"]["shots"])
            self.assertEqual(frame["self"]["steers"], 0)
            for place, player in frame["players"].items():
                first = next(it["players"][place] for it in still if place in it["players"])
                for key in ("x", "y", "life"):
                    self.assertEqual(player[key], first[key], (frame["tick"], place, key))
        return still

    def check_breaks(self, client, least):
        """The rounds that it was told of, of which at least so many came with all their break."""
        whole = compared = 0
        for _, phases, frames in client.told:
            for number, (tick, phase) in enumerate(phases):
                if phase["phase"] != BREAK:
                    continue
                end = phase["end_tick"]
                if number + 1 < len(phases):
                    # An arena that cannot keep up leaves out snapshots.
                    self.assertEqual(phases[number + 1][0], next(
                        frame["tick"] for frame in frames if frame["tick"] > end))
                    self.assertEqual((phases[number + 1][1]["phase"],
                                      phases[number + 1][1]["round"]), (PLAY, phase["round"] + 1))
                    whole += 1
                compared += len(self.check_standstill(frames, tick, end))
        self.assertGreaterEqual(compared, 5 * least)
        return whole

    def check_predictions(self, report):
        """Hardly any was wrong, but for those of inputs that came too late for their tick."""
        missed = int(re.search(r'^raimd_inputs_missed_total\{arena="one"\} (\d+)$',
                               self.daemon.ask("/metrics").text, re.M)[1])
        print(f"mispredicted {report['mispredictions']} of {report['predictions']},"
              f" {missed} inputs too late", flush=True)
        self.assertLess(report["mispredictions"], 0.02 * report["predictions"] + missed)

    def test_rounds_by_the_clock_on_the_maps_of_a_rotation(self):
        self.start(in_rounds(maps=("duel", "crossfire"), motd="Welcome, all", bots=1))
        bots = self.stage.bots(self.daemon, CLIENTS)
        self.daemon.wait_players(CLIENTS)
        client = self.watch(self.daemon.ports[0])
        first = client.told[0][0]["phase"]["round"]
        for number in range(first + 1, first + 6):
            self.daemon.poll(f"round {number}", lambda number=number:
                             client.phases()[-1][1] >= number)
        maps = [welcome["map_name"] for welcome, _, _ in client.told]
        for before, after in zip(maps, maps[1:]):
            self.assertEqual({before, after}, {"duel", "crossfire"})
        self.assertGreaterEqual(len(maps), 5)
        self.assertEqual({welcome["motd"] for welcome, _, _ in client.told}, {"Welcome, all"})
        for (_, told, _), name in zip(client.told, maps[1:]):
            for _, phase in told:
                self.assertEqual(phase.get("next_map"), name if phase["phase"] == BREAK else None)
        self.assertEqual(client.errors, 0)
        self.assertEqual(len({bytes(welcome["token"]) for welcome, _, _ in client.told}), 1)
        numbers = [phase["round"] for _, told, _ in client.told for _, phase in told]
        self.assertEqual(numbers, sorted(numbers))
        self.assertEqual(set(numbers), set(range(first, numbers[-1] + 1)))
        self.check_breaks(client, 4)
        report = self.finish(bots, CLIENTS)
        self.assertGreaterEqual(report["rounds"], 4 * CLIENTS)
        self.assertGreaterEqual(report["entries"], 4 * CLIENTS)
        self.check_predictions(report)

    def test_rounds_by_points(self):
        """One map: nobody is welcomed anew, and the scores are as told."""
        self.start(in_rounds(round_time=0.0, score_limit=2, break_time=0.5, bots=4))
        bots = self.stage.bots(self.daemon, CLIENTS)
        self.daemon.wait_players(CLIENTS)
        client = self.watch(self.daemon.ports[0])
        first = client.told[0][0]["phase"]["round"]
        for number in range(first, first + 3):
            ended = self.daemon.poll(f"the end of round {number}", lambda number=number: next(
                (phase for _, phase in client.told[0][1]
                 if phase["phase"] == BREAK and phase["round"] == number), None))
            winner = ended["winner"] # may be nobody alone
            if winner != 0:
                self.assertIn(winner, client.members)
        self.assertEqual(len(client.told), 1)
        self.assertEqual(client.errors, 0)
        self.assertGreaterEqual(self.check_breaks(client, 3), 2)
        shown = self.wait_phase("break")
        self.assertEqual(shown["round"]["score_limit"], 2)
        told = {row["id"]: row["score"] for row in shown["players"]}
        self.assertEqual(max(told.values()), 2)
        self.wait_row("the next round", lambda row: row["round"]["number"]
                      > shown["round"]["number"])
        report = self.finish(bots, CLIENTS)
        self.assertEqual(report["entries"], CLIENTS)
        self.check_predictions(report)

    def test_a_pause_holds_everybody_and_the_clock(self):
        self.start(in_rounds(round_time=60.0, bots=2))
        bots = self.stage.bots(self.daemon, CLIENTS)
        client = self.watch(self.daemon.ports[0])
        for _ in range(2):
            frames = len(client.frames)
            self.ctl("arena", "pause", "one")
            paused = self.wait_phase("paused")
            poll("the pause told", lambda: client.phases()[-1][0] == PAUSED)
            poll("frames of it", lambda frames=frames: len(client.frames) > frames + 10)
            self.assertEqual(self.row()["round"]["left_s"], paused["round"]["left_s"])
            seen = client.told[-1][2][-1]["tick"]
            self.check_standstill(client.told[-1][2], client.told[-1][1][-1][0], seen)
            self.ctl("arena", "resume", "one")
            self.wait_phase("play")
            poll("play told", lambda: client.phases()[-1][0] == PLAY)
            poll("steering", lambda: client.frames[-1]["self"]["steers"])
        self.wait_row("the clock", lambda row: row["round"]["left_s"]
                      < paused["round"]["left_s"])
        self.assertEqual((client.errors, len(client.told)), (0, 1))
        self.finish(bots, CLIENTS)

    def test_rules_of_a_reload_in_a_break_begin_with_the_round(self):
        self.start(in_rounds(break_time=3.0, score_limit=1000))
        bots = self.stage.bots(self.daemon, CLIENTS)
        client = self.watch(self.daemon.ports[0])
        ended = self.wait_phase("break")
        self.stage.write_config(config(in_rounds(break_time=3.0, score_limit=1000,
                                                 rules={"player_radius": 30.0})))
        self.assertIn("applied", self.ctl("reload"))
        played = self.wait_row("the next round", lambda row: row["round"]["phase"] == "play")
        self.assertEqual(played["round"]["number"], ended["round"]["number"] + 1)
        self.assertEqual(self.daemon.get_json("/arenas/one/map")["player_radius"], 30)
        poll("a welcome anew", lambda: len(client.told) == 2)
        poll("frames", lambda: len(client.told[1][2]) > 10)
        self.assertEqual(client.errors, 0)
        self.finish(bots, CLIENTS)

    def test_orders_reach_who_is_meant_after_a_map_change(self):
        self.start(arena("one", map=map_file("duel"), bots=1))
        bots = self.stage.bots(self.daemon, 3)
        self.daemon.wait_players(3)
        client = self.watch(self.daemon.ports[0])
        self.daemon.wait_players(4)
        before = {name: player["id"] for name, player in self.clients().items()}
        self.stage.write_config(config(arena("one", map=map_file("ruins"), bots=3)))
        self.ctl("reload")
        self.wait_row("the other map", lambda row: row["map"] == "ruins")
        found = self.wait_row("everybody", lambda row: len(row["players"]) == 7)
        after = {row["name"]: row["id"] for row in found["players"] if not row["bot"]}
        self.assertEqual(after.keys(), before.keys())
        moved = [name for name in after if after[name] != before[name]]
        for name in moved: # its id of before is of nobody else
            self.assertNotIn(before[name], [row["id"] for row in found["players"]
                                            if row["name"] != name])
        self.ctl("mute", "one", after["Example"])
        muted = self.daemon.poll("somebody muted", lambda: [
            row["name"] for row in json.loads(self.ctl("players", "--json"))["players"]
            if row.get("muted")])
        self.assertEqual(muted, ["Example"])
        self.ctl("kick", "one", after["Example"], "be nice")
        poll("the kick", lambda: client.ended)
        self.assertEqual(client.ended[1], "be nice")
        self.finish(bots, 3)


class SpectatorTest(RoundsTest):
    DELAY_S = 1.5
    SECONDS = 10

    def watched(self, delay_s):
        """The ticks that a spectator of a bot has seen, through three matches on two maps."""
        self.start(in_rounds(maps=("duel", "crossfire"), bots=3, round_time=2.5, break_time=0.5,
                             spectator_delay=delay_s))
        bot = self.wait_row("bots", lambda row: row["players"])["players"][0]["id"]
        with subprocess.Popen([harness.BIN / "witness", "127.0.0.1", str(self.daemon.ports[0]),
                               str(bot), str(self.SECONDS)],
                              stdout=subprocess.PIPE, text=True) as witness:
            lines = witness.communicate(timeout=START_S + self.SECONDS)[0].splitlines()
        self.assertEqual(witness.returncode, 0)
        self.assertGreaterEqual(self.daemon.log.count("match started"), 3)
        # Who is destroyed in the last tick of a round is seen nowhere, for the break.
        seen = sum(len(line.split()) > 1 for line in lines)
        self.assertGreater(seen, len(lines) / 2)
        return [int(line.split()[0]) for line in lines]

    def longest_gap_s(self, ticks):
        return max(after - before for before, after in zip(ticks, ticks[1:])) / harness.TICK_HZ

    def test_who_watches_follows_from_map_to_map(self):
        ticks = self.watched(0.0)
        self.assertLess(self.longest_gap_s(ticks), 1)

    def test_who_watches_late_comes_back_after_each_change(self):
        ticks = self.watched(self.DELAY_S)
        gap_s = self.longest_gap_s(ticks)
        print(f"nothing seen for {gap_s:.2f} s of the arena", flush=True)
        self.assertLess(gap_s, self.DELAY_S + 1)

    def test_who_switches_sees_another_player_without_a_new_connection(self):
        self.start(in_rounds(bots=2, round_time=60.0, spectator_delay=0.0))
        one, other = (row["id"] for row in
                      self.wait_row("bots", lambda row: len(row["players"]) == 2)["players"])
        with subprocess.Popen([harness.BIN / "witness", "127.0.0.1", str(self.daemon.ports[0]),
                               str(one), "2", "switch", str(other)],
                              stdout=subprocess.PIPE, text=True) as witness:
            lines = witness.communicate(timeout=START_S)[0].splitlines()
        self.assertEqual(witness.returncode, 0)
        slots = [int(line.split()[0]) for line in lines]
        self.assertEqual([slot for i, slot in enumerate(slots) if i == 0 or slots[i - 1] != slot],
                         [one % 1024, other % 1024])
        ticks = [int(line.split()[1]) for line in lines]
        self.assertLess(self.longest_gap_s(ticks), 0.5)


class DeathTest(RoundsTest):
    """The process ends in the middle of something, which the next one goes on with."""

    def rest(self, bots):
        """Stops the clients; returns everybody once nothing happens any more."""
        bots.send(signal.SIGSTOP)
        self.addCleanup(bots.send, signal.SIGCONT) # or they cannot be ended
        def settled():
            before = self.clients()
            time.sleep(1.5) # longer than keys are held and bullets fly
            after = self.clients()
            return after if all(after[name]["score"] == before[name]["score"]
                                for name in before) else None
        return poll("rest", settled)

    def check_scores(self, known):
        self.assertEqual({name: (row["id"], row["score"], row["deaths"])
                          for name, row in self.clients().items()},
                         {name: (row["id"], row["score"], row["deaths"])
                          for name, row in known.items()})

    def begin(self, *arenas, network=()):
        self.start(*arenas)
        bots = self.stage.bots(self.daemon, CLIENTS, network=network)
        self.daemon.wait_players(CLIENTS)
        return bots

    def come_back(self, bots):
        bots.send(signal.SIGCONT)
        self.daemon.poll("everybody back", lambda: self.are_back(CLIENTS))

    def test_in_a_round(self):
        for end in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(end=end.name):
                port = free_port()
                bots = self.begin(in_rounds(port=port, break_time=0.2))
                self.wait_row("a later round", lambda row: row["round"]["number"] >= 3)
                self.stage.write_config(config(in_rounds(port=port, round_time=90.0,
                                                         break_time=0.2)))
                self.ctl("reload")
                self.wait_row("a long round", lambda row: (row["round"].get("left_s") or 0) > 10)
                self.wait_score(2)
                known = self.rest(bots)
                before = self.row()["round"]
                self.again(end)
                found = self.wait_row("who was there", lambda row: row["players"])
                self.check_scores(known)
                self.assertEqual(found["round"]["number"], before["number"])
                self.assertLessEqual(found["round"]["left_s"], before["left_s"] + 1)
                self.assertGreater(found["round"]["left_s"], before["left_s"] - 10)
                self.come_back(bots)
                self.finish(bots, CLIENTS)
                self.daemon.stop()

    def test_in_a_break(self):
        port = free_port()
        bots = self.begin(in_rounds(port=port, break_time=7.0))
        before = self.wait_phase("break")
        self.again()
        found = self.wait_row("who was there", lambda row: row["players"])
        self.assertEqual(found["round"]["phase"], "break")
        self.assertEqual(found["round"]["number"], before["round"]["number"])
        self.assertEqual(found["round"].get("winner"), before["round"].get("winner"))
        self.assertEqual({row["id"]: row["score"] for row in found["players"]},
                         {row["id"]: row["score"] for row in before["players"]})
        self.wait_row("the next round", lambda row: row["round"]["number"]
                      == before["round"]["number"] + 1)
        self.daemon.poll("everybody back", lambda: self.are_back(CLIENTS))
        self.finish(bots, CLIENTS)

    def test_in_a_pause(self):
        port = free_port()
        bots = self.begin(in_rounds(port=port, round_time=60.0))
        self.ctl("arena", "pause", "one")
        before = self.wait_phase("paused")
        self.again()
        found = self.wait_row("who was there", lambda row: row["players"])
        self.assertEqual(found["round"]["phase"], "paused")
        self.assertAlmostEqual(found["round"]["left_s"], before["round"]["left_s"], delta=0.2)
        self.daemon.poll("everybody back", lambda: self.are_back(CLIENTS))
        self.ctl("arena", "resume", "one")
        self.wait_phase("play")
        self.finish(bots, CLIENTS)

    def test_on_the_second_map_of_a_rotation(self):
        """The maps go on in their turns, also where one is there twice."""
        port = free_port()
        bots = self.begin(in_rounds(port=port, maps=("duel", "ruins", "duel", "crossfire"),
                                    round_time=3.0, break_time=0.2))
        for name, after in (("ruins", "duel"), ("duel", "crossfire")):
            before = self.wait_row(name, lambda row, name=name: row["map"] == name
                                   and row["round"]["number"] > 1)
            self.again()
            found = self.wait_row("who was there", lambda row: row["players"])
            self.assertEqual(found["map"], name)
            self.assertEqual(found["round"]["number"], before["round"]["number"])
            found = self.wait_row("the next round", lambda row, number=before["round"]["number"]:
                                  row["round"]["number"] == number + 1)
            self.assertEqual(found["map"], after)
            self.daemon.poll("everybody back", lambda: self.are_back(CLIENTS))
        self.finish(bots, CLIENTS)

    def test_on_a_map_that_was_ordered(self):
        port = free_port()
        bots = self.begin(in_rounds(port=port, round_time=0.0))
        self.ctl("arena", "map", "one", map_file("ruins"))
        self.wait_row("the other map", lambda row: row["map"] == "ruins")
        self.wait_score(1)
        known = self.rest(bots)
        for _ in range(2):
            self.again()
            self.daemon.poll("its return", lambda: "arena restored arena=one" in self.daemon.log)
            self.wait_row("who was there", lambda row: row["players"])
            self.assertEqual(self.row()["map"], "ruins")
            self.check_scores(known)
        self.come_back(bots)
        self.finish(bots, CLIENTS)

    def test_on_a_map_that_was_ordered_and_is_gone(self):
        port = free_port()
        gone = self.stage.directory / "gone.conf"
        text = (MAPS / "ruins.conf").read_text(encoding="utf-8")
        gone.write_text(text.replace('name = "ruins"', 'name = "gone"'), encoding="utf-8")
        self.start(arena("one", port=port, map=map_file("duel"), bots=1))
        self.ctl("arena", "map", "one", "gone.conf") # as seen from the configuration
        self.wait_row("the other map", lambda row: row["map"] == "gone")
        gone.unlink()
        self.again()
        self.daemon.poll("word of the map", lambda: re.search(
            f'map failed arena=one: .*cannot read "{gone.resolve()}"', self.daemon.log))
        self.daemon.poll("its match elsewhere", lambda: re.search(
            "arena continued arena=one .*: checkpoint rejected, it is of another map",
            self.daemon.log))
        self.assertEqual(self.row()["map"], "duel")

    def test_in_an_encrypted_arena_with_access_tokens(self):
        """Who comes back needs no other token; who is new does."""
        key = self.stage.directory / "key"
        status, public, _ = raimctl("token", "key", key)
        self.assertEqual(status, 0)
        tokens = [word for i in range(CLIENTS) for word in (
            "--access", raimctl("token", "make", "--key", key, "--arena", "one", "--name",
                                f"Guest {i}")[1])]
        port = free_port()
        bots = self.begin(in_rounds(port=port, round_time=60.0, encryption="required",
                                    access="token", access_key=public), network=tokens)
        known = self.rest(bots)
        self.assertEqual(sorted(known), [f"Guest {i}" for i in range(CLIENTS)])
        self.again()
        self.wait_row("who was there", lambda row: row["players"])
        self.check_scores(known)
        self.come_back(bots)
        strangers = self.stage.bots(self.daemon, 1, seconds=2)
        strangers.expected_status = 69
        strangers.wait(START_S)
        self.assertEqual(sorted(self.clients()), sorted(known))
        self.finish(bots, CLIENTS)


class NameTest(RoundsTest):
    def test_everything_follows_the_name_of_an_arena(self):
        """Its access tokens, and what is kept of it."""
        key = self.stage.directory / "key"
        _, public, _ = raimctl("token", "key", key)
        port = free_port()
        def named(name):
            return arena(name, port=port, access="token", access_key=public)
        def token(name, bearer):
            return "--access", raimctl("token", "make", "--key", key, "--arena", name, "--name",
                                       bearer)[1]
        self.start(named("one"))
        used = token("one", "Ada")
        bots = self.stage.bots(self.daemon, 1, network=used)
        self.daemon.wait_players(1)
        self.stage.write_config(config(named("two")))
        self.ctl("reload")
        self.wait_row("the name", lambda row: row["name"] == "two", "two")
        poll("its checkpoint", (self.run / "two.checkpoint").exists)
        self.assertFalse((self.run / "one.checkpoint").exists())
        for words in (token("one", "Eve"), used): # of the name before
            rejected = self.stage.bots(self.daemon, 1, seconds=1, network=words)
            rejected.expected_status = 69
            rejected.wait(START_S)
        guest = self.stage.bots(self.daemon, 1, network=token("two", "Grace"))
        self.daemon.wait_players(2)
        self.again()
        self.daemon.poll("its return", lambda: "arena restored arena=two players=2"
                         in self.daemon.log)
        self.daemon.poll("both back", lambda: self.are_back(2, "two"))
        for crowd in (bots, guest):
            self.finish(crowd, 1)


if __name__ == "__main__":
    harness.main()
