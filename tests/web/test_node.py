#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The game of the page, in Node.js, plays on a real raimd over UDP."""

import contextlib
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "daemon"))
# pylint: disable=wrong-import-position
import harness
from harness import Stage, arena
from stalls import Stalls

from page import PAGE, WITHOUT

NODE = shutil.which("node")
PLAYER = pathlib.Path(__file__).with_name("player.mjs")
PLAY_S = 4
LARGEST_BYTES = 1124 # small_datagrams of client.h
PLAYING = 2 # enum raim_client_state
WASM_BYTES, PAGE_BYTES = 1_000_000, 500_000
JAVASCRIPT_LINES = 800
RECORDING_MB = 128


def play(daemon, seconds=PLAY_S, host="127.0.0.1", **options):
    """What the player saw, and how many of its inputs the server missed."""
    server = f"{host}:{daemon.ports[0]}"
    missed = 0
    with subprocess.Popen([NODE, PLAYER, PAGE, server, str(seconds), json.dumps(options)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while process.poll() is None:
            for player in daemon.get_json()["arenas"][0]["players"]:
                if player["name"] == "Node":
                    missed = max(missed, player["inputs_missed"])
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
        out, errors = process.communicate(timeout=harness.START_S)
    assert process.returncode == 0 and not errors, errors
    return json.loads(out), missed


@unittest.skipIf(PAGE is None, WITHOUT)
class PageTest(unittest.TestCase):
    def test_it_is_small(self):
        compressed = sum(path.stat().st_size for path in PAGE.glob("*.gz"))
        self.assertLess(compressed, PAGE_BYTES)
        self.assertLess((PAGE / "raim.wasm").stat().st_size, WASM_BYTES)
        lines = sum(len(path.read_text(encoding="utf-8").splitlines())
                    for kind in ("js", "html", "css") for path in (harness.ROOT / "client/page").glob(f"*.{kind}"))
        self.assertLess(lines, JAVASCRIPT_LINES)

    def test_nothing_but_its_own_scripts_runs(self):
        text = (PAGE / "index.html").read_text(encoding="utf-8")
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        self.assertEqual(rules["default-src"], "'none'")
        self.assertEqual(rules["script-src"], "'self' 'wasm-unsafe-eval'")
        self.assertEqual(policy.count("unsafe"), 1)
        self.assertEqual(re.findall(r"<script[^>]*>", text), ['<script type="module" src="raim.js">'])
        self.assertNotRegex(text, r"<style|\s(style|on\w+)=")
        for path in PAGE.glob("*.js"):
            self.assertNotRegex(path.read_text(encoding="utf-8"),
                                r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function")

    @unittest.skipIf(NODE is None, "no Node.js here (Debian: nodejs)")
    def test_game_and_page_call_what_the_other_has(self):
        program = """const page = process.argv[1], {imports} = await import(`${page}/imports.js`);
            const module = new WebAssembly.Module((await import("node:fs")).readFileSync(`${page}/raim.wasm`));
            console.log(JSON.stringify({
                imports: WebAssembly.Module.imports(module).filter(one => one.module === "page").map(one => one.name),
                has: Object.keys(imports({sessions: {}, window: {}})),
                exports: WebAssembly.Module.exports(module).map(one => one.name)}))"""
        found = json.loads(subprocess.run([NODE, "--input-type=module", "-e", program, PAGE], text=True, check=True,
                                          capture_output=True, timeout=harness.LIFE_S).stdout)
        self.assertEqual(sorted(found["imports"]), sorted(found["has"]))
        called = set(re.findall(r"\bgame\.(\w+)", "".join(
            (PAGE / name).read_text(encoding="utf-8") for name in ("raim.js", "events.js", "imports.js"))))
        self.assertEqual(set(found["exports"]), called)

    def test_it_names_all_licences(self):
        text = (PAGE / "licences.html").read_text(encoding="utf-8")
        for words in ("Petri Lehtinen", "Lee Salzman", "Frank Denis", "Meta Platforms", "xxHash", "wasi-libc"):
            self.assertIn(words, text)


@unittest.skipIf(PAGE is None, WITHOUT)
@unittest.skipIf(NODE is None, "no Node.js here (Debian: nodejs)")
class NodeTest(unittest.TestCase):
    def test_it_joins_walks_shoots_chats_and_leaves(self):
        with Stage() as stage:
            daemon = stage.serve(arena(bots=4))
            seen, missed = play(daemon)
            joined, played = seen["joined"], seen["played"]
            print(f"{seen['frames']} frames of {seen['frame_ms']:.2f} ms, {seen['memory'] >> 20} MiB, "
                  f"{missed} inputs missed, {played}")
            self.assertEqual((joined["state"], played["state"]), (PLAYING, PLAYING))
            self.assertEqual(played["decode_errors"], 0)
            self.assertGreater(played["snapshots"], 30)
            self.assertGreater(played["predictions"], 30)
            if missed == 0:
                self.assertEqual(played["mispredictions"], 0)
            self.assertGreater(math.dist((joined["x"], joined["y"]), (played["x"], played["y"])), 20)
            self.assertGreater(played["shots"], 0)
            self.assertLessEqual(played["largest_datagram"], LARGEST_BYTES)
            self.assertIn("hello from node", seen["written"])
            self.assertTrue(seen["hasLeft"])
            daemon.wait_players(0)
            rejected = daemon.get_json()["arenas"][0]["rejections"]
            self.assertEqual((rejected["malformed"], rejected["unexpected"]), (0, 0))

    def test_it_resumes_as_soon_as_the_gateway_has_lost_it(self):
        """Before the silence tells, which takes 1.5 s."""
        with Stage() as stage:
            daemon = stage.serve(arena())
            stalls = Stalls(daemon.pid)
            seen, _ = play(daemon, 1, servers=[], loses=True)
            print(f"resumed after {seen['resumedMs']:.0f} ms")
            self.assertEqual((seen["played"]["state"], seen["played"]["resumes"]), (PLAYING, 1))
            self.assertLess(seen["resumedMs"], 1000 + 1000 * stalls.seconds())

    def test_a_server_that_is_not_there_is_named(self):
        result = subprocess.run([NODE, PLAYER, PAGE, "127.0.0.1:9", "0.1"], text=True, check=True,
                                capture_output=True, timeout=harness.LIFE_S)
        seen = json.loads(result.stdout)
        self.assertIn("No answer from 127.0.0.1:9", seen["written"])

    def test_the_gateway_knows_the_keys_of_servers(self):
        with Stage() as stage:
            daemon = stage.serve(arena())
            key = re.search(r"server key loaded key=(\w{64})", daemon.log)[1]
            address = f"127.0.0.1:{daemon.ports[0]}"
            for told in (key, key[::-1]):
                seen, _ = play(daemon, 0.5, servers=[{"address": address, "key": told}])
                self.assertEqual(seen["joined"]["state"] == PLAYING, told == key)
                self.assertEqual(f"{address} has another key than before" in seen["written"], told != key)

    def test_a_gateway_changes_nothing_that_is_known_by_another(self):
        with Stage() as stage:
            daemon = stage.serve(arena())
            for gateway in ("one.example", "two.example:9"):
                # This machine by an address whose key is remembered.
                seen, _ = play(daemon, 0.5, host="0.0.0.0", gateway=gateway)
                self.assertEqual(seen["joined"]["state"], PLAYING)
                known = [name for name in seen["stored"] if name.endswith("known_servers")]
                self.assertEqual(known, [f"raim:state/{gateway}/raim/known_servers"])

    def watch(self, recording, seconds=1.5, **options):
        result = subprocess.run([NODE, PLAYER, PAGE, recording, str(seconds), json.dumps(options)], text=True,
                                check=True, capture_output=True, timeout=harness.LIFE_S)
        self.assertEqual(result.stderr, "")
        return json.loads(result.stdout)

    def test_it_shows_a_recording_of_its_site(self):
        seen = self.watch(harness.ROOT / "tests/golden/crossfire.raimrec")
        self.assertGreater(seen["frames"], 10)
        self.assertTrue(any(words.endswith(" / 0:15") for words in seen["written"]), seen["written"])

    def test_a_damaged_link_is_rejected_as_a_whole(self):
        recording = harness.ROOT / "tests/golden/crossfire.raimrec"
        for name, value in (("watch", "../servers.json"), ("watch", "a?b"), ("gateway", "one.example/x?"),
                            ("matchmaker", "https://one.example/?x="), ("server", "one two"), ("access", "+"),
                            ("hash", "<b>"), ("name", "x" * 600)):
            with self.subTest(name=name):
                seen = self.watch(recording, 0.3, **{name: value})
                self.assertIn("This link is damaged", seen["written"])
                self.assertIn(f'"{name}" in its address is wrong. Ask for another link', seen["written"])
                self.assertEqual(seen["asked"], [])

    def test_what_it_fetches_is_bounded_and_has_no_cookies(self):
        seen = self.watch("endless.raimrec", 3)
        self.assertIn("the request failed", seen["written"])
        self.assertLess(seen["sentBytes"], (RECORDING_MB + 8) << 20)
        self.assertEqual(seen["asked"], [{"url": "/recordings/endless.raimrec", "credentials": "omit"}])

    def test_it_says_which_recording_cannot_be_played(self):
        self.assertIn("the site has no such recording (status 404)", self.watch("lost.raimrec")["written"])
        with Stage() as stage:
            path = stage.directory / "bad.raimrec"
            path.write_bytes(b"no recording at all")
            self.assertIn("This recording cannot be played", self.watch(path)["written"])


if __name__ == "__main__":
    harness.main()
