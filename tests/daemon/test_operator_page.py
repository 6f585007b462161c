#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The dashboard with commands: over control_listen for whoever has the token, over the control socket
for its users, for no page of strangers, and never over the status."""

import contextlib
import http.client
import json
import re
import unittest

import browser
import harness
from harness import Stage, arena
from arenas_api import UnixConnection

TOKEN = "0123456789abcdefghij"
DUEL = harness.ROOT / "config/maps/duel.conf"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
JSON = {"Content-Type": "application/json"}
PAGE = {"X-Raimd-Command": "1", **JSON}


class OperatorPageTest(unittest.TestCase):
    def setUp(self):
        stage = self.enterContext(Stage())
        run = stage.directory / "run"
        run.mkdir()
        token = stage.directory / "token"
        token.write_text(f"{TOKEN}\n", encoding="ascii")
        token.chmod(0o600)
        self.daemon = stage.serve(arena("first", map=str(DUEL), bots=1, spectator_delay=5.0),
                                  control_listen="127.0.0.1:0", control_token_file=str(token),
                                  env={"RUNTIME_DIRECTORY": str(run)})
        self.stage, self.socket = stage, run / "control.sock"
        self.address = self.daemon.poll("the control", lambda: re.search(
            r"control started url=http://([\d.]+):(\d+)/v1", self.daemon.log)).groups()

    def tcp(self):
        return http.client.HTTPConnection(*self.address, timeout=harness.START_S)

    def unix(self):
        return UnixConnection(self.socket)

    def ask(self, connect, path, headers, body=None):
        """The status of an answer and, of a document, its text."""
        headers = {"Host": "localhost", **headers}
        if body is not None:
            headers["Content-Length"] = str(len(body))
        lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1",
                 *(f"{name}: {value}" for name, value in headers.items()), "", body or ""]
        with contextlib.closing(connect()) as connection:
            connection.connect()
            # At once: a rejected request is answered before its body is read.
            connection.sock.sendall("\r\n".join(lines).encode())
            answer = http.client.HTTPResponse(connection.sock)
            answer.begin()
            is_stream = answer.getheader("Content-Type") == "text/event-stream"
            return answer.status, "" if is_stream else answer.read().decode()

    def say(self, connect, headers):
        return self.ask(connect, "/v1/commands/say", headers, '{"text": "hello"}')[0]

    def test_files_are_for_all_and_the_rest_for_the_token(self):
        for path in ("/", "/dashboard/commands.js", "/commands"):
            self.assertEqual(self.ask(self.tcp, path, {})[0], 200, path)
        self.assertEqual(json.loads(self.ask(self.tcp, "/commands", {})[1]),
                         {"commands": True, "token": True})
        for path in ("/summary", "/v1/players", "/v1/bans", "/v1/maps", "/v1/commands", "/status", "/arenas/first", "/events",
                     "/arenas/first/stream", "/history", "/leaderboard", "/recordings"):
            with self.subTest(path):
                self.assertEqual(self.ask(self.tcp, path, {})[0], 401)
                self.assertEqual(self.ask(self.tcp, path, BEARER)[0], 200)
        self.assertEqual(self.say(self.tcp, JSON), 401)
        self.assertEqual(self.say(self.tcp, JSON | {"Authorization": "Bearer " + "x" * 20}), 401)
        self.assertEqual(self.say(self.tcp, JSON | BEARER), 200)
        self.daemon.poll("the log", lambda: re.search(r"command given by=token via=api command=say",
                                                      self.daemon.log))
        self.assertEqual(self.say(self.tcp, PAGE | BEARER), 200)
        self.daemon.poll("the log", lambda: re.search(r"command given by=token via=page command=say",
                                                      self.daemon.log))

    def test_status_takes_no_order(self):
        self.assertEqual(self.daemon.get_json("/commands"), {"commands": False, "token": False})
        for path in (f"/v1/commands/{name}" for name in
                     ("say", "kick", "ban", "arena-pause", "reload", "drain")):
            with self.subTest(path), self.daemon.connect() as connection:
                connection.request("POST", path, '{"text": "hello"}', PAGE | BEARER)
                self.assertEqual(connection.getresponse().status, 404)
        for path in ("/v1/players", "/v1/bans", "/v1/maps", "/v1/commands"):
            self.assertEqual(self.daemon.ask(path).status, 404)

    def test_pages_of_strangers_order_nothing(self):
        own, foreign = {"Host": "localhost:7246", "Origin": "http://localhost:7246"}, "http://e.test"
        for headers, status in (
                (JSON, 200),                                      # raimctl
                (PAGE | own, 200), (JSON | own, 403),
                (PAGE | {"Origin": foreign}, 403), (JSON | {"Origin": "null"}, 403),
                (PAGE | {"Sec-Fetch-Site": "cross-site"}, 403),
                (PAGE | {"Sec-Fetch-Site": "same-site"}, 403),
                (PAGE | own | {"Sec-Fetch-Site": "same-origin"}, 200),
                (PAGE | {"Host": "e.test", "Origin": foreign}, 421)): # DNS rebinding
            with self.subTest(headers):
                self.assertEqual(self.say(self.unix, headers), status)
        for path in ("/v1/players", "/summary", "/", "/v1/arenas"):
            self.assertEqual(self.ask(self.unix, path, {"Host": "e.test"})[0], 421, path)
            self.assertEqual(self.ask(self.unix, path, {"Host": "localhost"})[0], 200, path)
        for headers in (PAGE | BEARER | {"Origin": foreign},
                        PAGE | BEARER | {"Sec-Fetch-Site": "cross-site"}):
            self.assertEqual(self.say(self.tcp, headers), 403)

    def test_orders_that_wait_end_with_the_server(self):
        with contextlib.ExitStack() as stack:
            for connect in self.tcp, self.unix:
                for path in "/arenas/first/stream", "/events":
                    connection = stack.enter_context(contextlib.closing(connect()))
                    connection.request("GET", path, headers=BEARER)
                    self.assertEqual(connection.getresponse().status, 200)
            self.daemon.stop() # checks that it ends well

    @unittest.skipIf(browser.CHROMIUM is None, browser.WITHOUT)
    def test_operator_kicks_by_a_click(self):
        self.stage.bots(self.daemon, 1)
        self.daemon.wait_players(1)
        page = self.enterContext(browser.Browser())
        page.open("http://{}:{}/".format(*self.address))
        harness.poll("the form", lambda: page.evaluate(
            "document.getElementById('login')?.hidden === false"), 30)
        harness.poll("another poll", lambda: page.evaluate(
            "performance.getEntriesByType('resource').filter("
            "it => it.name.endsWith('/commands')).length > 1"))
        page.evaluate(f"document.getElementById('token').value = '{TOKEN}';"
                      "document.querySelector('#login button').click()")
        kick = "[...document.querySelectorAll('#players button')].find(it => it.textContent == 'Kick')"
        harness.poll("the buttons", lambda: page.evaluate(f"!!{kick}"), 30)
        # The operator sees without the spectators' delay.
        harness.poll("the map", lambda: page.evaluate(
            "document.getElementById('caption').textContent") == "live")
        page.evaluate(f"{kick}.click()")
        page.evaluate("document.getElementById('ask-reason').value = 'too <b>good</b>';"
                      "document.getElementById('ask-yes').click()")
        harness.poll("the kick", lambda: "done: kick" in page.evaluate(
            "document.getElementById('command-result').textContent"))
        self.daemon.poll("the log", lambda: re.search(
            r"command given by=token via=page command=kick", self.daemon.log))
        harness.poll("the event", lambda: "kick" in page.evaluate(
            "document.getElementById('events').textContent"))
        # A map is one of the configuration.
        maps = json.loads(self.ask(self.tcp, "/v1/maps", BEARER)[1])["maps"]
        self.assertEqual(maps, [str(DUEL)])
        self.assertEqual(page.evaluate("[...document.getElementById('maps').options].map("
                                       "it => it.value + it.text)"), [f"{DUEL}duel"])
        page.evaluate("[...document.querySelectorAll('#arena-commands button')].find("
                      "it => it.textContent == 'Arena map').click();"
                      f"document.getElementById('ask-map').value = '{DUEL}';"
                      "document.getElementById('ask-yes').click()")
        harness.poll("the map", lambda: page.evaluate(
            "document.getElementById('command-result').textContent") == "done: arena map first")
        # A vote has its buttons. None runs, so that the server rejects the order.
        vote = {"kind": "kick", "target": "Eve", "map": None, "reason": "spam", "caller": "Ada",
                "yes": 1, "no": 0, "needed": 3}
        page.evaluate("import('/dashboard/commands.js').then(it => it.showVote("
                      f"{json.dumps({'vote': vote})}))")
        harness.poll("the vote", lambda: page.evaluate(
            "document.getElementById('vote').hidden ? '' : "
            "document.getElementById('vote-text').textContent") ==
            "vote: kick Eve spam by Ada, 1 yes, 0 no, needs 3")
        self.assertEqual(page.said, []) # a rejection is a line of the console
        page.evaluate("[...document.querySelectorAll('#vote-commands button')].find("
                      "it => it.textContent == 'Vote pass').click()")
        harness.poll("the rejection", lambda: "vote pass first: " in page.evaluate(
            "document.getElementById('command-result').textContent"))


if __name__ == "__main__":
    harness.main()
