#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An upgrade, or a way back, to a raimd whose checkpoints have another layout costs nobody a
session or a point. The same program stands in for both: the layout's number in the file changes."""

import signal
import time
import unittest

import harness
from harness import SLOW, Stage, poll
from revival import ARENAS, Revival, scores

PLAYERS = 4 if SLOW else 8 # in each arena
LAYOUT_AT = 8 # in a checkpoint


class UpgradeTest(unittest.TestCase):

    def play(self, stage, least=3):
        revival = Revival(stage, PLAYERS, bots=2)
        revival.start().wait_started()
        bots = stage.bots(revival.daemon, 2 * PLAYERS)
        revival.wait_playing()
        poll("somebody has scored",
             lambda: sum(who["score"] for who in revival.clients()) >= least, 60)
        return revival, bots

    def freeze(self, revival, bots):
        """Stops the clients; the scores once nothing happens any more."""
        bots.send(signal.SIGSTOP)
        def settled():
            before = self.client_scores(revival)
            time.sleep(1.5) # longer than keys are held and bullets fly
            return before if self.client_scores(revival) == before else None
        return poll("rest", settled)

    def client_scores(self, revival):
        """Those of clients: raimd's bots play on."""
        return {number: {who: row for who, row in players.items() if not row[0].startswith("Bot ")}
                for number, players in scores(revival.look()).items()}

    def change_layout(self, revival):
        for name in ARENAS:
            data = bytearray(revival.file(name).read_bytes())
            data[LAYOUT_AT] += 1
            revival.file(name).write_bytes(data)

    def upgrade(self, revival):
        revival.daemon.stop()
        self.change_layout(revival)
        revival.start().wait_started()

    def wait_continued(self, revival):
        revival.daemon.poll("word of it", lambda: revival.daemon.log.count(
            "arena continued") == len(ARENAS))
        revival.daemon.poll("both arenas", lambda: all(
            row["rejected_checkpoints"] == 1 for row in revival.daemon.get_json()["arenas"]))

    def test_to_another_layout_and_back(self):
        with Stage() as stage:
            revival, bots = self.play(stage)
            for _ in range(2):
                known = self.freeze(revival, bots)
                self.upgrade(revival)
                self.wait_continued(revival)
                after = self.client_scores(revival)
                for number, players in known.items():
                    self.assertEqual(set(after[number]), set(players)) # ids, too
                    for who, (name, score, deaths) in players.items():
                        self.assertEqual(after[number][who][:2], (name, score))
                        # raimd's bots may hit who stands still, until the end.
                        self.assertGreaterEqual(after[number][who][2], deaths)
                bots.send(signal.SIGCONT)
                revival.wait_playing()
            bots.send(signal.SIGINT)
            report = bots.report()
            self.assertEqual(report["disconnected"], 0)
            self.assertGreaterEqual(report["resumes"], 4 * PLAYERS)

    def test_while_everybody_plays(self):
        """What anybody was told before the end is so after it."""
        with Stage() as stage:
            revival, bots = self.play(stage)
            self.upgrade(revival)
            revival.wait_playing()
            known = {row[0]: row[1] for players in self.freeze(revival, bots).values()
                     for row in players.values()}
            bots.send(signal.SIGINT)
            bots.send(signal.SIGCONT)
            for row in bots.report()["players"]:
                self.assertLessEqual(row["kills"], known[row["name"]], row["name"])

    def test_sigkill_costs_a_second_at_most(self):
        with Stage() as stage:
            revival, bots = self.play(stage)
            before = self.client_scores(revival)
            time.sleep(1.5) # a second, and some for a busy machine: the time is what is tried
            bots.send(signal.SIGSTOP)
            revival.end()
            self.change_layout(revival)
            revival.start().wait_started()
            self.wait_continued(revival)
            after = self.client_scores(revival)
            for number, players in before.items():
                self.assertEqual(set(after[number]), set(players))
                for who, (name, score, _) in players.items():
                    self.assertEqual(after[number][who][0], name)
                    self.assertGreaterEqual(after[number][who][1], score)
            bots.send(signal.SIGCONT)
            revival.wait_playing()

    def test_without_a_portable_checkpoint_the_match_begins_anew_and_says_so(self):
        def spoil(path):
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)

        for fault, word, rejected in ((spoil, "portable checkpoint rejected arena=east", 2),
                                      (lambda path: path.unlink(), "", 1)):
            with self.subTest(word), Stage() as stage:
                revival, bots = self.play(stage, 0)
                bots.send(signal.SIGSTOP)
                revival.daemon.stop()
                self.change_layout(revival)
                fault(revival.directory / "east.match")
                revival.start().wait_started()
                revival.daemon.poll("word of it", lambda daemon=revival.daemon: (
                    "\n" in daemon.log.partition("checkpoint rejected arena=east: ")[2] and
                    "arena continued arena=west" in daemon.log))
                self.assertIn(word, revival.daemon.log)
                revival.daemon.poll("the count", lambda daemon=revival.daemon: daemon.get_json()
                                    ["arenas"][0]["rejected_checkpoints"] == rejected)
                self.assertFalse([who for who in revival.look()[0].values() if not who["bot"]])
                self.assertEqual(len(self.client_scores(revival)[1]), PLAYERS)
                bots.send(signal.SIGCONT)

    def test_the_file_is_the_owners_alone(self):
        with Stage() as stage:
            revival, _ = self.play(stage, 0)
            for name in ARENAS:
                path = revival.directory / f"{name}.match"
                revival.daemon.poll("a portable checkpoint", path.exists)
                self.assertEqual(path.stat().st_mode & 0o777, 0o600)


if __name__ == "__main__":
    harness.main()
