# SPDX-License-Identifier: MIT
"""The figures of the server bench as a table for README, beside those of an earlier run."""

import csv

from shared import FIGURES

SUMMARY = FIGURES / "server_summary.csv"
TABLE = FIGURES / "server.md"

SIZES = (16, 64, 250, 1000)

# What, which figures of a network, and the limit.
ROWS = (
    ("CPU time of a client per tick, us", ("us_per_client_tick",), ""),
    ("a loop that only moves its datagrams, us", ("bare_us",), ""),
    ("ratio of these two", ("ratio",), "1.25"),
    ("ratio to such a loop in batches", ("ratio_mmsg",), ""),
    ("arenas of 16, 64, 250 and 1000 players, maps that grow with them, us",
     tuple(f"us_p{size}" for size in SIZES), ""),
    ("ratio of 1000 to 16", ("growth_ratio",), "1.2"),
    ("the same arenas on one small map, us", tuple(f"us_one_map_p{size}" for size in SIZES), ""),
    ("a round trip of 150 ms against one of 20 ms", ("latency_ratio",), "1.3"),
    ("clients of one worker at 80 % of its CPU", ("players_per_core",), "at least 2000"),
    ("99th percentile of a tick's lateness, us", ("late_p99_us",), "1000"),
    ("world step of 64 players, us", ("step_us",), "12"),
    ("200 empty arenas, percent of a core", ("idle_percent",), "2"),
    ("an empty arena, MB", ("idle_arena_mb",), "1.5"),
    ("aims that a mouse moves every tick against the bots' own", ("aim_ratio",), ""),
    ("encryption, us per client and tick", ("encryption_us",), ""),
    ("bytes to a client per tick", ("bytes_out_per_client_tick",), ""),
    ("bytes from a client per tick", ("bytes_in_per_client_tick",), ""),
)


def read_summary(path):
    """The figures by network and name."""
    summary = {}
    with open(path, newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            summary.setdefault(row["network"], {})[row["figure"]] = row["value"]
    return summary


def write_summary(summary):
    SUMMARY.parent.mkdir(parents=True, exist_ok=True)
    with SUMMARY.open("w", newline="", encoding="ascii") as file:
        writer = csv.writer(file)
        writer.writerow(["network", "figure", "value"])
        for network, figures in summary.items():
            writer.writerows([network, *item] for item in figures.items())


def cell(summary, network, keys):
    values = [summary.get(network, {}).get(key, "") for key in keys]
    return " / ".join(value or "-" for value in values) if any(values) else ""


def table(summary, before):
    """The lines of the table, without the rows that nothing has been measured of."""
    titles = ["what", "ping", *(["before"] if before else []), "measured", "at most"]
    lines = [titles, ["---"] * len(titles)]
    for what, keys, limit in ROWS:
        for network in summary:
            now = cell(summary, network, keys)
            old = [cell(before, network, keys)] if before else []
            if now:
                ping = "mix" if network == "mix" else f"{network} ms"
                lines.append([what, ping, *old, now, limit])
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def write(summary, before):
    """Writes the summary and the table, and returns the table."""
    write_summary(summary)
    text = table(summary, before)
    TABLE.write_text(text, encoding="ascii")
    return text
