#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The game itself, without a window, plays on a real raimd and shows what it sees."""

import os
import pathlib
import subprocess
import sys
import unittest

from harness import BIN, ROOT, SLOW, START_S, Program, Stage, arena, check_sane
import harness

sys.path.append(str(ROOT / "tests/picture"))
import images

FRAMES = 60 if SLOW else 180
SIZE = 640, 480
BAR = (4, 6, 9) # beside the view
FLOOR = (40, 38, 35) # in sight, on crossfire
WALL = (85, 78, 67)
USAGE, FAILURE, UNREACHABLE = 64, 1, 69


def run_raim(*arguments):
    """Runs a game that is expected to end by itself at once."""
    result = subprocess.run([BIN / "raim", *map(str, arguments)], text=True, check=False,
                            stdin=subprocess.DEVNULL, capture_output=True, timeout=START_S)
    check_sane(result.stderr)
    return result


class Game(Program):
    """A raim without a window."""


def play(stage, port, name, frames, picture):
    """A game that joins, and draws its last frame into a file."""
    return stage._start(Game, [BIN / "raim", f"127.0.0.1:{port}", "--name", name, "--headless",
                               "--size", "x".join(map(str, SIZE)), "--frames", frames,
                               "--screenshot", picture], None)


class GameTest(unittest.TestCase):
    def test_it_joins_and_shows_the_arena(self):
        with Stage() as stage:
            daemon = stage.serve(arena(bots=4))
            picture = stage.directory / "picture.bmp"
            game = play(stage, daemon.ports[0], "Mira", FRAMES, picture)
            status = daemon.wait_players(1)
            names = {player["name"] for player in status["arenas"][0]["players"]}
            self.assertIn("Mira", names)
            game.wait(harness.LIFE_S)
            self.assertRegex(game.out, r"^[\d.]+ frames/s, frame time p50 [\d.]+ ms, p99 [\d.]+ ms, "
                                       r"round trip [\d.]+ ms$")
            # It said goodbye.
            daemon.wait_players(0)
            rejected = daemon.get_json()["arenas"][0]["rejections"]
            self.assertEqual((rejected["malformed"], rejected["unexpected"]), (0, 0))
            image = images.read_bmp(picture)
            self.assertEqual((image.width, image.height), SIZE)
            bar = int((SIZE[1] - SIZE[0] * 861 / 1600) / 2)
            self.assertEqual(image.colours(0, 0, SIZE[0], bar - 1), {BAR})
            seen = image.colours(0, bar + 1, SIZE[0], SIZE[1] - bar - 1)
            self.assertIn(FLOOR, seen)
            self.assertIn(WALL, seen)
            self.assertGreater(len(seen), 100)

    def test_a_server_that_is_not_there_is_shown_and_the_status_says_so(self):
        with Stage() as stage:
            picture = stage.directory / "picture.bmp"
            game = play(stage, 9, "Mira", 10, picture)
            game.expected_status = UNREACHABLE
            game.wait(START_S)
            self.assertTrue(picture.exists())

    def test_no_server_to_ask_for_arenas_is_shown_and_the_status_says_so(self):
        with Stage() as stage:
            picture = stage.directory / "picture.bmp"
            result = run_raim("127.0.0.254", "--headless", "--frames", 20, "--size", "320x200",
                              "--screenshot", picture)
            self.assertEqual(result.returncode, UNREACHABLE, result.stderr)
            image = images.read_bmp(picture)
            self.assertGreater(len(image.colours(0, 0, image.width, image.height)), 20)

    def test_wrong_usage_is_explained(self):
        for arguments in (["a", "b"], ["host:0"], ["host:65536"], ["ho/st"], ["host:7246x"], [""],
                          ["--size", "10x10"], ["--size", "0x5"], ["--frames", "0"], ["--headless"], ["--frame-cap", "9"],
                          ["--screenshot", "x.bmp"], ["--nonsense"]):
            result = run_raim(*arguments)
            self.assertEqual(result.returncode, USAGE, arguments)
            self.assertIn("--help", result.stderr, arguments)
            self.assertEqual(result.stdout, "", arguments)

    def test_no_display_is_an_error(self):
        env = {key: value for key, value in os.environ.items()
               if key not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
        result = subprocess.run([BIN / "raim", "127.0.0.1:9"], text=True, check=False, env=env,
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=START_S)
        self.assertEqual(result.returncode, FAILURE)
        self.assertIn("raim: there is no display", result.stderr)

    def test_help_and_version(self):
        self.assertIn("Usage: raim", run_raim("--help").stdout)
        self.assertEqual(run_raim("-h").stdout, run_raim("--help").stdout)
        self.assertRegex(run_raim("--version").stdout, r"^raim \d+\.\d+\.\d+\n$")

    def test_a_picture_that_cannot_be_written_is_a_failure(self):
        result = run_raim("127.0.0.1:9", "--headless", "--frames", 2, "--screenshot",
                          pathlib.Path("/nowhere/at/all.bmp"))
        self.assertEqual(result.returncode, FAILURE)
        self.assertIn("/nowhere/at/all.bmp", result.stderr)


if __name__ == "__main__":
    harness.main()
