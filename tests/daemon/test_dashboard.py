#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The dashboard: what its page may load, what its streams tell and when, and, where Chromium is
installed, that it draws."""

import contextlib
import json
import re
import socket
import subprocess
import time
import unittest

import browser
import harness
import proxy
from harness import Stage, arena
from stalls import Stalls

DIRECTORY = harness.ROOT / "daemon/status/dashboard"
DELAY_S = 1
VIEWERS = 20


class Stream:
    """A viewer: its socket and the events so far."""

    def __init__(self, daemon, name="first", headers=""):
        self.socket = socket.create_connection(daemon.status_address, timeout=harness.START_S)
        self.socket.sendall(f"GET /arenas/{name}/stream HTTP/1.0\r\n{headers}\r\n".encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while line := self.file.readline().strip().decode():
            key, _, value = line.partition(": ")
            self.headers[key] = value

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def event(self):
        """The kind and the content of the next one."""
        kind = "message"
        while line := self.file.readline().rstrip(b"\n").decode():
            key, _, value = line.partition(": ")
            if key == "event":
                kind = value
            else:
                text = value
        return kind, json.loads(text)


class DashboardTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stage = cls.enterClassContext(Stage())
        cls.daemon = stage.serve(arena("first", bots=8, spectator_delay=float(DELAY_S)),
                                 arena("second", bots=4, spectator_delay=0.0), workers=2)

    def test_page_loads_nothing_from_elsewhere(self):
        page = self.daemon.ask("/")
        self.assertEqual(page.status, 200)
        self.assertEqual(page.getheader("Content-Type"), "text/html; charset=utf-8")
        policy = page.getheader("Content-Security-Policy")
        self.assertTrue(policy.startswith("default-src 'none'; "))
        self.assertNotIn("unsafe", policy)
        self.assertEqual(page.getheader("X-Content-Type-Options"), "nosniff")
        for name in ("dashboard.css", "dashboard.js"):
            self.assertIn(f'"dashboard/{name}"', page.text)
        for path in DIRECTORY.glob("*.[cj]s*"):
            part = self.daemon.ask(f"/dashboard/{path.name}")
            kind = "css" if path.suffix == ".css" else "javascript"
            self.assertEqual((part.status, part.getheader("Content-Type")),
                             (200, f"text/{kind}; charset=utf-8"), path)
            self.assertNotIn("//", part.text.replace("// ", ""))
            self.assertNotIn("innerHTML", part.text)
        self.assertNotIn("//", page.text)
        # Relative, so that it works in a folder.
        self.assertEqual(re.findall(r'(?:src|href|action)="[/\\]', page.text), [])

    def test_map_has_a_border_and_obstacles(self):
        shown = self.daemon.get_json("/arenas/first/map")
        left, bottom, right, top = shown["border"]
        self.assertEqual(shown["name"], "first")
        self.assertTrue(shown["obstacles"])
        for outline in shown["obstacles"]:
            self.assertTrue(all(left <= x <= right for x in outline[::2]))
            self.assertTrue(all(bottom <= y <= top for y in outline[1::2]))
        self.assertEqual(self.daemon.ask("/arenas/third/map").status, 404)

    def test_players_of_a_stream_move(self):
        border = self.daemon.get_json("/arenas/first/map")["border"]
        with Stream(self.daemon) as stream:
            self.assertEqual(stream.status, 200)
            self.assertEqual(stream.headers["Content-Type"], "text/event-stream")
            self.assertEqual(stream.event(), ("hello", {"delay_ms": DELAY_S * 1000}))
            seen = [stream.event()[1] for _ in range(20)]
        ticks = [event["tick"] for event in seen]
        self.assertEqual(ticks, sorted(set(ticks)))
        places = {}
        for event in seen:
            for number, x, y, _, _ in event["players"]:
                self.assertTrue(border[0] <= x <= border[2] and border[1] <= y <= border[3])
                places.setdefault(number, set()).add((x, y))
        self.assertTrue(any(len(found) > 5 for found in places.values()), places)

    def test_viewers_see_the_same(self):
        def watching():
            with contextlib.ExitStack() as stack:
                streams = [stack.enter_context(Stream(self.daemon)) for _ in range(VIEWERS)]
                if any(stream.status != 200 for stream in streams):
                    return None
                self.addCleanup(stack.pop_all().close)
                return streams
        # Viewers of other tests may not be gone yet.
        streams = self.daemon.poll("room for all viewers", watching)
        seen = [{} for _ in streams]
        for _ in range(16):
            for stream, events in zip(streams, seen): # in turns: who reads late is dropped
                _, event = stream.event()
                if "tick" in event:
                    events[event["tick"]] = event
        common = set.intersection(*map(set, seen))
        self.assertGreater(len(common), 3)
        for tick in common:
            self.assertTrue(all(events[tick] == seen[0][tick] for events in seen))

    def test_everybody_sees_everything_late_who_has_no_token(self):
        for headers in ("", "X-Forwarded-For: 127.0.0.1\r\n", "CF-Connecting-IP: 127.0.0.1\r\n",
                        "Authorization: Bearer 0123456789abcdef\r\n"):
            with self.subTest(headers), Stream(self.daemon, headers=headers) as stream:
                self.assertEqual(stream.event(), ("hello", {"delay_ms": DELAY_S * 1000}))
                late = stream.event()[1]
                newest = self.daemon.get_json("/arenas/first")["tick"]
                self.assertGreaterEqual(newest - late["tick"], 0.8 * DELAY_S * harness.TICK_HZ)
        with Stream(self.daemon, "second") as stream:
            self.assertEqual(stream.event(), ("hello", {"delay_ms": 0}))

    def test_too_many_viewers_are_told_so(self):
        with contextlib.ExitStack() as stack:
            for _ in range(128):
                stack.enter_context(Stream(self.daemon, "second"))
            with Stream(self.daemon, "second") as late:
                self.assertEqual(late.status, 503)
            self.assertEqual(self.daemon.ask("/healthz").status, 200)

    @unittest.skipIf(browser.CHROMIUM is None, browser.WITHOUT)
    def test_page_draws_what_happens(self):
        url = "http://{}:{}/".format(*self.daemon.status_address)
        drawing = "document.getElementById('live').toDataURL()"
        with browser.Browser() as page:
            for width, height, scheme in ((1280, 800, "light"), (390, 844, "dark")):
                with self.subTest(scheme):
                    page.open(url, width, height, scheme)
                    harness.poll("live map", lambda: page.evaluate(
                        "document.getElementById('caption')?.textContent") ==
                        f"shown with the spectator delay of {DELAY_S} s", 30)
                    before = page.evaluate(drawing)
                    harness.poll("movement", lambda: page.evaluate(drawing) != before)
                    harness.poll("players", lambda: page.evaluate(
                        "document.getElementById('players').rows.length") == 8)
                    # A page that is too high has a bar at its side, and no less room than it needs.
                    self.assertEqual(page.evaluate("document.documentElement.scrollWidth"),
                                     page.evaluate("document.documentElement.clientWidth"))
            page.evaluate("document.querySelector('#arenas :checked').focus()")
            page.press("ArrowRight")
            harness.poll("the other arena", lambda: page.evaluate("location.hash") == "#second")
            harness.poll("its players", lambda: page.evaluate(
                "document.getElementById('players').rows.length") == 4)
            harness.poll("what is not late", lambda: page.evaluate(
                "document.getElementById('caption')?.textContent") == "live")
            self.assertEqual(page.said, [])


    @unittest.skipIf(browser.FIREFOX is None, browser.WITHOUT)
    def test_firefox_draws_it_too(self):
        drawing = "document.getElementById('live').toDataURL()"
        with browser.Firefox() as page:
            page.open("http://{}:{}/#second".format(*self.daemon.status_address))
            harness.poll("live map", lambda: page.evaluate(
                "document.getElementById('caption')?.textContent") == "live", 30)
            before = page.evaluate(drawing)
            harness.poll("movement", lambda: page.evaluate(drawing) != before)
            harness.poll("players", lambda: page.evaluate(
                "document.getElementById('players').rows.length") == 4)
            self.assertEqual(page.evaluate("document.getElementById('arenas').rows.length"), 2)
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth"),
                             page.evaluate("document.documentElement.clientWidth"))


@unittest.skipIf(browser.CHROMIUM is None, browser.WITHOUT)
class RoundTest(unittest.TestCase):
    """The page follows what the operator does."""

    def test_page_shows_the_round_and_another_map(self):
        stage = self.enterContext(Stage())
        stage.directory.joinpath("run").mkdir()
        daemon = stage.serve(arena("first", bots=4, round_time=3600, score_limit=1000,
                                   spectator_delay=0.0),
                             env={"RUNTIME_DIRECTORY": str(stage.directory / "run")})
        def order(*words):
            subprocess.run([harness.BIN / "raimctl", "-s", stage.directory / "run/control.sock",
                            *words], check=True, timeout=harness.START_S)
        def text():
            return page.evaluate("document.getElementById('round')?.textContent") or ""
        with browser.Browser() as page:
            page.open("http://{}:{}/".format(*daemon.status_address), 1280, 800, "light")
            shown = harness.poll("the round", text, 30)
            self.assertRegex(shown, r"^Round 1 \u00b7 (60:00|59:\d\d) left \u00b7 to 1000 points$")
            order("arena", "pause", "first")
            harness.poll("the pause", lambda: "paused" in text())
            order("arena", "resume", "first")
            harness.poll("the end of the pause", lambda: "paused" not in text())
            shape = "document.getElementById('live').style.aspectRatio"
            before = harness.poll("the map", lambda: page.evaluate(shape))
            order("arena", "map", "first", str(harness.ROOT / "config/maps/duel.conf"))
            harness.poll("the other map", lambda: page.evaluate(shape) != before)
            self.assertEqual(page.said, [])


HOSTILE = "<img src=x onerror=alert(1)>" # longer than a name may be
WIDE = "\u2a00" * 8                      # 24 bytes, each letter as wide as two


def rename(body):
    """Gives two players names that a page must not believe."""
    return body.replace(b'"Bot 1"', json.dumps(HOSTILE).encode()).replace(
        b'"Bot 2"', json.dumps(WIDE).encode())


@unittest.skipIf(browser.CHROMIUM is None, browser.WITHOUT)
class ProxyTest(unittest.TestCase):
    """The page in a folder of a proxy, with thirty arenas, with hostile names, and without a
    server."""

    def test_page_of_thirty_arenas(self):
        stage = self.enterContext(Stage())
        names = [f"arena-{number:02}" for number in range(30)]
        daemon = stage.serve(*(arena(name, bots=3 if name == names[7] else 0, spectator_delay=0.0,
                                     hostname=f"<b>{name}</b> of the house") for name in names))
        url, paths = self.enterContext(proxy.proxy(daemon.status_address, rename))
        page = self.enterContext(browser.Browser())
        def text(expression):
            return page.evaluate(expression)
        def shown():
            return text("[...document.getElementById('arenas').rows]"
                        ".map(row => row.cells[0].textContent).join()")
        page.open(f"{url}#{names[7]}")
        harness.poll("all arenas", lambda: shown() == ",".join(names), 30)
        harness.poll("players", lambda: text("document.getElementById('players').rows.length") == 3)
        cells = "[...document.getElementById('players').rows].map(row => row.cells[0].textContent)"
        self.assertIn(HOSTILE, text(cells))
        self.assertEqual(text("document.images.length"), 0)
        for width in 1280, 390:
            page.open(f"{url}#{names[7]}", width)
            harness.poll("players", lambda: text(
                "document.getElementById('players')?.rows.length") == 3, 30)
            self.assertEqual(text("document.documentElement.scrollWidth"),
                             text("document.documentElement.clientWidth"))
            table = "document.querySelector('#players').closest('.scroll')"
            self.assertEqual(text(f"{table}.scrollWidth"), text(f"{table}.clientWidth"))
        def type_filter(words):
            page.evaluate(f"document.getElementById('filter').value = '{words}';"
                          "document.getElementById('filter').dispatchEvent(new Event('input'))")
        type_filter("ARENA-1")
        self.assertEqual(shown(), ",".join(names[10:20]))
        type_filter("")
        click = "document.querySelectorAll('#arenas-head button')[{}].click()"
        page.evaluate(click.format(0))
        page.evaluate(click.format(0)) # the other way
        self.assertEqual(shown(), ",".join(reversed(names)))
        harness.poll("plots of the server's samples", lambda: text(
            "document.querySelector('[data-plot=players] .legend')?.textContent") ==
            "players 0spectators 0")
        self.assertEqual(page.said, [])
        self.assertEqual([path for path in paths if not path.startswith(proxy.FOLDER)], [])
        self.assertEqual({path.partition("?")[0] for path in paths} & {
            f"{proxy.FOLDER}/status", f"{proxy.FOLDER}/metrics"}, set())
        daemon.kill()
        stage.programs.remove(daemon)
        harness.poll("the word", lambda: text(
            "!document.getElementById('down').hidden && document.getElementById('down').innerText"),
            30)
        words = text("document.getElementById('down').innerText")
        self.assertRegex(words, r"(?s)^DOWN.since .*, for \d+ s$")
        self.assertTrue(text("parseFloat(getComputedStyle(document.querySelector('#down strong'))"
                             ".fontSize) > 35"))
        self.assertLess(float(text("getComputedStyle(document.querySelector('main')).opacity")), 0.5)


class HistoryTest(unittest.TestCase):
    def test_first_sample_comes_after_a_second(self):
        stage = self.enterContext(Stage())
        daemon = stage.serve(arena("first", bots=4))
        begin = time.monotonic()
        hour = daemon.poll("a sample", lambda: (got := daemon.get_json("/history"))["count"] and got)
        self.assertLess(time.monotonic() - begin, 8)
        self.assertEqual(hour["bots"], [4])
        self.assertEqual(len(hour["workers_permille"]), daemon.get_json()["workers"])
        ours = daemon.get_json("/arenas/first/history")
        self.assertEqual((ours["count"], ours["bots"]), (1, [4]))
        self.assertGreater(ours["tick_p99_us"][0], 0)
        self.assertEqual(daemon.ask("/arenas/second/history").status, 404)


class TokenTest(unittest.TestCase):
    def test_the_token_of_the_configuration_sees_without_delay(self):
        stage = self.enterContext(Stage())
        token = stage.directory / "token"
        token.write_text("0123456789abcdef\n", encoding="ascii")
        token.chmod(0o640)
        text = harness.config(arena("first", bots=1), http_live_token_file="token")
        daemon = stage.raimd("-c", stage.write_config(text)).wait_started()
        with Stream(daemon, headers="Authorization: Bearer 0123456789abcdef\r\n") as stream:
            self.assertEqual(stream.event(), ("hello", {"delay_ms": 0}))
            stalls = Stalls(daemon.pid)
            newest = stream.event()[1]["tick"]
            late = daemon.get_json("/arenas/first")["tick"] - newest
            self.assertLessEqual(late, (1 + stalls.seconds()) * harness.TICK_HZ)
        with Stream(daemon, headers="Authorization: Bearer 0123456789abcdeF\r\n") as stream:
            self.assertEqual(stream.status, 401)
        with Stream(daemon) as stream:
            self.assertEqual(stream.event(), ("hello", {"delay_ms": 10000}))


class SlowViewerTest(unittest.TestCase):
    def test_slow_viewer_is_dropped(self):
        with Stage() as stage, contextlib.ExitStack() as stack:
            daemon = stage.serve(arena("first", bots=200, spectator_delay=0.0,
                                       map=str(harness.ROOT / "config/maps/ruins.conf")))
            slow = stack.enter_context(socket.socket())
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(daemon.status_address)
            slow.sendall(b"GET /arenas/first/stream HTTP/1.0\r\n\r\n")
            keen = stack.enter_context(Stream(daemon))
            port = slow.getsockname()[1]
            def dropped():
                keen.event()
                with open("/proc/net/tcp", encoding="ascii") as lines:
                    states = [line.split()[3] for line in lines
                              if line.split()[2].endswith(f":{port:04X}")]
                return "01" not in states   # established
            begin = time.monotonic()
            harness.poll("end of the slow viewer", dropped, 60, 0)
            print(f"a viewer that reads nothing was dropped after {time.monotonic() - begin:.1f} s")
            self.assertEqual(keen.event()[0], "message")


if __name__ == "__main__":
    harness.main()
