# SPDX-License-Identifier: MIT
"""Runs the real raimd and raim-bots for the tests: started with a configuration of the test's own
on free ports, asked over HTTP, ended by their own process id, never left behind.

RAIM_BIN names the directory of the programs. RAIM_SLOW=1 makes the tests ask for less, for builds
whose instrumentation costs so much that the full load says nothing about the server.
"""

import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

from stalls import Stalls

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("RAIM_BIN", ROOT / "build/dev/bin")).resolve()
SLOW = os.environ.get("RAIM_SLOW", "") == "1"
TICK_HZ = 60

START_S = 30    # instrumented programs on a busy machine begin slowly
STOP_S = 1      # promised
LIFE_S = 600    # of a program whose test died before it could end it; CTest's limit, too
SKIPPED = 77    # exit status for CTest's SKIP_RETURN_CODE


def _has_ipv6():
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
        probe.bind(("::1", 0))
        return True
    return False


HAS_IPV6 = _has_ipv6() # a container may have sockets of IPv6, but no address

if not (BIN / "raimd").exists():
    sys.exit(f"no raimd in {BIN}: build it, or let RAIM_BIN name its directory")

SANITIZER_WORDS = ("Sanitizer", "runtime error:")


# --- configurations ---

# The groups of keys outside of the arenas.
GROUPS = ("http", "control", "rcon", "recordings", "results", "events", "hook", "bans", "on_demand",
          "agones", "discovery", "gateway")


class Text(str):
    """A value as it stands in the file."""


def value(it):
    """A key's value as a configuration has it; a group is a dictionary."""
    if isinstance(it, Text):
        return it
    if isinstance(it, dict):
        return "{ " + " ".join(f"{key} = {value(inner)};" for key, inner in it.items()) + " }"
    return json.dumps(it, ensure_ascii=False)


def arena(name="arena", **keys):
    """The text of an arena's group."""
    keys = {"name": name, "address": "127.0.0.1", "port": 0,
            "map": str(ROOT / "config/maps/crossfire.conf"), **keys}
    return value(keys)


def config(*arenas, status="127.0.0.1:0", workers=0, **keys):
    """The text of a configuration, with these keys of the file besides: GROUP_KEY is a key of a
    group, and status is http_listen."""
    listed = ",\n  ".join(arenas)
    tree = {"http": {"listen": status}}
    for key, it in keys.items():
        group = next((group for group in GROUPS if key.startswith(group + "_")), None)
        if group is None:
            tree[key] = it
        else:
            tree.setdefault(group, {})[key[len(group) + 1:]] = it
    http = value(tree.pop("http"))
    more = "".join(f"{key} = {value(it)};\n" for key, it in tree.items())
    return (f"workers = {workers};\nhttp = {http};\n"
            f"arenas = (\n  {listed}\n);\n{more}")


# --- cookies ---

def request_cookie(port, sender=None, deadline_s=START_S):
    """The cookie with which whoever has the address may connect to an arena's port; `sender` is a
    UDP socket of that address, by default one of 127.0.0.1."""
    with contextlib.ExitStack() as stack:
        if sender is None:
            sender = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        sender.settimeout(0.25)
        end = time.monotonic() + deadline_s
        while time.monotonic() < end:
            sender.sendto(b"\xff\xff\xff\xffRAIM\1\2".ljust(512, b"\0"), ("127.0.0.1", port))
            with contextlib.suppress(TimeoutError):
                answer = sender.recv(2048)
                if answer[:10] == b"\xff\xff\xff\xffRAIM\2\2":
                    return int.from_bytes(answer[11:15], "little")
    raise AssertionError(f"no cookie within {deadline_s} s")


# --- programs ---

def poll(what, ready, deadline_s=START_S, interval_s=0.02):
    """Waits until ready() answers something true, and returns that."""
    end = time.monotonic() + deadline_s
    while not (found := ready()):
        if time.monotonic() > end:
            raise AssertionError(f"no {what} within {deadline_s} s")
        time.sleep(interval_s)
    return found


def check_sane(output):
    """No sanitizer has said anything."""
    if any(word in output for word in SANITIZER_WORDS):
        raise AssertionError(f"a sanitizer reports:\n{output}")


def prepare_program():
    """In a child, before its program: without this test it ends soon after, since an alarm survives
    exec, and SIGINT ends it, which a shell's jobs in the background ignore."""
    signal.alarm(LIFE_S)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Program:
    """A running program of ours whose output goes to files, so that it never waits for us."""

    def __init__(self, directory, command, env=None, inherit=False):
        self.command = command
        self.name = pathlib.Path(command[0]).name
        # Which descriptor a program writes to can be told by its file (see JOURNAL_STREAM).
        self.out_path, self.err_path = directory / "out", directory / "err"
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                env={**os.environ, **(env or {})}, close_fds=not inherit,
                preexec_fn=prepare_program)
        self.expected_status = 0

    @property
    def pid(self):
        return self.process.pid

    def request_processes(self):
        """The processes for requests of a raimd that was started with the prefix `setsid`: their
        (pid, name), first the one that starts the other again."""
        parents, names = {}, {}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError): # it has ended
                words = (path / "cmdline").read_bytes().split(b"\0")
                stat = (path / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                if words[1:2] == [b"--serve-requests"] and int(stat[3]) == self.pid: # its session
                    parents[int(path.name)] = int(stat[1])
                    names[int(path.name)] = words[0].decode()
        return sorted(names.items(), key=lambda it: parents[it[0]] in names)

    @property
    def out(self):
        return self.out_path.read_text(encoding="utf-8")

    @property
    def log(self):
        return self.err_path.read_text(encoding="utf-8", errors="replace")

    def poll(self, what, ready, deadline_s=START_S):
        """poll(), given up when the program ends."""
        def ready_or_ended():
            found = ready()
            if not found and self.process.poll() is not None:
                raise AssertionError(
                    f"{self.name} ended with {self.process.returncode} before {what}:\n{self.log}")
            return found
        try:
            return poll(what, ready_or_ended, deadline_s)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.log}") from None

    def send(self, number):
        self.process.send_signal(number)

    def wait(self, deadline_s):
        """Waits for the end, checks how it ended and returns the seconds that it took. Time in
        which the machine held it up does not count."""
        begin, stalls = time.monotonic(), Stalls(self.pid)
        while self.process.poll() is None:
            if time.monotonic() > begin + deadline_s + stalls.seconds():
                raise AssertionError(f"{self.name} runs on after {deadline_s} s:\n{self.log}")
            time.sleep(0.01)
        status = self.process.returncode
        check_sane(self.log)
        if status != self.expected_status:
            raise AssertionError(f"{self.name} ended with {status}:\n{self.log}")
        return time.monotonic() - begin

    def stop(self, number=signal.SIGTERM, deadline_s=START_S):
        """Asks for the end; as wait()."""
        if self.process.poll() is None:
            self.send(number)
        return self.wait(deadline_s)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Daemon(Program):
    """A raimd that has started: where its arenas and its status are."""

    def wait_started(self):
        self.poll("a log line 'status started'",
                  lambda: re.search(r"status started url=\S+\n", self.log))
        self.ports = [int(port) for port in re.findall(r"arena started .*?\bport=(\d+)", self.log)]
        address = re.search(r"status started url=http://\[?([\d.:]+?)\]?:(\d+)/status", self.log)
        self.status_address = address[1], int(address[2])
        return self

    def connect(self):
        """A connection to the status."""
        return contextlib.closing(http.client.HTTPConnection(*self.status_address, timeout=START_S))

    def ask(self, path="/status", method="GET", body=None):
        """The answer, its body read."""
        with self.connect() as connection:
            connection.request(method, path, body)
            answer = connection.getresponse()
            answer.text = answer.read().decode("utf-8")
            return answer

    def get_json(self, path="/status"):
        answer = self.ask(path)
        if answer.status != 200:
            raise AssertionError(f"GET {path} answers {answer.status}: {answer.text}")
        return json.loads(answer.text)

    def ticks(self):
        """Whether every arena has ticked within a second; a busy machine may overload some."""
        return json.loads(self.ask("/readyz").text)["silent"] == []

    def wait_players(self, count):
        """The first status that shows so many clients playing."""
        def seen():
            status = self.get_json()
            return status if status["players"]["now"] == count else None
        return self.poll(f"status with {count} players", seen)

    def wait_pressing(self, count, deadline_s=START_S):
        """Waits until so many clients play, each of whom has pressed something in time: until then
        a client may not know yet that it was let in, and says so if it is stopped. Returns the
        status that shows it."""
        def pressing():
            status = self.get_json()
            rows = [row for each in status["arenas"] for row in each["players"] if not row["bot"]]
            pressed = sum(row["inputs_due"] > row["inputs_missed"] for row in rows)
            return status if len(rows) == count and pressed == count else None
        return self.poll(f"{count} clients that press", pressing, deadline_s)

    def resident_kb(self):
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1])


class Bots(Program):
    """A raim-bots --json."""

    def report(self, deadline_s=START_S):
        """What it has to say at its end."""
        self.wait(deadline_s)
        return json.loads(self.out)


class Stage:
    """What a test starts. Leaving it ends everything and checks that all ended well."""

    def __enter__(self):
        self.programs = []
        self._directory = tempfile.TemporaryDirectory(prefix="raimd-test-")
        self.directory = pathlib.Path(self._directory.name)
        return self

    def __exit__(self, *_):
        try:
            # Clients first: who loses a server ends well too, but later.
            for program in reversed(self.programs):
                program.stop()
        finally:
            for program in self.programs:
                program.kill()
            self._directory.cleanup()

    def _start(self, kind, command, env, inherit=False):
        directory = self.directory / str(len(self.programs))
        directory.mkdir()
        program = kind(directory, [str(word) for word in command], env, inherit)
        self.programs.append(program)
        return program

    def write_config(self, text, name="raimd.conf"):
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        return path

    def raimd(self, *arguments, env=None, prefix=(), inherit=False):
        """A raimd that may still be starting; `prefix` are the words of what runs it, `inherit`
        lets our inheritable descriptors through to it."""
        return self._start(Daemon, [*prefix, BIN / "raimd", *arguments], env, inherit)

    def serve(self, *arenas, env=None, prefix=(), inherit=False, **keys):
        """A raimd that serves these arenas."""
        path = self.write_config(config(*arenas, **keys), f"raimd-{len(self.programs)}.conf")
        return self.raimd("-c", path, env=env, prefix=prefix, inherit=inherit).wait_started()

    def bots(self, daemon, clients, seconds=0, seed=1, network=(), ports=None, program="raim-bots",
             host="127.0.0.1", env=None):
        """Clients for the daemon's arenas, or for these ports of a host, over such a network; 0
        seconds: until they are stopped with SIGINT."""
        return self._start(Bots, [BIN / program, "--clients", clients, "--seconds", seconds,
                                  "--seed", seed, *network, "--json",
                                  *(f"{host}:{port}" for port in ports or daemon.ports)], env)


def run_raimd(*arguments, env=None, prefix=(), program="raimd"):
    """Runs a raimd that is expected to end by itself at once."""
    result = subprocess.run([*prefix, BIN / program, *map(str, arguments)], text=True,
                            stdin=subprocess.DEVNULL, capture_output=True, check=False,
                            timeout=START_S, env={**os.environ, **(env or {})})
    check_sane(result.stderr)
    return result


def run_raimrec(*arguments):
    return run_raimd(*arguments, program="raimrec")


def run_raimmap(*arguments, prefix=()):
    return run_raimd(*arguments, prefix=prefix, program="raimmap")


# --- the pace of ticks ---

class Pace:
    """Samples of a daemon's status, and the tick rate of its arenas from them.

    The status is published ten times a second and rendered as seldom, so that a sample is up to a
    fifth of a second old. Uneven intervals keep that age from drifting in step with either, and a
    line through all samples averages it out.

    What the machine held up cannot tick; a daemon that is too slow by itself has no such excuse.
    """

    def __init__(self, daemon):
        self.daemon = daemon
        self.samples = [] # (seconds, status)
        self.stalls = Stalls(daemon.pid)
        self._chance = random.Random(1)

    def sample(self):
        """Waits a little, then asks for the status."""
        time.sleep(self._chance.uniform(0.1, 0.2))
        status = self.daemon.get_json()
        self.samples.append((time.monotonic(), status))
        return status

    def sample_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.sample()

    def grown(self, index, key):
        """By how much a count of an arena has grown."""
        first, last = self.samples[0][1], self.samples[-1][1]
        return last["arenas"][index][key] - first["arenas"][index][key]

    def check_skipped(self, index, stalled_s):
        """An arena skips no tick but those that the machine held up."""
        skipped, hz = self.grown(index, "skipped_ticks"), self.samples[-1][1]["arenas"][index]["tick_hz"]
        if skipped > stalled_s * hz:
            raise AssertionError(f"arena {index} skipped {skipped} ticks, the machine stalled for"
                                 f" {stalled_s:.3f} s")

    def hz(self, index):
        times, statuses = zip(*self.samples)
        ticks = [status["arenas"][index]["tick"] for status in statuses]
        return statistics.linear_regression(times, ticks).slope

    def check(self, tolerance=0.01):
        """Every arena ticks at its rate. Prints what was measured.

        The line's slope is good to 0.15 % (a standard deviation) after nine seconds and to 0.5 %
        after four, so a short look must tolerate more.
        """
        seconds = self.samples[-1][0] - self.samples[0][0]
        stalled_s = self.stalls.seconds()
        excused = stalled_s / seconds
        for index, last in enumerate(self.samples[-1][1]["arenas"]):
            hz = self.hz(index)
            line = (f"arena {last['name']}: {hz:.2f} Hz over"
                    f" {seconds:.1f} s, stalled {excused:.1%},"
                    f" late {self.grown(index, 'late_ticks')},"
                    f" skipped {self.grown(index, 'skipped_ticks')}, tick_us {last['tick_us']}")
            print(line, flush=True)
            self.check_skipped(index, stalled_s)
            if abs(hz / last["tick_hz"] - 1) > tolerance + excused:
                raise AssertionError(line)


def main():
    """Runs the tests of the calling file. A skipped test makes the exit status say so."""
    program = unittest.main(verbosity=2, exit=False)
    if not program.result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIPPED if program.result.skipped else 0)
