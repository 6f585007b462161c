#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does a recording cost the tick that it records, and how large is it?

Of a server: raimd under clients of raim-bots, recorded in every second window, which a reload
begins; the worker's CPU time per tick of each pair of windows, and the median of the differences.
Of a match alone, without sockets: two equal matches in turns, one of them recorded, at as many times
the real speed as the machine can; from its file follows the size of an hour. All figures go to
build/bench/recording.csv; the line at the end is of 64 and of 16 clients in sight of each other, and
the server's price must stay below 2 % of a tick."""

import contextlib
import csv
import json
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import live_server
from shared import BIN, FIGURES, SHORTEST, often, options_parser

CSV = FIGURES / "recording.csv"
CLIENTS = (64, 16)
MATCH_S = often(3600, 5)   # of the match's own time
WINDOW_S = often(8, 0.5)
PAIRS = often(8, 1)
MAX_PERCENT = 2


def record_match(clients, seconds):
    """The figures of a match alone."""
    with tempfile.TemporaryDirectory(prefix="raimd-bench-") as directory:
        text = subprocess.run(
            [BIN / "bench_recorder", f"{directory}/recordings", live_server.MAP, str(seconds),
             str(clients), "0"], check=True, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL).stdout
    return live_server.figures(text)


def wait_for(log, words, count):
    end = time.monotonic() + live_server.DEADLINE_S
    while log.read_text(encoding="utf-8").count(words) < count:
        if time.monotonic() > end:
            raise live_server.Failure(f"no '{words}' in the log:\n{log.read_text()}")
        time.sleep(0.02)


class Server:
    """A raimd with one arena, whose recording a reload turns on and off."""

    def __init__(self, stack, clients):
        directory = pathlib.Path(stack.enter_context(
            tempfile.TemporaryDirectory(prefix="raimd-bench-")))
        self.path, self.log = directory / "raimd.conf", directory / "log"
        self.clients, self.reloads = clients, 0
        self.write("none")
        log = stack.enter_context(open(self.log, "w", encoding="utf-8"))
        self.process = stack.enter_context(live_server.pinned(
            [live_server.SERVER_CPU], "env", f"STATE_DIRECTORY={directory}", BIN / "raimd", "-c",
            self.path, stderr=log))
        wait_for(self.log, "status started", 1)
        text = self.log.read_text(encoding="utf-8")
        self.status = re.search(r"url=(\S+/status)", text)[1]
        port = re.search(r"arena started .*?\bport=(\d+)", text)[1]
        stack.enter_context(live_server.pinned(
            live_server.LOAD_CPUS, BIN / "raim-bots", "--clients", clients, "--seconds", 3600,
            f"127.0.0.1:{port}", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        end = time.monotonic() + live_server.DEADLINE_S
        while self.ask()["players"]["now"] < clients and time.monotonic() < end:
            time.sleep(0.1)

    def write(self, recording):
        self.path.write_text(
            'workers = 1; http = { listen = "127.0.0.1:0"; }; arenas = ({ name = "bench"; port = 0;'
            f' address = "127.0.0.1"; max_players = {self.clients};'
            f' map = {json.dumps(str(live_server.MAP))}; recording = "{recording}"; }});\n',
            encoding="utf-8")

    def ask(self):
        return json.loads(subprocess.run(["curl", "-s", self.status], check=True,
                                         stdout=subprocess.PIPE).stdout)

    def window(self, recording):
        """The worker's CPU time per tick in us, with or without a recording."""
        self.write(recording)
        self.reloads += 1
        self.process.send_signal(signal.SIGHUP)
        wait_for(self.log, "configuration re", self.reloads)
        time.sleep(often(0.5, 0.1))
        begin, ticks = live_server.worker_times(self.process.pid), self.ask()["arenas"][0]["tick"]
        time.sleep(WINDOW_S)
        end, last = live_server.worker_times(self.process.pid), self.ask()["arenas"][0]["tick"]
        return (end.ran - begin.ran) / 1000 / (last - ticks)


def record_server(clients, writer):
    """The median price in us and percent, of pairs of windows."""
    prices, percents = [], []
    with contextlib.ExitStack() as stack:
        server = Server(stack, clients)
        for pair in range(PAIRS):
            words = ("none", "played") if pair % 2 == 0 else ("played", "none")
            us = {word: server.window(word) for word in words}
            prices.append(us["played"] - us["none"])
            percents.append(100 * prices[-1] / us["none"])
            writer.writerow(["server", clients, pair, f"{us['none']:.2f}", f"{us['played']:.2f}",
                             f"{percents[-1]:.2f}", ""])
        time.sleep(0.5)
    return statistics.median(prices), statistics.median(percents)


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=MATCH_S,
                        help="of the match alone; its time, not yours")
    options = parser.parse_args()
    words, worst = [], 0.0
    CSV.parent.mkdir(parents=True, exist_ok=True)
    with open(CSV, "w", newline="", encoding="ascii") as file:
        writer = csv.writer(file)
        writer.writerow(["kind", "clients", "round", "plain_us", "recorded_us", "percent",
                         "mb_per_hour"])
        for clients in CLIENTS:
            row = record_match(clients, options.seconds)
            megabytes = row["bytes"] / 1e6 * 3600 / options.seconds
            match_percent = 100 * (row["recorded_us"] / row["plain_us"] - 1)
            writer.writerow(["match", clients, 0, row["plain_us"], row["recorded_us"],
                             f"{match_percent:.2f}", f"{megabytes:.2f}"])
            us, percent = record_server(clients, writer)
            worst = max(worst, percent)
            print(f"  {clients:3} clients: {us:5.2f} us and {percent:.2f} % of a server's tick;"
                  f" of a match alone {row['recorded_us'] - row['plain_us']:.2f} us and"
                  f" {match_percent:.2f} % of {row['plain_us']:.0f} us; {megabytes:.1f} MB an hour"
                  f" ({options.seconds:.0f} s recorded)")
            words.append(f"us_{clients}={us:.2f} percent_{clients}={percent:.2f}"
                         f" match_us_{clients}={row['recorded_us'] - row['plain_us']:.2f}"
                         f" mb_per_hour_{clients}={megabytes:.2f}")
    print("bench recording " + " ".join(words))
    if worst > MAX_PERCENT and not SHORTEST:
        sys.exit(f"a recording costs more than {MAX_PERCENT} % of a tick")


if __name__ == "__main__":
    main()
