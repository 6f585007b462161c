#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Plays a fleet on this machine: three raimd with an SDK server of Agones each, a director with the
contract of its allocator, the matchmaker of deploy/matchmaker, and bots that queue, play a round and
queue again. Meanwhile one raimd is killed, one is drained, and all are replaced.

Every bot has to play on or to be in another arena within five seconds, and no round may be lost.
"""

import argparse
import collections
import contextlib
import csv
import http.client
import ipaddress
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/daemon"))
os.environ.setdefault("RAIM_BIN", str(ROOT / "build/release/bin"))

import harness # noqa: E402
import sidecar # noqa: E402
from director import Director, GameServer, StubServer # noqa: E402
from harness import BIN # noqa: E402
from ports import free_port, free_ports # noqa: E402

PODS = 3
LIMIT_S = 5 # of being out of play
DRAIN_S = 60
ROOM = {"raimd/arena": json.dumps({"ends": "round", "join_within_s": 20}, sort_keys=True)}
LINE = re.compile(r"raim-bots: at=(\S+) bot=(\S+) state=(\S+)(?: server=(\S+) rounds=(\d+))?"
                  r"(?: reason=(\S+))?")


class Settings:
    def __init__(self, short, bots):
        self.bots = bots or (60 if short else 300)
        self.round_s = 5 if short else 20
        self.phase_s = 6 if short else 30 # before and after each harm
        self.places = 6
        # Two of the raimd hold everybody, one does not.
        self.pool = 2 + self.bots // self.places * 3 // 5


def say(text):
    print(f"fleet: {text}", flush=True)


class Loopback:
    """Where a pod lives that has no network of its own."""
    prefix, address, bind = (), "127.0.0.1", "localhost"


class Network:
    """A network namespace, in which a pod lives, for as long as the context."""

    def __init__(self, number):
        """Addresses are of RFC 2544's range for benchmarks, and others in each process, so that two
        fleets can run at a time."""
        self.namespace = f"raim-fleet-{os.getpid()}-{number}"
        self.device = f"rf{os.getpid()}-{number}"
        network = ipaddress.ip_address("198.18.0.0") + (os.getpid() * 16 + number) % 32768 * 4
        self.near, self.address, self.bind = network + 1, str(network + 2), "0.0.0.0"
        self.prefix = ("ip", "netns", "exec", self.namespace)

    def __enter__(self):
        try:
            for words in (
                    f"netns add {self.namespace}",
                    f"link add {self.device} type veth peer name eth0 netns {self.namespace}",
                    f"addr add {self.near}/30 dev {self.device}",
                    f"link set {self.device} up",
                    f"-n {self.namespace} addr add {self.address}/30 dev eth0",
                    f"-n {self.namespace} link set eth0 up",
                    f"-n {self.namespace} link set lo up"):
                subprocess.run(["ip", *words.split()], check=True, stderr=subprocess.DEVNULL)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        """Deletes the cable, both ends of it, before the namespace: with the namespace alone the
        kernel would remove it some time later."""
        with contextlib.suppress(OSError):
            for words in (f"-n {self.namespace} link del eth0", f"netns del {self.namespace}"):
                subprocess.run(["ip", *words.split()], check=False, stderr=subprocess.DEVNULL)

    @staticmethod
    def has_namespaces():
        try:
            with Network(15):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False


class SdkServer(sidecar.SdkServer):
    """Agones' own, in a pod's network."""

    def __init__(self, directory, network, *arguments):
        super().__init__(directory, *arguments)
        self.network = network

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [*self.network.prefix, self.program, "--address", self.network.bind,
                 "--http-port", str(self.port), "--grpc-port", str(self.grpc_port),
                 "--health-port", str(self.health_port), *self.arguments],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        harness.poll("sdk-server", self.answers)
        return self

    def answers(self):
        with contextlib.suppress(OSError), \
                socket.create_connection((self.network.address, self.port), 1):
            return True
        return False


class Events(threading.Thread):
    """Counts what GET /v1/events reports of a raimd, over restarts of it."""

    def __init__(self, socket_path):
        super().__init__(daemon=True)
        self.path, self.last, self.is_stopped = socket_path, 0, False
        # IDs of arenas with a player, and with a round that ended; why arenas ended.
        self.entered, self.rounds, self.causes = set(), set(), {}
        self.start()

    def run(self):
        while not self.is_stopped:
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                self.read()
            time.sleep(0.1)

    def read(self):
        connection = http.client.HTTPConnection("raimd", timeout=30)
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.settimeout(30)
        with contextlib.closing(connection):
            connection.sock.connect(str(self.path))
            connection.request("GET", "/v1/events", headers={"Last-Event-ID": str(self.last)})
            answer, fields = connection.getresponse(), {}
            while line := answer.readline().decode():
                name, _, value = line.rstrip("\n").partition(": ")
                if line == "\n":
                    self.take(fields)
                    fields = {}
                fields[name] = value

    def take(self, fields):
        if "id" in fields:
            self.last = int(fields["id"])
        kind = fields.get("event")
        if kind == "player_joined":
            self.entered.add(json.loads(fields["data"])["id"])
        elif kind == "round_ended":
            self.rounds.add(json.loads(fields["data"])["id"])
        elif kind == "arena_ended":
            data = json.loads(fields["data"])
            self.causes[data["id"]] = data["cause"]

    def lost(self, is_gone):
        """The arenas with players that ended, or whose raimd is gone, before their round ended."""
        return [(name, self.causes.get(name)) for name in self.entered - self.rounds
                if is_gone or name in self.causes]


class Pod:
    """A raimd and its SDK server, with directories that a restart of the process keeps. Enters the
    network and leaves it with remove(), or where it does not start."""

    def __init__(self, fleet, name, network, first_port):
        self.fleet, self.name, self.network, self.process = fleet, name, network, None
        with contextlib.ExitStack() as resources:
            if fleet.has_namespaces:
                resources.enter_context(network)
            self.open(resources, first_port)
            self.resources = resources.pop_all()

    def open(self, resources, first_port):
        fleet, name, network = self.fleet, self.name, self.network
        self.directory = fleet.directory / name
        for part in ("state", "run"):
            (self.directory / part).mkdir(parents=True)
        settings = fleet.settings
        ports = list(range(first_port, first_port + settings.pool))
        self.on_demand_at = {f"{network.address}:{port}" for port in ports}
        self.socket = self.directory / "run/control.sock"
        template = harness.value({
            "name": "duel", "address": "0.0.0.0", "map": str(ROOT / "config/maps/duel.conf"),
            "max_players": settings.places, "round_time": settings.round_s, "break_time": 1,
            "access": "token", "access_key": fleet.public_key,
            "limits": {"connections_per_address": 4000, "connections_per_network": 4000,
                       "connects_per_second": 1000}}) # all bots have one address
        self.config = self.directory / "raimd.conf"
        self.config.write_text(
            harness.config(control_socket=str(self.socket), agones_mode="on", agones_drain=DRAIN_S,
                           on_demand_ports=f"{ports[0]}-{ports[-1]}",
                           on_demand_templates=harness.Text(f"( {template} )")), encoding="utf-8")
        if fleet.sdk_program:
            path = self.directory / "gameserver.yaml"
            self.sdk = SdkServer(self.directory, network, fleet.sdk_program, "--local", "-f",
                                 str(path))
            self.server = GameServer(name, f"http://{network.address}:{self.sdk.port}", path,
                                     network.address, ports, ROOM)
            resources.callback(self.sdk.stop)
            self.sdk.start()
        else:
            state = sidecar.game_server(ports=[(f"arena-{port}", port) for port in ports])
            state["object_meta"].update(name=name, annotations=dict(ROOM))
            state["status"]["lists"]["arenas"]["capacity"] = str(settings.pool)
            self.sdk = resources.enter_context(sidecar.Stub(state))
            self.server = StubServer(name, self.sdk)
        self.log = resources.enter_context(open(self.directory / "raimd.log", "ab"))
        resources.callback(self.kill)
        self.start()
        self.events = Events(self.socket)
        fleet.director.servers[name] = self.server

    def start(self):
        self.process = subprocess.Popen(
            [*self.network.prefix, BIN / "raimd", "-c", self.config], stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=self.log, env={**os.environ, **self.sdk.env, "NOTIFY_SOCKET": "",
                                  "STATE_DIRECTORY": str(self.directory / "state"),
                                  "RUNTIME_DIRECTORY": str(self.directory / "run")})

    def state(self):
        with contextlib.suppress(OSError):
            return self.server.get()["status"]["state"]
        return "gone"

    def arenas(self):
        with contextlib.suppress(OSError):
            return int(self.server.get()["status"]["counters"]["arenas"]["count"])
        return 0

    def wait(self, what, is_so, limit_s=20):
        end = time.monotonic() + limit_s
        while not is_so():
            if time.monotonic() > end:
                raise SystemExit(f"fleet: {self.name}: no {what} in {limit_s} s, state"
                                 f" {self.state()}:\n" + self.text()[-2000:])
            time.sleep(0.02)

    def text(self):
        return (self.directory / "raimd.log").read_text(encoding="utf-8", errors="replace")

    def wait_ready(self):
        self.wait("Ready", lambda: self.state() in ("Ready", "Allocated"))

    def end(self):
        """What Kubernetes does with a pod whose GameServer is Shutdown."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(20)
        self.remove()
        return status

    def remove(self):
        self.fleet.director.servers.pop(self.name, None)
        self.events.is_stopped = True
        self.resources.close()

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Fleet:
    """Ends everything that it has started when its context ends."""

    def __init__(self, directory, settings):
        self.directory, self.settings = pathlib.Path(directory), settings
        self.sdk_program = sidecar.find_sdk_server()
        # The stub lives in this process and therefore on loopback.
        self.has_namespaces = self.sdk_program is not None and Network.has_namespaces()
        self.director = Director(ROOM)
        self.key = self.directory / "signer"
        self.public_key = subprocess.run([BIN / "raimctl", "token", "key", self.key], check=True,
                                         capture_output=True, text=True).stdout.strip()
        self.pods, self.all_pods, self.programs = [], [], []
        self.harms = [] # (when, name, the addresses whose bots it concerns)
        self.statuses = []

    def add_pod(self):
        number = len(self.all_pods)
        if self.has_namespaces:
            pod = Pod(self, f"raimd-{number}", Network(number), 7300)
        else:
            pod = Pod(self, f"raimd-{number}", Loopback(), free_ports(self.settings.pool))
        self.all_pods.append(pod)
        pod.wait_ready()
        self.pods.append(pod)
        return pod

    def start_matchmaker(self):
        settings = {
            "listen": f"127.0.0.1:{free_port()}", "key": str(self.key),
            "players": self.settings.places, "fill_s": 1,
            "regions": {"local": {"allocator": {"url": self.director.url},
                                  "kubernetes": {"url": self.director.url}}}}
        path = self.directory / "matchmaker.json"
        path.write_text(json.dumps(settings), encoding="utf-8")
        self.matchmaker_url = "http://" + settings["listen"]
        self.start_program("matchmaker", ROOT / "deploy/matchmaker/matchmaker.py", path)

    def start_program(self, name, *command):
        with open(self.directory / f"{name}.out", "wb") as out, \
                open(self.directory / f"{name}.err", "wb") as err:
            program = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err)
        self.programs.append(program)
        return program

    def start_bots(self):
        self.bots = self.start_program("bots", BIN / "raim-bots", "--matchmaker",
                                       self.matchmaker_url, "--clients", self.settings.bots,
                                       "--json")

    def harm(self, name, pod):
        self.harms.append((time.monotonic(), name, pod.on_demand_at))
        say(f"{name} {pod.name}, {pod.arenas()} arenas")

    def kill_one(self):
        pod = max(self.pods, key=Pod.arenas)
        self.harm("kill", pod)
        pod.process.kill()
        pod.process.wait()
        pod.start()

    def drain_one(self):
        """By its operator; a fleet replaces it at once."""
        pod = max(self.pods, key=Pod.arenas)
        self.harm("drain", pod)
        self.start_program(f"drain-{pod.name}", BIN / "raimctl", "-s", pod.socket, "drain")
        self.replace(pod)
        pod.wait("Shutdown", lambda: pod.state() == "Shutdown", DRAIN_S)
        self.statuses.append(pod.end())

    def roll(self):
        """All of them, one after the other, each as soon as its successor is Ready. Agones gives an
        allocated GameServer the label of its fleet's allocationOverflow, and ends it when it is
        Shutdown."""
        old = list(self.pods)
        for pod in old:
            self.replace(pod)
            self.harm("roll", pod)
            self.director.drain(pod.server)
        for pod in old:
            pod.wait("Shutdown", lambda pod=pod: pod.state() == "Shutdown", DRAIN_S)
            self.statuses.append(pod.end())

    def replace(self, pod):
        self.pods.remove(pod)
        self.add_pod()

    def play(self):
        for _ in range(PODS):
            self.add_pod()
        self.start_matchmaker()
        self.start_bots()
        self.began = time.monotonic()
        time.sleep(self.settings.round_s + self.settings.phase_s)
        self.kill_one()
        time.sleep(self.settings.round_s + self.settings.phase_s)
        self.drain_one()
        time.sleep(self.settings.phase_s)
        self.roll()
        time.sleep(self.settings.phase_s)
        self.ended = time.monotonic()
        self.lost_arenas = [arena for pod in self.all_pods
                           for arena in pod.events.lost(pod not in self.pods)]
        self.causes = collections.Counter(cause for pod in self.all_pods
                                          for cause in pod.events.causes.values())
        self.bots.send_signal(signal.SIGINT)
        self.bots.wait(20)
        time.sleep(0.3)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for program in self.programs:
            if program.poll() is None:
                program.kill()
                program.wait()
        with contextlib.ExitStack() as pods: # all of them, even where one cannot be removed
            for pod in self.all_pods:
                pods.callback(pod.remove)


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0


class Figures:
    """What the bots' lines say."""

    def __init__(self, fleet):
        self.fleet = fleet
        self.lines = collections.defaultdict(list)
        path = fleet.directory / "bots.err"
        for match in map(LINE.fullmatch, path.read_text(encoding="utf-8").splitlines()):
            if match:
                at, bot, state, server, rounds, reason = match.groups()
                self.lines[bot].append((float(at), state, server, reason, int(rounds or 0)))

    def rounds_lost(self):
        """Players whose connection was lost before their round had ended, and arenas that ended
        before their round."""
        lost = list(self.fleet.lost_arenas)
        for bot, lines in self.lines.items():
            has_played = False
            for at, state, port, reason, rounds in lines:
                if state == "connecting":
                    has_played = False
                elif state == "playing":
                    has_played = True
                elif rounds == 0 and (state == "lost" or (state == "ended" and has_played
                                                          and reason != "shutdown")):
                    lost.append((at, bot, state, port, reason))
        return lost

    def waits(self):
        """From each ticket to playing."""
        found, failures = [], 0
        for lines in self.lines.values():
            queued = None
            for at, state, _, _, _ in lines:
                if state == "queued":
                    failures += queued is not None
                    queued = at if queued is None else queued
                elif state == "playing" and queued is not None:
                    found.append(at - queued)
                    queued = None
        return found, failures

    def gaps(self, lines, since=0.0):
        """(when, how long, the port before) of each time out of play that began after `since`."""
        found, out, port = [], None, None
        for at, state, at_port, _, _ in lines:
            if state == "playing":
                if out is not None and out >= since:
                    found.append((out, at - out, port))
                out, port = None, at_port
            elif state in ("resuming", "ended", "lost") and out is None and port is not None:
                out = at
        if out is not None and out >= since:
            found.append((out, max(0.0, self.fleet.ended - out), port))
        return found

    def after(self, when, ports):
        """The next time out of play of each bot that was on one of these ports at that time."""
        found = []
        for lines in self.lines.values():
            at_port, playing = None, False
            for at, state, port, _, _ in lines:
                if at > when:
                    break
                playing = state == "playing"
                at_port = port if playing else at_port
            if playing and at_port in ports:
                gaps = self.gaps(lines, when)
                # A killed server's bots are out of play from then on, not from when they notice.
                found.append(gaps[0] if gaps else None)
        return found


def report(fleet, figures, csv_path):
    rows = []
    waits, failures = figures.waits()
    everybody = [gap for lines in figures.lines.values() for gap in figures.gaps(lines)]
    rows.append(("bots", fleet.settings.bots))
    rows.append(("seconds", round(fleet.ended - fleet.began, 1)))
    rows.append(("arenas", sum(fleet.causes.values())))
    rows.append(("queue_to_play_p50_s", round(percentile(waits, 0.5), 3)))
    rows.append(("queue_to_play_p99_s", round(percentile(waits, 0.99), 3)))
    rows.append(("on_demand_that_failed", failures))
    rows.append(("allocations", fleet.director.allocations))
    rows.append(("allocations_rejected", fleet.director.rejections))
    worst = 0.0
    for name in dict.fromkeys(name for _, name, _ in fleet.harms):
        spans = []
        for when, kind, ports in fleet.harms:
            if kind != name:
                continue
            for gap in figures.after(when, ports):
                if gap is not None:
                    spans.append(gap[0] + gap[1] - when if name == "kill" and gap[0] - when < 3
                                 else gap[1])
        rows.append((f"{name}_bots", len(spans)))
        rows.append((f"{name}_out_of_play_p50_s", round(percentile(spans, 0.5), 3)))
        rows.append((f"{name}_out_of_play_max_s", round(max(spans, default=0.0), 3)))
        worst = max(worst, max(spans, default=0.0))
    worst = max([worst] + [gap for _, gap, _ in everybody])
    lost = figures.rounds_lost()
    rows.append(("out_of_play_max_s", round(worst, 3)))
    rows.append(("rounds_lost", len(lost)))
    for cause, count in sorted(fleet.causes.items()):
        rows.append((f"on_demand_ended_by_{cause}", count))
    result = json.loads((fleet.directory / "bots.out").read_text(encoding="utf-8"))
    for key in ("arenas", "resumes", "kills"):
        rows.append((f"bots_{key}", result[key]))
    load = os.getloadavg()
    rows.append(("processors", os.cpu_count()))
    rows.append(("load_average", round(load[0], 1)))
    csv_path.parent.mkdir(parents=True, exist_ok=True)
    with open(csv_path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("figure", "value"))
        writer.writerows(rows)
    for name, number in rows:
        print(f"{name:28} {number}")
    for each in lost[:10]:
        say(f"lost: {each}")
    problems = []
    if worst > LIMIT_S:
        problems.append(f"somebody was out of play for {worst:.1f} s")
    if lost:
        problems.append(f"{len(lost)} rounds were lost")
    if any(fleet.statuses):
        problems.append(f"raimd ended with {fleet.statuses}")
    if len(figures.lines) < fleet.settings.bots or not all(
            any(line[1] == "playing" for line in lines) for lines in figures.lines.values()):
        problems.append("not every bot has played")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="60 bots for less than a minute")
    parser.add_argument("--bots", type=int, default=0)
    parser.add_argument("--csv", type=pathlib.Path, default=ROOT / "build/fleet/fleet.csv")
    parser.add_argument("--keep", action="store_true", help="keep the directory of logs")
    options = parser.parse_args()
    # So that the contexts end on SIGTERM, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    directory = tempfile.mkdtemp(prefix="raim-fleet-")
    fleet = Fleet(directory, Settings(options.short, options.bots))
    say("each raimd in a network namespace of its own" if fleet.has_namespaces
        else "all on LOOPBACK: namespaces need root and the real SDK server")
    say(f"{PODS} raimd, {fleet.settings.bots} bots, "
        + (f"SDK servers {fleet.sdk_program}" if fleet.sdk_program
           else "SDK servers are STUBS: ./dev deps --all installs the real one"))
    try:
        with fleet:
            fleet.play()
    except BaseException:
        say(f"logs in {directory}")
        raise
    problems = report(fleet, Figures(fleet), options.csv)
    if problems:
        say("FAILED: " + "; ".join(problems) + f"; logs in {directory}")
        sys.exit(1)
    if options.keep:
        say(f"logs in {directory}")
    else:
        shutil.rmtree(directory)
    say("every bot played on or was in another arena within "
        f"{LIMIT_S} s, and no round was lost")


if __name__ == "__main__":
    main()
