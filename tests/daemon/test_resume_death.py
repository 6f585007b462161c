#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The death of the process is not the end of the match: everybody is back in the next one as who
they were, and what cannot be trusted is rejected aloud."""

import re
import shutil
import signal
import subprocess
import time
import unittest

import harness
from harness import SLOW, Stage, poll
from revival import ARENAS, Revival, scores

PLAYERS = 4 if SLOW else 16 # in each arena


def sums_agree(test, found):
    """Every kill is a point for one and a death for another: half a state would not know both."""
    for players in found.values():
        test.assertEqual(sum(player["score"] for player in players.values()),
                         sum(player["deaths"] for player in players.values()))


class ResumeDeathTest(unittest.TestCase):

    def start(self, stage, **keys):
        revival = Revival(stage, PLAYERS, **keys)
        revival.start().wait_started()
        return revival

    def join(self, revival):
        bots = revival.stage.bots(revival.daemon, 2 * PLAYERS)
        revival.wait_playing()
        # Chance decides when, and a busy machine lets them see each other late.
        poll("somebody has scored",
             lambda: sum(who["score"] for who in revival.clients()) >= 3, 60)
        return bots

    def freeze(self, revival, bots):
        """Stops the clients, so that after a while nothing happens any more. What is known then."""
        bots.send(signal.SIGSTOP)
        def settled():
            before = scores(revival.look())
            time.sleep(1.5) # longer than keys are held and bullets fly
            return before if scores(revival.look()) == before else None
        return poll("rest", settled)

    def test_sigkill_costs_nobody_anything(self):
        with Stage() as stage:
            revival = self.start(stage)
            bots = self.join(revival)
            known = self.freeze(revival, bots)
            revival.kill()
            revival.daemon.wait_started()
            found = revival.daemon.poll("a restored arena", lambda: all(
                (now := revival.look())[number] for number in range(len(ARENAS))) and now)
            self.assertEqual(scores(found), known)
            self.assertTrue(all(player["away"] for player in revival.clients()))
            revival.daemon.poll("word of it", lambda: revival.daemon.log.count("arena restored")
                                == len(ARENAS))
            bots.send(signal.SIGCONT)
            revival.wait_playing()
            sums_agree(self, revival.look())
            bots.send(signal.SIGINT)
            report = bots.report()
            self.assertEqual(report["disconnected"], 0)
            self.assertGreaterEqual(report["resumes"], 2 * PLAYERS)

    def test_sigkill_in_the_thick_of_it(self):
        """What anybody was told before is still so after."""
        with Stage() as stage:
            revival = self.start(stage)
            bots = self.join(revival)
            before = revival.look()
            revival.kill()
            revival.daemon.wait_started()
            revival.wait_playing()
            after = revival.look()
            sums_agree(self, after)
            for number, players in before.items():
                self.assertEqual(set(after[number]), set(players))
                for who, player in players.items():
                    self.assertEqual(after[number][who]["name"], player["name"])
                    self.assertGreaterEqual(after[number][who]["score"], player["score"])
                    self.assertGreaterEqual(after[number][who]["deaths"], player["deaths"])
            # Stopped, it tells its last; so what it heard of is no more than what is known.
            known = {name: score for players in self.freeze(revival, bots).values()
                     for name, score, _ in players.values()}
            bots.send(signal.SIGINT)
            bots.send(signal.SIGCONT)
            for row in bots.report()["players"]:
                self.assertLessEqual(row["kills"], known[row["name"]], row["name"])

    def test_a_restart_goes_on_and_tells_so(self):
        with Stage() as stage:
            revival = self.start(stage)
            bots = self.join(revival)
            before = revival.look()
            revival.daemon.stop()
            self.assertIn("stopping signal=TERM", revival.daemon.log) # it has ended
            revival.start().wait_started()
            revival.wait_playing()
            after = revival.look()
            sums_agree(self, after)
            for number, players in before.items():
                self.assertEqual({who: player["name"] for who, player in after[number].items()},
                                 {who: player["name"] for who, player in players.items()})
            bots.send(signal.SIGINT)
            self.assertEqual(bots.report()["disconnected"], 0)

    def test_a_restart_by_other_rules_takes_everybody_over(self):
        """What needs a restart, and what waited for the next round when it died."""
        with Stage() as stage:
            revival = self.start(stage, bots=4)
            bots = self.join(revival)
            before = revival.look()
            revival.end()
            revival.change("bots = 4;", "bots = 3; rules = { player_speed = 250; };"
                           " lag_compensation = 100;")
            revival.start().wait_started()
            revival.wait_playing()
            after = revival.look()
            for number, players in before.items():
                scored = {player["name"]: player["score"] for player in after[number].values()}
                for player in players.values():
                    if not player["bot"]:
                        self.assertGreaterEqual(scored[player["name"]], player["score"])
            self.assertEqual(sum(player["bot"] for player in after[0].values()), 3)
            bots.send(signal.SIGINT)
            self.assertEqual(bots.report()["decode_errors"], 0)

    def test_a_file_is_the_owners_alone_and_goes_when_nobody_is_to_come_back(self):
        with Stage() as stage:
            revival = self.start(stage)
            revival.daemon.poll("checkpoints",
                                lambda: all(revival.file(name).exists() for name in ARENAS))
            for name in ARENAS:
                self.assertEqual(revival.file(name).stat().st_mode & 0o777, 0o600)
            subprocess.run([harness.BIN / "raimctl", "-s", revival.directory / "control.sock",
                            "drain"], check=True, timeout=harness.START_S, capture_output=True)
            revival.daemon.wait(harness.START_S)
            self.assertEqual([path.name for path in revival.directory.iterdir()
                              if path.name != "server.key"], [])

    def rejected(self, stage, spoil, why, **keys):
        """Kills, spoils the first arena's file, starts: it is rejected, and the arena is fresh,
        where it has no portable checkpoint (test_upgrade.py)."""
        revival = self.start(stage, bots=2)
        revival.daemon.poll("play", lambda: revival.daemon.get_json()["arenas"][0]["tick"] > 30)
        revival.end()
        (revival.directory / "east.match").unlink()
        spoil(revival)
        revival.start().wait_started()
        # Whole lines: the log may be read while one is being written.
        line = revival.daemon.poll("a rejection", lambda: re.search(
            r"checkpoint rejected arena=east.*\n", revival.daemon.log))
        self.assertIn(why, line[0])
        revival.daemon.poll("a restored neighbour", lambda: re.search(
            r"arena restored arena=west.*\n", revival.daemon.log))

    def test_damage_another_version_and_other_ticks_are_rejected(self):
        def cut(revival):
            path = revival.file("east")
            path.write_bytes(path.read_bytes()[:-1])

        def spoil_both_slots(revival):
            path = revival.file("east")
            data = bytearray(path.read_bytes())
            half = (len(data) - 64) // 2
            for slot in range(2):
                data[64 + slot * half + half // 2] ^= 1
            path.write_bytes(data)

        def become_another_version(revival):
            path = revival.file("east")
            data = bytearray(path.read_bytes())
            data[8] += 1
            path.write_bytes(data)

        def change_ticks(revival):
            revival.change("bots = 2;", "bots = 2; tick_hz = 30;")

        for spoil, why in ((cut, "damaged"), (spoil_both_slots, "damaged"),
                           (become_another_version, "another version"),
                           (change_ticks, "other ticks")):
            with self.subTest(spoil.__name__), Stage() as stage:
                self.rejected(stage, spoil, why)

    def test_a_match_outlives_the_time_that_clients_wait_for_it(self):
        """As where an operator first has to install the old version again."""
        with Stage() as stage:
            revival = self.start(stage, bots=2, grace_s=1)
            # Checkpoints are written every second.
            revival.daemon.poll("checkpoints", lambda: all(
                row["tick"] > 90 for row in revival.daemon.get_json()["arenas"]))
            revival.end()
            time.sleep(1.2) # the time is what is tried
            revival.start().wait_started()
            for tick, age_ms in revival.daemon.poll("both arenas", lambda: len(found := re.findall(
                    r"arena restored .* tick=(\d+) age_ms=(\d+)\n", revival.daemon.log)) == 2
                    and found):
                self.assertGreater(int(tick), 30)
                self.assertGreater(int(age_ms), 1200)

    def test_what_dies_twice_is_set_aside(self):
        with Stage() as stage:
            revival = self.start(stage, bots=2)
            for _ in range(2):
                revival.daemon.poll("play", revival.daemon.ticks)
                revival.kill()
                revival.daemon.wait_started()
                revival.daemon.poll("restored", lambda: revival.daemon.log.count(
                    "arena restored") == len(ARENAS))
            revival.kill()
            revival.daemon.wait_started()
            revival.daemon.poll("set aside", lambda: revival.daemon.log.count(
                "checkpoint set aside") == len(ARENAS))
            for name in ARENAS:
                self.assertTrue((revival.directory / f"{name}.checkpoint.bad").exists())

    def test_without_a_directory_to_write_to_it_plays_on(self):
        with Stage() as stage:
            revival = Revival(stage, PLAYERS, bots=2)
            text = revival.path.read_text(encoding="utf-8")
            revival.path.write_text('control = { socket = "off"; };\n' + text, encoding="utf-8")
            shutil.rmtree(revival.directory)
            daemon = revival.start().wait_started()
            daemon.poll("play", lambda: daemon.get_json()["arenas"][0]["tick"] > 30)
            self.assertEqual(daemon.log.count("checkpoint failed arena="), len(ARENAS))


if __name__ == "__main__":
    harness.main()
