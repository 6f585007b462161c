#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Benchmarks of collision: a circle-polygon query against a textbook implementation, and a world
step by the number of obstacles and players.

Writes every figure to build/bench/geometry.csv and plots them in build/bench/geometry.svg. Times
are medians; compared variants alternate in one process. Absolute figures depend on the machine.
"""

import csv
import math
import statistics
import subprocess
import sys

from shared import BIN, FIGURES, ROOT, SHORTEST, often, options_parser

CSV = FIGURES / "geometry.csv"
SVG = FIGURES / "geometry.svg"

CPU = 0
SEEDS = often(range(1, 6), (1,))
PLAYERS, OBSTACLES = 64, 50 # of the standard step
OBSTACLE_SERIES = often([10, 30, 100, 300, 1000, 3000, 10000], [10, 100])
PLAYER_SERIES = often([8, 16, 32, 64, 128, 256, 512, 1000], [8, 64])

COLUMNS = ["measure", "case", "variant", "obstacles", "players", "bullets", "ns"]


class Failure(Exception):
    """The reason why a measurement is invalid."""


def words(line):
    """Returns a line of key=value words as a dict."""
    return dict(word.split("=") for word in line.split())


def run(program, *arguments):
    """Runs a bench program and returns the lines that it prints as dicts."""
    command = ["taskset", "-c", str(CPU), BIN / program, *map(str, arguments)]
    try:
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    except subprocess.CalledProcessError as error:
        raise Failure(f"{program} ended with {error.returncode}") from error
    return [words(line) for line in done.stdout.splitlines()]


# --- the two measurements ---

def measure_queries():
    """Returns the rows of all sets of polygons, and the figures of the mixed set."""
    rows, mix = [], []
    for seed in SEEDS:
        for line in run("bench_geometry", seed):
            ns, textbook_ns = float(line["ns"]), float(line["textbook_ns"])
            if line["set"] == "mix":
                mix.append((ns, textbook_ns))
                if not 0.30 < float(line["overlapping"]) < 0.37:
                    raise Failure(f"{line['overlapping']} of the circles overlap, want a third")
            for variant, value in (("library", ns), ("textbook", textbook_ns)):
                rows.append({"measure": "query", "case": line["set"], "variant": variant,
                             "ns": value})
    figures = [statistics.median(column) for column in zip(*mix)]
    return rows, (*figures, statistics.median(textbook / ns for ns, textbook in mix))


def step_row(case, seed, players, obstacles, batches):
    line, = run("bench_step", seed, players, obstacles, often(batches, 1))
    if float(line["players"]) < 0.95 * players and not SHORTEST:
        raise Failure(f"{line['players']} of {players} players were in play")
    return {"measure": "step", "case": case, "variant": "world", "obstacles": obstacles,
            "players": players, "bullets": round(float(line["bullets"])),
            "ns": float(line["step_us"]) * 1000}


def measure_steps():
    rows = [step_row("usual", seed, PLAYERS, OBSTACLES, 300) for seed in SEEDS]
    rows += [step_row("obstacles", 1, PLAYERS, count, 100) for count in OBSTACLE_SERIES]
    rows += [step_row("players", 1, count, OBSTACLES, 100 if count <= 256 else 15)
             for count in PLAYER_SERIES]
    return rows


# --- the plot ---

PANEL_WIDTH, PANEL_HEIGHT = 400, 290
LEFT, RIGHT, TOP, BOTTOM = 58, 18, 34, 44 # of a panel, around its axes
COLOURS = {"library": "#0072b2", "world": "#0072b2", "textbook": "#d55e00"}


def text(x, y, words_, size=11, anchor="middle", colour="#333"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
            f' fill="{colour}">{words_}</text>')


def line(x1, y1, x2, y2, colour):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def decades(values):
    """Returns the powers of ten that enclose some values."""
    low = math.floor(math.log10(min(values)))
    return range(low, max(low + 1, math.ceil(math.log10(max(values)))) + 1)


def short(exponent):
    return {3: "1k", 4: "10k"}.get(exponent, f"{10 ** exponent:g}")


def panel(title, x_title, y_title, curves):
    """Returns a plot with logarithmic axes; curves are {name: [(x, y), ...]}."""
    points = [point for curve in curves.values() for point in curve]
    xs, ys = decades([x for x, _ in points]), decades([y for _, y in points])
    width, height = PANEL_WIDTH - LEFT - RIGHT, PANEL_HEIGHT - TOP - BOTTOM

    def at_x(value):
        return LEFT + width * (math.log10(value) - xs[0]) / (xs[-1] - xs[0])

    def at_y(value):
        return TOP + height * (1 - (math.log10(value) - ys[0]) / (ys[-1] - ys[0]))

    parts = [text(LEFT, TOP - 14, title, 13, "start", "#000")]
    for exponent in xs:
        x = at_x(10 ** exponent)
        parts += [line(x, TOP, x, TOP + height, "#ddd"),
                  text(x, TOP + height + 16, short(exponent))]
    for exponent in ys:
        y = at_y(10 ** exponent)
        parts += [line(LEFT, y, LEFT + width, y, "#ddd"),
                  text(LEFT - 6, y + 4, short(exponent), anchor="end")]
    parts += [text(LEFT + width / 2, PANEL_HEIGHT - 8, x_title),
              f'<g transform="rotate(-90 14 {TOP + height / 2})">'
              f"{text(14, TOP + height / 2, y_title)}</g>"]
    for index, (name, curve) in enumerate(curves.items()):
        path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in curve)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[name]}"'
                     ' stroke-width="2"/>')
        parts += [f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3" fill="{COLOURS[name]}"/>'
                  for x, y in curve]
        if len(curves) > 1:
            parts.append(text(LEFT + 8, TOP + 16 + 15 * index, name, 12, "start", COLOURS[name]))
    return "".join(parts)


def bars(title, y_title, groups):
    """Returns a bar chart; groups are {name: {variant: value}}."""
    width, height = PANEL_WIDTH - LEFT - RIGHT, PANEL_HEIGHT - TOP - BOTTOM
    top = 20 * math.ceil(max(max(group.values()) for group in groups.values()) / 20)
    parts = [text(LEFT, TOP - 14, title, 13, "start", "#000"),
             f'<g transform="rotate(-90 14 {TOP + height / 2})">'
             f"{text(14, TOP + height / 2, y_title)}</g>"]
    for value in range(0, top + 1, 20):
        y = TOP + height * (1 - value / top)
        parts += [line(LEFT, y, LEFT + width, y, "#ddd"), text(LEFT - 6, y + 4, value, 11, "end")]
    share = width / len(groups)
    for index, (name, group) in enumerate(groups.items()):
        parts.append(text(LEFT + share * (index + 0.5), TOP + height + 16, name))
        bar = share * 0.7 / len(group)
        for column, (variant, value) in enumerate(group.items()):
            x = LEFT + share * (index + 0.15) + bar * column
            y = TOP + height * (1 - value / top)
            parts += [f'<rect x="{x:.1f}" y="{y:.1f}" width="{bar - 2:.1f}"'
                      f' height="{TOP + height - y:.1f}" fill="{COLOURS[variant]}"/>',
                      text(x + bar / 2, y - 4, f"{value:.0f}", 10)]
    for index, variant in enumerate(next(iter(groups.values()))):
        parts.append(text(LEFT + 8, TOP + 16 + 15 * index, variant, 12, "start", COLOURS[variant]))
    return "".join(parts)


def medians(rows, **want):
    """Returns {variant: median ns} of the rows that have these values."""
    values = {}
    for row in rows:
        if all(row.get(key) == value for key, value in want.items()):
            values.setdefault(row["variant"], []).append(row["ns"])
    return {variant: statistics.median(each) for variant, each in values.items()}


def plot(rows):
    def curve(case, key):
        return [(row[key], row["ns"] / 1000) for row in rows if row.get("case") == case]

    sets = dict.fromkeys(row["case"] for row in rows if row["measure"] == "query")
    panels = [
        bars("Circle against polygon", "ns per query",
             {name: medians(rows, measure="query", case=name) for name in sets}),
        panel(f"World step, {PLAYERS} players and 200 bullets", "obstacles", "us per step",
              {"world": curve("obstacles", "obstacles")}),
        panel(f"World step, {OBSTACLES} obstacles, 3 bullets a player", "players",
              "us per step", {"world": curve("players", "players")}),
    ]
    width, height = 3 * PANEL_WIDTH, PANEL_HEIGHT
    placed = "\n".join(f'<g transform="translate({index * PANEL_WIDTH} 0)">{each}</g>'
                       for index, each in enumerate(panels))
    SVG.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
                   ' font-family="sans-serif">\n'
                   f'<rect width="{width}" height="{height}" fill="#fff"/>\n{placed}\n</svg>\n',
                   encoding="ascii")


# --- the main program ---

def write_csv(rows):
    with CSV.open("w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows({**row, "ns": f"{row['ns']:.2f}"} for row in rows)


def measure():
    queries, (query_ns, textbook_ns, ratio) = measure_queries()
    for name in dict.fromkeys(row["case"] for row in queries):
        each = medians(queries, case=name)
        print(f"  query {name:<9} {each['library']:6.1f} ns   textbook {each['textbook']:6.1f} ns",
              flush=True)
    steps = measure_steps()
    for row in steps:
        print(f"  step {row['ns'] / 1000:9.2f} us   {row['players']} players,"
              f" {row['obstacles']} obstacles, {row['bullets']} bullets")

    rows = queries + steps
    CSV.parent.mkdir(parents=True, exist_ok=True)
    write_csv(rows)
    plot(rows)
    step_us = medians(steps, case="usual")["world"] / 1000
    print(f"  figures in {CSV.relative_to(ROOT)}, plot in {SVG.relative_to(ROOT)}")
    print(f"bench geometry query_ns={query_ns:.1f} textbook_ns={textbook_ns:.1f}"
          f" ratio={ratio:.1f} step_us={step_us:.1f}")


def main():
    options_parser(__doc__).parse_args()
    try:
        measure()
    except Failure as failure:
        print(f"bench geometry: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
