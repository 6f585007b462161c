#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The ban list that raimd fetches by an URL."""

import contextlib
import http.server
import pathlib
import signal
import socket
import threading
import unittest

import harness
from harness import Stage, arena, poll

HERE = "127.0.0.0/8 you are not wanted\n"
ELSEWHERE = "192.0.2.0/24\n2001:db8::/32 2101-01-31 spam\n"


class ListServer:
    """An HTTP server of a ban list."""

    def __init__(self, body=ELSEWHERE):
        self.body, self.status, self.etag, self.asked = body, 200, '"one"', []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                server.asked.append(self.headers.get("If-None-Match"))
                if server.etag and self.headers.get("If-None-Match") == server.etag:
                    self.send_response(304)
                    self.end_headers()
                    return
                body = server.body if isinstance(server.body, bytes) else server.body.encode()
                self.send_response(server.status)
                if server.etag:
                    self.send_header("ETag", server.etag)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/bans.txt"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()


def rejection(port):
    """The reason and the text of REJECTED to a connect request; None: a cookie comes instead."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as player:
        player.settimeout(harness.START_S)
        player.sendto(b"\xff\xff\xff\xffRAIM\1\2".ljust(512, b"\0"), ("127.0.0.1", port))
        answer = player.recv(2048)
        return (answer[10], answer[11:].decode()) if answer[8] == 5 else None


class BanListTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.state = self.stage.directory / "state"
        self.state.mkdir()

    def serve(self, url):
        return self.stage.serve(arena(), bans_list=url, env={"STATE_DIRECTORY": str(self.state)})

    @staticmethod
    def shown(daemon):
        return daemon.get_json()["ban_list"]

    def fetch(self, daemon, server):
        """Makes raimd ask again, by a reload."""
        asked = len(server.asked)
        daemon.send(signal.SIGHUP)
        poll("a request", lambda: len(server.asked) > asked)

    def test_a_list_is_put_in_force_and_disconnects_whom_it_bans(self):
        with ListServer() as server:
            daemon = self.serve(server.url)
            poll("the list", lambda: self.shown(daemon)["networks"] == 2)
            self.assertIsNone(rejection(daemon.ports[0]))
            bots = self.stage.bots(daemon, 2)
            daemon.wait_pressing(2)
            server.body, server.etag = HERE, '"two"'
            self.fetch(daemon, server)
            daemon.wait_players(0)
            bots.expected_status = None
            self.assertEqual(rejection(daemon.ports[0]), (12, "you are not wanted"))
            bots.process.wait(harness.START_S)
            bots.expected_status = bots.process.returncode
            self.fetch(daemon, server)
            poll("its ETag", lambda: server.asked[-1] == '"two"')
            self.assertEqual(self.shown(daemon)["networks"], 1)
            self.assertIn("raimd_ban_list_networks 1", daemon.ask("/metrics").text)
            server.body, server.etag = "", None
            self.fetch(daemon, server)
            poll("no ban", lambda: rejection(daemon.ports[0]) is None)

    def test_a_bad_list_is_rejected_whole_and_the_one_before_stays(self):
        with ListServer(HERE) as server:
            daemon = self.serve(server.url)
            poll("the ban", lambda: rejection(daemon.ports[0]) is not None)
            server.etag = None
            for number, (body, words) in enumerate((
                    ("192.0.2.1\n0.0.0.0/0\n", "line 2: a list may ban no network wider"),
                    ("<!DOCTYPE html>\n", "line 1: "),
                    (b"\0" * 100, "want a text"),
                    (b"# " + b"x" * (5 << 20), ""))):
                server.body = body
                self.fetch(daemon, server)
                shown = poll("a failure", lambda: (now := self.shown(daemon))["failures"] > number
                             and now["error"] and now)
                self.assertIn(words, shown["error"])
                self.assertEqual(shown["networks"], 1)
                self.assertIsNotNone(rejection(daemon.ports[0]))
            server.status, server.body = 404, ""
            self.fetch(daemon, server)
            poll("its status", lambda: "404" in (self.shown(daemon)["error"] or ""))

    def test_the_last_good_list_holds_after_a_restart_without_its_server(self):
        with ListServer(HERE) as server:
            daemon = self.serve(server.url)
            poll("the ban", lambda: rejection(daemon.ports[0]) is not None)
            daemon.stop()
            self.assertIn(HERE, (self.state / "ban_list").read_text(encoding="utf-8"))
            daemon = self.serve(server.url)
            poll("the kept ETag", lambda: server.asked[-1] == '"one"')
            self.assertIsNotNone(rejection(daemon.ports[0]))
            daemon.stop()
            url = server.url
        daemon = self.serve(url)
        self.assertIsNotNone(rejection(daemon.ports[0]))
        poll("a failure", lambda: self.shown(daemon)["failures"] > 0)
        self.assertEqual(self.shown(daemon)["networks"], 1)
        self.assertIsNone(self.shown(daemon)["age_s"])
        daemon.stop()
        (pathlib.Path(self.state) / "ban_list").write_text("everybody\n", encoding="utf-8")
        daemon = self.serve(url)
        daemon.poll("a word of it", lambda: "ban list rejected" in daemon.log)
        self.assertIsNone(rejection(daemon.ports[0]))


if __name__ == "__main__":
    harness.main()
