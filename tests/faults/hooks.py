# SPDX-License-Identifier: MIT
"""Rows of the table of faults: receivers of events that are bad, slow or dead."""

import contextlib
import json
import os
import re
import signal
import socket
import threading
import time

from row import ROOT, expect, harness, row, ticks_go_on
from stalls import Stalls

SLOW_S = 1 # that an order and a status may take beside a bad hook
RELOADS = 20


class Server:
    """An HTTP server that answers each connection as `answer` does, in a thread of its own."""

    def __init__(self, answer):
        self.answer = answer
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections += 1
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError), connection:
            connection.recv(65536)
            self.answer(connection)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


def answer_slowly(connection):
    for byte in b"HTTP/1.1 200 OK\r\n" * 100:
        connection.sendall(bytes([byte]))
        time.sleep(0.5)


def answer_hugely(connection):
    connection.sendall(b"HTTP/1.1 500 No\r\n\r\n")
    while True:
        connection.sendall(bytes(65536))


def answer_headers(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-A: " + b"a" * 1000 + b"\r\n")


ANSWERS = {
    "slow": answer_slowly,
    "huge": answer_hugely,
    "endless headers": answer_headers,
    "redirecting": lambda connection: connection.sendall(
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
    "closing": lambda connection: None,
    "garbage": lambda connection: connection.sendall(bytes(range(256))),
}

COMMANDS = {
    "hanging": "sleep 60",
    "flooding": "yes; yes >&2",
    "failing": "exit 1",
    "growing": "sleep 60 & sleep 60 & sleep 60",
    "closed": "exec 0<&- 1>&- 2>&-; exit 9",
    "missing": "rm -- \"$0\"; exit 1", # from the second time on
}


def counts(daemon):
    found = re.findall(r"^raimd_event_hook_(\w+?)(?:_total)? (\d+)$", daemon.ask("/metrics").text,
                       re.MULTILINE)
    return {name: int(count) for name, count in found}


def worst_answer_s(daemon):
    """Makes events, and returns the longest that an answer took of raimd."""
    worst = 0
    for _ in range(RELOADS):
        held = Stalls(daemon.pid)
        daemon.send(signal.SIGHUP)
        begin = time.monotonic()
        daemon.get_json()
        worst = max(worst, time.monotonic() - begin - held.seconds())
    return worst


def serve(trial, hook, name):
    state = trial.stage.directory / name.replace(" ", "-")
    state.mkdir()
    return trial.stage.serve(harness.arena("arena", bots=2), hook_target=hook, prefix=["setsid"],
                             env={"STATE_DIRECTORY": str(state)})


def check(daemon, seen, name):
    """Does what goes on beside a bad hook, and sees that it does."""
    worst = worst_answer_s(daemon)
    ticks_go_on(daemon, 30)
    daemon.poll("a failure", lambda: counts(daemon)["failures"] > 0, 30)
    said = len(re.findall("event hook failed .* waits", daemon.log))
    expect(worst < SLOW_S and said <= 2, f"{name}: an answer took {worst:.2f} s, said {said} times")
    daemon.stop(deadline_s=10)
    seen.append(f"{name} {worst * 1000:.0f} ms")


@row(61, "programs of the event hook that hang, flood, fail, leave children or are missing",
     "counted, said once; ticks, answers and the end are in time")
def bad_programs(trial):
    trial.need_key("hook")
    seen = []
    for name, text in COMMANDS.items():
        if trial.short and name in ("hanging", "flooding", "growing"):
            continue # they fail after ten seconds
        script = trial.stage.directory / f"hook-{name}"
        script.write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
        script.chmod(0o755)
        check(serve(trial, str(script), name), seen, name)
    return len(seen), ", ".join(seen)


@row(62, "servers of the event hook that are dead, slow, endless, redirecting or no HTTP servers",
     "counted, said once; ticks, answers and the end are in time")
def bad_servers(trial):
    trial.need_key("hook")
    seen = []
    for name, answer in ANSWERS.items():
        if trial.short and name == "slow":
            continue # it fails after ten seconds
        with Server(answer) as server:
            check(serve(trial, f"http://127.0.0.1:{server.port}/", name), seen, name)
    with Server(ANSWERS["garbage"]) as server: # TLS with who does not speak it
        check(serve(trial, f"https://127.0.0.1:{server.port}/", "no TLS"), seen, "no TLS")
    check(serve(trial, "http://127.0.0.1:1/", "dead"), seen, "dead")
    return len(seen), ", ".join(seen)


def workers(daemon):
    """The processes that work for a daemon."""
    return [pid for pid, _ in daemon.request_processes()]


@row(63, "SIGKILL and SIGSTOP of the process that runs the hook, again and again",
     "it is started again, and every event is handed over, in order")
def dying_process(trial):
    trial.need_key("hook")
    times = trial.often(20, 3)
    out = trial.stage.directory / "out"
    daemon = serve(trial, f"{ROOT}/deploy/hooks/raimd-hook-file {out}", "dying")
    daemon.poll("an event", out.exists)
    for number in range(times):
        process = daemon.poll("both processes", lambda: len(workers(daemon)) == 2 and
                              workers(daemon)[1])
        os.kill(process, signal.SIGSTOP if number % 2 else signal.SIGKILL)
        daemon.send(signal.SIGHUP)
        daemon.poll("a reload", lambda: daemon.log.count("reloading signal=HUP") == number + 1)
        daemon.poll("its end", lambda: process not in workers(daemon))
    ticks_go_on(daemon, 30)
    def numbers():
        return [json.loads(line)["id"] for line in out.read_text(encoding="ascii").splitlines()]

    daemon.poll("every event", lambda: len(set(numbers())) > times, 60)
    ids = numbers()
    again = len(ids) - len(set(ids))
    return times, expect(ids == sorted(ids) and len(set(ids)) == times + 1,
                         f"{len(set(ids))} events, {again} of them twice")
