# SPDX-License-Identifier: MIT
"""The soak of the server: does its memory stay flat, and are its ticks on time, for an hour?"""

import csv
import statistics
import time

from live_server import (Failure, get_latenesses, get_status, p99_us, playing, resident_kb,
                         worker_times)
from shared import FIGURES

CSV = FIGURES / "server_soak.csv"
COLUMNS = ["second", "resident_kb", "load_resident_kb", "players", "late_p99_us", "skipped_ticks",
           "worker_percent"]

SAMPLE_S = 10
LATENESS_S = 60           # a p99 of fewer ticks tells little
MIN_SETTLE_S, MAX_SETTLE_S = 120, 600  # before a window of a minute or more
MAX_GROWTH_PERCENT = 2   # of the resident memory, from the first quarter to the last
QUARTERS = 4


def skipped_of(status):
    return sum(arena["skipped_ticks"] for arena in status["arenas"])


def observe(case, seconds, daemon, bots, status_port):
    """The rows of a soak: memory at every sample, lateness and CPU since the last row."""
    begin = time.monotonic()
    step_s = min(SAMPLE_S, seconds / 8)
    every = max(1, round(min(LATENESS_S, seconds / QUARTERS) / step_s))
    count = max(2 * QUARTERS, round(seconds / step_s))
    latenesses, worker = get_latenesses(status_port), worker_times(daemon.pid)
    skipped, since = skipped_of(get_status(status_port)), begin
    rows = []
    for number in range(1, count + 1):
        time.sleep(max(0, begin + number * step_s - time.monotonic()))
        if daemon.poll() is not None or any(bot.poll() is not None for bot in bots):
            raise Failure("the server or a load ended during the soak")
        now, status = time.monotonic(), get_status(status_port)
        row = {"second": round(now - begin, 1), "resident_kb": resident_kb(daemon.pid),
               "load_resident_kb": sum(resident_kb(bot.pid) for bot in bots),
               "players": status["players"]["now"], "skipped_ticks": skipped_of(status) - skipped,
               "late_p99_us": None, "worker_percent": None}
        if number % every == 0:
            newer, times = get_latenesses(status_port), worker_times(daemon.pid)
            row["late_p99_us"] = round(p99_us(latenesses, newer), 1)
            row["worker_percent"] = round((times.ran - worker.ran) / (now - since) / 1e7, 1)
            latenesses, worker, since = newer, times, now
            print("  soak    {second:7.0f} s   {resident_kb} KiB, the load {load_resident_kb} KiB;"
                  " late p99 {late_p99_us} us, worker {worker_percent} %, {players} players,"
                  " {skipped_ticks} skipped ticks".format(**row), flush=True)
        if row["players"] != case.clients:
            raise Failure(f"{row['players']} of {case.clients} players after {row['second']} s")
        rows.append(row)
    return rows


def quarter_medians(rows, key):
    """The medians of a column over the first and the last quarter of the rows."""
    values = [row[key] for row in rows if row[key] is not None]
    share = max(1, len(values) // QUARTERS)
    return statistics.median(values[:share]), statistics.median(values[-share:])


def write_csv(rows):
    CSV.parent.mkdir(parents=True, exist_ok=True)
    with CSV.open("w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def measure_soak(case, minutes):
    """The figures of a soak, and whether memory stayed flat. A Failure where a client ends. Memory
    that is touched for the first time is no leak, so that the first minutes do not count."""
    seconds = 60 * minutes
    settle_s = min(MAX_SETTLE_S, max(MIN_SETTLE_S if minutes >= 1 else 0, seconds / 6))
    settled = case._replace(settle_s=settle_s)
    with playing(settled, settled.settle_s + seconds) as (daemon, bots, status_port):
        rows = observe(settled, seconds, daemon, bots, status_port)
    write_csv(rows)
    first_kb, last_kb = quarter_medians(rows, "resident_kb")
    first_us, last_us = quarter_medians(rows, "late_p99_us")
    growth = 100 * (last_kb / first_kb - 1)
    figures = {"soak_minutes": f"{minutes:g}", "soak_first_mb": f"{first_kb / 1024:.1f}",
               "soak_last_mb": f"{last_kb / 1024:.1f}", "soak_growth_percent": f"{growth:.2f}",
               "soak_late_p99_first_us": f"{first_us:.0f}",
               "soak_late_p99_last_us": f"{last_us:.0f}",
               "soak_late_p99_worst_us":
                   f"{max(row['late_p99_us'] or 0 for row in rows):.0f}",
               "soak_skipped_ticks": str(rows[-1]["skipped_ticks"])}
    return figures, growth <= MAX_GROWTH_PERCENT
