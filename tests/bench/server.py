#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does one client cost the server per tick, and how far is that from moving its datagrams?

Measures raimd's worker thread under real bot clients, and between those runs two bare loops
(bare.c: recvfrom and sendto, recvmmsg and sendmmsg) with the same number and mean size of
datagrams, and takes the ratios of the medians: absolute figures drift with the machine, ratios in
one run do not. Parts: tick (the above, with step.c for a world step), idle (empty arenas), growth
(arenas of different sizes on one map), encryption (with and without, in turns) and players (how
many clients a worker holds).
"""

import csv
import math
import pathlib
import resource
import statistics
import subprocess
import sys
import time

from live_server import (LOAD_CPUS, PINGS, SERVER_CPU, TICK_HZ, Case, Failure, Network, bare,
                         figures, running, server, thread_times, worker_times)
from shared import BIN, FIGURES, options_parser

CSV = FIGURES / "server.csv"

COLUMNS = ["run", "part", "kind", "us_per_client_tick", "clients", "latency", "sight",
           "encryption", "per_arena", "client_ticks", "seconds", "received_per_client_tick",
           "sent_per_client_tick", "bytes_in", "bytes_out", "late_ticks", "skipped_ticks",
           "late_p99_us", "worker_percent", "worker_waited_percent", "load_percent",
           "load_waited_percent", "inputs_missed_percent"]
PARTS = ("tick", "idle", "growth", "encryption", "players")

IDLE_ARENAS = 200
GROWTH = (16, 64, 250)     # players per arena
COARSE_POLL_HZ = 120       # of a load that has much to do: its delays are exact to 8 ms
HELD_WORKER_PERCENT = 80   # of its CPU, at most
HELD_LATE_P99_US = 1000    # at most
HELD_STEP = 0.05           # the search ends when it knows this share of the players
MOST_TRIALS = 6

# Beyond these a run tells more about the machine or the load than about the server.
MOST_LOAD_PERCENT = 90
MOST_WAITED_PERCENT = 2
MOST_MISSED_PERCENT = 3


class Bench:
    """Runs cases and keeps their rows for the CSV."""

    def __init__(self):
        self.rows = []

    def keep(self, part, result):
        self.rows.append({"part": part, **result})
        more = ""
        if result["kind"] == "server":
            more = ("; late p99 {late_p99_us:.0f} us, {late_ticks} late, {skipped_ticks} skipped"
                    " ticks; worker {worker_percent:.0f} % and waited {worker_waited_percent:.1f},"
                    " load {load_percent:.0f} %").format(**result)
        print("  {kind:<7} {us_per_client_tick:6.2f} us per client-tick   {clients} clients, per"
              " client-tick {received_per_client_tick:.3f} in of {bytes_in:.0f} bytes,"
              " {sent_per_client_tick:.3f} out of {bytes_out:.0f} bytes".format(**result) + more,
              flush=True)
        for doubt in doubts(result):
            print(f"  note: {doubt}", flush=True)
        return result

    def server(self, part, case):
        return self.keep(part, server(case))

    def median(self, first, kind, key="us_per_client_tick"):
        """The median of a column over the rows of a kind from number `first` on."""
        return statistics.median(row[key] for row in self.rows[first:] if row["kind"] == kind)

    def write_csv(self):
        CSV.parent.mkdir(parents=True, exist_ok=True)
        with CSV.open("w", newline="", encoding="ascii") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            for number, result in enumerate(self.rows, start=1):
                writer.writerow({"run": number, **result,
                                 "us_per_client_tick": f"{result['us_per_client_tick']:.3f}"})


def doubts(result):
    """Why a run of the server may tell more about the machine or the load than about the server."""
    if result["kind"] != "server":
        return
    if result["worker_waited_percent"] > MOST_WAITED_PERCENT:
        yield (f"others had the worker's CPU for {result['worker_waited_percent']:.0f} % of the"
               " window; a late server costs more (see --realtime)")
    if result["load_percent"] > MOST_LOAD_PERCENT:
        yield f"the load used {result['load_percent']:.0f} % of its CPU"
    if result["inputs_missed_percent"] > MOST_MISSED_PERCENT:
        yield (f"{result['inputs_missed_percent']:.1f} % of the inputs were late or lost: the load"
               " did not keep up, or the server did not")


# --- tick ---

def measure_step():
    step = figures(subprocess.run(["taskset", "-c", str(SERVER_CPU), BIN / "bench_step"],
                                  check=True, stdout=subprocess.PIPE, text=True).stdout)
    print("  step    {step_us:6.2f} us per world step   {players:.0f} players, {obstacles:.0f}"
          " obstacles, {bullets:.0f} bullets; 90th percentile {p90_us:.2f} us".format(**step))
    return step["step_us"]


def measure_tick(bench, case, runs, step_us):
    """The line for machines of one network, and the cost of a client's tick.

    Without runs the first, short one has to do.
    """
    # A short run first warms the machine up and tells the sizes that the bare loops must move.
    probe = server(case._replace(seconds=min(case.seconds, 2)))
    sizes = round(probe["bytes_in"]), round(probe["bytes_out"])
    first = len(bench.rows)
    if runs == 0:
        bench.keep("tick", probe)
    for run in range(2 * runs + 1):
        if run % 2 == 1:
            bench.server("tick", case)
            continue
        for kind in ("bare", "mmsg"):
            bench.keep("tick", bare(kind, case, *sizes))
    us = {kind: bench.median(first, kind) for kind in ("server", "bare", "mmsg")}
    rest = {key: bench.median(first, "server", key)
            for key in ("late_p99_us", "load_percent", "worker_waited_percent")}
    line = (f"bench server us_per_client_tick={us['server']:.2f} bare_us={us['bare']:.2f}"
            f" mmsg_us={us['mmsg']:.2f} ratio={us['server'] / us['bare']:.2f}"
            f" ratio_mmsg={us['server'] / us['mmsg']:.2f} clients={case.clients}"
            f" latency={case.network.name} jitter={case.network.jitter:g}"
            f" loss={case.network.loss:g} sight={case.sight} encryption={case.encryption}"
            f" step_us={step_us:.1f} late_p99_us={rest['late_p99_us']:.0f}"
            f" load_percent={rest['load_percent']:.0f}"
            f" waited_percent={rest['worker_waited_percent']:.1f}")
    return line, us["server"]


# --- idle ---

def resident_kb(pid):
    """What a process has in memory."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise Failure("the kernel does not tell VmRSS")


def idle(case, arenas):
    """CPU seconds per second of the worker and of the process, and KiB, with nobody playing."""
    with running(arenas, case.per_arena, case.encryption, case.sight,
                 case.is_realtime) as (daemon, _, _):
        time.sleep(case.settle_s)
        before = worker_times(daemon.pid), thread_times(daemon.pid)[0], time.monotonic()
        time.sleep(case.seconds)
        after = worker_times(daemon.pid), thread_times(daemon.pid)[0], time.monotonic()
        kb = resident_kb(daemon.pid)
    ns = (after[2] - before[2]) * 1e9
    return (after[0].ran - before[0].ran) / ns, (after[1].ran - before[1].ran) / ns, kb


def measure_idle(case, arenas):
    worker, process, kb = idle(case, arenas)
    one_kb = idle(case._replace(seconds=0.1), 1)[2]
    us = worker * 1e6 / TICK_HZ / arenas
    each_mb = (kb - one_kb) / 1024 / (arenas - 1)
    print(f"  idle    {us:6.2f} us per tick of an empty arena; {arenas} of {case.per_arena} places:"
          f" {100 * worker:.1f} % of a core, {100 * process:.1f} with the other threads,"
          f" {kb / 1024:.0f} MB, {each_mb:.2f} MB each", flush=True)
    return (f"bench server idle_arenas={arenas} idle_percent={100 * worker:.1f}"
            f" idle_us_per_tick={us:.2f} idle_mb={kb / 1024:.0f} idle_arena_mb={each_mb:.2f}")


# --- growth ---

def measure_growth(bench, case, runs):
    first = len(bench.rows)
    for _ in range(runs):
        for per_arena in GROWTH:
            bench.server("growth", case._replace(per_arena=per_arena, poll_hz=COARSE_POLL_HZ))
    us = {per_arena: statistics.median(row["us_per_client_tick"] for row in bench.rows[first:]
                                       if row["per_arena"] == per_arena) for per_arena in GROWTH}
    return ("bench server growth=one_map "
            + " ".join(f"us_p{per_arena}={us[per_arena]:.2f}" for per_arena in GROWTH)
            + f" growth_ratio={us[GROWTH[-1]] / us[GROWTH[0]]:.2f} clients={case.clients}"
            f" latency={case.network.name} sight={case.sight} encryption={case.encryption}")


# --- encryption ---

def measure_encryption(bench, case, runs):
    """The cost of encryption, from pairs of runs that stand next to each other."""
    added, ratios = [], []
    for run in range(runs):
        order = ("off", "offered") if run % 2 == 0 else ("offered", "off")
        us = {kind: bench.server("encryption", case._replace(encryption=kind))["us_per_client_tick"]
              for kind in order}
        added.append(us["offered"] - us["off"])
        ratios.append(us["offered"] / us["off"])
    return (f"bench server encryption_us={statistics.median(added):.2f}"
            f" encryption_ratio={statistics.median(ratios):.2f} clients={case.clients}"
            f" latency={case.network.name} sight={case.sight}")


# --- players ---

def holds(result):
    return (result["worker_percent"] <= HELD_WORKER_PERCENT and
            result["late_p99_us"] <= HELD_LATE_P99_US)


def measure_players(bench, case, us):
    """Bisects between what a worker held and what it did not, from a guess by the cost of a tick.

    Where the load reaches its own limit first, the answer is only a lower bound, and says so.
    """
    held, lost, limit = 0, math.inf, "trials"
    clients = max(case.per_arena, round(HELD_WORKER_PERCENT / 100 * 1e6 / TICK_HZ / us))
    for _ in range(MOST_TRIALS):
        result = bench.server("players", case._replace(clients=clients, poll_hz=COARSE_POLL_HZ))
        if holds(result):
            held = clients
        else:
            # A late load makes a server dearer: whether it would hold as many, nobody can tell.
            lost = clients
            limit = "load" if result["load_percent"] > MOST_LOAD_PERCENT else "server"
        if lost - held <= HELD_STEP * lost:
            break
        guess = clients * HELD_WORKER_PERCENT / max(1, result["worker_percent"])
        if math.isinf(lost):
            clients = round(max(1.05 * clients, guess))
        elif held == 0:
            clients = round(0.8 * clients)
        else:
            clients = round((held + lost) / 2)
    return (f"bench server players_per_core={held} limited_by={limit}"
            f" latency={case.network.name} per_arena={case.per_arena} sight={case.sight}"
            f" encryption={case.encryption}")


# --- the whole ---

def networks(options):
    """Those to measure with: the chosen one, or the mix and none."""
    if options.latency is None:
        return [Network("mix", PINGS, options.jitter, options.loss), Network("0", (0,), 0, 0)]
    latencies = PINGS if options.latency == "mix" else (float(options.latency),)
    return [Network(options.latency, latencies, options.jitter, options.loss)]


def measure(bench, options):
    print("The loads drain their sockets on a timer: clients that block until a datagram comes"
          " would cost\nthe server a wake-up for each. Loopback; servers on CPU"
          f" {SERVER_CPU}, loads on CPU {', '.join(map(str, LOAD_CPUS))}.", flush=True)
    lines = []
    us = None
    chosen = networks(options)
    case = Case(chosen[0], clients=options.clients, per_arena=options.per_arena,
                seconds=options.seconds, settle_s=options.settle, encryption=options.encryption,
                sight=options.sight, is_realtime=options.realtime)
    if "tick" in options.parts:
        step_us = measure_step()
        for network in chosen:
            line, cost = measure_tick(bench, case._replace(network=network), options.runs, step_us)
            us = us or cost
            lines.append(line)
    if "idle" in options.parts:
        lines.append(measure_idle(case, options.idle_arenas))
    if "growth" in options.parts:
        lines.append(measure_growth(bench, case, max(1, options.runs)))
    if "encryption" in options.parts:
        lines.append(measure_encryption(bench, case, max(1, options.runs)))
    if "players" in options.parts:
        us = us or bench.server("players", case)["us_per_client_tick"]
        lines.append(measure_players(bench, case, us))
    bench.write_csv()
    print("\n".join(lines))


def latency(text):
    if text != "mix" and not 0 <= float(text) <= 5000:
        raise ValueError(text)
    return text


def read_options():
    parser = options_parser(__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", default=None,
                        help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--clients", type=int, default=500)
    parser.add_argument("--per-arena", type=int, default=64, help="places of an arena")
    parser.add_argument("--seconds", type=float, default=8, help="length of a window")
    parser.add_argument("--settle", type=float, default=2, help="from the last join to the window")
    parser.add_argument("--runs", type=int, default=2, help="of the server, between bare ones")
    parser.add_argument("--latency", type=latency, metavar="MS|mix",
                        help="round trip, or 15, 40, 80 and 150 ms in equal parts; by default one"
                        " measurement with the mix and one with 0 ms")
    parser.add_argument("--jitter", type=float, default=5, metavar="MS")
    parser.add_argument("--loss", type=float, default=1, metavar="PERCENT")
    parser.add_argument("--encryption", choices=("off", "offered"), default="offered")
    parser.add_argument("--sight", choices=("on", "off"), default="on")
    parser.add_argument("--realtime", action="store_true",
                        help="run servers and loads as SCHED_RR (root), where others use the CPUs")
    options = parser.parse_args()
    if not set(options.parts) <= set(PARTS):
        parser.error(f"the parts are {', '.join(PARTS)}")
    options.idle_arenas = IDLE_ARENAS
    if options.shortest:
        options.clients, options.seconds, options.settle, options.runs = 16, 0.5, 0.2, 0
        options.idle_arenas, options.latency = 8, options.latency or "mix"
        options.parts = options.parts or ["tick", "idle"]
    options.parts = options.parts or PARTS
    return options


def main():
    options = read_options()
    # A client is a descriptor.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        measure(Bench(), options)
    except Failure as failure:
        print(f"bench server: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
