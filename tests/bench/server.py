#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does one client cost the server per tick, and how far is that from moving its datagrams?

Measures raimd's worker thread under real bot clients, and between those runs two bare loops
(bare.c: recvfrom and sendto, recvmmsg and sendmmsg) with the same number and mean size of
datagrams, and takes the ratios of the medians: absolute figures drift with the machine, ratios in
one run do not. Parts: tick (the above, with step.c for a world step), latency (round trips of 150
and of 20 ms, in turns), aim (aims that a mouse moves every tick and the bots' own, in turns),
encryption (with and without, in turns), idle (empty arenas), growth (arenas of different sizes, on
maps that grow with them and on one map), players (how many clients a worker holds) and, only where
it is named, soak (memory and lateness for an hour).
"""

import csv
import math
import pathlib
import resource
import signal
import statistics
import subprocess
import sys
import time

import live_server
import server_table
import tiled_map
from live_server import (LOAD_CPUS, MAP, PINGS, SERVER_CPU, TICK_HZ, Case, Failure, Network, bare,
                         figures, resident_kb, running, server, thread_times, worker_times)
from shared import BIN, FIGURES, options_parser
from soak import MAX_GROWTH_PERCENT, measure_soak

CSV = FIGURES / "server.csv"

COLUMNS = ["run", "part", "kind", "us_per_client_tick", "clients", "latency", "sight",
           "encryption", "map", "per_arena", "aim", "client_ticks", "seconds",
           "received_per_client_tick", "sent_per_client_tick", "bytes_in", "bytes_out",
           "late_ticks", "skipped_ticks", "late_p99_us", "worker_percent",
           "worker_waited_percent", "load_percent", "load_waited_percent",
           "load_us_per_client_tick", "inputs_missed_percent"]
PARTS = ("tick", "latency", "aim", "encryption", "idle", "growth", "players")
LONG_PARTS = ("soak",)  # only where they are named

IDLE_ARENAS = 200
GROWTH = server_table.SIZES  # players per arena
NEAR_MS, FAR_MS = 20, 150    # round trips
HELD_WORKER_PERCENT = 80   # of its CPU, at most
HELD_LATE_P99_US = 1000    # at most
HELD_STEP = 0.05           # the search ends when it knows this share of the players
MAX_TRIALS = 7

# Beyond these a run tells more about the machine or the load than about the server.
MAX_LOAD_PERCENT = 90
MAX_WAITED_PERCENT = 2
MAX_MISSED_PERCENT = 0.5


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

    def pairs(self, part, cases, runs):
        """Runs two cases in turns. Returns a list of pairs of rows."""
        pairs = []
        for run in range(max(1, runs)):
            order = (0, 1) if run % 2 == 0 else (1, 0)
            rows = {index: self.server(part, cases[index]) for index in order}
            pairs.append((rows[0], rows[1]))
        return pairs

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
    if result["worker_waited_percent"] > MAX_WAITED_PERCENT:
        yield (f"others had the worker's CPU for {result['worker_waited_percent']:.0f} % of the"
               " window; a late server costs more (see --realtime)")
    if result["load_percent"] > MAX_LOAD_PERCENT:
        yield f"the load used {result['load_percent']:.0f} % of its CPU"
    if result["inputs_missed_percent"] > MAX_MISSED_PERCENT:
        yield (f"{result['inputs_missed_percent']:.1f} % of the ticks were played with other keys"
               " than pressed: the load did not keep up, or the server did not")


# --- tick ---

def measure_step():
    step = figures(subprocess.run(["taskset", "-c", str(SERVER_CPU), BIN / "bench_step"],
                                  check=True, stdout=subprocess.PIPE, text=True).stdout)
    print("  step    {step_us:6.2f} us per world step   {players:.0f} players, {obstacles:.0f}"
          " obstacles, {bullets:.0f} bullets; 90th percentile {p90_us:.2f} us".format(**step))
    return step["step_us"]


def bytes_per_tick(result, way):
    """The bytes of a client and tick, in or out."""
    datagrams = result["received_per_client_tick" if way == "in" else "sent_per_client_tick"]
    return datagrams * result[f"bytes_{way}"]


def measure_tick(bench, case, runs):
    """The figures of a client's tick. Without runs the first, short one has to do."""
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
    rows = [row for row in bench.rows[first:] if row["kind"] == "server"]
    ways = {way: statistics.median(bytes_per_tick(row, way) for row in rows)
            for way in ("in", "out")}
    return {
        "us_per_client_tick": f"{us['server']:.2f}", "bare_us": f"{us['bare']:.2f}",
        "mmsg_us": f"{us['mmsg']:.2f}", "ratio": f"{us['server'] / us['bare']:.2f}",
        "ratio_mmsg": f"{us['server'] / us['mmsg']:.2f}",
        "late_p99_us": f"{bench.median(first, 'server', 'late_p99_us'):.0f}",
        "bytes_in_per_client_tick": f"{ways['in']:.1f}",
        "bytes_out_per_client_tick": f"{ways['out']:.1f}",
        "load_percent": f"{bench.median(first, 'server', 'load_percent'):.0f}",
        "waited_percent": f"{bench.median(first, 'server', 'worker_waited_percent'):.1f}"}


# --- latency, aim, encryption: one thing more or less, in turns ---

def ratio_of(pairs):
    """The median ratio of the second to the first of pairs."""
    return statistics.median(after["us_per_client_tick"] / before["us_per_client_tick"]
                             for before, after in pairs)


def medians(pairs, value):
    return [statistics.median(value(rows[index]) for rows in pairs) for index in (0, 1)]


def us_of(result):
    return result["us_per_client_tick"]


def measure_latency(bench, case, runs):
    cases = [case._replace(network=case.network._replace(name=str(ms), latencies=(ms,)))
             for ms in (NEAR_MS, FAR_MS)]
    pairs = bench.pairs("latency", cases, runs)
    near, far = medians(pairs, us_of)
    return {f"us_{NEAR_MS}ms": f"{near:.2f}", f"us_{FAR_MS}ms": f"{far:.2f}",
            "latency_ratio": f"{ratio_of(pairs):.2f}"}


def measure_aim(bench, case, runs):
    pairs = bench.pairs("aim", [case._replace(aim=aim) for aim in ("bot", "mouse")], runs)
    bot, mouse = medians(pairs, us_of)
    fields = {"us_aim_bot": f"{bot:.2f}", "us_aim_mouse": f"{mouse:.2f}",
              "aim_ratio": f"{ratio_of(pairs):.2f}"}
    for way in ("in", "out"):
        bot, mouse = medians(pairs, lambda result, way=way: bytes_per_tick(result, way))
        fields |= {f"bytes_{way}_aim_bot": f"{bot:.1f}", f"bytes_{way}_aim_mouse": f"{mouse:.1f}"}
    return fields


def measure_encryption(bench, case, runs):
    pairs = bench.pairs("encryption", [case._replace(encryption=kind)
                                       for kind in ("off", "offered")], runs)
    added = statistics.median(us_of(after) - us_of(before) for before, after in pairs)
    return {"encryption_us": f"{added:.2f}", "encryption_ratio": f"{ratio_of(pairs):.2f}"}


# --- idle ---

def idle(case, arenas):
    """CPU seconds per second of the worker and of the process, and KiB, with nobody playing."""
    with running(arenas, case) as (daemon, _, _):
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
    return {"idle_arenas": str(arenas), "idle_percent": f"{100 * worker:.1f}",
            "idle_us_per_tick": f"{us:.2f}", "idle_mb": f"{kb / 1024:.0f}",
            "idle_arena_mb": f"{each_mb:.2f}"}


# --- growth ---

def keeps_up(result):
    """Whether the load did its part: a server that gets fewer inputs seems to hold more clients."""
    return (result["load_percent"] <= MAX_LOAD_PERCENT and
            result["inputs_missed_percent"] <= MAX_MISSED_PERCENT)


def measure_growth(bench, case, runs, sizes, prefix, map_of):
    """The cost of a client in arenas of these sizes, with about as many clients at each. An arena
    that cannot be played has no figure; those where server or load were late are named."""
    us = {size: [] for size in sizes}
    late = set()
    for run in range(max(1, runs)):
        for size in sizes if run % 2 == 0 else reversed(sizes):
            grown = case._replace(per_arena=size, map=map_of(size),
                                  clients=max(case.clients, size))
            try:
                result = bench.server("growth", grown)
                us[size].append(us_of(result))
                if not keeps_up(result):
                    late.add(size)
            except Failure as failure:
                print(f"  note: no arenas of {size} on {grown.map.stem}: {failure}", flush=True)
    fields = {f"us_{prefix}p{size}": f"{statistics.median(values):.2f}" if values else "failed"
              for size, values in us.items()}
    smallest, largest = us[sizes[0]], us[sizes[-1]]
    if len(sizes) > 1 and smallest and largest:
        ratio = statistics.median(largest) / statistics.median(smallest)
        fields[f"{prefix}growth_ratio"] = f"{ratio:.2f}"
    if late:
        fields[f"{prefix}late_sizes"] = ",".join(map(str, sorted(late)))
    return fields


# --- players ---

def holds(result):
    return (result["worker_percent"] <= HELD_WORKER_PERCENT and
            result["late_p99_us"] <= HELD_LATE_P99_US)


def try_players(bench, case, clients):
    """What so many clients were: "held", or what did not hold them; and the worker's percentage."""
    try:
        result = bench.server("players", case._replace(clients=clients))
    except Failure as failure:
        print(f"  note: {clients} clients: {failure}", flush=True)
        return "server", math.inf
    if holds(result) and keeps_up(result):
        return "held", result["worker_percent"]
    # A late load makes a server more expensive, too: what that server would hold is unknown.
    if result["load_percent"] > MAX_LOAD_PERCENT or holds(result):
        return "load", result["worker_percent"]
    is_disturbed = (result["worker_percent"] <= HELD_WORKER_PERCENT and
                    result["worker_waited_percent"] > MAX_WAITED_PERCENT)
    return "others" if is_disturbed else "server", result["worker_percent"]


def measure_players(bench, case, us, trials):
    """Bisects between what a worker held and what it did not, from a guess by the cost of a tick.

    Where the load reaches its own limit first, or other processes delay the ticks, the answer is
    only a lower bound, and says so.
    """
    held, lost, limit = 0, math.inf, "trials"
    clients = max(case.per_arena, round(HELD_WORKER_PERCENT / 100 * 1e6 / TICK_HZ / us))
    for _ in range(trials):
        outcome, percent = try_players(bench, case, clients)
        if outcome == "held":
            held = clients
        else:
            lost, limit = clients, outcome
        if lost - held <= HELD_STEP * lost:
            break
        if math.isinf(lost):
            clients = round(clients * max(1.05, HELD_WORKER_PERCENT / max(1, percent)))
        elif held == 0:
            clients = round(0.8 * clients)
        else:
            clients = round((held + lost) / 2)
    return {"players_per_core": str(held), "players_limited_by": limit}


# --- the whole ---

def networks(options):
    """Those to measure with: the chosen one, or the mix and none."""
    if options.latency is None:
        return [Network("mix", PINGS, options.jitter, options.loss), Network("0", (0,), 0, 0)]
    latencies = PINGS if options.latency == "mix" else (float(options.latency),)
    return [Network(options.latency, latencies, options.jitter, options.loss)]


def measure_network(bench, case, options):
    """The figures of one network: of both networks the tick, the growth and the players."""
    fields = {}
    runs = options.runs
    if "tick" in options.parts:
        fields |= measure_tick(bench, case, runs)
    if "growth" in options.parts:
        fields |= measure_growth(bench, case, runs, options.sizes, "", tiled_map.make)
    if "players" in options.parts:
        us = float(fields.get("us_per_client_tick", 0)) or us_of(bench.server("players", case))
        fields |= measure_players(bench, case, us, options.trials)
    return fields


def measure_once(bench, case, options):
    """The figures that are measured with the first network alone, or without any."""
    fields = {}
    runs = options.runs
    if "tick" in options.parts:
        fields |= {"step_us": f"{measure_step():.1f}"}
    if "latency" in options.parts:
        fields |= measure_latency(bench, case, runs)
    if "aim" in options.parts:
        fields |= measure_aim(bench, case, runs)
    if "encryption" in options.parts:
        fields |= measure_encryption(bench, case, runs)
    if "idle" in options.parts:
        fields |= measure_idle(case, options.idle_arenas)
    if "growth" in options.parts:
        fields |= measure_growth(bench, case, runs, options.sizes, "one_map_", lambda _: MAP)
    return fields


def measure(bench, options):
    """Prints the table and one line for each network. Returns whether all limits were kept."""
    print("The loads drain their sockets on a timer: clients that block until a datagram comes"
          " would cost\nthe server a wake-up for each. Loopback; servers on CPU"
          f" {SERVER_CPU}, loads on CPU {', '.join(map(str, LOAD_CPUS))}.", flush=True)
    chosen = networks(options)
    case = Case(chosen[0], clients=options.clients, per_arena=options.per_arena,
                seconds=options.seconds, settle_s=options.settle, encryption=options.encryption,
                sight=options.sight, aim=options.aim, is_realtime=options.realtime)
    summary = {network.name: {} for network in chosen}
    is_flat = True
    try:
        for network in chosen:
            summary[network.name] |= measure_network(bench, case._replace(network=network), options)
        summary[chosen[0].name] |= measure_once(bench, case, options)
        if "soak" in options.parts:
            soak, is_flat = measure_soak(case, options.minutes)
            summary[chosen[0].name] |= soak
    finally:
        bench.write_csv()
    before = server_table.read_summary(options.before) if options.before else {}
    print(server_table.write(summary, before))
    for network in chosen:
        given = {"clients": case.clients, "latency": network.name, "jitter": f"{network.jitter:g}",
                 "loss": f"{network.loss:g}", "sight": case.sight, "encryption": case.encryption,
                 "aim": case.aim}
        print("bench server " + " ".join(f"{key}={value}" for key, value
                                         in (summary[network.name] | given).items()))
    if not is_flat:
        print(f"bench server: memory grew by more than {MAX_GROWTH_PERCENT} % during the soak",
              file=sys.stderr)
    return is_flat


def latency(text):
    if text != "mix" and not 0 <= float(text) <= 5000:
        raise ValueError(text)
    return text


def read_options():
    parser = options_parser(__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", default=None,
                        help=f"of {', '.join(PARTS)}, which are the default, and"
                        f" {', '.join(LONG_PARTS)}")
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
    parser.add_argument("--aim", choices=("mouse", "bot"), default="mouse",
                        help="moved every tick, or only where the bots turn")
    parser.add_argument("--minutes", type=float, default=60, help="length of the soak")
    parser.add_argument("--programs", type=pathlib.Path, metavar="DIR", default=BIN,
                        help="where raimd and raim-bots are, to measure another build")
    parser.add_argument("--before", type=pathlib.Path, metavar="CSV",
                        help="server_summary.csv of another run, for a column of the table")
    parser.add_argument("--realtime", action="store_true",
                        help="run servers and loads as SCHED_RR (root), where others use the CPUs")
    options = parser.parse_args()
    if not set(options.parts) <= set(PARTS + LONG_PARTS):
        parser.error(f"the parts are {', '.join(PARTS + LONG_PARTS)}")
    live_server.programs = options.programs
    options.idle_arenas = IDLE_ARENAS
    options.sizes, options.trials = GROWTH, MAX_TRIALS
    if options.shortest:
        options.clients, options.seconds, options.settle, options.runs = 16, 0.5, 0.2, 0
        options.idle_arenas, options.latency = 8, options.latency or "mix"
        options.sizes, options.trials, options.minutes = GROWTH[:1], 2, 0.05
        options.parts = options.parts or ["tick", "idle", "growth"]
    options.parts = options.parts or PARTS
    return options


def main():
    options = read_options()
    # The processes that a bench has started end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    # A client is a descriptor.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        return 0 if measure(Bench(), options) else 1
    except Failure as failure:
        print(f"bench server: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
