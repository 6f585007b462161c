#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does interest management cost, a client and a tick?

Bots play on crossfire at several latencies, and in arenas of 16 to 1000 players: on random maps
whose area grows with the players, and all on crossfire. Nothing is sent. `us_cold` is the mix when
each tick begins with nothing of the arena in the processor's caches, as it does in a server whose
worker sleeps between ticks. Latencies are in ticks, as the server uses them: those of bots at round
trips of 15, 40, 80 and 150 ms with 5 ms of jitter are about 9, 11, 12 and 15. Writes every figure to
build/bench/interest.csv; a figure is the median of several seeds.
"""

import csv
import statistics
import subprocess

from shared import BIN, FIGURES, ROOT, often, options_parser

CSV = FIGURES / "interest.csv"
CROSSFIRE = ROOT / "config/maps/crossfire.conf"
MIX = (9, 11, 12, 15)
LATENCIES = (4, 5, 7, 9, 13)
PLAYERS = 62
GROWTH = (16, 64, 250, 1000)
CLIENT_TICKS = often(100000, 1000)  # of each run
COLD_CLIENT_TICKS = often(15000, 500)  # of a run in which every tick takes 10 ms more
SEEDS = often(5, 1)


def play(map_name, players, latencies, caches="warm"):
    """The medians of a case over all seeds."""
    rows = []
    for seed in range(1, SEEDS + 1):
        ticks = max(10, (CLIENT_TICKS if caches == "warm" else COLD_CLIENT_TICKS) // players)
        command = [BIN / "bench_interest", *(["--cold"] if caches == "cold" else []), map_name,
                   players, ticks, seed, *latencies]
        text = subprocess.run(list(map(str, command)), check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        rows.append(dict(word.split("=") for word in text.split()))
    row = {key: statistics.median(float(each[key]) for each in rows)
           for key in ("us_per_client_tick", "set_tick_us", "sent_players", "sent_bullets")}
    row = {"map": "scene" if map_name == "scene" else "crossfire", "players": players,
           "latencies": ",".join(map(str, latencies)), "caches": caches, **row}
    print("  {map:<10}{players:5} players, latency {latencies:<11}{caches:<5}"
          "{us_per_client_tick:8.3f} us,"
          " sends {sent_players:.2f} players and {sent_bullets:.2f} bullets".format(**row),
          flush=True)
    return row


def main():
    options_parser(__doc__).parse_args()
    mix = play(CROSSFIRE, PLAYERS, MIX)
    cold = play(CROSSFIRE, PLAYERS, MIX, "cold")
    by_latency = [play(CROSSFIRE, PLAYERS, [latency]) for latency in LATENCIES]
    area = [play("scene", players, MIX) for players in GROWTH]
    one_map = [play(CROSSFIRE, players, MIX) for players in GROWTH]
    rows = [mix, cold, *by_latency, *area, *one_map]
    FIGURES.mkdir(parents=True, exist_ok=True)
    with CSV.open("w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    us = "us_per_client_tick"
    print(f"bench interest us={mix[us]:.2f} us_cold={cold[us]:.2f} "
          + " ".join(f"us_l{latency}={row[us]:.2f}" for latency, row in zip(LATENCIES, by_latency))
          + " " + " ".join(f"us_p{row['players']}={row[us]:.2f}" for row in area)
          + f" growth_ratio={area[-1][us] / area[1][us]:.2f}"
          + f" us_one_map_p{GROWTH[-1]}={one_map[-1][us]:.2f}")


if __name__ == "__main__":
    main()
