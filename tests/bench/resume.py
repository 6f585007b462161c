#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How long does the death of the process keep people from playing? Two arenas with 32 clients each
play; raimd is killed with SIGKILL and started again at once, as systemd does, ten times; each time
ends when every client plays again: it is back as who it was, and what it presses comes in time.
Between the deaths passes what a restored match must run well to be trusted. All figures go to
build/bench/resume.csv; the median must not exceed a second."""

import contextlib
import csv
import os
import signal
import statistics
import sys
import time

from shared import BIN, FIGURES, ROOT, SHORTEST, often, options_parser

os.environ.setdefault("RAIM_BIN", str(BIN))
sys.path.insert(0, str(ROOT / "tests/daemon"))

import harness # noqa: E402
from revival import ARENAS, Revival # noqa: E402

CSV = FIGURES / "resume.csv"

DEATHS = often(10, 1)
PLAYERS = often(32, 4) # in each arena
TRUSTED_S = often(11, 2)
MAX_S = 1.0

COLUMNS = ["death", "serving_s", "back_s", "playing_s", "points_before", "points_after"]


def points(found):
    return sum(player["score"] for players in found.values() for player in players.values())


def check(before, after):
    """Everybody is who they were, and has lost nothing that anybody was told."""
    for number, players in before.items():
        if set(after[number]) != set(players):
            sys.exit(f"not the same players: {players} {after[number]}")
        for who, player in players.items():
            now = after[number][who]
            if now["name"] != player["name"] or now["score"] < player["score"]:
                sys.exit(f"{player} has become {now}")
    for players in after.values():
        if sum(row["score"] for row in players.values()) != sum(
                row["deaths"] for row in players.values()):
            sys.exit(f"points and deaths do not agree: {players}")


def wait(revival, ready):
    """Polls without a pause, but what asking takes."""
    end = time.monotonic() + 10
    while True:
        with contextlib.suppress(OSError):
            if ready():
                return time.monotonic()
        if time.monotonic() > end:
            sys.exit(f"nobody came back:\n{revival.daemon.log}")
        time.sleep(0.005)


def die(revival, death):
    """One death; returns its row."""
    before = revival.look()
    killed = revival.kill()
    revival.daemon.wait_started()
    serving = time.monotonic()
    back = wait(revival, revival.are_back)
    playing = wait(revival, revival.watch_play())
    after = revival.look()
    check(before, after)
    return dict(zip(COLUMNS, (death, serving - killed, back - killed, playing - killed,
                              points(before), points(after))))


def main():
    options_parser(__doc__).parse_args()
    rows = []
    harness.LIFE_S = 60 + DEATHS * (TRUSTED_S + 5)
    with harness.Stage() as stage:
        revival = Revival(stage, PLAYERS)
        revival.start().wait_started()
        bots = stage.bots(revival.daemon, len(ARENAS) * PLAYERS)
        revival.wait_playing()
        for death in range(DEATHS):
            time.sleep(TRUSTED_S)
            rows.append(die(revival, death))
            print("  " + " ".join(f"{key}={value:.3f}" if isinstance(value, float) else
                                  f"{key}={value}" for key, value in rows[-1].items()), flush=True)
        bots.send(signal.SIGINT)
        report = bots.report()
    if report["disconnected"] > 0:
        sys.exit(f"somebody has not come back: {report}")
    CSV.parent.mkdir(parents=True, exist_ok=True)
    with open(CSV, "w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    playing = sorted(row["playing_s"] for row in rows)
    print(f"bench resume deaths={DEATHS} clients={len(ARENAS) * PLAYERS}"
          f" median_s={statistics.median(playing):.3f} worst_s={playing[-1]:.3f}"
          f" serving_s={statistics.median(row['serving_s'] for row in rows):.3f}"
          f" resumes={report['resumes']} events_repeated={report['events_repeated']}")
    if statistics.median(playing) > MAX_S and not SHORTEST:
        sys.exit(f"it takes more than {MAX_S} s")


if __name__ == "__main__":
    main()
