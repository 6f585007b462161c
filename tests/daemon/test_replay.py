#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The game plays recordings in a window of a real X server, lists them on its home screen, tells
faults in words, and renders videos by ffmpeg.

What opens a window wants Xvfb and xdotool, what makes videos wants ffmpeg; without them that is
skipped.
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import harness
from harness import BIN, ROOT, START_S, Program, Stage, check_sane, poll
from x_server import find_window, read_screen, x_server, xdo

SECONDS = 30
SIZE = 800, 600
# Of a window of this size: see replay_controls.c, at a scale of 0.8. The timeline is 780 pixels wide,
# and the view of 800x431 is in the middle of the 539 rows above the footer.
BAR_Y, BAR_LEFT, BAR_WIDTH = 553, 9.6, 780.8
WHO = 380, 575, 640, 590
TIME = 230, 575, 330, 590
MIDDLE = 400, 269
FLY = 765, 581
RECORDINGS_BUTTON = 517, 94


def record(path, seconds=SECONDS, clients=3, bots=5):
    subprocess.run([BIN / "record", ROOT / "config/maps/crossfire.conf", path, str(seconds),
                    str(clients), str(bots)], check=True, timeout=60)
    return path


def raim(*words, env=None):
    """Status and messages of the game without a window."""
    done = subprocess.run([BIN / "raim", *map(str, words)], capture_output=True, text=True,
                          check=False, timeout=60, env={**os.environ, **(env or {})})
    check_sane(done.stderr)
    return done.returncode, done.stderr


class FileTest(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.directory = pathlib.Path(stack.enter_context(
            tempfile.TemporaryDirectory(prefix="raim-replay-")))
        self.file = record(self.directory / "match.raimrec")

    def play(self, file, frames=2):
        return raim("--headless", "--frames", frames, file)

    def damaged(self, name, change):
        path = self.directory / name
        path.write_bytes(bytes(change(bytearray(self.file.read_bytes()))))
        return path

    def test_what_cannot_be_played_is_told(self):
        (self.directory / "folder.raimrec").mkdir()
        (self.directory / "empty.raimrec").write_bytes(b"")
        (self.directory / "words.raimrec").write_text("not a recording\n" * 100, encoding="utf-8")
        for name, words in [("none.raimrec", "No such file"), ("folder.raimrec", "is a directory"),
                            ("empty.raimrec", "is empty"), ("words.raimrec", "no recording")]:
            status, log = self.play(self.directory / name)
            self.assertEqual(status, 66, log)
            self.assertIn(f"{name}: ", log)
            self.assertIn(words, log)

    def test_another_version_says_what_it_needs(self):
        def newer(data):
            data[16] += 1 # the version of the format, behind the frame's head and the magic
            return data
        status, log = self.play(self.damaged("newer.raimrec", newer))
        self.assertEqual(status, 66, log)
        self.assertIn("version", log)

    def test_a_file_that_was_cut_off_plays(self):
        status, log = self.play(self.damaged("cut.raimrec", lambda data: data[:len(data) * 3 // 4]))
        self.assertEqual(status, 0, log)

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "wants ffmpeg")
    def test_a_part_is_rendered(self):
        out = self.directory / "out.mp4"
        status, log = raim("--render", self.file, "--from", "0:05", "--to", 5.5, "--size",
                           "320x180", "--follow", "Ada", out)
        self.assertEqual(status, 0, log)
        probe = subprocess.run(
            ["ffprobe", "-loglevel", "error", "-count_frames", "-show_entries",
             "stream=width,height,nb_read_frames,r_frame_rate", "-of", "json", out],
            capture_output=True, text=True, check=True, timeout=60)
        stream = json.loads(probe.stdout)["streams"][0]
        self.assertEqual([stream["width"], stream["height"], stream["r_frame_rate"],
                          stream["nb_read_frames"]], [320, 180, "60/1", "30"])

    def test_failures_of_rendering_are_told(self):
        bin_directory = self.directory / "bin"
        bin_directory.mkdir()
        words = ["--render", self.file, "--from", 1, "--to", 1.1, "--size", "320x180"]
        status, log = raim(*words, self.directory / "out.mp4", env={"PATH": str(bin_directory)})
        self.assertEqual(status, 1)
        self.assertIn("ffmpeg, which writes videos, is not installed", log)
        ffmpeg = bin_directory / "ffmpeg"
        ffmpeg.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
        ffmpeg.chmod(0o755)
        status, log = raim(*words, self.directory / "out.mp4", env={"PATH": str(bin_directory)})
        self.assertEqual(status, 1)
        self.assertIn("ffmpeg failed with status 3", log)
        for wrong in [["--to", "0:90x"], ["--size", "321x180"], ["--from", 2, "--to", 1]]:
            self.assertEqual(raim(*words, *wrong, "out.mp4")[0], 64)
        self.assertEqual(raim("--render", self.directory / "none.raimrec", "--size", "320x180",
                              "out.mp4")[0], 66)
        self.assertEqual(raim(*words, "--follow", "Nobody", "out.mp4")[0], 66)

    def test_damage_ends_a_video_where_it_is(self):
        written = self.directory / "frames"
        ffmpeg = self.directory / "ffmpeg"
        ffmpeg.write_text(f"#!/bin/sh\ncat > {written}\n", encoding="utf-8")
        ffmpeg.chmod(0o755)
        def damage(data):
            data[len(data) // 2:len(data) // 2 + 8] = b"damaged!"
            return data
        status, log = raim("--render", self.damaged("bad.raimrec", damage), "--from", 9, "--size",
                           "320x180", "out.mp4", env={"PATH": f"{self.directory}:/bin"})
        self.assertEqual(status, 1)
        self.assertRegex(log, r"damaged from 0:[12]0\.0 on, in the frame at byte \d+: ")
        self.assertGreater(written.stat().st_size, 320 * 180 * 4 * 50)


@unittest.skipUnless(shutil.which("Xvfb") and shutil.which("xdotool"),
                     "wants Xvfb and xdotool (./dev deps --all)")
class WindowTest(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.home = pathlib.Path(stack.enter_context(
            tempfile.TemporaryDirectory(prefix="raim-home-")))
        self.pixels = self.home / "pixels"
        self.pixels.mkdir()
        self.display = stack.enter_context(x_server(f"{SIZE[0]}x{SIZE[1]}x24", pixels=self.pixels))
        self.stage = stack.enter_context(Stage())
        self.recordings = self.home / "raim/recordings"
        self.recordings.mkdir(parents=True)
        self.file = record(self.recordings / "match.raimrec")

    def open(self, *words):
        self.game = self.stage._start(
            Program, [BIN / "raim", "--size", f"{SIZE[0]}x{SIZE[1]}", *words],
            {"DISPLAY": self.display, "SDL_VIDEODRIVER": "x11", "SDL_RENDER_DRIVER": "software",
             # Libraries that SDL loads and unloads leak.
             "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
             "SDL_AUDIODRIVER": "dummy", "HOME": str(self.home), "XDG_DATA_HOME": str(self.home),
             "XDG_CONFIG_HOME": str(self.home), "XDG_STATE_HOME": str(self.home)})
        window = poll("a window", lambda: find_window(self.display, "raim"), 3 * START_S)
        self.xdo("windowmove", window, 0, 0)
        self.xdo("windowfocus", window)

    def xdo(self, *words):
        return xdo(self.display, *words)

    def click(self, x, y):
        self.xdo("mousemove", round(x), round(y), "click", 1)

    def screen(self):
        return read_screen(self.pixels)

    def wait(self, what, is_so):
        return self.game.poll(what, lambda: is_so(self.screen()), 2 * START_S)

    def marker(self, screen):
        """Where the timeline's marker is, a part of its length; None while nothing is drawn."""
        white = [x for x in range(SIZE[0]) if min(screen[x, BAR_Y]) > 235]
        return (sum(white) / len(white) - BAR_LEFT) / BAR_WIDTH if len(white) > 4 else None

    def wait_marker(self, part):
        self.xdo("mousemove", 200, 60) # away from the bar
        self.wait(f"marker at {part}",
                  lambda screen: abs((self.marker(screen) or 9) - part) < 0.03)

    def wait_standing(self):
        """What is shown once that no longer changes."""
        def stands(screen):
            time.sleep(0.3)
            return self.screen().pixels == screen.pixels and screen
        return self.wait("a picture that stands", stands)

    def colour_in_middle(self, screen, dx=0):
        """The colour of a player's disc in the middle of the view; None: there is none."""
        x, y = MIDDLE[0] + dx, MIDDLE[1]
        around = [screen[x + 4 * i, y + 4 * k] for i, k in [(1, 1), (-1, 1), (1, -1), (-1, -1)]]
        colour = max(around, key=around.count)
        # The floor and the walls are dark.
        return colour if around.count(colour) >= 3 and max(colour) > 140 else None

    def follow_living(self):
        """Follows one player after another until one is alive; what is then shown."""
        for _ in range(8):
            screen = self.screen()
            if self.colour_in_middle(screen):
                break
            self.xdo("key", "e")
            self.wait("another player", lambda now, then=screen: now.part(*WHO) != then.part(*WHO))
        return self.screen()

    def test_the_timeline_seeks_and_players_are_followed(self):
        self.open(self.file)
        self.wait("the recording", self.marker)
        self.click(BAR_LEFT + 0.5 * BAR_WIDTH, BAR_Y)
        self.wait_marker(0.5)
        self.xdo("key", "space")
        paused = self.wait_standing()
        # Some ticks back and on again is the same picture.
        self.xdo("key", *["comma"] * 7)
        self.wait("a time before", lambda screen: screen.part(*TIME) != paused.part(*TIME))
        before = self.wait_standing()
        self.xdo("key", *["period"] * 6)
        self.wait("another time", lambda screen: screen.part(*TIME) != before.part(*TIME))
        self.xdo("key", *["comma"] * 6)
        self.wait("the picture again", lambda screen: screen.pixels == before.pixels)
        shown = self.follow_living()
        colour = self.colour_in_middle(shown)
        self.assertIsNotNone(colour, "a player in the middle")
        # Flying begins there; the view is dragged, and a click on the player follows again.
        self.click(*FLY)
        self.wait("a free view", lambda screen: screen.part(*WHO) != shown.part(*WHO))
        self.xdo("mousemove", 300, 450, "mousedown", 1, "mousemove", 250, 450)
        self.wait("the view dragged", lambda screen: self.colour_in_middle(screen, -50) == colour)
        self.xdo("mouseup", 1)
        self.click(MIDDLE[0] - 50, MIDDLE[1])
        self.xdo("mousemove", 200, 60)
        self.wait("the player again", lambda screen: screen.part(*WHO) == shown.part(*WHO)
                  and self.colour_in_middle(screen) == colour)
        # Another one is another picture.
        self.xdo("key", "e")
        self.wait("another player", lambda screen: screen.part(*WHO) != shown.part(*WHO))

    def test_the_home_screen_lists_recordings(self):
        self.open()
        self.wait("the home screen", lambda screen: len(set(screen.pixels[::401])) > 3)
        self.click(*RECORDINGS_BUTTON)
        self.xdo("key", "Return")
        self.wait("the recording", self.marker)
        self.xdo("key", "Escape", "Down", "Down", "Return") # leave, to the list
        self.wait("the list", lambda screen: self.marker(screen) is None)
        settings = json.loads((self.home / "raim/settings").read_text(encoding="utf-8"))
        self.assertEqual(settings["recordings"], str(self.recordings))


if __name__ == "__main__":
    harness.main()
