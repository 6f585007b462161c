#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Is the wire fair: does it tell a player all that is on the screen, and nothing else?

Bots play matches on the shipped maps behind lines of 20, 80 and 150 ms; a judge that saw the true
world holds what each was told against what it saw (tests/bench/judge.h). Writes every figure to
build/bench/fairness.csv. A match is its map and seed: `--map M --seed N --explain K` plays one
again and prints its first late reveals and leaks with their positions.

And do hits depend on latency? Bots of equal skill, half of them behind a line of 20 ms and half
behind one of 150 ms, play matches through real clients over a simulated network (hits.c), with lag
compensation and without. `hit_ratio` is the hits per shot of the far ones by those of the near
ones; `behind_cover` counts those who were killed where no shot could have come for longer than the
server rewinds. Writes them, with 95 % intervals, to build/bench/hits.csv.

And what do lies gain? Aim-bots at 0 ms that lie about how late they see the arena play against the
same aim-bots that do not (liars.c, liar.h). `liar_gain_points` is what that adds to their hits per
100 shots at most, whether they hold the acknowledgements of snapshots back (acks), or everything now
and then (bursts). Who holds everything back, always, is a distant player to every measurement:
`liar_gain_all_points` is what is left for it. `far_loss_points` is what an honest player loses by a
round trip of 150 ms with 20 ms of jitter each way. Writes them to build/bench/liars.csv.
"""

import concurrent.futures
import csv
import math
import os
import subprocess
import sys

from shared import BIN, FIGURES, ROOT, often, options_parser

BENCH = BIN / "bench_fairness"
CSV = FIGURES / "fairness.csv"
HITS_BENCH = BIN / "bench_hits"
HITS_CSV = FIGURES / "hits.csv"
LIARS_BENCH = BIN / "bench_liars"
LIARS_CSV = FIGURES / "liars.csv"

PLAYERS = {"duel": 12, "crossfire": 24, "ruins": 48} # on each map
SEEDS = often(8, 1)        # matches on each
TICKS = often(7200, 300)   # of each, two minutes

HITS_MAP, HITS_PLAYERS = "duel", 16
HITS_SECONDS = often(120, 10) # of each match
HITS_SEEDS = often(48, 1)     # matches with and without compensation
REWINDS_MS = {"on": 200, "off": 0} # lag compensation

LIAR_KINDS = ["acks", "bursts", "all", "far"]
LIAR_SECONDS = often(120, 10) # of each match
LIAR_SEEDS = often(24, 1)     # matches of each kind

KEYS = ["map", "rtt_ms", "loop_ticks", "kind"]


class Failure(Exception):
    """The measurement cannot be trusted, and why."""


def play(name, seed, ticks, explain):
    """The rows of a match; its explanations go to the standard output."""
    command = [BENCH, ROOT / f"config/maps/{name}.conf", seed, PLAYERS[name], ticks, explain]
    try:
        done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE,
                              text=True)
    except subprocess.CalledProcessError as error:
        raise Failure(f"{name}, seed {seed}: ended with {error.returncode}") from error
    rows = []
    for line in done.stdout.splitlines():
        if line.startswith("rtt_ms="):
            rows.append({"map": name, **dict(word.split("=") for word in line.split())})
        else:
            print(f"  {name} {line}")
    return rows


def total(rows):
    """The sums of all counts of rows."""
    return {key: sum(int(row[key]) for row in rows) for key in rows[0] if key not in KEYS}


def grouped(rows):
    """One row for each map, latency and kind."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in KEYS), []).append(row)
    return [{**dict(zip(KEYS, group)), **total(each)} for group, each in groups.items()]


def share(part, whole):
    return part / whole if whole else 0.0


def percent(part, whole):
    return f"{100 * share(part, whole):.3g}%"


def show(rows):
    print("  of what was told            at once     soon   leaks"
          "   reveals     late   late share   in view behind walls: all, told")
    for row in rows:
        told = row["told"]
        print(f"  {row['map']:<9} {row['rtt_ms']:>3} ms {row['kind']:<7}"
              f"  {percent(row['plain'], told):>9} {percent(row['soon'], told):>8}"
              f" {row['leaks']:7} {row['reveals']:9} {row['late']:8}"
              f"   {percent(row['late'], row['reveals']):>10}"
              f"   {percent(row['hidden'], row['inside']):>15},"
              f" {percent(row['hidden_sent'], row['inside'])}")


def write_csv(rows):
    CSV.parent.mkdir(parents=True, exist_ok=True)
    with CSV.open("w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


# --- hits and latency ---

def play_hits(compensation, seed, seconds):
    """The figures of a match."""
    command = [HITS_BENCH, ROOT / f"config/maps/{HITS_MAP}.conf", seed, HITS_PLAYERS, seconds,
               REWINDS_MS[compensation]]
    try:
        done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE,
                              text=True)
    except subprocess.CalledProcessError as error:
        raise Failure(f"hits, seed {seed}: ended with {error.returncode}") from error
    return {"compensation": compensation, "seed": seed,
            **{key: float(value) for key, value in (word.split("=") for word in done.stdout.split())}}


def hit_ratio(matches):
    """Hits per shot of the far by those of the near."""
    near_shots, near_hits, far_shots, far_hits = (
        sum(match[key] for match in matches)
        for key in ("near_shots", "near_hits", "far_shots", "far_hits"))
    return share(share(far_hits, far_shots), share(near_hits, near_shots))


def interval(matches):
    """Of the ratio, at 95 %: its logarithm's, from leaving out each match in turn (jackknife)."""
    count = len(matches)
    if count < 2:
        return math.nan, math.nan
    parts = [math.log(hit_ratio(matches[:i] + matches[i + 1:])) for i in range(count)]
    mean = sum(parts) / count
    deviation = math.sqrt((count - 1) / count * sum((part - mean) ** 2 for part in parts))
    ratio = hit_ratio(matches)
    return ratio * math.exp(-1.96 * deviation), ratio * math.exp(1.96 * deviation)


def hits_row(compensation, matches):
    """All matches of a kind in one row."""
    low, high = interval(matches)
    row = {"compensation": compensation, "seed": "all", "hit_ratio": hit_ratio(matches),
           "low": low, "high": high}
    for key in matches[0]:
        if key.startswith("most_"):
            row[key] = max(match[key] for match in matches)
        elif key.endswith("_view_delay_ms"):
            row[key] = sum(match[key] for match in matches) / len(matches)
        elif key not in row:
            row[key] = sum(match[key] for match in matches)
    return row


def show_hits(row):
    print(f"  compensation {row['compensation']:<3}  far/near {row['hit_ratio']:.3f}"
          f" ({row['low']:.3f} to {row['high']:.3f})"
          f"  hits per shot {percent(row['near_hits'], row['near_shots'])} near,"
          f" {percent(row['far_hits'], row['far_shots'])} far"
          f"  shown {row['near_view_delay_ms']:.0f} and {row['far_view_delay_ms']:.0f} ms late"
          f"  killed behind cover {percent(row['behind'], row['kills'])} of {row['kills']:.0f},"
          f" {row['most_behind'] * 1000 / 60:.0f} ms at most")


def measure_hits(pool, options):
    """The rows of both kinds of matches."""
    jobs = [(compensation, seed, options.hits_seconds) for compensation in REWINDS_MS
            for seed in range(1, options.hits_seeds + 1)]
    matches = list(pool.map(play_hits, *zip(*jobs)))
    rows = [hits_row(kind, [match for match in matches if match["compensation"] == kind])
            for kind in REWINDS_MS]
    HITS_CSV.parent.mkdir(parents=True, exist_ok=True)
    with HITS_CSV.open("w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, rows[0].keys(), restval="")
        writer.writeheader()
        writer.writerows(rows + matches)
    for row in rows:
        show_hits(row)
    return {row["compensation"]: row for row in rows}


# --- lies ---

def play_liars(kind, seed, seconds):
    """The figures of a match."""
    command = [LIARS_BENCH, ROOT / f"config/maps/{HITS_MAP}.conf", seed, HITS_PLAYERS, seconds, kind]
    try:
        done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE,
                              text=True)
    except subprocess.CalledProcessError as error:
        raise Failure(f"{kind}, seed {seed}: ended with {error.returncode}") from error
    return {"kind": kind, "seed": seed,
            **{key: float(value) for key, value in (word.split("=") for word in done.stdout.split())}}


def gain_points(matches):
    """Hits of 100 shots of those of the kind, less those of the others."""
    shots, hits, base_shots, base_hits = (
        sum(match[key] for match in matches)
        for key in ("kind_shots", "kind_hits", "base_shots", "base_hits"))
    return 100 * (share(hits, shots) - share(base_hits, base_shots))


def gain_error(matches):
    """The standard error of that, from leaving out each match in turn (jackknife)."""
    count = len(matches)
    if count < 2:
        return math.nan
    parts = [gain_points(matches[:i] + matches[i + 1:]) for i in range(count)]
    mean = sum(parts) / count
    return math.sqrt((count - 1) / count * sum((part - mean) ** 2 for part in parts))


def measure_liars(pool, options):
    """The points that each kind gains."""
    jobs = [(kind, seed, options.liar_seconds) for kind in LIAR_KINDS
            for seed in range(1, options.liar_seeds + 1)]
    matches = list(pool.map(play_liars, *zip(*jobs)))
    gains = {}
    for kind in LIAR_KINDS:
        of_kind = [match for match in matches if match["kind"] == kind]
        gains[kind] = gain_points(of_kind)
        base, own = (sum(match[f"{name}_hits"] for match in of_kind)
                     / max(1, sum(match[f"{name}_shots"] for match in of_kind))
                     for name in ("base", "kind"))
        print(f"  {kind:<6}  hits per shot {100 * base:.1f}%, of these {100 * own:.1f}%:"
              f" {gains[kind]:+.1f} points (standard error {gain_error(of_kind):.1f}),"
              f" {sum(match['clamped'] for match in of_kind):.0f} of"
              f" {sum(match['kind_shots'] for match in of_kind):.0f} shots clamped")
    LIARS_CSV.parent.mkdir(parents=True, exist_ok=True)
    with LIARS_CSV.open("w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, matches[0].keys())
        writer.writeheader()
        writer.writerows(matches)
    return gains


# --- all of it ---

def measure(options):
    names = [options.map] if options.map else list(PLAYERS)
    seeds = [options.seed] if options.seed else range(1, options.seeds + 1)
    matches = [(name, seed, options.ticks, options.explain) for name in names for seed in seeds]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = grouped([row for match in pool.map(play, *zip(*matches)) for row in match])
        show(rows)
        write_csv(rows)
        hits = measure_hits(pool, options)
        gains = measure_liars(pool, options)
    players, bullets = (total([row for row in rows if row["kind"] == kind])
                        for kind in ("players", "bullets"))
    wrong = players["wrong"] + bullets["wrong"]
    if wrong:
        raise Failure(f"{wrong} times something was told that was not there")
    print(f"  {len(matches)} matches of {options.ticks} ticks; figures in {CSV.relative_to(ROOT)}")
    print(f"  without sight a client knew of {percent(players['hidden'], players['inside'])} of the"
          f" players in its rectangle through walls, now of"
          f" {percent(players['hidden_sent'], players['inside'])}, who are about to be seen")
    print(f"bench fairness leaks={share(players['leaks'], players['told']):.3g}"
          f" late_reveals={share(players['late'], players['reveals']):.3g}"
          f" reveals={players['reveals']} judged={players['told']}"
          f" bullet_leaks={share(bullets['leaks'], bullets['told']):.3g}"
          f" bullet_late_reveals={share(bullets['late'], bullets['reveals']):.3g}"
          f" bullet_reveals={bullets['reveals']} bullets_judged={bullets['told']}"
          f" hit_ratio={hits['on']['hit_ratio']:.3f} hit_ratio_low={hits['on']['low']:.3f}"
          f" hit_ratio_high={hits['on']['high']:.3f}"
          f" hit_ratio_off={hits['off']['hit_ratio']:.3f}"
          f" behind_cover={hits['on']['behind_long']:.0f}"
          f" behind_cover_share={share(hits['on']['behind'], hits['on']['kills']):.3g}"
          f" liar_gain_points={max(gains['acks'], gains['bursts']):.2f}"
          f" liar_gain_all_points={gains['all']:.2f} far_loss_points={-gains['far']:.2f}")


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--map", choices=PLAYERS, help="play on this map only")
    parser.add_argument("--seed", type=int, help="play this match only")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="matches on each map (%(default)s)")
    parser.add_argument("--ticks", type=int, default=TICKS, help="of each match (%(default)s)")
    parser.add_argument("--hits-seeds", type=int, default=HITS_SEEDS,
                        help="matches for hits, each with and without compensation (%(default)s)")
    parser.add_argument("--hits-seconds", type=int, default=HITS_SECONDS,
                        help="of each of these (%(default)s)")
    parser.add_argument("--liar-seeds", type=int, default=LIAR_SEEDS,
                        help="matches of each kind of liars (%(default)s)")
    parser.add_argument("--liar-seconds", type=int, default=LIAR_SECONDS,
                        help="of each of these (%(default)s)")
    parser.add_argument("--explain", type=int, default=0, metavar="K",
                        help="print the first K late reveals and leaks of each match")
    try:
        measure(parser.parse_args())
    except Failure as failure:
        print(f"bench fairness: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
