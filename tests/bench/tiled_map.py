# SPDX-License-Identifier: MIT
"""Maps whose area grows with the players: a shipped map, repeated as the tiles of a larger one.

A wall stands on each seam between tiles, with doorways, so that sight ends about where it does on
the shipped map. One tile is for 64 players; a quarter of it is for 16.
"""

import math
import re

from shared import FIGURES, ROOT

SHIPPED = ROOT / "config/maps/crossfire.conf"
TILE_PLAYERS = 64

WALL = 40       # thickness, in units
DOORWAY = 160   # width: four players'
MIN_WALL = 400  # between two doorways
MAX_SPAWNS = 256  # of a map

NUMBER = r"-?\d+(?:\.\d+)?"
POINT = rf"\(\s*({NUMBER})\s*,\s*({NUMBER})\s*\)"


def points_in(text):
    return [(float(x), float(y)) for x, y in re.findall(POINT, text)]


def read_shipped():
    """Half the sides of the border, the obstacles and the spawns. The border is around (0, 0)."""
    text = re.sub(r"#.*", "", SHIPPED.read_text(encoding="utf-8"))
    border = re.search(rf"border\s*=\s*\(.*?({NUMBER})\s*,\s*({NUMBER})\s*\)\s*;", text, re.S)
    obstacles = re.search(r"obstacles\s*=\s*\((.*?)\)\s*;", text, re.S).group(1)
    spawns = re.search(r"spawns\s*=\s*\((.*?)\)\s*;", text, re.S).group(1)
    outlines = re.findall(rf"\(\s*((?:{POINT}\s*,?\s*){{3,}})\)", obstacles)
    return ((float(border.group(1)), float(border.group(2))),
            [points_in(outline[0]) for outline in outlines], points_in(spawns))


def moved(points, x, y):
    return [(px + x, py + y) for px, py in points]


def quarter(half, obstacles, spawns):
    """The obstacles whose middle lies in the upper right quarter, moved inside where one crosses
    its edge, and the spawns there."""
    kept = []
    for points in obstacles:
        middle = [sum(axis) / len(points) for axis in zip(*points)]
        if min(middle) < 1:  # the tower in the middle of the map stays outside
            continue
        kept.append(moved(points, *(max(0, -min(axis)) for axis in zip(*points))))
    middle = half[0] / 2, half[1] / 2
    return ([moved(points, -middle[0], -middle[1]) for points in kept],
            moved([spawn for spawn in spawns if min(spawn) > WALL], -middle[0], -middle[1]))


def seam(length, along, across, is_vertical):
    """The walls from `along` on, over a length, with a doorway between each two."""
    walls = []
    count = int(length // (MIN_WALL + DOORWAY))
    for number in range(count):
        low = along + number * length / count + DOORWAY / 2
        high = low + length / count - DOORWAY
        box = [(low, across - WALL / 2), (high, across - WALL / 2), (high, across + WALL / 2),
               (low, across + WALL / 2)]
        walls.append([(y, x) for x, y in box] if is_vertical else box)
    return walls


def layout(players):
    """Half the sides of the border, the obstacles and the spawns for so many players."""
    half, obstacles, spawns = read_shipped()
    if players <= TILE_PLAYERS / 4:
        return (half[0] / 2, half[1] / 2), *quarter(half, obstacles, spawns)
    side = math.ceil(math.sqrt(players / TILE_PLAYERS))
    sides = 2 * half[0], 2 * half[1]
    outer = side * half[0], side * half[1]
    all_obstacles, all_spawns = [], []
    for column in range(side):
        for row in range(side):
            x = (2 * column + 1) * half[0] - outer[0]
            y = (2 * row + 1) * half[1] - outer[1]
            all_obstacles += [moved(points, x, y) for points in obstacles]
            all_spawns += moved(spawns[:MAX_SPAWNS // (side * side)], x, y)
            if column > 0:
                all_obstacles += seam(sides[1], y - half[1], x - half[0], is_vertical=True)
            if row > 0:
                all_obstacles += seam(sides[0], x - half[0], y - half[1], is_vertical=False)
    return outer, all_obstacles, all_spawns


def make(players):
    """Writes the map of an arena of so many players and returns its path."""
    half, obstacles, spawns = layout(players)

    def text(points):
        return ", ".join(f"({x:g}, {y:g})" for x, y in points)

    outlines = ",\n".join(f"    ( {text(points)} )" for points in obstacles)
    path = FIGURES / f"maps/tiled-{players}.conf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'name = "tiled-{players}";\n'
                    f"border = ( {-half[0]:g}, {-half[1]:g}, {half[0]:g}, {half[1]:g} );\n"
                    f"obstacles = (\n{outlines}\n);\nspawns = ( {text(spawns)} );\n",
                    encoding="ascii")
    return path
