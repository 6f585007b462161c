# SPDX-License-Identifier: MIT
"""What the benches of a running server share: raimd under raim-bots, and a bare loop beside it.

The server runs on one CPU and its load on all others. CPU times are the scheduler's own account of
a thread, which also tells how long the thread was ready and waited for its CPU: a thread that
waited ran late because of other processes, and its figures are those of a late server.
"""

import contextlib
import json
import math
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import typing
import urllib.request

from shared import BIN, ROOT, SHORTEST

programs = BIN  # where raimd and raim-bots are; --programs compares others

MAP = ROOT / "config/maps/crossfire.conf"

SERVER_CPU = min(os.sched_getaffinity(0))
LOAD_CPUS = sorted(os.sched_getaffinity(0) - {SERVER_CPU}) or [SERVER_CPU]
TICK_HZ = 60
WARMUP_S = 1   # of the bare loop
DEADLINE_S = 10
JOIN_CLIENTS_PER_S = 50  # the slowest that is waited for

PINGS = (15, 40, 80, 150)  # of the mix: round trips in ms, in equal parts
SIGHT = {"on": "true", "off": "false"}


class Failure(Exception):
    """The measurement cannot be trusted, and why."""


class Network(typing.NamedTuple):
    """What the load simulates: round trips in ms in equal parts, jitter in ms, loss in percent."""
    name: str
    latencies: tuple
    jitter: float
    loss: float

    def is_shaped(self):
        return any(self.latencies) or self.jitter > 0 or self.loss > 0


class Case(typing.NamedTuple):
    """One run of raimd under its clients."""
    network: Network
    map: pathlib.Path = MAP
    aim: str = "mouse"   # moves every tick; "bot": only where the bot turns
    clients: int = 500
    per_arena: int = 64
    seconds: float = 8
    settle_s: float = 2  # from the last join to the window
    poll_hz: int = 120   # of a load with a network: its delays are exact to 8 ms
    encryption: str = "offered"
    sight: str = "on"
    is_realtime: bool = False


# --- processes ---

@contextlib.contextmanager
def pinned(cpus, *command, is_realtime=False, **options):
    """A process on these CPUs, ended when the block ends."""
    schedule = ["chrt", "--rr", "1"] if is_realtime else []
    command = ["taskset", "-c", ",".join(map(str, cpus)), *schedule, *map(str, command)]
    process = subprocess.Popen(command, text=True, **options)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(DEADLINE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process.stdout:
            process.stdout.close()


class Times(typing.NamedTuple):
    """Nanoseconds that threads ran, and that they were ready and waited for their CPU."""
    ran: int
    waited: int


def thread_times(pid, prefix=""):
    """The times so far of a process's threads whose names begin so, and how many there are."""
    ran = waited = count = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().startswith(prefix):
            times = (task / "schedstat").read_text().split()
            ran, waited, count = ran + int(times[0]), waited + int(times[1]), count + 1
    return Times(ran, waited), count


def worker_times(pid):
    times, count = thread_times(pid, "raimd-worker")
    if count != 1:
        raise Failure(f"found {count} threads named raimd-worker*, want 1")
    return times


def resident_kb(pid):
    """What a process has in memory."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise Failure("the kernel does not tell VmRSS")


def figures(line):
    """The dict of a line of key=value words."""
    return {key: float(value) for key, value in (word.split("=") for word in line.split())}


def row(kind, cpu_ns, clients, client_ticks, seconds, received, sent, bytes_in, bytes_out, **more):
    if client_ticks == 0 or received == 0 or sent == 0:
        raise Failure(f"nothing moved in the {kind} run")
    return {
        "kind": kind,
        "us_per_client_tick": cpu_ns / 1000 / client_ticks,
        "clients": clients,
        "client_ticks": int(client_ticks),
        "seconds": round(seconds, 2),
        "received_per_client_tick": round(received / client_ticks, 3),
        "sent_per_client_tick": round(sent / client_ticks, 3),
        "bytes_in": round(bytes_in / received, 1),
        "bytes_out": round(bytes_out / sent, 1),
        "late_ticks": 0,
        "skipped_ticks": 0,
        **more,
    }


# --- the bare loops ---

def bare(kind, case, size_in, size_out):
    """One run of a bare loop, bare or mmsg, with datagrams of these sizes."""
    seconds = max(1, math.ceil(case.seconds))
    verb = {"bare": "serve", "mmsg": "mmsg"}[kind]
    with pinned([SERVER_CPU], BIN / "bench_bare", verb, size_out, WARMUP_S, seconds,
                is_realtime=case.is_realtime, stdout=subprocess.PIPE) as server:
        port = int(figures(server.stdout.readline())["port"])
        with pinned(LOAD_CPUS, BIN / "bench_bare", "load", port, case.clients, size_in,
                    seconds + WARMUP_S + 2, is_realtime=case.is_realtime,
                    stdout=subprocess.DEVNULL):
            result = figures(server.stdout.readline())
    expected = case.clients * result["ticks"]
    if not 0.97 < result["received"] / expected < 1.03 and not SHORTEST:
        raise Failure(f"the {kind} loop got {result['received']:.0f} of {expected:.0f} datagrams")
    # A datagram answered is a client's tick: the two timers are not in step.
    return row(kind, result["cpu_ns"], case.clients, result["received"],
               result["ticks"] / TICK_HZ, result["received"], result["sent"],
               result["received"] * size_in, result["sent"] * size_out)


# --- the server ---

def free_ports(kind, count):
    """Ports of loopback that nobody has bound."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket(socket.AF_INET, kind)) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def write_config(path, status_port, ports, per_arena, encryption="offered", sight="on",
                 map_path=MAP):
    arenas = ",\n".join(
        f'  {{ name = "a{index}"; address = "127.0.0.1"; port = {port}; map = "{map_path}";'
        f" max_players = {per_arena}; spectator_delay = 0.0; bots = 0;"
        f' encryption = "{encryption}"; sight = {SIGHT[sight]}; }}'
        for index, port in enumerate(ports))
    path.write_text(f'workers = 1;\nhttp = {{ listen = "127.0.0.1:{status_port}"; }};\n'
                    f"arenas = (\n{arenas}\n);\n", encoding="ascii")


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=DEADLINE_S) as answer:
        return answer.read()


def get_status(port):
    return json.loads(get(port, "/status"))


def get_latenesses(port):
    """How many ticks began at most so many seconds late, by seconds, over all arenas."""
    counts = {}
    for line in get(port, "/metrics").decode("ascii").splitlines():
        if line.startswith("raimd_tick_lateness_seconds_bucket"):
            bound = line.split('le="')[1].split('"')[0]
            counts[float(bound)] = counts.get(float(bound), 0) + int(line.split()[-1])
    return counts


def p99_us(before, after):
    """The 99th percentile between two counts, linear within its bucket; inf beyond the last."""
    counts = sorted((bound, count - before[bound]) for bound, count in after.items())
    wanted = 0.99 * counts[-1][1]
    low = below = 0
    for bound, count in counts:
        if count >= wanted:
            return (low + (bound - low) * (wanted - below) / max(1, count - below)) * 1e6
        low, below = bound, count
    return math.inf


def poll(what, deadline_s, processes, ready):
    """Waits until ready() answers something true; OSError means not yet."""
    end = time.monotonic() + deadline_s
    while time.monotonic() < end:
        for process in processes:
            if process.poll() is not None:
                raise Failure(f"a process ended with {process.returncode} before {what}:"
                              f" {process.args}")
        with contextlib.suppress(OSError):
            found = ready()
            if found:
                return found
        time.sleep(0.05)
    raise Failure(f"no {what} within {deadline_s:.0f} s")


@contextlib.contextmanager
def running(arenas, case):
    """raimd with so many arenas on one worker: the process, the status port and the arenas'."""
    ports = free_ports(socket.SOCK_DGRAM, arenas)
    status_port = free_ports(socket.SOCK_STREAM, 1)[0]
    with tempfile.TemporaryDirectory() as directory:
        config = pathlib.Path(directory, "raimd.conf")
        write_config(config, status_port, ports, case.per_arena, case.encryption, case.sight,
                     case.map)
        log = pathlib.Path(directory, "raimd.log")
        with log.open("w", encoding="utf-8") as sink:
            try:
                with pinned([SERVER_CPU], programs / "raimd", "-c", config,
                            is_realtime=case.is_realtime, stderr=sink) as daemon:
                    poll("status", DEADLINE_S, [daemon], lambda: get_status(status_port))
                    yield daemon, status_port, ports
                    daemon.send_signal(signal.SIGTERM)
                    if daemon.wait(DEADLINE_S) != 0:
                        raise Failure(f"raimd ended with {daemon.returncode}")
            except Failure:
                sys.stderr.write(log.read_text(encoding="utf-8", errors="replace"))
                raise


# --- its clients ---

def shares(case):
    """The round trip and the number of clients of each process of bots: one for each round trip,
    or more where there are more CPUs, because a process has one thread."""
    pings = case.network.latencies
    each = max(1, len(LOAD_CPUS) // len(pings))
    count = len(pings) * each
    for index in range(count):
        clients = case.clients * (index + 1) // count - case.clients * index // count
        if clients > 0:
            yield pings[index // each], clients


@contextlib.contextmanager
def clients_of(case, ports, lifetime_s):
    """The processes of bots, which deal their clients so that every arena gets its share of each
    round trip."""
    with contextlib.ExitStack() as stack:
        processes, begun = [], 0
        for latency, clients in shares(case):
            # Each deals its clients to the targets in turn and begins where the last one stopped.
            first = begun % len(ports)
            targets = [f"127.0.0.1:{port}" for port in ports[first:] + ports[:first]]
            shape = [f"--latency={latency}", f"--jitter={case.network.jitter}",
                     f"--loss={case.network.loss}",
                     f"--poll={case.poll_hz}"] if case.network.is_shaped() else []
            mouse = ["--mouse"] if case.aim == "mouse" else []
            processes.append(stack.enter_context(
                pinned(LOAD_CPUS, programs / "raim-bots", "--clients", clients,
                       "--seconds", lifetime_s, "--seed", len(processes) + 1, *shape, *mouse,
                       "--json", *targets, is_realtime=case.is_realtime, stdout=subprocess.PIPE)))
            begun += clients
        yield processes


def check_bots(processes):
    """What the clients saw must be a game without errors."""
    for process in processes:
        process.terminate()
    for process in processes:
        report = json.loads(process.communicate(timeout=DEADLINE_S)[0])
        for key in ("rejected", "decode_errors"):
            if report[key] != 0:
                raise Failure(f"raim-bots says {key} = {report[key]}")


class Sample(typing.NamedTuple):
    """Times and status, taken together."""
    now: float
    worker: Times
    load: Times
    status: dict
    latenesses: dict


def sample(daemon, bots, status_port):
    status, latenesses = get_status(status_port), get_latenesses(status_port)
    loads = [thread_times(process.pid)[0] for process in bots]
    return Sample(time.monotonic(), worker_times(daemon.pid), Times(*map(sum, zip(*loads))),
                  status, latenesses)


def between(before, after, case):
    """The row of a window that lies between two samples."""
    totals = dict.fromkeys(["client_ticks", "bytes_in", "bytes_out", "packets_in", "packets_out",
                            "late_ticks", "skipped_ticks"], 0)
    inputs = {"due": 0, "missed": 0}
    for old, new in zip(before.status["arenas"], after.status["arenas"]):
        ids = [sorted(player["id"] for player in arena["players"]) for arena in (old, new)]
        if ids[0] != ids[1]:
            raise Failure(f"players of arena {new['name']} came or went during the window")
        totals["client_ticks"] += len(ids[0]) * (new["tick"] - old["tick"])
        for key in list(totals)[1:]:
            totals[key] += new[key] - old[key]
        for key in inputs:
            inputs[key] += sum(player[f"inputs_{key}"] for player in new["players"])
            inputs[key] -= sum(player[f"inputs_{key}"] for player in old["players"])
    seconds = after.now - before.now
    load_cpus = min(len(LOAD_CPUS), len(list(shares(case))))  # a process has one thread

    def percent(what, field):
        return (getattr(getattr(after, what), field) -
                getattr(getattr(before, what), field)) / seconds / 1e7

    return row("server", after.worker.ran - before.worker.ran, case.clients,
               totals["client_ticks"], seconds, totals["packets_in"], totals["packets_out"],
               totals["bytes_in"], totals["bytes_out"], late_ticks=totals["late_ticks"],
               skipped_ticks=totals["skipped_ticks"],
               late_p99_us=round(p99_us(before.latenesses, after.latenesses), 1),
               worker_percent=round(percent("worker", "ran"), 1),
               worker_waited_percent=round(percent("worker", "waited"), 1),
               load_percent=round(percent("load", "ran") / load_cpus, 1),
               load_waited_percent=round(percent("load", "waited") / load_cpus, 1),
               inputs_missed_percent=round(100 * inputs["missed"] / max(1, inputs["due"]), 2),
               load_us_per_client_tick=round(
                   (after.load.ran - before.load.ran) / 1000 / max(1, totals["client_ticks"]), 2),
               latency=case.network.name, per_arena=case.per_arena, sight=case.sight,
               encryption=case.encryption, map=case.map.stem, aim=case.aim)


@contextlib.contextmanager
def playing(case, lifetime_s):
    """raimd under its clients, all of whom play: the process, the bots and the status port. At the
    end it checks that the clients saw a game without errors. They are stopped before their life
    ends, because towards its end they cease fire."""
    arenas = math.ceil(case.clients / case.per_arena)
    join_s = DEADLINE_S + case.clients / JOIN_CLIENTS_PER_S
    with running(arenas, case) as (daemon, status_port, ports):
        with clients_of(case, ports, lifetime_s + join_s + DEADLINE_S) as bots:
            poll(f"{case.clients} players", join_s, [daemon, *bots],
                 lambda: get_status(status_port)["players"]["now"] == case.clients)
            time.sleep(case.settle_s)
            yield daemon, bots, status_port
            check_bots(bots)


def server(case):
    """One run of raimd under raim-bots."""
    with playing(case, case.seconds + case.settle_s) as (daemon, bots, status_port):
        before = sample(daemon, bots, status_port)
        time.sleep(case.seconds)
        after = sample(daemon, bots, status_port)
    return between(before, after, case)
