# SPDX-License-Identifier: MIT
"""Rows of the table of faults: HTTP, the control socket, files in shared directories, overload."""

import contextlib
import http.client
import json
import os
import re
import resource
import select
import signal
import socket
import stat
import subprocess
import threading
import time

from row import arena_of, expect, harness, row

NOBODY = 65534


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path, timeout=harness.START_S):
        super().__init__("raimd", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


def command(path, name, body, **keywords):
    """The status of a command over the control socket, whose body is bytes or made JSON; 0 where the
    connection ends without one."""
    with contextlib.closing(UnixConnection(path, **keywords)) as connection:
        try:
            connection.request("POST", f"/v1/commands/{name}",
                               body if isinstance(body, bytes) else json.dumps(body))
            return connection.getresponse().status
        except (ConnectionError, http.client.HTTPException):
            return 0


def serve_controlled(trial, *arenas, **keywords):
    """A daemon, its control socket, and its state and runtime directories."""
    state, run = trial.stage.directory / "state", trial.stage.directory / "run"
    for path in (state, run):
        path.mkdir(exist_ok=True)
    env = {"STATE_DIRECTORY": str(state), "RUNTIME_DIRECTORY": str(run)}
    daemon = trial.stage.serve(*arenas, env=env, **keywords)
    daemon.poll("the control socket", lambda: "control started" in daemon.log)
    return daemon, run / "control.sock"


@row(32, "bodies that are no fields of a command, endless bodies, silent operators",
     "400 and 413; the daemon lives and obeys")
def wrong_bodies(trial):
    daemon, control = serve_controlled(trial, harness.arena())
    bodies = (b"", b"text=hi", b"{", b"[" * 60000, b'{"text":' * 8000, b'{"":""}', b'{"text":"\xff"}',
              b'{"text":"a\\u0000"}', b'{"text":1e999}', b'{"text":"a","text":"b"}')
    times = trial.often(20, 1)
    answers = [command(control, "say", body) for body in bodies * times]
    expect(set(answers) == {400},
           f"answers {sorted(set(answers))}: {daemon.process.poll()}")
    large = command(control, "say", b"x" * (1 << 20))
    with contextlib.ExitStack() as stack:
        for _ in range(trial.often(1000, 200)):
            silent = stack.enter_context(socket.socket(socket.AF_UNIX))
            silent.settimeout(harness.START_S)
            silent.connect(str(control))
            silent.sendall(b"POST /say")
        named = command(control, "say", {"text": "hi"})
    return len(answers), expect(large in (413, 0) and named == 200 and daemon.process.poll() is None,
                                f"wrong {set(answers)}, 1 MB {large}, then a command {named}")


# --- who may look ---

def hello(daemon, headers):
    """The status of a stream asked for with these headers, its delay and its first event's tick."""
    with socket.create_connection(daemon.status_address, timeout=harness.START_S) as stream:
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        stream.sendall(f"GET /arenas/arena/stream HTTP/1.0\r\n{lines}\r\n".encode())
        with stream.makefile("rb") as file:
            status = int(file.readline().split()[1])
            delay = None
            for line in file:
                if line.startswith(b"data: ") and delay is None:
                    delay = json.loads(line[6:])["delay_ms"]
                elif line.startswith(b"data: "):
                    return status, delay, json.loads(line[6:])["tick"]
    return status, delay, None


def ticks_behind(daemon, player, seconds):
    """How late, in ticks, the last snapshot is that a spectator on loopback gets; None for none. The
    status may be some ticks old, so that this may be a little less."""
    witness = subprocess.run([harness.BIN / "witness", "127.0.0.1", str(daemon.ports[0]),
                              str(player), str(seconds)], stdout=subprocess.PIPE, text=True,
                             check=True, timeout=harness.START_S + seconds)
    arena = daemon.get_json()["arenas"][0]
    lines = witness.stdout.splitlines()
    return arena["tick"] - int(lines[-1].split()[0]) if lines else None


@contextlib.contextmanager
def shown_ticks(daemon):
    """What the status shows, as a list of (time, tick) that grows."""
    shown, ended = [], threading.Event()

    def watch():
        while not ended.wait(0.05):
            shown.append((time.monotonic(), arena_of(daemon)["tick"]))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield shown
    finally:
        ended.set()
        thread.join()


@row(33, "the live map and a spectator through relays of every kind",
     "as late as the arena says, but for the token")
def undelayed_map(trial):
    delay_s = 1
    least_ticks = 0.5 * delay_s * harness.TICK_HZ
    token = "0123456789abcdefghij"
    path = trial.stage.directory / "token"
    path.write_text(token + "\n", encoding="ascii")
    path.chmod(0o600)
    text = harness.config(harness.arena(bots=2, spectator_delay=float(delay_s)),
                          http_live_token_file=str(path))
    daemon = trial.stage.raimd("-c", trial.stage.write_config(text)).wait_started()
    relays = [{}, {"Authorization": "Bearer"}] + [
        {name: "127.0.0.1"} for name in
        ("CF-Connecting-IP", "True-Client-IP", "X-Client-IP", "X-Forwarded-Host",
         "X-Forwarded-Proto", "X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "Cookie")]
    early = []
    with shown_ticks(daemon) as shown:
        for headers in relays:
            status, delay_ms, tick = hello(daemon, headers)
            limit_s = time.monotonic() - 0.5 * delay_s
            # How many ticks that is depends on the machine.
            oldest = max((each for at, each in shown if at <= limit_s), default=0)
            if status == 200 and (delay_ms != delay_s * 1000 or tick is None or tick > oldest):
                early.append(f"{headers or 'nothing'}: {delay_ms} ms, tick {tick} after {oldest}")
    bot = daemon.get_json()["arenas"][0]["players"][0]["id"]
    seconds, behind = trial.often(4 * delay_s, 2.5 * delay_s), None
    while behind is None and seconds < harness.START_S: # a busy machine lets it in late
        behind, seconds = ticks_behind(daemon, bot, seconds), 2 * seconds
    if behind is None or behind < least_ticks:
        early.append(f"a spectator on loopback: {behind} ticks")
    trusted = hello(daemon, {"Authorization": f"Bearer {token}"})
    wrong = hello(daemon, {"Authorization": f"Bearer {token[:-1]}J"})
    return len(relays) + 1, expect(not early and trusted[1] == 0 and wrong[0] == 401,
                                   "; ".join(early) or
                                   f"all {delay_s} s late, a spectator {behind} ticks, with the"
                                   f" token {trusted[1]} ms, with another {wrong[0]}")


@row(34, "requests for other hosts and from other pages", "421 and 403, without a name or a number")
def rebinding(trial):
    daemon = trial.stage.serve(harness.arena("secret-name", bots=1))
    paths = ("/", "/status", "/metrics", "/healthz", "/readyz", "/arenas/secret-name",
             "/arenas/secret-name/map", "/arenas/secret-name/stream")
    strange = [({"Host": host}, 421) for host in
               ("evil.example", "evil.example:7246", "127.0.0.1.evil.example", "localhost.evil",
                "127.1", "")]
    strange += [({"Host": "127.0.0.1", "Origin": origin}, 403) for origin in
                ("http://evil.example", "null", "http://203.0.113.9")]
    told, times = [], 0
    for path in paths:
        for headers, wanted in strange:
            with daemon.connect() as connection:
                connection.putrequest("GET", path, skip_host=True)
                for name, value in headers.items():
                    connection.putheader(name, value)
                connection.endheaders()
                answer = connection.getresponse()
                text = answer.read(4096).decode()
                times += 1
                if answer.status != wanted or "secret-name" in text:
                    told.append(f"{path} {headers}: {answer.status}")
    own = {path: daemon.ask(path).status for path in paths[:-1]}
    own.pop("/readyz") # 503 while the machine is too busy for the arena's ticks
    return times, expect(not told and set(own.values()) == {200},
                         "; ".join(told[:4]) or f"all rejected; by its address {set(own.values())}")


# --- files in directories that others write to ---

def is_rejected(trial, text, env):
    """Whether a daemon ends by itself instead of waiting for a file."""
    path = trial.stage.write_config(text, "rejected.conf")
    result = harness.run_raimd("-c", path, env=env)
    return result.returncode != 0 and "not a regular file" in result.stderr


@row(35, "links, FIFOs and others' files where the daemon writes",
     "none is written to, read from or waited for")
def traps(trial):
    victim = trial.stage.directory / "victim"
    victim.write_text("mine\n", encoding="ascii")
    run = trial.stage.directory / "run"
    run.mkdir()
    theirs = run / "arena.checkpoint.new"
    theirs.write_bytes(b"")
    theirs.chmod(0o666)
    if os.geteuid() == 0:
        os.chown(theirs, NOBODY, NOBODY)
    with open(theirs, "rb") as kept:
        daemon, control = serve_controlled(trial, harness.arena(bots=1))
        state = trial.stage.directory / "state"
        checkpoint = run / "arena.checkpoint"
        daemon.poll("a checkpoint", lambda: checkpoint.exists() and checkpoint.stat().st_size)
        leaked = os.fstat(kept.fileno()).st_size
    mode = checkpoint.stat()
    owned = mode.st_uid == os.geteuid() and stat.S_IMODE(mode.st_mode) == 0o600
    (state / "bans.new").symlink_to(victim)
    answers = [command(control, "ban", {"address": "192.0.2.1"})]
    with contextlib.suppress(FileNotFoundError):
        (state / "bans.new").unlink()
    os.mkfifo(state / "bans.new")
    with contextlib.suppress(TimeoutError):
        answers.append(command(control, "ban", {"address": "192.0.2.2"}, timeout=3))
    whole = victim.read_text(encoding="ascii") == "mine\n"
    kept_bans = len((state / "bans").read_text(encoding="ascii").splitlines()[1:])
    expect(leaked == 0 and owned and answers == [200, 200] and whole and kept_bans == 2,
           f"another's descriptor sees {leaked} bytes, own and secret {owned}, bans {answers},"
           f" victim whole {whole}")
    daemon.stop()
    env = {"STATE_DIRECTORY": str(state), "RUNTIME_DIRECTORY": str(run)}
    (state / "bans").unlink()
    os.mkfifo(state / "bans")
    rejected = [is_rejected(trial, harness.config(harness.arena()), env)]
    (state / "bans").unlink()
    (state / "server.key").unlink()
    os.mkfifo(state / "server.key")
    rejected.append(is_rejected(trial, harness.config(harness.arena()), env))
    return 5, expect(rejected == [True, True],
                     f"bans kept {kept_bans}, the victim's file whole, FIFOs rejected {rejected}")


# --- more than it can take ---

class Silence:
    """Connections from some addresses that ask for nothing and are there again when they are ended,
    until it is left."""

    ADDRESSES = [f"127.0.0.{host}" for host in range(1, 9)]

    def __init__(self, target, count):
        self.target, self.count, self.made = target, count, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def _dial(self):
        made = socket.socket()
        made.setblocking(False)
        made.bind((self.ADDRESSES[self.made % len(self.ADDRESSES)], 0))
        with contextlib.suppress(BlockingIOError):
            made.connect(self.target)
        self.made += 1
        return made

    def _run(self):
        there, watch = {}, select.poll()
        while not self.ended.is_set():
            while len(there) < self.count:
                made = self._dial()
                there[made.fileno()] = made
                watch.register(made, select.POLLIN | select.POLLOUT)
            for descriptor, events in watch.poll(20):
                made = there[descriptor]
                if events & (select.POLLIN | select.POLLERR | select.POLLHUP):
                    watch.unregister(made)
                    there.pop(descriptor).close()
                    continue
                watch.modify(made, select.POLLIN)
                with contextlib.suppress(OSError):
                    if descriptor % 2:
                        made.send(b"GET /status HTTP/1.1\r\nX: ") # and no more
        for made in there.values():
            made.close()


@row(36, "hundreds of silent connections, made anew as they end", "whoever asks is answered")
def silence(trial):
    daemon = trial.stage.serve(harness.arena())
    connect_timeout_s = trial.often(1, 4)
    answered, longest, asked = 0, 0.0, trial.often(50, 12)
    with Silence(daemon.status_address, trial.often(2000, 400)) as crowd:
        harness.poll("the crowd", lambda: crowd.made >= crowd.count)
        for number in range(asked):
            source = ("127.0.0.1", "127.0.0.99")[number % 2]
            path = ("/healthz", "/readyz", "/status")[number % 3]
            begin = time.monotonic()
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection(
                    *daemon.status_address, timeout=connect_timeout_s, source_address=(source, 0))
                with contextlib.closing(connection):
                    connection.request("GET", path)
                    answer = connection.getresponse()
                    answered += answer.status in (200, 503) and bool(answer.read())
            longest = max(longest, time.monotonic() - begin)
    return crowd.made, expect(answered == asked,
                              f"{answered} of {asked} answered, after {longest:.2f} s at most")


class Pulses:
    """Stops a process for most of the time, until it is left."""

    def __init__(self, pid, stopped_s, running_s):
        self.pid, self.stopped_s, self.running_s = pid, stopped_s, running_s
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def _run(self):
        while not self.ended.is_set():
            os.kill(self.pid, signal.SIGSTOP)
            time.sleep(self.stopped_s)
            os.kill(self.pid, signal.SIGCONT)
            self.ended.wait(self.running_s)


def overload_metric(daemon):
    found = re.search(r'^raimd_arena_overloaded\{arena="arena"\} (\d)$',
                      daemon.ask("/metrics").text, re.MULTILINE)
    return found[1] if found else None


@row(37, "ticks late because the machine is busy", "said in the log, the status and at /readyz")
def overload(trial):
    # Ten ticks a second: that a quarter of a tick is late is this row's doing and not the machine's.
    daemon = trial.stage.serve(harness.arena(tick_hz=10))
    daemon.poll("readiness", lambda: daemon.ask("/readyz").status == 200)
    begin = time.monotonic()
    with Pulses(daemon.pid, 0.3, 0.1):
        daemon.poll("a line of the log", lambda: "overloaded arena=arena" in daemon.log, 20)
        said_s = time.monotonic() - begin
        ready = daemon.ask("/readyz")
        reason = json.loads(ready.text)
        health = daemon.ask("/healthz")
        shown = daemon.get_json()["arenas"][0].get("overloaded")
        metric = overload_metric(daemon)
    expect(ready.status == 503 and [it["name"] for it in reason["overloaded"]] == ["arena"] and
           health.status == 200 and json.loads(health.text)["status"] == "overloaded" and
           shown is True and metric == "1",
           f"/readyz {ready.status} {ready.text}, /healthz {health.status} {health.text},"
           f" status {shown}, metric {metric}")
    if trial.short:
        return 1, f"said after {said_s:.1f} s, in all five places"
    daemon.poll("recovery", lambda: daemon.ask("/readyz").status == 200, 60)
    lines = re.findall(r"(overloaded|recovered) arena=arena (?:cause=\w+ )?late=\d+ skipped=\d+"
                       r" due=100 p99_us=\d+", daemon.log)
    return 1, expect(lines == ["overloaded", "recovered"] and overload_metric(daemon) == "0",
                     f"said after {said_s:.1f} s, in all five places; then {lines}")
