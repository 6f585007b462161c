#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How steadily does the game draw without a graphics card? raim plays beside 16 bots in windows of
several sizes of an Xvfb, with the processor as renderer. For each size: the rate of frames, their
median and 99th percentile, and the round trip that the game measures over loopback, which must not
depend on the size. All figures go to build/bench/frames.csv. Wants Xvfb.

--realtime puts the game, the server and the display ahead of everything else (root).
"""

import csv
import os
import re
import shutil
import subprocess
import sys

from shared import BIN, FIGURES, ROOT, SHORTEST, often, options_parser

os.environ.setdefault("RAIM_BIN", str(BIN))
sys.path.insert(0, str(ROOT / "tests/daemon"))

import harness # noqa: E402
from x_server import x_server # noqa: E402

CSV = FIGURES / "frames.csv"

SIZES = often(["800x600", "1600x900", "2560x1440", "3440x1440"], ["800x600"])
FRAMES = often(600, 30)
MAX_P99_MS = 18.0 # at 1600x900
MAX_SPREAD_MS = 1.0 # of the round trips at all sizes

LINE = re.compile(r"([\d.]+) frames/s, frame time p50 ([\d.]+) ms, p99 ([\d.]+) ms, "
                  r"round trip ([\d.]+) ms\n")
COLUMNS = ["size", "frames_per_s", "p50_ms", "p99_ms", "round_trip_ms"]


def measure(size, port, display, home, prefix):
    """A row of figures for a window of this size."""
    environment = {**os.environ, "DISPLAY": display, "SDL_VIDEODRIVER": "x11",
                   "SDL_RENDER_DRIVER": "software", "SDL_AUDIODRIVER": "dummy", "HOME": str(home),
                   "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home)}
    result = subprocess.run([*prefix, BIN / "raim", f"127.0.0.1:{port}", "--size", size,
                             "--frames", str(FRAMES)], env=environment, text=True, check=True,
                            capture_output=True, timeout=120)
    return [size, *map(float, LINE.fullmatch(result.stdout).groups())]


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--realtime", action="store_true")
    options = parser.parse_args()
    if shutil.which("Xvfb") is None or not (BIN / "raim").exists():
        print("frames: skipped, wants Xvfb and the game")
        return
    prefix = ["chrt", "-f", "5"] if options.realtime else []
    rows = []
    with harness.Stage() as stage, x_server("3440x1440x24", prefix) as display:
        daemon = stage.serve(harness.arena(bots=16), prefix=prefix)
        for size in SIZES:
            rows.append(measure(size, daemon.ports[0], display, stage.directory, prefix))
            print("%-10s %5.1f frames/s, p50 %5.1f ms, p99 %5.1f ms, round trip %4.1f ms"
                  % tuple(rows[-1]), flush=True)
    FIGURES.mkdir(parents=True, exist_ok=True)
    with open(CSV, "w", newline="", encoding="ascii") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    figures = [f"{name}_{size}={value}" for size, *values in rows
               for name, value in zip(COLUMNS[1:], values)]
    print("bench frames", *figures)
    if SHORTEST:
        return
    trips = [row[4] for row in rows]
    if max(trips) - min(trips) > MAX_SPREAD_MS:
        sys.exit(f"the round trip depends on the size: {trips}")
    if rows[1][3] > MAX_P99_MS:
        sys.exit(f"the 99th percentile at {rows[1][0]} is {rows[1][3]} ms")


if __name__ == "__main__":
    main()
