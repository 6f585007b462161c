#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The game in a window of a real X server: clicks and keys, as short as they can be, count once.

Wants Xvfb and xdotool; without them it is skipped.
"""

import contextlib
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
import unittest

import harness
from harness import BIN, START_S, Program, Stage, arena, check_sane, poll
from x_server import find_window, x_server, xdo

SIZE = 800, 600
CLICKS = 12
PAUSE_S = 0.3 # longer than the pause between two shots of a player
PRESS_S = 3   # longer than a bullet flies, and than it takes to see what a press did
STEPS_PER_TICK = 160 # of a player's run: 300 units a second, 32 steps to a unit
MAP = """
name = "open";
border = ( -1500, -1500, 1500, 1500 );
obstacles = ();
spawns = ( ( 0, 0 ) );
"""


def game_env(display, home):
    return {"DISPLAY": display, "SDL_VIDEODRIVER": "x11", "SDL_RENDER_DRIVER": "software",
            # Libraries that SDL loads and unloads leak.
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
            "SDL_AUDIODRIVER": "dummy", "HOME": str(home), "XDG_DATA_HOME": str(home),
            "XDG_CONFIG_HOME": str(home), "XDG_STATE_HOME": str(home)}


def fired_in(lines):
    """By direction, the most bullets that were in flight at once."""
    fired = {}
    for line in lines:
        bullets = [word for word in line.split() if word.startswith("b:")]
        for bullet in bullets:
            vx, vy = map(int, bullet.split(":")[1:])
            way = round(math.degrees(math.atan2(vy, vx)) * CLICKS / 360) % CLICKS
            fired[way] = max(fired.get(way, 0), bullets.count(bullet))
    return fired


def taps_in(lines):
    """The key and the ticks of each movement."""
    path = []
    for line in lines:
        for word in line.split()[1:]:
            x, y = map(int, word.split(":")[1:3])
            if not word.startswith("b:") and (not path or path[-1] != (x, y)):
                path.append((x, y))
    taps = []
    for (x, y), (new_x, new_y) in zip(path, path[1:]):
        steps = abs(new_x - x + new_y - y) / STEPS_PER_TICK
        key = "d" if new_x > x else "a" if new_x < x else "w" if new_y > y else "s"
        if taps and taps[-1][0] == key:
            steps += taps.pop()[1]
        taps.append((key, steps))
    return taps


@unittest.skipUnless(shutil.which("Xvfb") and shutil.which("xdotool"),
                     "wants Xvfb and xdotool (./dev deps --all)")
class WindowTest(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.display = stack.enter_context(x_server())
        self.stage = stack.enter_context(Stage())
        home = stack.enter_context(tempfile.TemporaryDirectory(prefix="raim-home-"))
        self.settings = pathlib.Path(home) / "raim/settings"
        path = self.stage.directory / "open.conf"
        path.write_text(MAP, encoding="utf-8")
        self.daemon = self.stage.serve(arena(map=str(path), bots=0, spectator_delay=0.0))
        self.game = self.stage._start(
            Program, [BIN / "raim", f"127.0.0.1:{self.daemon.ports[0]}", "--name", "Mira",
                      "--size", f"{SIZE[0]}x{SIZE[1]}"],
            game_env(self.display, home))
        status = self.daemon.wait_pressing(1)
        self.player = status["arenas"][0]["players"][0]["id"]
        self.window = self.game.poll("a window", lambda: find_window(self.display, "raim"))
        self.xdo("windowfocus", self.window)
        x, y = self.xdo("getwindowgeometry", "--shell", self.window).split("\n")[1:3]
        self.corner = int(x.removeprefix("X=")), int(y.removeprefix("Y="))

    def xdo(self, *words):
        return xdo(self.display, *words)

    @contextlib.contextmanager
    def watched(self):
        """A list that gets the lines of a spectator of the player as they come."""
        lines = []
        with subprocess.Popen([BIN / "witness", "127.0.0.1", str(self.daemon.ports[0]),
                               str(self.player), str(harness.LIFE_S), "bullets"],
                              stdout=subprocess.PIPE, text=True) as witness:
            reader = threading.Thread(target=lambda: lines.extend(iter(witness.stdout.readline, "")))
            reader.start()
            try:
                poll("a snapshot", lambda: lines)
                yield lines
            finally:
                witness.terminate()
                reader.join()

    def aim(self, degrees):
        x = self.corner[0] + SIZE[0] / 2 + 200 * math.cos(math.radians(degrees))
        y = self.corner[1] + SIZE[1] / 2 - 200 * math.sin(math.radians(degrees))
        self.xdo("mousemove", round(x), round(y))

    def until(self, what, seen, *words):
        """Presses by xdotool until it is seen. Once is enough, unless an input of the player has
        missed its tick: on a busy machine a press may be lost with it."""
        for _ in range(10):
            missed, begin = self.missed(), time.monotonic()
            self.xdo(*words)
            poll(what, lambda: seen() or (time.monotonic() > begin + PRESS_S
                                          and self.missed() > missed))
            if seen():
                return
        self.fail(f"no {what}")

    def missed(self):
        return self.daemon.get_json()["arenas"][0]["players"][0]["inputs_missed"]

    def test_an_instant_click_fires_once_where_it_aims(self):
        with self.watched() as lines:
            for i in range(CLICKS):
                self.aim(i * 360 / CLICKS)
                self.until(f"bullet {i} in {fired_in(lines)}", lambda i=i: i in fired_in(lines),
                           "mousedown", "1", "mouseup", "1") # by one connection, without a pause
                time.sleep(PAUSE_S)
        self.assertEqual(fired_in(lines), dict.fromkeys(range(CLICKS), 1))

    def test_a_tap_of_a_key_moves_one_tick(self):
        keys = 2 * "dwas"
        with self.watched() as lines:
            for i, key in enumerate(keys, 1):
                self.until(f"tap {i} in {taps_in(lines)}", lambda i=i: len(taps_in(lines)) >= i,
                           "keydown", "--delay", 0, key, "keyup", "--delay", 0, key)
                time.sleep(PAUSE_S)
        taps = taps_in(lines)
        self.assertEqual("".join(key for key, _ in taps), keys)
        # On a busy machine the server may get a key's release late.
        self.assertEqual(statistics.median(steps for _, steps in taps), 1, taps)

    def test_what_the_player_has_done_needs_no_hint_any_more(self):
        def learned():
            with contextlib.suppress(FileNotFoundError):
                return set(json.loads(self.settings.read_text(encoding="utf-8"))["learned"].split())
            return set()
        self.assertLessEqual(learned(), {"aim"}) # the window may have opened under the mouse
        done = {"aim"}
        self.aim(0)
        self.aim(120)
        for word, *press in (("move", "key", "d"), ("fire", "click", "1"), ("scores", "keydown", "Tab"),
                             ("menu", "key", "Escape")):
            self.until(word, lambda word=word: word in learned(), *press)
            done.add(word)
        self.xdo("keyup", "Tab")
        self.assertEqual(learned(), done)



@unittest.skipUnless(shutil.which("Xvfb") and shutil.which("xdotool"),
                     "wants Xvfb and xdotool (./dev deps --all)")
class CredentialTest(unittest.TestCase):
    """An arena with a password or access tokens: the game asks for it, and never tries again by
    itself."""

    def ask(self, kind, keys, wrong, right):
        """Types credentials into a game whose arena has these keys; the status with its player."""
        with (x_server() as display, Stage() as stage,
              tempfile.TemporaryDirectory(prefix="raim-home-") as home):
            daemon = stage.serve(arena(**keys))
            stage._start(Program, [BIN / "raim", f"127.0.0.1:{daemon.ports[0]}", "--name", "Mira",
                                   "--size", f"{SIZE[0]}x{SIZE[1]}"], game_env(display, home))

            def rejected():
                return daemon.get_json()["arenas"][0]["rejections"][kind]

            window = poll("the window", lambda: find_window(display, "raim"))
            xdo(display, "windowfocus", "--sync", window)
            poll("the rejection without one", lambda: rejected() == 1)
            for number, typed in ((2, wrong), (None, right)):
                # Its text is shown a moment after the rejection, and what is typed before is lost.
                time.sleep(1)
                xdo(display, "type", "--delay", "30", typed)
                xdo(display, "key", "Return")
                if number is not None:
                    poll("the rejection of a wrong one", lambda: rejected() >= number)
            status = daemon.wait_players(1)
            self.assertEqual(rejected(), 2)
            return status

    def test_the_game_asks_until_the_password_is_right(self):
        lock = subprocess.run([BIN / "raimctl", "password"], input="open sesame\n", text=True,
                              capture_output=True, check=True).stdout.strip()
        self.ask("password", {"password": lock}, "open sesam", "open sesame")

    def test_the_game_asks_for_an_access_token(self):
        def raimctl(*words):
            return subprocess.run([BIN / "raimctl", "token", *map(str, words)], text=True,
                                  capture_output=True, check=True).stdout.strip()

        with tempfile.TemporaryDirectory(prefix="raim-key-") as directory:
            key, other = (f"{directory}/{name}" for name in ("key", "other"))
            public, _ = raimctl("key", key), raimctl("key", other)
            wrong, right = (raimctl("make", "--key", each, "--arena", "arena", "--name", "Ada")
                            for each in (other, key))
        status = self.ask("access", {"access": "token", "access_key": public}, wrong, right)
        self.assertEqual([row["name"] for row in status["arenas"][0]["players"]], ["Ada"])


@unittest.skipUnless(shutil.which("Xvfb"), "wants Xvfb (./dev deps --all)")
class SoundTest(unittest.TestCase):
    def test_a_machine_without_sound_says_so_in_one_line(self):
        with x_server() as display, tempfile.TemporaryDirectory(prefix="raim-home-") as home:
            config = pathlib.Path(home) / "asound.conf" # a sound card that there is not
            config.write_text("pcm.!default { type hw card 31 }\n", encoding="ascii")
            env = game_env(display, home) | {"SDL_AUDIODRIVER": "alsa",
                                             "ALSA_CONFIG_PATH": str(config)}
            result = subprocess.run([BIN / "raim", "127.0.0.1:9", "--frames", "5"], text=True,
                                    check=False, capture_output=True, timeout=3 * START_S,
                                    env=os.environ | env)
        check_sane(result.stderr)
        lines = [line for line in result.stderr.splitlines() if "sound" in line or "ALSA" in line]
        self.assertRegex("\n".join(lines), r"^raim: no sound: [^\n]*$")


if __name__ == "__main__":
    harness.main()
