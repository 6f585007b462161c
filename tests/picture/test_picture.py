#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One scene in windows of several shapes: the same is seen in all of them, and it looks as it did.

RAIM_BIN names the directory of the programs. `test_picture.py --write` draws the golden picture
anew: look at it before you commit it.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import images

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(os.environ.get("RAIM_BIN", HERE.parents[1] / "build/dev/bin")).resolve()

SIZES = [(1280, 720), (800, 600), (900, 1600), (1720, 720)]
SEEN = {"you", "Ada", "Grace", "Barbara", "Edsger", "Dennis"}
BULLETS_SEEN = 4 # of five
HIDDEN = (70, 128, 226) # the colour of who stands behind the wall, and of nothing else
BAR = (4, 6, 9) # beside the view

NEAR = 24 # of 255: a colour that is drawn over is none that is rounded
GOLDEN = HERE / "golden.png"
GOLDEN_SIZE = 640, 360
# Of 255, over all pixels. Another version of FreeType or SDL moves the rims of letters and circles:
# that is less. A player missed is 0.15, a wrong colour of the floor 2 and more.
TOLERANCE = 0.3


def shoot(size, directory):
    """Draws the scene; the picture, and what ought to be where in it."""
    path = pathlib.Path(directory) / "shot.bmp"
    result = subprocess.run([BIN / "shot", *map(str, size), path], check=True, timeout=60,
                            capture_output=True, text=True)
    image = images.read_bmp(path)
    if (image.width, image.height) != tuple(size):
        raise AssertionError(f"a picture of {image.width} x {image.height}, not {size}")
    return image, json.loads(result.stdout)


def is_near(colour, other, limit=NEAR):
    return max(abs(a - b) for a, b in zip(colour, other)) <= limit


class PictureTest(unittest.TestCase):
    """Every window is drawn once."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="raim-test-") as directory:
            cls.shots = {size: shoot(size, directory) for size in SIZES}
            cls.small, _ = shoot(GOLDEN_SIZE, directory)

    def test_every_window_shows_the_same_players_where_they_are(self):
        for size, (image, told) in self.shots.items():
            self.assertEqual({player["name"] for player in told["players"]}, SEEN, size)
            self.assertEqual(told["bullets"], BULLETS_SEEN, size)
            for player in told["players"]:
                found = image[int(player["x"]), int(player["y"])]
                self.assertTrue(is_near(found, player["colour"]), (size, player, found))

    def test_who_is_hidden_is_in_no_picture(self):
        for size, (image, _) in self.shots.items():
            colours = image.colours(0, 0, image.width, image.height)
            self.assertFalse([colour for colour in colours if is_near(colour, HIDDEN)], size)

    def test_nothing_is_drawn_beside_the_view(self):
        for size, (image, told) in self.shots.items():
            left, top, right, bottom = told["area"]
            self.assertAlmostEqual((right - left) / (bottom - top), 1600 / 861, 6)
            left, top, right, bottom = int(left), int(top), round(right + 1), round(bottom + 1)
            bars = [(0, 0, image.width, top), (0, bottom, image.width, image.height),
                    (0, 0, left, image.height), (right, 0, image.width, image.height)]
            drawn = set().union(*(image.colours(*bar) for bar in bars))
            self.assertEqual(drawn, {BAR}, size)

    def test_it_looks_as_it_did(self):
        difference = self.small.difference(images.read_png(GOLDEN))
        print(f"mean difference from the golden picture: {difference:.4f} of 255", flush=True)
        self.assertLess(difference, TOLERANCE)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        with tempfile.TemporaryDirectory(prefix="raim-test-") as directory:
            images.write_png(GOLDEN, shoot(GOLDEN_SIZE, directory)[0])
    else:
        unittest.main(verbosity=2)
