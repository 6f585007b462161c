#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does it cost to make and end arenas on demand, and what is left of them?

Clients in processes of their own make an arena and end it again, each as fast as it can, over the
control socket; beside them people play in an arena of the configuration. Resident memory and
descriptors are looked at in equal parts of the run. All figures go to build/bench/arenas.csv; the
bench fails if memory grows by more than a tenth after the first part, or if a descriptor, a port or a
file is left. Times are only told, because the clients share the processors with raimd, to
which they give way (nice): the server's own are from its histogram of /metrics. late_percent is the
median of the parts' shares of late ticks in the arena with people.
"""

import contextlib
import csv
import multiprocessing
import os
import re
import statistics
import sys
import time

from shared import BIN, FIGURES, ROOT, often, options_parser

os.environ.setdefault("RAIM_BIN", str(BIN))
sys.path.insert(0, str(ROOT / "tests/daemon"))

import harness # noqa: E402
from ports import free_ports # noqa: E402
import arenas_api # noqa: E402

arenas_api.jsonschema = None # checking answers would be what is measured

PARTS = 5
PORTS = 64
PLAYERS = 8
MAX_GROWTH = 1.1 # of the heap, by fragments: what is allocated stays the same
COLUMNS = ["part", "arenas", "seconds", "p50_ms", "p99_ms", "max_ms", "resident_kb", "descriptors",
           "tick", "late_ticks", "skipped_ticks"]


def churn(arguments):
    """Makes and ends arenas; returns how long each took to make, in seconds."""
    path, client, count = arguments
    api, times = arenas_api.Api.unix(path), []
    connection = api.connect()
    for number in range(count):
        name = f"r-{client}-{number}"
        begin = time.monotonic()
        while (status := api.put(name, {"template": "duel"}, connection=connection).status) == 503:
            time.sleep(0.002)
            begin = time.monotonic()
        times.append(time.monotonic() - begin)
        if status != 201:
            raise RuntimeError(f"PUT {name}: {status}")
        api.ask("DELETE", f"/v1/arenas/{name}", connection=connection)
    connection.close()
    return times


def descriptors(daemon):
    return len(os.listdir(f"/proc/{daemon.pid}/fd"))


def raise_priority(daemon):
    """Puts raimd, but none of its clients, ahead of whatever else runs, where that is allowed."""
    for thread in os.listdir(f"/proc/{daemon.pid}/task"):
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, int(thread), -10)


def own_times(daemon):
    """The server's histogram: the smallest bound that 99 % of the creations keep, and the mean."""
    text = daemon.ask("/metrics").text
    buckets = [(float(bound), int(count)) for bound, count in re.findall(
        r'raimd_arena_creation_seconds_bucket\{le="([^"]+)"\} (\d+)', text)]
    total = int(re.search(r"raimd_arena_creation_seconds_count (\d+)", text)[1])
    seconds = float(re.search(r"raimd_arena_creation_seconds_sum ([\d.]+)", text)[1])
    bound = next(bound for bound, count in buckets if count >= 0.99 * total)
    return bound * 1000, seconds / total * 1000


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--arenas", type=int, default=often(20000, 200))
    parser.add_argument("--clients", type=int, default=often(16, 4))
    options = parser.parse_args()
    harness.LIFE_S = 3600
    rows = []
    # Elsewhere the clients are on other machines: here they give way to raimd.
    with harness.Stage() as stage, multiprocessing.Pool(options.clients, os.nice, (10,)) as pool:
        directory = str(stage.directory)
        control = stage.directory / "control.sock"
        text = arenas_api.config(arenas_api.template(max_players=8), first=free_ports(PORTS),
                            count=PORTS, arenas=(harness.arena("beside", max_players=PLAYERS),))
        env = {"STATE_DIRECTORY": directory, "RUNTIME_DIRECTORY": directory}
        daemon = stage.raimd("-c", stage.write_config(text), env=env).wait_started()
        raise_priority(daemon)
        daemon.poll("the control", lambda: "control started socket" in daemon.log)
        bots = stage.bots(daemon, PLAYERS)
        daemon.wait_pressing(PLAYERS)
        each = max(1, options.arenas // PARTS // options.clients)
        api = arenas_api.Api.unix(control)
        for part in range(PARTS):
            before, begin = daemon.get_json()["arenas"][0], time.monotonic()
            jobs = [(control, f"{part}-{client}", each) for client in range(options.clients)]
            times = sorted(sum(pool.map(churn, jobs), []))
            seconds = time.monotonic() - begin
            daemon.poll("every port", lambda: api.free() == PORTS)
            time.sleep(1.5) # the heap is trimmed
            after = daemon.get_json()["arenas"][0]
            rows.append({"part": part, "arenas": len(times), "seconds": round(seconds, 2),
                         "p50_ms": round(times[len(times) // 2] * 1000, 2),
                         "p99_ms": round(times[len(times) * 99 // 100] * 1000, 2),
                         "max_ms": round(times[-1] * 1000, 2),
                         "resident_kb": daemon.resident_kb(), "descriptors": descriptors(daemon),
                         **{key: after[key] - before[key] for key in COLUMNS[-3:]}})
            print("  " + " ".join(f"{key}={value}" for key, value in rows[-1].items()), flush=True)
        own_p99_ms, own_mean_ms = own_times(daemon)
        left = [path.name for path in stage.directory.iterdir()
                if path.name.startswith("r-") or path.suffix == ".arena"]
        bots.stop()
        lost = bots.report()["disconnected"]
    FIGURES.mkdir(parents=True, exist_ok=True)
    with open(FIGURES / "arenas.csv", "w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    growth = rows[-1]["resident_kb"] / rows[0]["resident_kb"]
    made = sum(row["arenas"] for row in rows)
    late_percent = statistics.median(100 * row["late_ticks"] / row["tick"] for row in rows)
    print(f"bench arenas arenas={made} clients={options.clients}"
          f" per_s={made / sum(row['seconds'] for row in rows):.0f}"
          f" p50_ms={max(row['p50_ms'] for row in rows)} p99_ms={max(row['p99_ms'] for row in rows)}"
          f" own_mean_ms={own_mean_ms:.2f} own_p99_below_ms={own_p99_ms:.1f}"
          f" late_percent={late_percent:.2f}"
          f" growth={growth:.3f} descriptors={rows[-1]['descriptors'] - rows[0]['descriptors']:+d}"
          f" files_left={len(left)} players_lost={lost}")
    if left or lost or rows[-1]["descriptors"] > rows[0]["descriptors"] + 1:
        sys.exit("something is left, or players were lost")
    # The log of 4096 events fills within the first 2048 arenas.
    if growth > MAX_GROWTH and rows[0]["arenas"] > 2200:
        sys.exit("memory grows")


if __name__ == "__main__":
    main()
