#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The game's home screen in a window of a real X server: a first-time player is in an arena and has
fired after three clicks and ten seconds; Esc leads home and never out of the program.

Wants Xvfb and xdotool; without them it is skipped.
"""

import contextlib
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import harness
from harness import BIN, START_S, Program, Stage, arena, poll
from test_window import MAP, game_env
from x_server import find_window, read_screen, x_server, xdo

SIZE = 1280, 720
ADDRESS_FIELD, PLAY_BUTTON, NAME_FIELD = (500, 192), (935, 192), (330, 125)
SPECTATE_BUTTON = (1055, 192)
ALLOWED_S = 30 # 2.2 on an idle machine; a busy one may be slower


@unittest.skipUnless(shutil.which("Xvfb") and shutil.which("xdotool"),
                     "wants Xvfb and xdotool (./dev deps --all)")
class HomeTest(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        pixels = pathlib.Path(stack.enter_context(
            tempfile.TemporaryDirectory(prefix="raim-screen-")))
        self.display = stack.enter_context(x_server(pixels=pixels))
        self.stage = stack.enter_context(Stage())
        self.home = pathlib.Path(stack.enter_context(
            tempfile.TemporaryDirectory(prefix="raim-home-")))
        path = self.stage.directory / "open.conf"
        path.write_text(MAP, encoding="utf-8")
        self.daemon = self.stage.serve(arena(map=str(path), bots=0, spectator_delay=0.0))
        self.started_s = time.monotonic()
        self.game = self.stage._start(
            Program, [BIN / "raim", "--size", f"{SIZE[0]}x{SIZE[1]}"],
            game_env(self.display, self.home))
        window = poll("a window", lambda: find_window(self.display, "raim"), 3 * START_S)
        self.xdo("windowfocus", "--sync", window)
        self.xdo("windowmove", window, 0, 0)
        # The edges of letters have many shades.
        self.game.poll("the home screen", lambda: len(set(
            read_screen(pixels).part(NAME_FIELD[0], NAME_FIELD[1], *PLAY_BUTTON))) > 8, START_S)

    def xdo(self, *words):
        return xdo(self.display, *words)

    def click(self, place):
        self.xdo("mousemove", *place, "click", 1)
        time.sleep(0.1)

    def stored(self, name):
        return json.loads((self.home / "raim" / name).read_text(encoding="utf-8"))

    def join(self):
        self.click(ADDRESS_FIELD)
        self.xdo("type", "--delay", 5, f"127.0.0.1:{self.daemon.ports[0]}")
        self.click(PLAY_BUTTON)
        return self.daemon.wait_pressing(1)["arenas"][0]["players"][0]

    def shots_of(self, player):
        """Clicks once into the arena; how many bullets a spectator of the player has seen."""
        with subprocess.Popen([BIN / "witness", "127.0.0.1", str(self.daemon.ports[0]),
                               str(player["id"]), "4", "bullets"],
                              stdout=subprocess.PIPE, text=True) as witness:
            time.sleep(1)
            self.click((900, 300))
            fired_s = time.monotonic()
            lines = witness.communicate(timeout=START_S)[0].splitlines()
        return fired_s, max((line.count(" b:") for line in lines), default=0)

    def test_a_newcomer_fires_after_three_clicks(self):
        player = self.join()
        self.assertRegex(player["name"], r"^Player \d{3}$")
        fired_s, bullets = self.shots_of(player)
        print(f"fired {fired_s - self.started_s:.1f} s after the start", flush=True)
        self.assertEqual(bullets, 1)
        self.assertLess(fired_s - self.started_s, ALLOWED_S)
        self.assertEqual(self.stored("settings")["name"], player["name"])
        servers = self.stored("servers")["servers"]
        self.assertEqual([server["address"] for server in servers],
                         [f"127.0.0.1:{self.daemon.ports[0]}"])

    def test_an_address_is_edited_and_nonsense_is_not_stored(self):
        self.click(ADDRESS_FIELD)
        for nonsense in ("no server/", "nowhere.invalid"):
            self.xdo("key", "ctrl+a")
            self.xdo("type", "--delay", 5, nonsense)
            self.xdo("key", "Return")
            time.sleep(1) # the name is being resolved
            self.assertFalse((self.home / "raim/servers").exists(), nonsense)
            if "/" not in nonsense:
                self.xdo("key", "Escape") # from there is no such host, home
                time.sleep(0.5)
                self.click(ADDRESS_FIELD)
        # The first and the last character are set right, and one in the middle.
        self.xdo("key", "ctrl+a")
        self.xdo("type", "--delay", 5, f"927.0.0.15:{self.daemon.ports[0]}9")
        self.xdo("key", "BackSpace", "Home", "Delete")
        self.xdo("type", "--delay", 5, "1")
        self.xdo("key", "End", *["Left"] * len(f":{self.daemon.ports[0]}"), "BackSpace", "Return")
        self.daemon.wait_pressing(1)
        servers = poll("a server played on", lambda: (self.home / "raim/servers").exists() and
                       self.stored("servers")["servers"])
        self.assertEqual([server["address"] for server in servers],
                         [f"127.0.0.1:{self.daemon.ports[0]}"])

    def test_a_spectator_joins(self):
        self.stage.bots(self.daemon, 1, 0)
        self.daemon.wait_pressing(1)
        self.click(ADDRESS_FIELD)
        self.xdo("type", "--delay", 5, f"127.0.0.1:{self.daemon.ports[0]}")
        self.click(SPECTATE_BUTTON)
        self.daemon.poll("a spectator",
                         lambda: self.daemon.get_json()["players"]["spectators"] == 1)
        time.sleep(1)
        self.xdo("key", "Escape")
        time.sleep(0.2)
        self.xdo("key", "Down", "Down", "Down", "Return")
        self.daemon.wait_pressing(2)
        self.daemon.poll("no spectator",
                         lambda: self.daemon.get_json()["players"]["spectators"] == 0)

    def test_escape_leads_home_and_never_out(self):
        self.click(NAME_FIELD)
        self.xdo("key", "ctrl+a", *["BackSpace"] * 12)
        self.xdo("type", "--delay", 5, "Mira")
        player = self.join()
        self.assertEqual(player["name"], "Mira")
        self.xdo("key", "Escape") # the menu
        time.sleep(0.2)
        self.xdo("key", "Down", "Down", "Return") # leave
        self.daemon.wait_players(0)
        for _ in range(4):
            self.xdo("key", "Escape")
        # The server played last is the first of the list.
        time.sleep(1)
        self.xdo("key", "Return")
        self.daemon.wait_players(1)
        self.daemon.stop()
        time.sleep(1)
        self.xdo("key", "Escape", "Escape")
        time.sleep(0.5)
        self.assertIsNone(self.game.process.poll(), self.game.log)


if __name__ == "__main__":
    harness.main()
