#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How many bytes does a client get, and what does it cost to write them?

Plays seeded matches of bots behind simulated clients on the large map, through the real match,
without and with latency and loss. Every snapshot that is sent is read back, compared with the
world, and told whole, too. Writes every figure to build/bench/wire.csv. Bytes are exact
and the same in every run; times are medians, measured by turns in one process.

  full       every visible entity whole, every tick
  predicted  the product: what the prediction rule does not know, where there is anything

"A moving player" is one in the snapshot that is elsewhere than a tick before, the client's own
among them; bytes per player are all bytes of snapshots (the messages, without headers of ENet, UDP
and IP) by all moving players in those snapshots. For full every tick has a snapshot.
"""

import csv
import subprocess
import sys

from shared import BIN, FIGURES, ROOT, often, options_parser

PROGRAM = BIN / "bench_wire"
MAP = ROOT / "config/maps/ruins.conf"
CSV = FIGURES / "wire.csv"

CPU = 0
TICK_HZ = 60
PLAYERS = [16, 64, 200]
USUAL_PLAYERS = often(PLAYERS, [16])
SECONDS = often({16: 40, 64: 20, 200: 10}, dict.fromkeys(PLAYERS, 1))
SEED = 1
# Name, ticks each way, and the share of datagrams that get lost each way.
NETWORKS = [("near", 1, 0.0), ("far", 3, 0.05)]
VARIANTS = ["full", "predicted"]
HEADER_BYTES = 28 + 10 # of IP and UDP, and of ENet

COLUMNS = ["players", "network", "measure", "name", "value"]
WHOLE_AIM, WHOLE_PLACE = 10, 20 # bits


class Failure(Exception):
    """The measurement cannot be trusted, and why."""


def run(players, network, seed, seconds):
    """The lines that the bench program prints, as dicts."""
    _, delay, loss = network
    command = ["taskset", "-c", str(CPU), PROGRAM, MAP, players, delay, loss, seed, seconds]
    try:
        done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE,
                              text=True)
    except subprocess.CalledProcessError as error:
        raise Failure(f"bench_wire ended with {error.returncode}") from error
    return [dict(word.split("=") for word in line.split()) for line in done.stdout.splitlines()]


# --- figures of one match ---

def variant_figures(line):
    values = {key: float(value) for key, value in line.items() if key not in ("kind", "variant")}
    ticks = values["client_ticks"]
    total = values["bytes"] * values["snapshots"]
    datagrams_s = values["snapshots"] / ticks * TICK_HZ
    return {
        "bytes": values["bytes"],
        "p99": values["p99"],
        "visible": values["visible"],
        "moving": values["moving"],
        "bytes_per_player": values["bytes"] / values["moving"],
        # The same, by the moving players of all ticks, also of those without a snapshot.
        "bytes_per_player_tick": total / ticks / values["moving_tick"],
        "datagrams_per_s": datagrams_s,
        "kB_per_s": total / ticks * TICK_HZ / 1000,
        "kB_per_s_headers": (total / ticks * TICK_HZ + HEADER_BYTES * datagrams_s) / 1000,
        "write_ns": values["write_ns"],
        "read_ns": values["read_ns"],
    }


class Match:
    """The figures of a match."""

    def __init__(self, players, network, lines):
        self.players, self.network = players, network[0]
        self.variants = {line["variant"]: variant_figures(line) for line in lines
                         if line["kind"] == "variant"}
        self.cost, = [{key: float(value) for key, value in line.items() if key != "kind"}
                      for line in lines if line["kind"] == "cost"]
        self.parts = {line["part"]: (int(line["count"]), int(line["bits"])) for line in lines
                      if line["kind"] == "part"}
        self.aims = {int(line["bits"]): int(line["count"]) for line in lines
                     if line["kind"] == "aim"}
        self.needs = {"aim": {}, "changed_aim": {}, "place": {}}
        for line in lines:
            if line["kind"] == "need":
                self.needs[line["what"]][int(line["bits"])] = int(line["count"])
        self.snapshots = self.parts["header"][0]
        if self.cost["rejected"] > 0 and network[2] == 0:
            raise Failure(f"the match rejected {self.cost['rejected']:.0f} messages")

    def part_rows(self):
        """Name, how many in a snapshot, and their bits in a snapshot."""
        rows = [(name, count, bits) for name, (count, bits) in self.parts.items()]
        rows += [(f"aim_{bits}_bits", count, bits * count) for bits, count in self.aims.items()]
        return [(name, count / self.snapshots, bits / self.snapshots)
                for name, count, bits in rows]

    def rows(self):
        """What goes into the CSV."""
        for variant, figures in self.variants.items():
            for key, value in figures.items():
                yield self.players, self.network, key, variant, value
        for key, value in self.cost.items():
            yield self.players, self.network, key, "match", value
        for name, count, bits in self.part_rows():
            yield self.players, self.network, "parts_per_snapshot", name, count
            yield self.players, self.network, "bits_per_snapshot", name, bits
        for what, needs in self.needs.items():
            for bits, count in needs.items():
                yield (self.players, self.network, f"{what}_needs_per_snapshot", bits,
                       count / self.snapshots)


# --- sizes of fields ---

def field_bits(needs, small, medium, whole):
    """What changes take as 0, 10 small, 110 medium or 111 whole."""
    return sum(count * (1 if bits == 0 else 2 + small if bits <= small else
                        3 + medium if bits <= medium else 3 + whole)
               for bits, count in needs.items())


def best_sizes(needs, whole):
    """The cheapest (bits, small, medium)."""
    return min((field_bits(needs, small, medium, whole), small, medium)
               for small in range(2, whole - 1) for medium in range(small + 1, whole))


def merged(matches, *names):
    """Needs per snapshot, summed over matches: each match weighs the same."""
    sums = {}
    for match in matches:
        for name in names:
            for bits, count in match.needs[name].items():
                sums[bits] = sums.get(bits, 0) + count / match.snapshots
    return sums


def show_sizes(matches):
    print("\n  sizes of fields (small, medium) that would be the cheapest, and bits a snapshot")
    for label, some in [(f"{match.players} players, {match.network}", [match])
                        for match in matches] + [("all", matches)]:
        cells = []
        for title, names, whole in (("aim", ["aim", "changed_aim"], WHOLE_AIM),
                                    ("position", ["place"], WHOLE_PLACE)):
            needs = merged(some, *names)
            if not needs:
                continue
            bits, small, medium = best_sizes(needs, whole)
            cells.append(f"{title} {small:2},{medium:3} {bits / len(some):7.1f} bits")
        print(f"  {label:<18} " + "   ".join(cells))
    for title, names, whole, sizes in (
            ("aim", ["aim", "changed_aim"], WHOLE_AIM,
             [(4, 6), (4, 7), (5, 7), (5, 8), (6, 7), (6, 8), (6, 9), (7, 8), (7, 9)]),
            ("position", ["place"], WHOLE_PLACE,
             [(4, 8), (5, 9), (6, 9), (6, 11), (7, 10), (7, 12), (8, 11), (8, 14), (9, 12)])):
        needs = merged(matches, *names)
        print(f"  {title:<8} " + "  ".join(
            f"{small},{medium}: {field_bits(needs, small, medium, whole) / len(matches):.1f}"
            for small, medium in sizes))


# --- the tables ---

def show_match(match):
    print(f"\n  {match.players} players, {match.network}")
    print("             bytes   p99  visible moving  B/player B/pl.tick   /s    kB/s  with headers"
          "  write ns  read ns")
    for variant in VARIANTS:
        each = match.variants[variant]
        print(f"  {variant:<10} {each['bytes']:6.1f} {each['p99']:5.0f}   {each['visible']:6.1f}"
              f" {each['moving']:6.1f}    {each['bytes_per_player']:6.2f}   "
              f" {each['bytes_per_player_tick']:6.2f} {each['datagrams_per_s']:5.1f}"
              f" {each['kB_per_s']:7.2f}       {each['kB_per_s_headers']:7.2f}"
              f"  {each['write_ns']:8.0f} {each['read_ns']:8.0f}")
    cost = match.cost
    sent = match.variants["predicted"]["datagrams_per_s"] / TICK_HZ
    write_us = sent * match.variants["predicted"]["write_ns"] / 1000
    print(f"  us per client-tick: encode {cost['outgoing_us']:.2f} (of it writing {write_us:.2f});"
          f" a step {cost['step_us']:.2f} (of it the world {cost['world_us']:.2f});"
          f" events {cost['event_bytes'] * TICK_HZ / 1000:.2f} kB/s;"
          f" rejected {cost['rejected']:.0f}")
    print("  the product's bits in a snapshot: " + ", ".join(
        f"{name} {bits:.1f} ({count:.2f})" for name, count, bits in match.part_rows() if bits > 0))


def write_csv(matches):
    CSV.parent.mkdir(parents=True, exist_ok=True)
    with CSV.open("w", newline="", encoding="ascii") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for match in matches:
            for *names, value in match.rows():
                writer.writerow([*names, f"{value:.4f}"])


def measure(players_list):
    matches = []
    for players in players_list:
        for network in NETWORKS:
            lines = run(players, network, SEED, SECONDS[players])
            matches.append(Match(players, network, lines))
            show_match(matches[-1])
            sys.stdout.flush()
    show_sizes(matches)
    write_csv(matches)
    print(f"\n  near: {NETWORKS[0][1]} tick each way; far: {NETWORKS[1][1]} ticks each way and"
          f" {NETWORKS[1][2]:.0%} lost; figures in {CSV.relative_to(ROOT)}")
    chosen = next((match for match in matches if match.players == 64), matches[0])
    each = chosen.variants["predicted"]
    print(f"bench wire players={chosen.players} bytes_per_player={each['bytes_per_player']:.2f}"
          f" bytes_per_snapshot={each['bytes']:.1f} kB_per_s={each['kB_per_s']:.2f}"
          f" datagrams_per_s={each['datagrams_per_s']:.1f}"
          f" encode_us={chosen.cost['outgoing_us']:.2f}")


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--players", type=int, choices=PLAYERS, nargs="+", default=USUAL_PLAYERS)
    arguments = parser.parse_args()
    try:
        measure(arguments.players)
    except Failure as failure:
        print(f"bench wire: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
