# SPDX-License-Identifier: MIT
"""Rows of the table of faults: recordings on a full disk, and in a process that is killed."""

import json
import signal
import subprocess
import time

from process import FullDisk
from row import arena_of, end_bots, expect, harness, row, ticks_go_on
from stalls import Stalls

ROUNDS = {"round_time": 2, "break_time": 0.5}


def replay(paths):
    """What each recording holds; every one plays to its end."""
    if not paths:
        return []
    said = subprocess.run([harness.BIN / "replay", *paths], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    rows = [json.loads(line) for line in said.splitlines()]
    for shown in rows:
        expect(shown["fault"] is None, f"a recording does not play to its end: {shown}")
    return rows


def recorded(daemon):
    return arena_of(daemon)["recording"]


@row(54, "disk full while rounds are recorded, then arena again",
     "the game goes on; one line; whole frames stay; later rounds are recorded")
def full_disk(trial):
    trial.need_root()
    trial.need_key("recordings")
    with FullDisk(trial.stage.directory / "state") as disk:
        daemon = trial.stage.serve(harness.arena(max_players=4, bots=4, **ROUNDS),
                                   env={"STATE_DIRECTORY": str(disk.path)})
        try:
            bots = trial.bots(daemon, 2)
            daemon.poll("a recording", lambda: recorded(daemon)["finished"] >= 1)
            disk.fill()
            daemon.poll("a recording that failed", lambda: recorded(daemon)["failed"] >= 2)
            failed, told = recorded(daemon)["failed"], daemon.log.count("recording failed ")
            ticks_go_on(daemon, 60)
            (disk.path / "filler").unlink()
            before = recorded(daemon)["finished"]
            daemon.poll("a recording again", lambda: recorded(daemon)["finished"] > before)
            report = end_bots(bots)
        finally:
            daemon.stop()
        rows = replay(sorted((disk.path / "recordings").glob("*.raimrec")))
    expect(told == 1, f"{told} lines of the log tell of it")
    expect(report["disconnected"] == 0, "a full disk drops players")
    return failed, f"{failed} failed, told once; {len(rows)} others play to their ends"


@row(55, "SIGKILL while recording, restart", "all but the last 10 s of the recording plays")
def kill_while_recording(trial):
    trial.need_key("recordings")
    state = trial.stage.directory / "state"
    state.mkdir()
    lives, lost = trial.often(3, 1), []
    path = trial.stage.write_config(harness.config(
        harness.arena(max_players=4, bots=4, recording="all")))
    for _ in range(lives):
        daemon = trial.stage.raimd("-c", path, env={"STATE_DIRECTORY": str(state)}).wait_started()
        files = lambda: [path for path in (state / "recordings").glob("*.raimrec.part")
                         if path.stat().st_size > 0]
        part, = daemon.poll("a file in progress", files)
        begin, stalls, head = time.monotonic(), Stalls(daemon.pid), part.stat().st_size
        daemon.poll("11 s of it", lambda: time.monotonic() > begin + trial.often(24, 11.5), 60)
        daemon.poll("a frame of it", lambda: part.stat().st_size > head)
        played, stalled_s = arena_of(daemon)["tick"], stalls.seconds()
        daemon.expected_status = -signal.SIGKILL
        daemon.stop(signal.SIGKILL)
        again = trial.stage.raimd("-c", path, env={"STATE_DIRECTORY": str(state)}).wait_started()
        again.poll("word of the file", lambda: f"recording completed file={part.stem}" in again.log)
        shown, = replay([part.with_suffix("")])
        lost.append((played - shown["ticks"]) / harness.TICK_HZ - stalled_s)
        again.stop()
    expect(max(lost) <= 10.5, f"{max(lost):.1f} s are lost")
    return lives, f"at most {max(lost):.1f} s lost"
