# SPDX-License-Identifier: MIT
"""A row of the table of faults: upgrades to a raimd whose checkpoints have another layout."""

import random
import signal
import time

from process import FullDisk, Lives, Skipped, everybody
from row import expect, harness, row

LAYOUT_AT = 8 # in a checkpoint
EASY = {"map": str(harness.ROOT / "config/maps/duel.conf"), # points come soon
        "rules": {"player_radius": 24.0, "respawn_delay": 0.3, "spawn_protection": 0.0}}


class Upgrades:
    """Two players who are upgraded, and what has become of the portable checkpoint meanwhile."""

    def __init__(self, trial, lives):
        self.lives = lives
        lives.begin().wait_started()
        self.bots = trial.stage.bots(lives.daemon, 2, ports=lives.ports)
        lives.daemon.wait_players(2)

    def file(self, suffix):
        return self.lives.runtime / f"arena0.{suffix}"

    def upgrade(self, spoil=lambda: None, kills=False):
        """Whether the match has gone on, and everybody before and after."""
        known = everybody(self.lives.daemon)
        if kills:
            self.lives.end()
        else:
            self.lives.daemon.stop()
        data = bytearray(self.file("checkpoint").read_bytes())
        data[LAYOUT_AT] += 1
        with open(self.file("checkpoint"), "r+b") as file: # in its place, where a disk is full
            file.write(data)
        spoil()
        daemon = self.lives.begin().wait_started()
        daemon.poll("a word", lambda: any(
            "\n" in daemon.log.partition(word)[2]
            for word in ("arena continued arena=arena0", "checkpoint rejected arena=arena0: ")))
        daemon.poll("both", lambda: len(everybody(daemon)) == 2)
        return "arena continued" in daemon.log, known, everybody(daemon)

    def flip(self):
        path = self.file("match")
        data = bytearray(path.read_bytes())
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        path.write_bytes(data)


def expect_kept(known, after):
    for who, (name, score) in known.items():
        expect(after[who][0] == name and after[who][1] >= score, f"{name} has lost something")


@row(74, "upgrades to another layout of checkpoints; the portable one whole, damaged, missing; a"
     " full disk; SIGKILL", "everybody plays on with the score told, or begins anew with a reason")
def upgrades(trial):
    times = trial.often(30, 2)
    lives = Lives(trial, 1, 4)
    play = Upgrades(trial, lives)
    for _ in range(times):
        continued, known, after = play.upgrade()
        expect(continued, "a whole one is not read")
        expect_kept(known, after)
    for spoil in (play.flip, play.file("match").unlink):
        for _ in range(times):
            expect(not play.upgrade(spoil)[0], "the match continues from nothing")
            expect((spoil != play.flip) == ("portable checkpoint rejected" not in lives.daemon.log),
                   "the log does not tell of damage")
    for _ in range(times):
        known = everybody(lives.daemon)
        time.sleep(1.5) # a second, and some for a busy machine
        continued, _, after = play.upgrade(kills=True)
        expect(continued, "none of the last second is there")
        expect_kept(known, after)
    seen = "kept with a whole one and after a SIGKILL, begun anew with a reason otherwise"
    play.bots.stop(signal.SIGINT)
    lives.daemon.stop()
    return 4 * times, f"{seen}; {fill_disk(trial)}"


def points(daemon):
    return sum(score for _, score in everybody(daemon).values())


def fill_disk(trial):
    try:
        with FullDisk(trial.stage.directory / "full") as disk:
            lives = Lives(trial, 1, 4, runtime=disk.path, **EASY)
            play = Upgrades(trial, lives)
            lives.daemon.poll("a portable checkpoint", play.file("match").exists)
            disk.fill()
            times = trial.often(10, 2) # each process begins on a full disk, but for the first
            for _ in range(times):
                told = points(lives.daemon)
                lives.daemon.poll("points", lambda before=told: points(lives.daemon) > before, 60)
                continued, known, after = play.upgrade()
                expect(continued and len(after) == 2, "a full disk ends the sessions")
                expect_kept(known, after)
                expect("failed" not in lives.daemon.log, "the next end would lose the match")
            play.bots.stop(signal.SIGINT)
            lives.daemon.stop()
            return f"a full disk, {times} times: scores kept"
    except Skipped as word:
        return str(word)
