#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a raimd answers over HTTP beside the whole status: one arena, readiness, metrics, and the
schema of the status, each checked against a server with players in it."""

import contextlib
import ctypes
import json
import os
import pathlib
import re
import socket
import time
import unittest

import harness
from harness import Stage, arena

try:
    import jsonschema
except ImportError:
    jsonschema = None

CLIENTS = 8
DEADLINE_S = 10   # that a client has for a request, see raimd(8)



def objects(value, path="status"):
    """Every object in a document, and where it is."""
    if isinstance(value, dict):
        yield path, value
        for key, inner in value.items():
            yield from objects(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from objects(inner, f"{path}[{index}]")


def samples(text):
    """The values of a text of metrics by name and labels."""
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1])
            for line in text.splitlines() if not line.startswith("#")}


class HttpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stage = cls.enterClassContext(Stage())
        cls.daemon = stage.serve(arena("first", bots=2), arena("second"), workers=2)
        stage.bots(cls.daemon, CLIENTS)
        cls.daemon.wait_pressing(CLIENTS)
        cls.schema = cls.daemon.get_json("/status.schema.json")

    def metrics(self):
        answer = self.daemon.ask("/metrics")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.getheader("Content-Type"),
                         "text/plain; version=0.0.4; charset=utf-8")
        return samples(answer.text)

    def test_arena_alone_is_as_in_the_status(self):
        def seen():
            whole, alone = self.daemon.get_json(), self.daemon.get_json("/arenas/second")
            return alone == whole["arenas"][1]
        self.daemon.poll("both of one moment", seen)
        self.assertEqual(self.daemon.get_json("/arenas/first")["name"], "first")
        self.assertEqual(self.daemon.ask("/arenas/third").status, 404)

    @unittest.skipIf(jsonschema is None, "no python3-jsonschema here")
    def test_status_is_as_its_schema_says(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)
        validator = jsonschema.Draft202012Validator(self.schema)
        status = self.daemon.get_json()
        validator.validate(status)
        seen = set()
        for path, found in list(objects(status)):
            kind = re.sub(r"\d+", "0", path)
            if kind in seen:
                continue
            seen.add(kind)
            with self.subTest(kind):
                found["unknown"] = 0
                self.assertFalse(validator.is_valid(status))
                del found["unknown"]
                for key, value in list(found.items()):
                    del found[key]
                    self.assertFalse(validator.is_valid(status), key)
                    found[key] = "odd\0" if isinstance(value, (dict, list, float, int)) else -1
                    self.assertFalse(validator.is_valid(status), key)
                    found[key] = value
        validator.validate(status)
        self.assertEqual(len(seen), 19, seen)

    def test_schema_demands_every_key_that_it_knows(self):
        for path, found in objects(self.schema, "schema"):
            if "properties" in found and found.get("type") == "object":
                with self.subTest(path):
                    self.assertEqual(found["required"], list(found["properties"]))
                    self.assertIs(found["additionalProperties"], False)

    def test_metrics_tell_what_the_status_tells(self):
        def seen():
            before = self.metrics()
            status = self.daemon.get_json()
            after = self.metrics()
            for shown in status["arenas"]:
                label = f'{{arena="{shown["name"]}"}}'
                for name, value in (
                        ("players", sum(not player["bot"] for player in shown["players"])),
                        ("bots", sum(player["bot"] for player in shown["players"])),
                        ("received_bytes_total", shown["bytes_in"]),
                        ("sent_bytes_total", shown["bytes_out"]),
                        ("received_packets_total", shown["packets_in"]),
                        ("sent_packets_total", shown["packets_out"]),
                        ("late_ticks_total", shown["late_ticks"]),
                        ("skipped_ticks_total", shown["skipped_ticks"]),
                        ("hits_total", shown["hits"]["total"]),
                        ("rewound_hits_total", shown["hits"]["rewound"]),
                        # Of ticks that were played and not only published.
                        ("tick_lateness_seconds_count", shown["tick"])):
                    key = f"raimd_{name}{label}"
                    if not before[key] <= value <= after[key]:
                        return False
            return True
        self.daemon.poll("metrics as in the status", seen)

    def test_metrics_count_what_happens(self):
        before = self.metrics()
        def grown():
            after = self.metrics()
            return all(
                after[key] > before[key] for key in [
                    "raimd_uptime_seconds",
                    *(f'raimd_worker_busy_seconds_total{{worker="{number}"}}'
                      for number in range(2)),
                    *(f'raimd_{name}{{arena="{name_of}"}}' for name_of in ("first", "second")
                      for name in ("tick_duration_seconds_sum", "tick_duration_seconds_count",
                                   "tick_lateness_seconds_sum", "snapshots_total",
                                   "inputs_due_total", "hits_total"))])
        self.daemon.poll("growing metrics", grown, 60)

    def test_workers_are_busy_for_a_share_of_the_time(self):
        begin, before = time.monotonic(), self.metrics()
        time.sleep(1)
        after, seconds = self.metrics(), time.monotonic() - begin
        for number in range(2):
            key = f'raimd_worker_busy_seconds_total{{worker="{number}"}}'
            # The rendering is up to a tenth of a second old.
            self.assertTrue(0 < after[key] - before[key] < seconds + 0.2)

    def test_metrics_name_nobody(self):
        text = self.daemon.ask("/metrics").text
        for player in self.daemon.get_json("/arenas/first")["players"]:
            self.assertNotIn(player["name"], text)
        self.assertEqual(set(re.findall(r'(\w+)="', text)),
                         {"arena", "worker", "reason", "le", "stage", "version", "protocol",
                          "compiler"})

    def test_head_is_get_without_the_body(self):
        for path in ("/metrics", "/arenas/first", "/readyz", "/nothing"):
            with self.subTest(path):
                got, head = self.daemon.ask(path), self.daemon.ask(path, "HEAD")
                self.assertEqual((head.status, head.text), (got.status, ""))
                self.assertEqual(head.getheader("Content-Type"), got.getheader("Content-Type"))
                self.assertGreater(int(head.getheader("Content-Length")), 10)
                self.assertEqual(got.getheader("Cache-Control"), "no-store")

    def test_only_get_and_head_are_allowed(self):
        for path in ("/metrics", "/arenas/first", "/readyz"):
            for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
                with self.subTest(f"{method} {path}"):
                    answer = self.daemon.ask(path, method)
                    self.assertEqual(answer.status, 405)
                    self.assertEqual(answer.getheader("Allow"), "GET, HEAD")
                    self.assertEqual(json.loads(answer.text)["error"], "method not allowed")

    def send(self, text, source="127.0.0.1", small=False):
        """A connection of this address that has said so."""
        made = socket.socket()
        made.settimeout(harness.START_S)
        if small:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        made.bind((source, 0))
        made.connect(self.daemon.status_address)
        with contextlib.suppress(ConnectionError):
            made.sendall(text)
        return made

    def test_odd_requests_are_answered_and_harm_nobody(self):
        host = b"Host: 127.0.0.1\r\n"
        for first, rest, status in (
                (b"GET /arenas/../../etc/passwd", host, 404),
                (b"GET /arenas/%2e%2e%2fmap", host, 404),
                (b"GET //status", host, 404),
                (b"GET http://127.0.0.1/status", host, 404),
                (b"GET http://127.0.0.1/status", b"Host: evil.example\r\n", 421),
                (b"OPTIONS *", host, 404), (b"CONNECT 127.0.0.1:22", host, 404),
                (b"TRACE /status", host, 405), (b"PROPFIND /status", host, 405),
                (b"GET /" + b"a" * 20000, host, 414),
                (b"GET /status", host + b"".join(b"X%d: y\r\n" % i for i in range(3000)), 431),
                (b"GET /status", host + b"X: " + b"y" * 20000 + b"\r\n", 431),
                (b"GET /healthz", host + b"Content-Length: -1\r\n", 400),
                (b"GET /healthz", host + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400),
                (b"GET /healthz", host + b"Content-Length: 0\r\ncontent-length: 5\r\n", 400),
                (b"GET /healthz", host + b"Transfer-Encoding: gzip, chunked\r\n", 400),
                (b"GET /healthz", host + b"Expect: 100-continue\r\nContent-Length: 9\r\n", 200),
                (b"GET /status", host + b"Range: bytes=0-1," + b"0-1," * 500 + b"\r\n", 200)):
            with self.subTest(first[:40]), self.send(
                    first + b" HTTP/1.1\r\n" + rest + b"\r\n") as asked:
                self.assertEqual(asked.recv(13), b"HTTP/1.1 %d " % status)
        self.daemon.poll("ticks", self.daemon.ticks)

    def test_no_body_is_taken_for_a_request(self):
        hidden = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        for framing in (b"Content-Length: 0\r\nContent-Length: %d\r\n" % len(hidden),
                        b"Content-Length: %d\r\nContent-Length: 0\r\n" % len(hidden),
                        b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n" % len(hidden)):
            answer = b""
            with self.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + framing + b"\r\n" + hidden
                           ) as asked, contextlib.suppress(ConnectionError):
                while piece := asked.recv(4096):
                    answer += piece
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer)
            self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer)

    def test_whoever_pipelines_or_reads_slowly_delays_nobody(self):
        request = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        with contextlib.ExitStack() as stack:
            for number in range(240):
                stack.enter_context(self.send(request * 40, f"127.0.0.{2 + number % 4}", small=True))
            for _ in range(10):
                self.assertEqual(self.daemon.ask("/healthz").status, 200)

    def test_viewers_of_one_address_leave_places_for_others(self):
        request = b"GET /arenas/first/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        with contextlib.ExitStack() as stack:
            for _ in range(150):
                stack.enter_context(self.send(request, "127.0.0.5"))
            for host in range(6, 12):
                viewer = stack.enter_context(self.send(request, f"127.0.0.{host}"))
                self.assertEqual(viewer.recv(13), b"HTTP/1.1 200 ")
            self.assertEqual(self.daemon.ask("/healthz").status, 200)

    def test_who_drips_is_ended_and_stands_in_nobodys_way(self):
        # As many as there are places and more: who asks is answered all the same.
        with contextlib.ExitStack() as stack:
            begin = time.monotonic()
            drips = [stack.enter_context(socket.create_connection(self.daemon.status_address))
                     for _ in range(200)]
            for drip in drips:
                with contextlib.suppress(ConnectionError):
                    drip.sendall(b"GET /status HTTP/1.1\r\nX: ")
                drip.setblocking(False)
            self.assertEqual(self.daemon.ask("/healthz").status, 200)
            while drips and time.monotonic() - begin < 2 * DEADLINE_S:
                for drip in list(drips):
                    try:
                        drip.sendall(b"x")
                        if not drip.recv(4096):
                            drips.remove(drip)
                    except BlockingIOError:
                        pass
                    except ConnectionError:
                        drips.remove(drip)
                time.sleep(0.2)
            self.assertEqual(drips, [])
            print(f"200 dripping clients were ended after {time.monotonic() - begin:.1f} s")
        self.daemon.poll("ticks", self.daemon.ticks)


@contextlib.contextmanager
def held(tid):
    """A thread of a child of ours, stopped alone, as a signal cannot; see ptrace(2)."""
    seize, interrupt, detach, wall = 0x4206, 0x4207, 17, 0x40000000
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    def ask(request):
        if libc.ptrace(request, tid, None, None) != 0:
            raise OSError(ctypes.get_errno(), f"ptrace of {tid}")
    try:
        ask(seize)
    except PermissionError:
        raise unittest.SkipTest("skipped: no ptrace here") from None
    ask(interrupt)
    os.waitpid(tid, wall)
    try:
        yield
    finally:
        ask(detach)


class PriorityTest(unittest.TestCase):
    @unittest.skipIf(os.sched_getscheduler(0) != os.SCHED_OTHER, "the tests run by another policy")
    def test_who_answers_does_not_interrupt_who_ticks(self):
        with Stage() as stage:
            daemon = stage.serve(arena("first"), arena("second"), workers=2)
            daemon.poll("main thread", lambda: os.sched_getscheduler(daemon.pid) == os.SCHED_BATCH)
            tasks = pathlib.Path(f"/proc/{daemon.pid}/task")
            # Threads name themselves; a sanitizer may have some of its own.
            workers = daemon.poll("named workers", lambda: [
                found for found in [[int(task.name) for task in tasks.iterdir() if
                                     (task / "comm").read_text().startswith("raimd-worker-")]]
                if len(found) == 2])[0]
            self.assertEqual([os.sched_getscheduler(worker) for worker in workers],
                             [os.SCHED_OTHER] * 2)


class ReadinessTest(unittest.TestCase):
    def test_server_is_ready_while_every_arena_ticks(self):
        with Stage() as stage:
            daemon = stage.serve(arena("first"), arena("second"), workers=2, core_dumps=True)
            tasks = pathlib.Path(f"/proc/{daemon.pid}/task")
            # A thread names itself, as soon as it gets to run.
            worker, = daemon.poll("named worker", lambda: [
                int(task.name) for task in tasks.iterdir()
                if (task / "comm").read_text() == "raimd-worker-1\n"])
            self.assert_ready(daemon)
            with held(worker):
                def silence():
                    told = self.told(daemon, 503)
                    return told if told and told["silent"] else None
                told = daemon.poll("503", silence)
                self.assertEqual(list(told), ["status", "reason", "silent", "overloaded",
                                              "overloaded_workers", "unread_state_lines"])
                self.assertEqual((told["status"], told["reason"]),
                                 ("not ready", "not every arena has ticked within a second"))
                silent, = told["silent"]
                self.assertEqual(silent["name"], "second")
                self.assertGreaterEqual(silent["silent_ms"], 1000)
                self.assertEqual(daemon.ask("/healthz").status, 200)
                # What it published last can still be read.
                self.assertEqual(daemon.get_json("/arenas/second")["state"], "running")
            self.assert_ready(daemon)

    def assert_ready(self, daemon):
        # An arena that was held has skipped ticks, of which the last ten seconds tell.
        told = daemon.poll("readiness", lambda: self.told(daemon, 200), 60)
        self.assertEqual(told, {"status": "ready", "silent": [], "overloaded": [],
                                "overloaded_workers": [], "unread_state_lines": 0,
                                "reason": "every arena has ticked within a second"})

    def told(self, daemon, status):
        answer = daemon.ask("/readyz")
        return json.loads(answer.text) if answer.status == status else None


if __name__ == "__main__":
    harness.main()
