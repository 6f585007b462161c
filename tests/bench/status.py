#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Does asking for the status cost the arenas anything?

Windows of 1024 ticks under real bot clients, quiet and asked 200 times a second in turn, each
asked one between two quiet ones. Per arena, the median of the asked windows' p99 tick is compared
with that of the quiet ones; the quiet ones before are compared with those after in the same way,
which tells what the comparison is worth. Workers and HTTP share CPU 0, which is the worst case;
clients and who asks have CPU 1.

With --viewers, so many watch the dashboard's streams instead of asking, dealt out to the arenas.
"""

import argparse
import contextlib
import csv
import itertools
import os
import pathlib
import random
import resource
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import server
from server import Failure

CSV = server.ROOT / "build/bench/status.csv"

ARENAS = 4
WINDOW_TICKS = 1024
WINDOW_S = WINDOW_TICKS / server.TICK_HZ + 0.5  # and the age of what is published and rendered
ASKED_PER_S = 200
MOST_RATIO = 1.05

KINDS = ("before", "asked", "after")
COLUMNS = ["round", "kind", "arena", "asked_per_s", "p50_us", "p99_us", "max_us", "late_ticks",
           "skipped_ticks"]


def ask_for(port, seconds):
    """Asks for the status, each time on a new connection, which costs the server most and the
    asker least. Returns how often a second. By chance a little sooner or later: an even pace would
    meet every third tick of one arena at the same moment."""
    chance = random.Random(1)
    begin = time.monotonic()
    for asked in itertools.count():
        passed = time.monotonic() - begin
        if passed >= seconds:
            return asked / passed
        time.sleep(max(0, (asked + chance.random()) / ASKED_PER_S - passed))
        with socket.create_connection(("127.0.0.1", port), server.DEADLINE_S) as connection:
            connection.sendall(b"GET /status HTTP/1.0\r\n\r\n")
            answer = connection.recv(1 << 16)
            if b" 200 " not in answer.partition(b"\r\n")[0]:
                raise Failure(f"GET /status answers {answer[:64]!r}")
            while connection.recv(1 << 16):
                pass


def watch(port, viewers, seconds):
    """Reads streams. Returns how many events a second came to all viewers together."""
    events, end = 0, time.monotonic() + seconds
    with contextlib.ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        for viewer in range(viewers):
            stream = stack.enter_context(
                socket.create_connection(("127.0.0.1", port), server.DEADLINE_S))
            stream.sendall(b"GET /arenas/a%d/stream HTTP/1.0\r\n\r\n" % (viewer % ARENAS))
            selector.register(stream, selectors.EVENT_READ)
        while time.monotonic() < end:
            for key, _ in selector.select(end - time.monotonic()):
                got = key.fileobj.recv(1 << 16)
                if not got:
                    raise Failure("a viewer was dropped")
                events += got.count(b"\n\n")
    return events / seconds


def window(port, number, kind, viewers):
    """The rows of one window, one per arena."""
    before = server.get_status(port)
    asked_per_s = 0
    if kind == "asked" and viewers > 0:
        asked_per_s = watch(port, viewers, WINDOW_S)
        if asked_per_s < 9 * viewers:
            raise Failure(f"only {asked_per_s:.0f} events a second for {viewers} viewers")
    elif kind == "asked":
        asked_per_s = ask_for(port, WINDOW_S)
        if asked_per_s < 0.95 * ASKED_PER_S:
            raise Failure(f"could only ask {asked_per_s:.0f} times a second")
    else:
        time.sleep(WINDOW_S)
    after = server.get_status(port)
    return [{"round": number, "kind": kind, "arena": new["name"],
             "asked_per_s": round(asked_per_s),
             **{f"{key}_us": new["tick_us"][key] for key in ("p50", "p99", "max")},
             **{key: new[key] - old[key] for key in ("late_ticks", "skipped_ticks")}}
            for old, new in zip(before["arenas"], after["arenas"])]


def measure(clients, rounds, viewers):
    """The rows of all windows."""
    ports = server.free_ports(socket.SOCK_DGRAM, ARENAS)
    status_port, = server.free_ports(socket.SOCK_STREAM, 1)
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        config = pathlib.Path(directory) / "raimd.conf"
        server.write_config(config, status_port, ports)
        with (open(pathlib.Path(directory) / "log", "w+", encoding="utf-8") as log,
              server.pinned(server.SERVER_CPU, server.BIN / "raimd", "-c", config,
                            stderr=log) as daemon,
              server.pinned(server.LOAD_CPU, server.BIN / "raim-bots", "--clients", clients,
                            *(f"127.0.0.1:{port}" for port in ports),
                            stdout=subprocess.DEVNULL)):
            server.poll("players", server.JOIN_S, daemon,
                        lambda: server.get_status(status_port)["players"]["now"] == clients)
            time.sleep(server.SETTLE_S)
            for number, kind in itertools.product(range(1, rounds + 1), KINDS):
                try:
                    rows += window(status_port, number, kind, viewers)
                except OSError as error:
                    log.seek(0)
                    raise Failure(f"{error}; raimd ended with {daemon.poll()}:\n{log.read()}") \
                        from None
                print(f"  round {number} {kind:<6} p99_us"
                      f" {' '.join(str(row['p99_us']) for row in rows[-ARENAS:])}", flush=True)
            if server.get_status(status_port)["players"]["now"] != clients:
                raise Failure("players were lost")
    return rows


def ratios(rows, kinds, others):
    """Per arena, the median p99 of some kinds of windows over that of others."""
    def median(arena, wanted):
        return statistics.median(row["p99_us"] for row in rows
                                 if row["arena"] == arena and row["kind"] in wanted)
    arenas = sorted({row["arena"] for row in rows})
    return [median(arena, kinds) / median(arena, others) for arena in arenas]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--clients", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5, help="of three windows of 17 s each")
    parser.add_argument("--viewers", type=int, default=0, help="who watch instead of asking")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.sched_setaffinity(0, {server.LOAD_CPU})
    # All that is measured stands before whatever else the machine does; its parts stay equals.
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -15)
    try:
        rows = measure(options.clients, options.rounds, options.viewers)
    except Failure as failure:
        print(f"bench status: {failure}", file=sys.stderr)
        return 1
    CSV.parent.mkdir(parents=True, exist_ok=True)
    with CSV.open("w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    asked = ratios(rows, ["asked"], ["before", "after"])
    quiet = ratios(rows, ["after"], ["before"])
    print(f"bench status p99_ratio_worst={max(asked):.3f} wanted_at_most={MOST_RATIO:.2f}"
          f" p99_ratio_median={statistics.median(asked):.3f}"
          f" quiet_ratios={min(quiet):.3f}..{max(quiet):.3f}"
          f" asked_per_s={0 if options.viewers else ASKED_PER_S} viewers={options.viewers}"
          f" arenas={ARENAS} clients={options.clients}"
          f" rounds={options.rounds}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
