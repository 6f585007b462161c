#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An upgrade, or a way back, to a raimd whose checkpoints have another layout costs nobody a
session or a point. The same program stands in for both: the layout's number in the file changes.

RAIM_UPGRADES is the number of upgrades with random kills, RAIM_SEED their seed."""

import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import time
import unittest

import harness
from harness import SLOW, Stage, poll
from revival import ARENAS, Revival, scores
from stalls import Stalls

PLAYERS = 4 if SLOW else 8 # in each arena
LAYOUT_AT, RESTORES_AT = 8, 16 # in a checkpoint
EASY = {"map": str(harness.ROOT / "config/maps/duel.conf"), # small: points come soon
        "rules": {"player_radius": 24.0, "respawn_delay": 0.3, "spawn_protection": 0.0}}


class UpgradeTest(unittest.TestCase):

    def play(self, stage, least=3):
        revival = Revival(stage, PLAYERS, bots=2, **EASY)
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

    def test_how_long_players_were_away_is_measured(self):
        def pauses(daemon, what):
            return sum(float(number) for number in re.findall(
                rf"^raimd_resume_pause_seconds_{what}{{.*}} (.*)$", daemon.ask("/metrics").text, re.M))

        with Stage() as stage:
            revival, _ = self.play(stage, 0)
            for change in (lambda: None, lambda: self.change_layout(revival)):
                begin = time.monotonic()
                revival.daemon.stop()
                change()
                time.sleep(0.7) # the time is what is measured
                revival.start().wait_started()
                revival.daemon.poll("all", lambda: pauses(revival.daemon, "count") == 2 * PLAYERS)
                mean = pauses(revival.daemon, "sum") / (2 * PLAYERS)
                self.assertGreater(mean, 0.7)
                self.assertLess(mean, time.monotonic() - begin)
                revival.wait_playing()

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
                self.assertIn('raimd_lost_matches_total{arena="east"} 1\n',
                              revival.daemon.ask("/metrics").text)
                self.assertIn('raimd_lost_matches_total{arena="west"} 0\n',
                              revival.daemon.ask("/metrics").text)
                self.assertFalse([who for who in revival.look()[0].values() if not who["bot"]])
                revival.daemon.poll("west's players", lambda: # once its status is published
                                    len(self.client_scores(revival)[1]) == PLAYERS)
                bots.send(signal.SIGCONT)

    def test_of_more_players_than_slots_the_best_stay_and_the_others_are_named(self):
        with Stage() as stage:
            revival, bots = self.play(stage)
            known = sorted((score, name) for name, score, _ in
                           self.freeze(revival, bots)[0].values())
            bots.expected_status = -signal.SIGKILL
            bots.send(signal.SIGKILL)
            revival.daemon.stop()
            slots = PLAYERS // 2
            revival.change(f"max_players = {PLAYERS}", f"max_players = {slots}")
            revival.start().wait_started()
            out = revival.daemon.poll("names", lambda: (rows := re.findall(
                r'player left out arena=east name="(.*)" score=(\d+): ', revival.daemon.log))
                and len(rows) == PLAYERS - slots and rows)
            stay = sorted((score, name) for name, score, _ in revival.daemon.poll(
                "those who stay", lambda: self.client_scores(revival)[0]).values())
            self.assertEqual(sorted(stay + [(int(score), name) for name, score in out]), known)
            self.assertGreaterEqual(stay[0][0], max(int(score) for _, score in out))

    def check(self, revival, state, status, file=harness.BIN / "raimd"):
        result = subprocess.run(
            [harness.BIN / "raimctl", "upgrade-check", file, "--state", state, "--runtime",
             revival.directory, "--config", revival.path],
            text=True, check=False, capture_output=True, timeout=harness.START_S)
        harness.check_sane(result.stderr)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout + result.stderr

    def test_a_check_tells_what_an_upgrade_would_take_over_and_changes_nothing(self):
        with Stage() as stage:
            revival, bots = self.play(stage, 0)
            state = stage.directory / "state"
            state.mkdir()
            self.assertRegex(self.check(revival, state, 0), # while it runs
                             f"arena restored arena=east players={PLAYERS} bots=2")
            self.assertEqual(revival.file("east").read_bytes()[RESTORES_AT:][:4], bytes(4))
            bots.send(signal.SIGSTOP)
            revival.daemon.stop()
            (state / "server.events").write_text("1 join {}\n")
            (state / "server.events").chmod(0o600)
            self.change_layout(revival)

            def content():
                return {path: (path.read_bytes(), path.stat().st_ino) for directory in (
                    state, revival.directory) for path in directory.iterdir()}
            before = content()
            self.assertIn("arena continued arena=east", self.check(revival, state, 0))
            for other in (harness.BIN / "raim-bots", "/bin/true", "/bin/false", "/bin/echo"):
                self.assertIn("it is no raimd", self.check(revival, state, 69, other))
            self.assertIn("No such file", self.check(revival, state, 69, "/nowhere"))
            self.assertEqual(content(), before)
            for name, text, word in (("bans", "v2 something\n", "lines not understood"),
                                     ("x.arena", "raimd-arena 2\n", "arena not reopened")):
                (state / name).write_text(text)
                (state / name).chmod(0o600)
                self.assertIn(word, self.check(revival, state, 1))
                (state / name).unlink()
            (revival.directory / "east.match").unlink()
            self.assertIn("checkpoint rejected arena=east", self.check(revival, state, 1))
            self.assertEqual(set(content()), set(before) - {revival.directory / "east.match"})
            revival.start().wait_started()
            revival.daemon.poll("the other arena", lambda: "arena continued arena=west" in
                                revival.daemon.log)
            bots.send(signal.SIGCONT)

    def test_the_file_is_the_owners_alone(self):
        with Stage() as stage:
            revival, _ = self.play(stage, 0)
            for name in ARENAS:
                path = revival.directory / f"{name}.match"
                revival.daemon.poll("a portable checkpoint", path.exists)
                self.assertEqual(path.stat().st_mode & 0o777, 0o600)


class RandomTest(unittest.TestCase):
    """Upgrades and ways back in a row, each with a random end of the process before. The truth is
    what the same raimd makes of a copy of the directory: the checkpoint in its own layout has
    every point that was told. There it has other rules, which end the flight of bullets."""

    PLAYERS = 2 if SLOW else 8
    AGE_S = 1.2 # of a record; a second, and some, but for what the machine holds up

    def stop(self):
        self.note_time()
        self.revival.daemon.stop()

    def note_time(self):
        self.ended_ms = time.clock_gettime(time.CLOCK_BOOTTIME) * 1000

    def kill(self):
        self.note_time()
        self.revival.end()

    def kill_while_it_stops(self):
        daemon = self.revival.daemon
        daemon.send(signal.SIGTERM)
        time.sleep(self.chance.uniform(0, 0.04))
        self.note_time()
        daemon.send(signal.SIGKILL)
        daemon.expected_status = daemon.process.wait()
        self.assertIn(daemon.expected_status, (0, -signal.SIGKILL))

    def change_layout(self):
        """Of the files that are there: a process may die before it has written one."""
        for name in ARENAS:
            with open(self.revival.file(name), "r+b") as file:
                file.seek(LAYOUT_AT)
                layout = file.read(1)[0]
                file.seek(LAYOUT_AT)
                file.write(bytes([(layout + 1) % 256]))

    def scores(self):
        """(name, score, deaths) by arena and id, while nobody plays."""
        def look():
            found = self.revival.look()
            return found if all(len(each) == self.PLAYERS for each in found.values()) else None
        return scores(self.revival.daemon.poll("everybody", look))

    def records(self):
        """The same from the portable checkpoints, and the age of the older one at the end."""
        found, saved_ms = {}, []
        for number, name in enumerate(ARENAS):
            record = json.loads((self.revival.directory / f"{name}.match").read_text("utf-8"))
            saved_ms.append(record["saved_ms"])
            found[number] = {row["id"]: (row["name"], row["score"], row["deaths"])
                             for row in record["players"]}
        return found, (self.ended_ms - min(saved_ms)) / 1000

    def truth(self):
        directory = self.revival.directory
        copy = directory.with_name("copy")
        shutil.copytree(directory, copy, ignore=lambda _, names: {
            name for name in names if not name.endswith(("checkpoint", "match"))})
        daemon = self.revival.daemon = self.revival.stage.raimd(
            "-c", self.other_rules, env={"RUNTIME_DIRECTORY": str(copy)}).wait_started()
        found = self.scores()
        self.assertEqual(daemon.log.count("arena restored"), len(ARENAS))
        self.revival.end()
        shutil.rmtree(copy)
        return found

    def upgrade(self, end, stalls):
        """One upgrade. Returns the age of the record, and how many points were lost."""
        revival = self.revival
        limit_s = self.AGE_S + stalls.seconds()
        end()
        planned = revival.daemon.process.returncode == 0
        self.bots.send(signal.SIGSTOP)
        record, age_s = self.records()
        truth = self.truth()
        self.change_layout()
        for _ in range(self.chance.choice((0, 0, 1, 2))): # die as they start
            revival.start()
            time.sleep(self.chance.uniform(0, 0.3))
            revival.end()
            self.change_layout()
        revival.start().wait_started()
        revival.daemon.poll("word of it",
                            lambda: revival.daemon.log.count("arena continued") == len(ARENAS))
        after = self.scores()
        self.assertEqual(after, record)
        if planned:
            self.assertEqual(after, truth)
        else:
            self.assertLess(age_s, limit_s)
        lost = 0
        for number, players in truth.items():
            self.assertEqual(set(after[number]), set(players))
            for who, (name, score, _) in players.items():
                self.assertEqual(after[number][who][0], name)
                self.assertLessEqual(after[number][who][1], score)
                lost += score - after[number][who][1]
        return age_s, lost

    def test_random_ends(self):
        times = int(os.environ.get("RAIM_UPGRADES",
                                   3 if os.environ.get("RAIM_SHORT") == "1" or SLOW else 15))
        seed = int(os.environ.get("RAIM_SEED", 1))
        print(f"seed {seed}", flush=True)
        self.chance = random.Random(seed)
        harness.LIFE_S = max(harness.LIFE_S, 10 * times) # of the bots
        ends = (self.stop, self.kill, self.kill_while_it_stops)
        seen = {end.__name__: [] for end in ends}
        with Stage() as stage:
            self.revival = Revival(stage, self.PLAYERS, grace_s=120, **EASY)
            text = self.revival.path.read_text("utf-8")
            self.assertEqual(text.count(" = 0.3;"), len(ARENAS))
            self.other_rules = stage.write_config(text.replace(" = 0.3;", " = 0.4;"),
                                                  "other-rules.conf")
            self.revival.start().wait_started()
            self.bots = stage.bots(self.revival.daemon, 2 * self.PLAYERS)
            self.revival.wait_playing()
            for count in range(times):
                end = ends[count] if count < len(ends) else self.chance.choice(ends)
                stalls = Stalls(self.revival.daemon.pid)
                time.sleep(self.chance.uniform(0.2, 1.5)) # of play
                try:
                    seen[end.__name__].append(self.upgrade(end, stalls))
                finally:
                    self.bots.send(signal.SIGCONT)
                self.revival.wait_playing()
            points = sum(row[1] for players in self.scores().values() for row in players.values())
            self.bots.stop(signal.SIGINT)
            report = self.bots.report()
            self.assertEqual(report["disconnected"], 0)
        for name, rows in seen.items():
            ages, lost = zip(*rows)
            print(f"{name}: {len(rows)} times, {sum(lost)} points lost; the record was"
                  f" {statistics.median(ages):.2f} s old, {max(ages):.2f} s at most", flush=True)
        print(f"{points} points played for", flush=True)


if __name__ == "__main__":
    harness.main()
