#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Browsers play through a real raim-web on a real raimd. Their last pictures are kept in build/web/shots."""

import functools
import http.server
import json
import math
import pathlib
import signal
import sys
import threading
import time
import unittest
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "daemon"))
# pylint: disable=wrong-import-position
import browser
import harness
import ports
import x_server
from harness import BIN, Program, Stage, arena, poll

from page import PAGE, WITHOUT

MAPS = harness.ROOT / "config/maps"
SHOTS = harness.ROOT / "build/web/shots"
PLAYING, RESUMING = 2, 3 # enum raim_client_state
SIZE = 800, 450 # of the page, pixels: few, because a processor draws them
SLEEP_S = 30
JOIN_S = 60 # a browser that compiles and draws without a graphics card, beside other tests
KEYS = {"KeyW": "w", "KeyA": "a", "KeyS": "s", "KeyD": "d", "KeyI": "z", "Enter": "Enter", "Escape": "Escape",
        "ArrowDown": "ArrowDown", "ArrowUp": "ArrowUp"} # KeyI as on another layout
CODES = {"Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40}


class Gateway(Program):
    """A raim-web that has started."""


class PlayTest(unittest.TestCase):
    """A raimd, a raim-web, and a page."""

    bots = 6

    def serve(self, **keys):
        self.stage = self.enterContext(Stage())
        state, self.port = self.stage.directory / "state", ports.free_port()
        recordings = state / "recordings"
        recordings.mkdir(parents=True)
        self.state = {"STATE_DIRECTORY": str(state)}
        self.daemon = self.stage.serve(arena(bots=self.bots, **keys), env=self.state,
                                       http_page=f"http://localhost:{self.port}/")
        self.server = f"127.0.0.1:{self.daemon.ports[0]}"
        self.config = self.stage.write_config(
            f'listen = "127.0.0.1:{self.port}";\ntargets = ["{self.server}"];\npage = "{PAGE}";\n'
            f'recordings = "{recordings}";\n', "web.conf")
        self.gateway = self.start_gateway()

    def start_gateway(self):
        gateway = self.stage._start(Gateway, [BIN / "raim-web", "-c", self.config], self.state)
        gateway.poll("the gateway", lambda: "gateway started" in gateway.log)
        return gateway

    def url(self, **options):
        words = "&".join(f"{name}={value}" for name, value in options.items())
        return f"http://localhost:{self.port}/?server={self.server}&{words}"

    def report(self):
        return json.loads(self.page.evaluate("JSON.stringify(globalThis.raim?.report?.() ?? {})") or "{}")

    def wait(self, what, wanted, deadline_s=harness.START_S):
        """Waits until the page's report is as wanted, and returns it."""
        last = {}
        def ready():
            last.update(self.report())
            return last if last and wanted(last) else None
        try:
            return poll(what, ready, deadline_s, 0.1)
        except AssertionError as error:
            raise AssertionError(f"{error}: {last} {self.complaints()}") from None

    def complaints(self):
        return str(getattr(self.page, "said", ""))[-600:]

    def join(self, **options):
        self.page.open(self.url(**options), *SIZE)
        return self.wait("player", lambda report: report.get("state") == PLAYING, JOIN_S)

    def check_policy(self):
        """Only the page's own scripts run, and the policy forbids nothing that the game does."""
        self.assertNotIn("Content Security Policy", str(self.page.said))
        self.page.evaluate("""(() => {
            const script = document.createElement("script");
            script.textContent = "globalThis.injected = true";
            document.body.append(script);
        })()""")
        self.assertEqual(self.page.evaluate("typeof globalThis.injected"), "undefined")

    def missed(self):
        """Inputs that the server missed of its players."""
        return sum(player["inputs_missed"] for player in self.daemon.get_json()["arenas"][0]["players"]
                   if not player["bot"])

    def score(self, name):
        for player in self.daemon.get_json()["arenas"][0]["players"]:
            if player["name"] == name:
                return player["score"], player["deaths"]
        return None

    def check_sound(self):
        """No message was malformed, on both sides, and predictions were right."""
        report, missed = self.report(), self.missed()
        print(f"{report}, {missed} inputs missed")
        self.assertEqual(report["decode_errors"], 0)
        self.assertGreater(report["predictions"], 0)
        if missed == 0:
            self.assertEqual(report["mispredictions"], 0)
        rejected = self.daemon.get_json()["arenas"][0]["rejections"]
        self.assertEqual((rejected["malformed"], rejected["unexpected"]), (0, 0))

    def shoot(self, name):
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.shoot(SHOTS / f"{name}.png")


class Site(http.server.SimpleHTTPRequestHandler):
    """A web server that knows nothing of raim."""

    def log_message(self, *_): # pylint: disable=arguments-differ
        pass


@unittest.skipIf(PAGE is None, WITHOUT)
@unittest.skipUnless((BIN / "raim-web").exists(), "no raim-web here")
@unittest.skipIf(browser.CHROMIUM is None, browser.WITHOUT)
class ChromiumTest(PlayTest):
    def setUp(self):
        self.page = self.enterContext(browser.Browser(graphics=True))

    def key(self, code, down):
        self.page.ask("Input.dispatchKeyEvent", type="rawKeyDown" if down else "keyUp", code=code,
                      key=KEYS[code], windowsVirtualKeyCode=CODES.get(code, ord(KEYS[code][0].upper())))

    def press(self, *codes):
        for code in codes:
            self.key(code, True)
            self.key(code, False)

    def check(self, expression):
        self.page.poll(expression, harness.START_S)

    def mouse(self, kind, x, y):
        pressed = kind == "mousePressed"
        self.page.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, clickCount=0 if kind == "mouseMoved" else 1,
                      button="none" if kind == "mouseMoved" else "left", buttons=int(pressed))

    def touch(self, kind, *points):
        self.page.ask("Input.dispatchTouchEvent", type=kind,
                      touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

    def say(self, text):
        self.press("Enter")
        poll("the field", lambda: self.page.evaluate("document.activeElement.tagName") == "INPUT")
        self.page.ask("Input.insertText", text=text)
        self.press("Enter")

    def test_a_link_leads_into_an_arena(self):
        self.serve()
        begun = time.monotonic()
        self.join(name="Chromium")
        print(f"joined after {time.monotonic() - begun:.1f} s")
        self.daemon.wait_players(1)
        # Along the walls in which every way ends.
        start = self.report()
        for code in ("KeyD", "KeyS", "KeyA", "KeyW"):
            self.key(code, True)
            time.sleep(1.5) # how long a player walks
            self.key(code, False)
        end = self.report()
        self.assertNotEqual((start["x"], start["y"]), (end["x"], end["y"]))
        self.say("hello from Chromium")
        self.wait_said("Chromium: hello from Chromium")
        self.shoot("chromium-arena")
        self.check_sound()
        self.check_policy()
        self.press("Escape")
        time.sleep(0.5) # for a picture of the menu
        self.shoot("chromium-menu")

    def note_written(self):
        self.page.ask("Page.addScriptToEvaluateOnNewDocument", source="""
            const prototype = OffscreenCanvasRenderingContext2D.prototype, fillText = prototype.fillText;
            globalThis.written = [];
            prototype.fillText = function (words, ...more) {
                written.push(words);
                return fillText.call(this, words, ...more);
            };""")

    def wait_said(self, words):
        """What a screen reader is told."""
        poll(words, lambda: words in (self.page.evaluate("document.querySelector('#said').textContent") or ""))

    def test_it_hits_dies_and_spawns_again(self):
        self.bots = 24
        self.serve(map=str(MAPS / "duel.conf"))
        self.join(name="Shooter")
        def fire():
            angle = time.monotonic()
            place = SIZE[0] / 2 + 150 * math.cos(angle), SIZE[1] / 2 + 150 * math.sin(angle)
            self.mouse("mouseMoved", *place)
            self.mouse("mousePressed", *place)
            report = self.report()
            return report["hits"] > 0 and report["deaths"] > 0
        poll("hit and death", fire, 120, 0.05)
        self.mouse("mouseReleased", 0, 0)
        self.wait("life", lambda report: report["alive"])
        self.check_sound()
        self.shoot("chromium-duel")

    def test_the_map_changes(self):
        self.serve(map=str(MAPS / "duel.conf"), round_time=15.0, break_time=1.0,
                   rotation=harness.Text(f'("{MAPS}/ruins.conf")'))
        entries = self.join(name="Traveller")["entries"]
        self.wait("other map", lambda report: report["entries"] > entries and report["state"] == PLAYING, 60)
        self.check_sound()
        self.shoot("chromium-map")

    def test_a_killed_gateway_costs_no_score(self):
        self.bots = 0
        self.serve()
        self.join(name="Resumer")
        self.daemon.wait_players(1)
        before = self.score("Resumer")
        self.gateway.expected_status = -signal.SIGKILL
        self.gateway.kill()
        self.gateway = self.start_gateway()
        begun = time.monotonic()
        self.wait("session", lambda report: report["state"] == PLAYING and report["resumes"] == 1)
        print(f"resumed {time.monotonic() - begun:.1f} s after the gateway's start at once")
        self.gateway.expected_status = -signal.SIGKILL
        self.gateway.kill()
        self.wait("loss", lambda report: report["state"] == RESUMING)
        self.shoot("chromium-lost")
        self.start_gateway()
        begun = time.monotonic()
        self.wait("session", lambda report: report["state"] == PLAYING and report["resumes"] == 2)
        print(f"resumed {time.monotonic() - begun:.1f} s after the gateway's start")
        self.assertEqual(self.score("Resumer"), before)

    def test_a_page_may_lie_elsewhere(self):
        self.serve()
        handler = functools.partial(Site, directory=PAGE)
        site = self.enterContext(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=site.serve_forever, daemon=True).start()
        self.addCleanup(site.shutdown)
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/servers.json", timeout=harness.START_S) as answer:
            hashes = ",".join(json.load(answer)["certificate_hashes"])
        self.page.open(f"http://127.0.0.1:{site.server_port}/?server={self.server}&gateway=127.0.0.1:{self.port}"
                       f"&hash={hashes}", *SIZE)
        self.wait("player", lambda report: report.get("state") == PLAYING, JOIN_S)

    def test_the_dashboard_leads_into_arenas_and_recordings(self):
        self.serve(recording="all", round_time=5, break_time=1, spectator_delay=0)
        self.note_written()
        self.page.open("http://{}:{}/".format(*self.daemon.status_address))
        def find_links():
            links = self.page.evaluate(
                "[...document.links].filter(link => /^(play|watch)$/.test(link.text)).map(link => link.href)")
            return len(links) > 2 and links
        play, watch, recording, *_ = poll("links", find_links, JOIN_S)
        self.shoot("dashboard")
        for link, kind in ((watch, "spectators"), (play, "players")):
            self.page.open(link, *SIZE)
            self.wait(kind, lambda report: report.get("state") == PLAYING, JOIN_S)
            poll(kind, lambda kind=kind: self.daemon.get_json("/summary")["arenas"][0][kind] == 1)
            self.shoot(f"chromium-{kind}")
        self.page.open(recording, *SIZE)
        poll("the timeline", lambda: self.page.evaluate("written.some(words => / \\/ 0:0\\d$/.test(words))"), JOIN_S)
        time.sleep(2) # for a picture of a moment with something in it
        self.shoot("chromium-recording")
        self.check_policy()

    def test_a_gamepad_plays(self):
        self.bots = 24
        self.serve(map=str(MAPS / "duel.conf"))
        self.note_written()
        self.page.ask("Page.addScriptToEvaluateOnNewDocument", source="""
            globalThis.rumbles = [];
            globalThis.pad = {mapping: "standard", axes: [0, 0, 0, 0],
                vibrationActuator: {playEffect: async (kind, {duration}) => rumbles.push(duration)},
                buttons: Array.from({length: 17}, () => ({pressed: false, value: 0}))};
            navigator.getGamepads = () => [null, pad];""")
        start = self.join(name="Pad")
        self.page.evaluate("pad.axes = [-1, 0.5, 0, -1], pad.buttons[7].value = 0.9, 0")
        self.wait("way", lambda report: math.dist((report["x"], report["y"]), (start["x"], start["y"])) > 20)
        self.wait("shots", lambda report: report["shots"] > 0)
        self.wait("death", lambda report: report["deaths"] > 0, 120)
        self.check("rumbles.includes(350)")
        self.check("written.includes('Menu') || (pad.buttons[9].pressed = true, false)")

    def test_settings_bind_keys_fill_the_screen_and_hold_the_pointer(self):
        self.bots = 0 # nobody destroys the player
        self.serve()
        self.join(name="Setter")
        self.press("Escape", "ArrowDown", *3 * ["Enter"], "KeyI") # settings, keys, the first
        self.press("Escape", *5 * ["ArrowDown"], "Enter")
        self.check("document.fullscreenElement !== null")
        self.press("Enter", *3 * ["ArrowUp"], "Enter", "Escape")
        self.check("document.fullscreenElement === null")
        self.assertTrue(self.page.evaluate("localStorage['raim:data/keys']").startswith("up = I\n"))
        self.page.show() # a window that has filled the screen may have lost the focus
        self.join(name="Setter") # the pointer is free until a click
        def click():
            self.mouse("mousePressed", 400, 200)
            self.mouse("mouseReleased", 400, 200)
            return self.page.evaluate("document.pointerLockElement !== null")
        poll("hold of the pointer", click)
        def hold(code, way, deadline_s):
            """Whether the player goes this way while the key is held."""
            self.key(code, True)
            try:
                y = self.report()["y"]
                return poll(code, lambda: way * (self.report()["y"] - y) > 1, deadline_s)
            except AssertionError:
                return False
            finally:
                self.key(code, False)
        is_free = hold("KeyS", -1, 3) # or an obstacle is below
        self.assertTrue(hold("KeyI", 1, harness.START_S), f"{self.report()} {self.page.describe()}")
        self.assertTrue(is_free or hold("KeyS", -1, harness.START_S))

    def test_text_is_composed_and_pasted(self):
        self.serve()
        self.join(name="Writer")
        self.press("Enter")
        self.page.ask("Input.imeSetComposition", text="\u3053\u3093", selectionStart=2, selectionEnd=2)
        self.check("getComputedStyle(document.activeElement).color === 'rgb(0, 0, 0)'")
        self.page.ask("Input.insertText", text="\u4eca\u65e5")
        self.press("Enter")
        self.wait_said("Writer: \u4eca\u65e5")
        self.page.evaluate("""(() => {
            const area = document.createElement("textarea");
            area.value = "from elsewhere";
            document.body.append(area);
            area.select();
            document.execCommand("copy");
            area.remove();
        })()""")
        self.press("Enter")
        for kind in ("rawKeyDown", "keyUp"):
            self.page.ask("Input.dispatchKeyEvent", type=kind, code="KeyV", key="v", modifiers=2,
                          windowsVirtualKeyCode=86, commands=["paste"] if kind == "rawKeyDown" else [])
        self.press("Enter")
        self.wait_said("Writer: from elsewhere")

    def test_a_tab_that_is_hidden_or_slept_plays_on(self):
        self.serve()
        snapshots = self.join(name="Sleeper")["snapshots"]
        other = self.page.ask("Target.createTarget", url="about:blank")["targetId"]
        self.check("document.hidden")
        self.wait("snapshots", lambda report: report["snapshots"] > snapshots + 60)
        self.page.ask("Target.closeTarget", targetId=other)
        self.page.ask("Page.setWebLifecycleState", state="frozen")
        time.sleep(SLEEP_S) # while nothing of the page runs
        self.page.ask("Page.setWebLifecycleState", state="active")
        snapshots = self.report().get("snapshots", 0)
        self.wait("game", lambda report: report["state"] == PLAYING and report["snapshots"] > snapshots, 30)

    def test_fingers_play(self):
        self.serve()
        self.page.open(self.url(name="Phone"), 844, 390, ratio=2, touches=True)
        start = self.wait("player", lambda report: report.get("state") == PLAYING, JOIN_S)
        self.touch("touchStart", (200, 250))
        self.touch("touchMove", (260, 250))
        self.touch("touchStart", (260, 250), (650, 250))
        self.touch("touchMove", (260, 250), (650, 190))
        self.wait("shots", lambda report: report["shots"] > 0)
        self.wait("way", lambda report: math.dist((report["x"], report["y"]), (start["x"], start["y"])) > 20)
        self.shoot("chromium-phone")
        self.touch("touchEnd")
        self.check_sound()
        self.touch("touchStart", (30, 150)) # the button for chat
        self.touch("touchEnd")
        poll("the keyboard", lambda: self.page.evaluate("document.activeElement.tagName") == "INPUT")
        self.page.ask("Input.insertText", text="hello by touch")
        self.press("Enter")
        self.wait_said("Phone: hello by touch")


class Firefox(browser.Firefox):
    """On a display, where it has WebGL."""

    def __init__(self, display):
        super().__init__(headless=False, environment={"DISPLAY": display},
                         preferences={"webgl.force-enabled": True})


@unittest.skipIf(PAGE is None, WITHOUT)
@unittest.skipUnless((BIN / "raim-web").exists(), "no raim-web here")
@unittest.skipIf(browser.FIREFOX is None, browser.WITHOUT)
class FirefoxTest(PlayTest):
    def test_a_link_leads_into_an_arena(self):
        display = self.enterContext(x_server.x_server())
        self.serve()
        self.page = self.enterContext(Firefox(display))
        start = self.join(name="Firefox")
        self.page.keys(["d"], 1.5)
        self.wait("way", lambda report: math.dist((report["x"], report["y"]), (start["x"], start["y"])) > 20)
        self.page.keys(["\ue006"], 0.1) # Return
        self.page.keys(list("hello"), 0)
        self.page.keys(["\ue006"], 0.1)
        poll("the chat", lambda: "Firefox: hello" in (self.page.evaluate(
            "document.querySelector('#said').textContent") or ""))
        self.shoot("firefox-arena")
        self.check_sound()


if __name__ == "__main__":
    harness.main()
