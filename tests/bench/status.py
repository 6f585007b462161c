#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Does asking for the status cost the arenas anything?

Windows of 1024 ticks under real bot clients: quiet, asked 200 times a second, quiet, idle, quiet
and so on, so that each asked and each idle one lies between two quiet ones. Per arena, the p99 tick
of a window is divided by the mean of that of its two neighbours, and the median over the rounds
taken. In an idle window nobody asks either: what its ratios show is the noise of the very same
comparison. Workers and HTTP share CPU 0, as on a machine of one processor, which is the worst case;
clients and who asks have CPU 1.

What a p99 rests on is told as well, from the scheduler's own accounts: the worker's CPU time per
tick and how long it waited for the CPU, the main thread's share of the CPU, and the share of
everybody else, stolen time included, which on a quiet machine is near 0.

With --viewers, so many watch the dashboard's streams instead of asking, dealt out to the arenas.
"""

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

import live_server
from live_server import Failure
from shared import BIN, FIGURES, SHORTEST, often, options_parser

CSV = FIGURES / "status.csv"

ARENAS = 4
WINDOW_TICKS = 1024
# And the age of what is published and rendered.
WINDOW_S = often(WINDOW_TICKS / live_server.TICK_HZ, 0.5) + 0.5
ASKED_PER_S = 200
MAX_RATIO = 1.05
NICE = -15

PLAYERS_PER_ARENA = 64
JOIN_S = 10                # by then every client must play
SETTLE_S = often(2, 0.5)   # from the last join to the first window

ROUND = ("asked", "quiet", "idle", "quiet")  # after a quiet one
COLUMNS = ["window", "kind", "arena", "asked_per_s", "p50_us", "p99_us", "max_us", "late_ticks",
           "skipped_ticks", "worker_us_per_tick", "worker_wait_us_per_tick", "main_percent",
           "others_percent"]


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
        with socket.create_connection(("127.0.0.1", port), live_server.DEADLINE_S) as connection:
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
                socket.create_connection(("127.0.0.1", port), live_server.DEADLINE_S))
            stream.sendall(b"GET /arenas/a%d/stream HTTP/1.0\r\n\r\n" % (viewer % ARENAS))
            selector.register(stream, selectors.EVENT_READ)
        while time.monotonic() < end:
            for key, _ in selector.select(end - time.monotonic()):
                got = key.fileobj.recv(1 << 16)
                if not got:
                    raise Failure("a viewer was dropped")
                events += got.count(b"\n\n")
    return events / seconds


# --- What the scheduler tells ---

def thread_times(pid, is_worker):
    """CPU time and time waited for a CPU so far, in seconds, of the workers or of the others."""
    ran = waited = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().startswith("raimd-worker") == is_worker:
            times = (task / "schedstat").read_text().split()
            ran, waited = ran + int(times[0]), waited + int(times[1])
    return ran / 1e9, waited / 1e9


def cpu_busy_s(cpu):
    """Seconds that a CPU has not idled so far; stolen ones count."""
    for line in pathlib.Path("/proc/stat").read_text(encoding="ascii").splitlines():
        words = line.split()
        if words[0] == f"cpu{cpu}":
            ticks = [int(word) for word in words[1:9]]
            return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
    raise Failure(f"/proc/stat has no cpu{cpu}")


def account(pid):
    return {"at": time.monotonic(), "worker": thread_times(pid, True),
            "main": thread_times(pid, False)[0], "busy": cpu_busy_s(live_server.SERVER_CPU)}


def shares(old, new, ticks):
    """What happened on the daemon's CPU between two accounts."""
    seconds = new["at"] - old["at"]
    ran, waited = (after - before for before, after in zip(old["worker"], new["worker"]))
    main = new["main"] - old["main"]
    others = new["busy"] - old["busy"] - ran - main
    return {"worker_us_per_tick": round(ran / ticks * 1e6, 1),
            "worker_wait_us_per_tick": round(waited / ticks * 1e6, 1),
            "main_percent": round(main / seconds * 100, 2),
            "others_percent": round(max(0, others) / seconds * 100, 2)}


@contextlib.contextmanager
def ahead_of_others():
    """Lets all that is measured, equals among themselves, stand before whatever else the machine
    does, where that is allowed: among the processes of its session, and, where the kernel shares
    CPUs among sessions first (see sched(7), autogroup), the session before others. A process that
    is in no autogroup, as in most containers, reads an empty file."""
    group = pathlib.Path("/proc/self/autogroup")
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, NICE)
    before = []
    with contextlib.suppress(OSError):
        before = group.read_text(encoding="ascii").split()
        if before:
            group.write_text(str(NICE), encoding="ascii")
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if before:
                group.write_text(before[-1], encoding="ascii")


# --- Windows ---

def disturb(port, kind, viewers):
    """Lets a window pass. Returns how often a second somebody was answered."""
    if kind != "asked":
        time.sleep(WINDOW_S)
        return 0
    if viewers > 0:
        answers, wanted = watch(port, viewers, WINDOW_S), 9 * viewers
    else:
        answers, wanted = ask_for(port, WINDOW_S), 0.95 * ASKED_PER_S
    if answers < wanted and not SHORTEST:
        raise Failure(f"only {answers:.0f} answers a second, want {wanted:.0f}")
    return answers


def window(pid, port, number, kind, viewers):
    """The rows of one window, one per arena."""
    before, old = live_server.get_status(port), account(pid)
    asked_per_s = disturb(port, kind, viewers)
    new, after = account(pid), live_server.get_status(port)
    ticks = sum(late["tick"] - early["tick"]
                for early, late in zip(before["arenas"], after["arenas"]))
    return [{"window": number, "kind": kind, "arena": late["name"],
             "asked_per_s": round(asked_per_s),
             **{f"{key}_us": late["tick_us"][key] for key in ("p50", "p99", "max")},
             **{key: late[key] - early[key] for key in ("late_ticks", "skipped_ticks")},
             **shares(old, new, ticks)}
            for early, late in zip(before["arenas"], after["arenas"])]


def show(rows):
    first = rows[0]
    print(f"  window {first['window']:>2} {first['kind']:<5}  p99_us"
          f" {' '.join(format(row['p99_us'], '4') for row in rows)}"
          f"   per tick {first['worker_us_per_tick']:5.1f} us and"
          f" {first['worker_wait_us_per_tick']:5.1f} us waited;"
          f" main thread {first['main_percent']:4.1f} %, others {first['others_percent']:4.1f} %",
          flush=True)


def measure(clients, rounds, viewers):
    """The rows of each window, in turn."""
    ports = live_server.free_ports(socket.SOCK_DGRAM, ARENAS)
    status_port, = live_server.free_ports(socket.SOCK_STREAM, 1)
    windows = []
    with tempfile.TemporaryDirectory() as directory:
        config = pathlib.Path(directory) / "raimd.conf"
        live_server.write_config(config, status_port, ports, PLAYERS_PER_ARENA)
        with (open(pathlib.Path(directory) / "log", "w+", encoding="utf-8") as log,
              live_server.pinned([live_server.SERVER_CPU], BIN / "raimd", "-c", config,
                            stderr=log) as daemon,
              live_server.pinned(live_server.LOAD_CPUS, BIN / "raim-bots", "--clients", clients,
                            *(f"127.0.0.1:{port}" for port in ports),
                            stdout=subprocess.DEVNULL)):
            live_server.poll("players", JOIN_S, [daemon],
                        lambda: live_server.get_status(status_port)["players"]["now"] == clients)
            time.sleep(SETTLE_S)
            for number, kind in enumerate(("quiet", *ROUND * rounds), start=1):
                try:
                    windows.append(window(daemon.pid, status_port, number, kind, viewers))
                except OSError as error:
                    log.seek(0)
                    raise Failure(f"{error}; raimd ended with {daemon.poll()}:\n{log.read()}") \
                        from None
                show(windows[-1])
            if live_server.get_status(status_port)["players"]["now"] != clients:
                raise Failure("players were lost")
    return windows


# --- What it comes to ---

def ratios(windows, kind):
    """Per arena, the median over all windows of a kind of the p99 over that of the neighbours."""
    found = [[here["p99_us"] / statistics.mean((before["p99_us"], after["p99_us"]))
              for before, here, after in zip(windows[i - 1], windows[i], windows[i + 1])]
             for i in range(1, len(windows) - 1) if windows[i][0]["kind"] == kind]
    return [statistics.median(arena) for arena in zip(*found)]


def mean(windows, kinds, key):
    return statistics.mean(rows[0][key] for rows in windows if rows[0]["kind"] in kinds)


def tell(windows, options):
    asked, idle = ratios(windows, "asked"), ratios(windows, "idle")
    quiet_kinds = ("quiet", "idle")
    print(f"bench status p99_ratio_worst={max(asked):.3f} wanted_at_most={MAX_RATIO:.2f}"
          f" p99_ratio_median={statistics.median(asked):.3f}"
          f" idle_ratios={min(idle):.3f}..{max(idle):.3f}"
          + "".join(f" {name}={mean(windows, quiet_kinds, key):.1f}"
                    f"..{mean(windows, ('asked',), key):.1f}"
                    for name, key in (("tick_us", "worker_us_per_tick"),
                                      ("wait_us", "worker_wait_us_per_tick"),
                                      ("main_percent", "main_percent"),
                                      ("others_percent", "others_percent")))
          + f" asked_per_s={0 if options.viewers else ASKED_PER_S} viewers={options.viewers}"
          f" arenas={ARENAS} clients={options.clients} rounds={options.rounds}")


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--clients", type=int, default=often(128, 8))
    parser.add_argument("--rounds", type=int, default=often(5, 1),
                        help="of four windows of 18 s each")
    parser.add_argument("--viewers", type=int, default=0, help="who watch instead of asking")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.sched_setaffinity(0, set(live_server.LOAD_CPUS))
    try:
        with ahead_of_others():
            windows = measure(options.clients, options.rounds, options.viewers)
    except Failure as failure:
        print(f"bench status: {failure}", file=sys.stderr)
        return 1
    CSV.parent.mkdir(parents=True, exist_ok=True)
    with CSV.open("w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(itertools.chain.from_iterable(windows))
    tell(windows, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
