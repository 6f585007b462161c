#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The server's events, of a real raimd with real clients: /events as a stream and as lines, what
raimctl shows, what an operator's hook is given, and what becomes of raimd when the hook is bad."""

import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import stat
import threading
import unittest

import harness
from harness import Stage, arena
from test_access import raimctl

SECRET = "0123456789abcdefSECRET"


class Receiver:
    """A receiver of POST requests; `answers` says what to answer to each, by its path."""

    def __init__(self, answer=lambda number: 200):
        self.requests = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append((self.path, dict(self.headers), body))
                status = answer(len(receiver.requests))
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def events(self):
        return [json.loads(body) for _, _, body in self.requests]

    @property
    def kinds(self):
        return [event["kind"] for event in self.events]


class Events(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.state, self.run_directory = (self.stage.directory / name for name in ("state", "run"))
        for directory in (self.state, self.run_directory):
            directory.mkdir()
        self.env = {"STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(self.run_directory)}

    def serve(self, **keys):
        return self.stage.serve(arena("east"), env=self.env, **keys)

    def raimctl(self, *words, status=0):
        code, out, complaint = raimctl("-s", self.run_directory / "control.sock", *words)
        self.assertEqual(code, status, complaint)
        return out

    def rewrite(self, daemon, **keys):
        """Writes another configuration and has it read."""
        path = pathlib.Path(daemon.command[daemon.command.index("-c") + 1])
        path.write_text(harness.config(arena("east"), **keys), encoding="utf-8")
        daemon.send(signal.SIGHUP)

    def children(self):
        """The processes of this test that raimd has started for requests: (pid, name)."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().split(b"\0")
                root = os.readlink(path.parent / "fd/3") if words[1:2] == [b"--serve-requests"] else ""
            except OSError:
                continue
            if root.startswith("socket:") and os.getsid(int(path.parent.name)) == os.getsid(0):
                found.append((int(path.parent.name), words[0].decode()))
        return found

    def processes(self):
        return [name for _, name in self.children()]

    def kept(self, daemon):
        """The kinds of the events that are kept."""
        lines = daemon.ask("/events.jsonl").text.splitlines()
        return [json.loads(line)["kind"] for line in lines]

    def hook_counts(self, daemon):
        found = re.findall(r"^raimd_event_hook_(\w+)_total (\d+)$", daemon.ask("/metrics").text, re.M)
        return {name: int(count) for name, count in found}

    def script(self, text, name="hook"):
        path = self.stage.directory / name
        path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        path.chmod(0o755)
        return path


class HookTest(Events):
    def test_an_url_is_given_every_event_signed_and_in_order(self):
        secret = self.stage.directory / "secret"
        secret.write_text(SECRET + "\n", encoding="utf-8")
        secret.chmod(0o600)
        with Receiver() as receiver:
            daemon = self.serve(event_hook=receiver.url, event_hook_secret_file=str(secret))
            bots = self.stage.bots(daemon, 1)
            daemon.wait_pressing(1)
            bots.stop(signal.SIGINT)
            daemon.poll("a player who left", lambda: "leave" in receiver.kinds)
            daemon.stop()
            self.assertEqual(receiver.kinds, ["start", "join", "leave", "stop"])
            joined, left = receiver.events[1:3]
            self.assertEqual((joined["arena"], joined["player"]["name"]), ("east", "bot-1"))
            self.assertEqual((left["player"], left["reason"]), (joined["player"], "left"))
            ids = [event["id"] for event in receiver.events]
            self.assertEqual(ids, sorted(set(ids)))
            for _, headers, body in receiver.requests:
                signed = headers["X-Raimd-Timestamp"].encode() + b"." + body
                want = hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
                self.assertEqual(headers["X-Raimd-Signature"], "sha256=" + want)
                self.assertEqual(headers["X-Raimd-Id"], str(json.loads(body)["id"]))

    def test_what_fails_is_repeated_and_what_is_refused_is_dropped(self):
        answers = [500, 302, 404, 200]
        with Receiver(lambda number: answers[min(number, 4) - 1]) as receiver:
            daemon = self.serve(event_hook=receiver.url)
            daemon.poll("two attempts", lambda: len(receiver.requests) == 2)
            self.assertEqual(receiver.events[0], receiver.events[1])
            daemon.send(signal.SIGHUP)
            daemon.poll("another event", lambda: len(receiver.requests) == 3)
            daemon.send(signal.SIGHUP)
            daemon.poll("the next event", lambda: len(receiver.requests) == 4)
            self.assertEqual(receiver.kinds, ["start", "start", "reload", "reload"])
            counts = self.hook_counts(daemon)
            self.assertEqual(counts, {"delivered": 1, "failures": 3, "dropped": 2})
            self.assertEqual(len(re.findall("event hook failed .* dropped", daemon.log)), 2)
            daemon.poll("a line that it works again", lambda: "event hook works again" in daemon.log)
            daemon.stop()

    def test_the_queue_survives_a_restart(self):
        first = self.serve(event_hook="http://127.0.0.1:1/") # nobody listens there
        first.poll("a failure", lambda: "event hook failed" in first.log)
        first.send(signal.SIGHUP)
        first.poll("a reload", lambda: "reload" in self.kept(first))
        first.stop()
        with Receiver() as receiver:
            second = self.serve(event_hook=receiver.url)
            second.poll("everything", lambda: receiver.kinds.count("start") == 2)
            self.assertEqual(receiver.kinds, ["start", "reload", "stop", "start"])
            second.stop()
        self.assertRegex((self.state / "hook.cursor").read_text(encoding="ascii"), r"\A\d+\n\Z")

    def test_a_command_reads_one_event_a_run(self):
        out = self.stage.directory / "out"
        daemon = self.serve(event_hook=f"{self.script('cat >> $1')} {out}")
        daemon.poll("an event", lambda: out.exists() and out.read_text(encoding="utf-8"))
        daemon.send(signal.SIGHUP)
        daemon.poll("two events", lambda: out.read_text(encoding="utf-8").count("\n") == 2)
        daemon.stop()
        kinds = [json.loads(line)["kind"] for line in out.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(kinds, ["start", "reload", "stop"])

    def test_bad_commands_delay_nothing(self):
        bad = {"missing": "/nonexistent/hook", "fails": self.script("echo no >&2; exit 3", "fails"),
               "floods": self.script("yes; exit 1", "floods"), "hangs": self.script("sleep 60")}
        for name, command in bad.items():
            with self.subTest(name):
                (self.state / "hook.cursor").unlink(missing_ok=True)
                daemon = self.serve(event_hook=str(command))
                if name in ("missing", "fails"):
                    daemon.poll("a failure", lambda: "event hook failed" in daemon.log)
                    self.assertIn({"missing": "status=127 waits: cannot be executed: No such file",
                                   "fails": "status=3 waits: no"}[name], daemon.log)
                self.assertIn("start", self.kept(daemon)) # and the daemon answers
                daemon.stop(deadline_s=5)

    def test_nothing_is_started_where_nothing_is_configured(self):
        daemon = self.serve()
        self.assertEqual(self.processes(), [])
        daemon.stop()

    def test_a_reload_changes_the_hook_and_says_what_it_cannot(self):
        with Receiver() as receiver:
            daemon = self.serve(event_hook=receiver.url)
            daemon.poll("an event", lambda: receiver.kinds == ["start"])
            self.assertEqual(self.processes(), ["raimd: fetch", "raimd: fetch"])
            self.rewrite(daemon, event_hook=receiver.url + "/2")
            daemon.poll("an event", lambda: receiver.kinds == ["start", "reload"])
            self.assertEqual(receiver.requests[-1][0], "/hook/2")
            self.rewrite(daemon, event_hook="/usr/bin/true")
            daemon.poll("a line of the log", lambda: "event hook off: raimd was started without"
                        in daemon.log)
            self.rewrite(daemon, event_hook="", event_kinds=["chat"])
            daemon.poll("the last reload", lambda: daemon.log.count("reloaded") == 3)
            daemon.stop()
        self.assertEqual(receiver.kinds, ["start", "reload"])

    def test_the_process_may_die(self):
        with Receiver() as receiver:
            daemon = self.serve(event_hook=receiver.url)
            daemon.poll("an event", lambda: receiver.kinds == ["start"])
            workers = [pid for pid, name in self.children() if name == "raimd: fetch"]
            os.kill(max(workers), signal.SIGKILL)
            daemon.poll("a line of the log", lambda: "process died name=" in daemon.log)
            daemon.send(signal.SIGHUP)
            daemon.poll("another event", lambda: receiver.kinds == ["start", "reload"])
            daemon.stop()
        harness.poll("no process left", lambda: not self.processes())


if __name__ == "__main__":
    unittest.main()
