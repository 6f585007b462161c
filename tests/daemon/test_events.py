#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The server's events, of a real raimd with real clients: /events as a stream and as lines, what
raimctl shows, what an operator's hook is given, and what becomes of raimd when the hook is bad."""

import contextlib
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import re
import signal
import socketserver
import threading
import unittest

import harness
from harness import Stage, arena
from test_access import raimctl

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = json.loads((harness.ROOT / "daemon/events/events.schema.json").read_text(encoding="ascii"))
SECRET = "0123456789abcdefSECRET"


def validate(event):
    """An event is as its schema says."""
    if jsonschema is not None:
        jsonschema.validate(event, SCHEMA)


# What is kept by default, without what a busy machine may add: overload.
CALM = {"events_kinds": ["start", "stop", "join", "leave", "round_ended", "vote", "ban", "unban",
                        "command", "reload"]}


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


class Nats:
    """A NATS server that takes what is published."""

    def __init__(self):
        self.published = []
        nats = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                self.wfile.write(b'INFO {"server_id":"stub"}\r\n')
                while line := self.rfile.readline():
                    words = line.decode("ascii").split()
                    if words[0] == "PUB":
                        body = self.rfile.read(int(words[2]) + 2)
                        nats.published.append((words[1], json.loads(body)))
                    elif words[0] == "PING":
                        self.wfile.write(b"PONG\r\n")

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Events(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.state, self.run_directory = (self.stage.directory / name for name in ("state", "run"))
        for directory in (self.state, self.run_directory):
            directory.mkdir()
        self.env = {"STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(self.run_directory)}

    def serve(self, **keys):
        return self.stage.serve(arena("east"), env=self.env, prefix=["setsid"], **CALM | keys)

    def raimctl(self, *words, status=0):
        code, out, complaint = raimctl("-s", self.run_directory / "control.sock", *words)
        self.assertEqual(code, status, complaint)
        return out

    def rewrite(self, daemon, **keys):
        """Writes another configuration and has it read."""
        path = pathlib.Path(daemon.command[daemon.command.index("-c") + 1])
        path.write_text(harness.config(arena("east"), **CALM | keys), encoding="utf-8")
        daemon.send(signal.SIGHUP)

    def processes(self, daemon):
        return [name for _, name in daemon.request_processes()]

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


class StreamTest(Events):
    def test_streams_lines_and_raimctl_show_the_same(self):
        daemon = self.serve(events_kinds=["start", "join", "leave", "chat", "command", "reload"])
        daemon.poll("the start", lambda: self.kept(daemon) == ["start"])
        with contextlib.ExitStack() as stack:
            streams = []
            for headers in ({"Last-Event-ID": "0"}, {"Accept": "application/x-ndjson",
                                                     "Last-Event-ID": "0"}):
                connection = stack.enter_context(daemon.connect())
                connection.request("GET", "/events", headers=headers)
                streams.append(connection.getresponse())
            self.assertEqual([stream.getheader("Content-Type") for stream in streams],
                             ["text/event-stream", "application/x-ndjson"])
            followed = self.stage._start(harness.Program, [
                harness.BIN / "raimctl", "-s", self.run_directory / "control.sock", "events",
                "--follow"], None)
            followed.expected_status = -signal.SIGINT
            bots = self.stage.bots(daemon, 1)
            daemon.wait_pressing(1)
            self.raimctl("say", "hello")
            daemon.poll("both events", lambda: {"chat", "command"} <= set(self.kept(daemon)))
            self.raimctl("mute", "east", str(daemon.get_json()["arenas"][0]["players"][0]["id"]))
            bots.stop(signal.SIGINT)
            want = ["start", "join", "chat", "command", "command", "leave"]
            daemon.poll("all events", lambda: len(self.kept(daemon)) == len(want))
            self.assertEqual(sorted(self.kept(daemon)), sorted(want))
            lines = daemon.ask("/events.jsonl").text.splitlines()
            sent = [streams[0].readline().decode("utf-8") for _ in range(4 * len(want))]
            self.assertEqual([line[6:].strip() for line in sent if line.startswith("data: ")], lines)
            ids = [str(json.loads(line)["id"]) for line in lines]
            self.assertEqual([line[4:].strip() for line in sent if line.startswith("id: ")], ids)
            self.assertEqual([streams[1].readline().decode("utf-8").strip() for _ in want], lines)
            followed.poll("all events", lambda: len(followed.out.splitlines()) == len(want))
            followed.stop(signal.SIGINT)
        shown = [json.loads(line) for line in followed.out.splitlines()]
        public = [{key: value for key, value in event.items() if key != "private"} for event in shown]
        self.assertEqual(public, [json.loads(line) for line in lines])
        self.assertEqual([event["private"]["line"] for event in shown if "private" in event][0],
                         'say text="hello"') # only the operator is shown it
        self.assertEqual(self.raimctl("events"), followed.out.strip("\n"))
        self.assertEqual(self.raimctl("events", "--since", "2031-01-01"), "")
        self.assertEqual(self.raimctl("events", "--since", "1h"), followed.out.strip("\n"))
        rest = daemon.ask(f"/events.jsonl?after={ids[3]}").text.splitlines()
        self.assertEqual(rest, lines[4:])
        for query in ("after=x", "after=-1", "since=x", "after=99999999999999999"):
            self.assertEqual(daemon.ask(f"/events.jsonl?{query}").status, 400, query)
        for event in shown:
            validate(event)

    def test_numbers_go_on_after_a_restart_and_old_events_are_kept(self):
        first = self.serve()
        first.poll("the start", lambda: self.kept(first) == ["start"])
        first.stop()
        second = self.serve()
        second.poll("both", lambda: self.kept(second) == ["start", "stop", "start"])
        events = [json.loads(line) for line in second.ask("/events.jsonl").text.splitlines()]
        ids = [event["id"] for event in events]
        self.assertEqual(ids, sorted(set(ids)))

    def test_kills_are_events_where_they_are_wanted(self):
        daemon = self.stage.serve(arena("east", map=str(harness.ROOT / "config/maps/duel.conf"),
                                        bots=8), env=self.env, events_kinds=["kill"])
        daemon.poll("a kill", lambda: self.kept(daemon))
        self.assertEqual(set(self.kept(daemon)), {"kill"})
        for line in daemon.ask("/events.jsonl").text.splitlines():
            event = json.loads(line)
            validate(event)
            self.assertNotEqual(event["player"]["id"], event["victim"]["id"])

    def test_a_busy_worker_is_told_and_when_it_is_no_more(self):
        # The most bots and ticks that an arena may have, while somebody is there, in more arenas than
        # a processor holds.
        arenas = [arena(f"a{i}", tick_hz=240, bots=200, max_players=1) for i in range(40)]
        daemon = self.stage.serve(*arenas, env=self.env, workers=1)
        bots = self.stage.bots(daemon, 40)
        daemon.poll("a line of the log", lambda: "overloaded worker=0 busy_percent=" in daemon.log)
        # How many have come in at a time decides how busy it is: it may recover meanwhile.
        def workers(text):
            return [load["worker"] for load in json.loads(text)["overloaded_workers"]]
        daemon.poll("a metric", lambda: 'raimd_worker_overloaded{worker="0"} 1\n'
                    in daemon.ask("/metrics").text)
        for path in "/status", "/readyz":
            daemon.poll(f"a worker in {path}", lambda: workers(daemon.ask(path).text) == [0])
        bots.send(signal.SIGINT)
        bots.expected_status = bots.process.wait(harness.START_S) # some may not have come in yet
        for i in range(39):
            self.raimctl("arena", "remove", f"a{i}")
        daemon.poll("the end of it", lambda: workers(daemon.ask().text) == [])
        events = [json.loads(line) for line in daemon.ask("/events.jsonl").text.splitlines()]
        for event in events:
            validate(event)
        told = [event for event in events if event["kind"] == "overload" and "worker" in event]
        self.assertEqual({event["worker"] for event in told}, {0})
        logged = re.findall(r"(overloaded|recovered) worker=0 busy_percent=", daemon.log)
        self.assertEqual(["overloaded" if event["overloaded"] else "recovered" for event in told],
                         logged)
        self.assertEqual(logged, ["overloaded", "recovered"] * (len(logged) // 2))


class HookTest(Events):
    def test_an_url_is_given_every_event_signed_and_in_order(self):
        secret = self.stage.directory / "secret"
        secret.write_text(SECRET + "\n", encoding="utf-8")
        secret.chmod(0o600)
        with Receiver() as receiver:
            daemon = self.serve(hook_target=receiver.url, hook_secret_file=str(secret))
            bots = self.stage.bots(daemon, 1)
            daemon.wait_pressing(1)
            self.raimctl("say", "hello")
            bots.stop(signal.SIGINT)
            daemon.poll("a player who left", lambda: "leave" in receiver.kinds)
            daemon.stop()
            self.assertEqual(receiver.kinds, ["start", "join", "command", "leave", "stop"])
            joined, command, left = receiver.events[1:4]
            self.assertEqual((command["command"], "private" in command), ("say", False))
            self.assertEqual((joined["arena"], joined["player"]["name"]), ("east", "bot-1"))
            self.assertEqual((left["player"], left["reason"]), (joined["player"], "left"))
            ids = [event["id"] for event in receiver.events]
            self.assertEqual(ids, sorted(set(ids)))
            for _, headers, body in receiver.requests:
                signed = headers["X-Raimd-Timestamp"].encode() + b"." + body
                want = hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
                self.assertEqual(headers["X-Raimd-Signature"], "sha256=" + want)
                self.assertEqual(headers["X-Raimd-Id"], str(json.loads(body)["id"]))

    def test_what_fails_is_repeated_and_what_is_rejected_is_dropped(self):
        answers = [500, 302, 404, 200]
        with Receiver(lambda number: answers[min(number, 4) - 1]) as receiver:
            daemon = self.serve(hook_target=receiver.url)
            daemon.poll("two attempts", lambda: len(receiver.requests) == 2)
            self.assertEqual(receiver.events[0], receiver.events[1])
            daemon.send(signal.SIGHUP)
            daemon.poll("another event", lambda: len(receiver.requests) == 3)
            daemon.send(signal.SIGHUP)
            daemon.poll("the next event", lambda: len(receiver.requests) == 4)
            self.assertEqual(receiver.kinds, ["start", "start", "reload", "reload"])
            daemon.poll("what became of each", lambda: self.hook_counts(daemon) == {
                "delivered": 1, "failures": 3, "dropped": 2})
            self.assertEqual(len(re.findall("event hook failed .* dropped", daemon.log)), 2)
            daemon.poll("a line that it works again", lambda: "event hook works again" in daemon.log)
            daemon.stop()

    def test_the_queue_survives_a_restart(self):
        first = self.serve(hook_target="http://127.0.0.1:1/") # nobody listens there
        first.poll("a failure", lambda: "event hook failed" in first.log)
        first.send(signal.SIGHUP)
        first.poll("a reload", lambda: "reload" in self.kept(first))
        first.stop()
        with Receiver() as receiver:
            second = self.serve(hook_target=receiver.url)
            second.poll("everything", lambda: receiver.kinds.count("start") == 2)
            self.assertEqual(receiver.kinds, ["start", "reload", "stop", "start"])
            second.stop()
        self.assertRegex((self.state / "hook.cursor").read_text(encoding="ascii"), r"\A\d+\n\Z")

    def test_a_command_reads_one_event_a_run(self):
        out = self.stage.directory / "out"
        daemon = self.serve(hook_target=f"{self.script('cat >> $1')} {out}")
        daemon.poll("an event", lambda: out.exists() and out.read_text(encoding="utf-8"))
        daemon.send(signal.SIGHUP)
        daemon.poll("two events", lambda: out.read_text(encoding="utf-8").count("\n") == 2)
        daemon.stop()
        kinds = [json.loads(line)["kind"] for line in out.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(kinds, ["start", "reload", "stop"])

    def test_bad_commands_delay_nothing(self):
        # Those that take ten seconds to fail are a fault's row.
        missing = self.stage.directory / "missing" # its interpreter is
        missing.write_text("#!/nonexistent/sh\n", encoding="ascii")
        missing.chmod(0o755)
        bad = {"missing": missing, "fails": self.script("echo no >&2; exit 3", "fails"),
               "hangs": self.script("sleep 60")}
        for name, command in bad.items():
            with self.subTest(name):
                (self.state / "hook.cursor").unlink(missing_ok=True)
                daemon = self.serve(hook_target=str(command))
                if name in ("missing", "fails"):
                    daemon.poll("a failure", lambda: "event hook failed" in daemon.log)
                    self.assertIn({"missing": "status=127 waits: cannot be executed: No such file",
                                   "fails": "status=3 waits: no"}[name], daemon.log)
                self.assertIn("start", self.kept(daemon)) # and the daemon answers
                daemon.stop(deadline_s=5)

    def test_the_recipes(self):
        hooks = harness.ROOT / "deploy/hooks"
        secret = self.stage.directory / "webhook"
        out = self.stage.directory / "out"
        with Receiver(lambda number: 204) as discord, Nats() as nats:
            secret.write_text(discord.url + "\n", encoding="ascii")
            for command, told in (
                    (f"{hooks}/raimd-hook-discord {secret}", lambda: discord.requests),
                    (f"{hooks}/raimd-hook-nats 127.0.0.1:{nats.port} raimd.test",
                     lambda: nats.published),
                    (f"{hooks}/raimd-hook-file {out}", out.exists)):
                with self.subTest(command):
                    (self.state / "hook.cursor").unlink(missing_ok=True)
                    daemon = self.serve(hook_target=command)
                    daemon.poll("the event", told)
                    daemon.stop()
            self.assertRegex(discord.events[0]["content"], r"\Araimd [0-9.]+ started\Z")
            self.assertEqual(discord.events[0]["allowed_mentions"], {"parse": []})
            subject, event = nats.published[0]
            self.assertEqual((subject, event["kind"]), ("raimd.test.start", "start"))
            self.assertEqual(json.loads(out.read_text(encoding="utf-8").splitlines()[0])["kind"],
                             "start")

    def test_nothing_is_started_where_nothing_is_configured(self):
        daemon = self.serve()
        self.assertEqual(self.processes(daemon), [])
        daemon.stop()

    def test_a_reload_changes_the_hook_and_says_what_it_cannot(self):
        with Receiver() as receiver:
            daemon = self.serve(hook_target=receiver.url)
            daemon.poll("an event", lambda: receiver.kinds == ["start"])
            self.assertEqual(self.processes(daemon), ["raimd: fetch", "raimd: fetch"])
            self.rewrite(daemon, hook_target=receiver.url + "/2")
            daemon.poll("an event", lambda: receiver.kinds == ["start", "reload"])
            self.assertEqual(receiver.requests[-1][0], "/hook/2")
            self.rewrite(daemon, hook_target="/usr/bin/true")
            daemon.poll("a line of the log", lambda: "event hook off: raimd was started without"
                        in daemon.log)
            self.rewrite(daemon, hook_target="", events_kinds=["chat"])
            daemon.poll("the last reload", lambda: daemon.log.count("reloaded") == 3)
            daemon.stop()
        self.assertEqual(receiver.kinds, ["start", "reload"])

    def test_the_process_may_die(self):
        with Receiver() as receiver:
            daemon = self.serve(hook_target=receiver.url)
            daemon.poll("an event", lambda: receiver.kinds == ["start"])
            os.kill(daemon.request_processes()[-1][0], signal.SIGKILL)
            daemon.poll("a line of the log", lambda: "process died name=" in daemon.log)
            daemon.send(signal.SIGHUP)
            # The process may have died between the receiver's answer and what it makes of it.
            daemon.poll("another event", lambda: sorted(set(receiver.kinds)) == ["reload", "start"])
            left = [f"/proc/{pid}" for pid, _ in daemon.request_processes()]
            self.assertEqual(len(left), 2)
            daemon.stop()
        harness.poll("no process left", lambda: not any(map(os.path.exists, left)))


if __name__ == "__main__":
    unittest.main()
