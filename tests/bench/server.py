#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does one client cost the server per tick, and how far is that from moving its datagrams?

Measures raimd's worker thread under real bot clients, and between those runs a bare
recvfrom/sendto loop (bare.c) with the same number and mean size of datagrams, and takes the ratio
of the medians: absolute figures drift with the machine, ratios in one run do not. The servers run
on CPU 0 and the loads on CPU 1. Also runs step.c for the cost of a world step.
"""

import contextlib
import csv
import json
import math
import pathlib
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from shared import BIN, FIGURES, ROOT, SHORTEST, often, options_parser

CSV = FIGURES / "server.csv"
MAP = ROOT / "config/maps/crossfire.conf"

SERVER_CPU, LOAD_CPU = 0, 1
PLAYERS_PER_ARENA = 64
TICK_HZ = 60
JOIN_S = 10    # by then every client must play
SETTLE_S = often(2, 0.5) # from the last join to the window
WARMUP_S = 1   # of the bare loop
DEADLINE_S = 10

COLUMNS = ["run", "kind", "us_per_client_tick", "clients", "client_ticks", "seconds",
           "received_per_client_tick", "sent_per_client_tick", "bytes_in", "bytes_out",
           "late_ticks", "skipped_ticks"]


class Failure(Exception):
    """The measurement cannot be trusted, and why."""


@contextlib.contextmanager
def pinned(cpu, *command, **options):
    """A process on one CPU, ended when the block ends."""
    command = ["taskset", "-c", str(cpu), *map(str, command)]
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


def figures(line):
    """The dict of a line of key=value words."""
    return {key: float(value) for key, value in (word.split("=") for word in line.split())}


def row(kind, cpu_ns, clients, client_ticks, seconds, received, sent, bytes_in, bytes_out,
        late=0, skipped=0):
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
        "late_ticks": late,
        "skipped_ticks": skipped,
    }


# --- the bare loop ---

def bare(clients, seconds, size_in, size_out):
    """One run of the bare loop with datagrams of these sizes."""
    with pinned(SERVER_CPU, BIN / "bench_bare", "serve", size_out, WARMUP_S, seconds,
                stdout=subprocess.PIPE) as server:
        port = int(figures(server.stdout.readline())["port"])
        with pinned(LOAD_CPU, BIN / "bench_bare", "load", port, clients, size_in,
                    seconds + WARMUP_S + 2, stdout=subprocess.DEVNULL):
            result = figures(server.stdout.readline())
    expected = clients * result["ticks"]
    if not 0.98 < result["received"] / expected < 1.02 and not SHORTEST:
        raise Failure(f"the bare loop got {result['received']:.0f} of {expected:.0f} datagrams")
    # A datagram answered is a client's tick: the two timers are not in step.
    return row("bare", result["cpu_ns"], clients, result["received"], result["ticks"] / TICK_HZ,
               result["received"], result["sent"], result["received"] * size_in,
               result["sent"] * size_out)


# --- the server ---

def free_ports(kind, count):
    """Ports of loopback that nobody has bound."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket(socket.AF_INET, kind)) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def write_config(path, status_port, ports, encrypted):
    arenas = ",\n".join(
        f'  {{ name = "a{index}"; address = "127.0.0.1"; port = {port}; map = "{MAP}";'
        f" max_players = {PLAYERS_PER_ARENA}; spectator_delay = 0.0; bots = 0;"
        f' encryption = "{encrypted}"; }}'
        for index, port in enumerate(ports))
    path.write_text(f'workers = 1;\nstatus = "127.0.0.1:{status_port}";\n'
                    f"arenas = (\n{arenas}\n);\n", encoding="ascii")


def get_status(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=DEADLINE_S) as answer:
        return json.load(answer)


def poll(what, deadline_s, process, ready):
    """Waits until ready() answers something true; OSError means not yet."""
    end = time.monotonic() + deadline_s
    while time.monotonic() < end:
        if process.poll() is not None:
            raise Failure(f"{process.args[3]} ended with {process.returncode} before {what}")
        with contextlib.suppress(OSError):
            found = ready()
            if found:
                return found
        time.sleep(0.05)
    raise Failure(f"no {what} within {deadline_s} s")


def worker_ns(pid):
    """User and system time so far of the worker threads, from the scheduler's own account."""
    total = count = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().startswith("raimd-worker"):
            total += int((task / "schedstat").read_text().split()[0])
            count += 1
    if count != 1:
        raise Failure(f"found {count} threads named raimd-worker*, want 1")
    return total


def sample(pid, status_port):
    """CPU time and status, taken together."""
    status = get_status(status_port)
    return time.monotonic(), worker_ns(pid), status


def between(before, after, clients):
    """The row of a window that lies between two samples."""
    (start, cpu_before, first), (end, cpu_after, last) = before, after
    totals = dict.fromkeys(["client_ticks", "bytes_in", "bytes_out", "packets_in", "packets_out",
                            "late_ticks", "skipped_ticks"], 0)
    for old, new in zip(first["arenas"], last["arenas"]):
        ids = [sorted(player["id"] for player in arena["players"]) for arena in (old, new)]
        if ids[0] != ids[1]:
            raise Failure(f"players of arena {new['name']} came or went during the window")
        totals["client_ticks"] += len(ids[0]) * (new["tick"] - old["tick"])
        for key in list(totals)[1:]:
            totals[key] += new[key] - old[key]
    return row("server", cpu_after - cpu_before, clients, totals["client_ticks"], end - start,
               totals["packets_in"], totals["packets_out"], totals["bytes_in"],
               totals["bytes_out"], totals["late_ticks"], totals["skipped_ticks"])


def check_bots(output):
    """What the clients saw must be a game without errors."""
    report = json.loads(output)
    for key in ("refused", "decode_errors"):
        if report[key] != 0:
            raise Failure(f"raim-bots says {key} = {report[key]}")


def server(clients, seconds, encrypted):
    """One run of raimd under raim-bots, encrypted unless `encryption` is "off"."""
    arenas = math.ceil(clients / PLAYERS_PER_ARENA)
    ports = free_ports(socket.SOCK_DGRAM, arenas)
    status_port = free_ports(socket.SOCK_STREAM, 1)[0]
    with tempfile.TemporaryDirectory() as directory:
        config = pathlib.Path(directory, "raimd.conf")
        write_config(config, status_port, ports, encrypted)
        log = pathlib.Path(directory, "raimd.log")
        with log.open("w", encoding="utf-8") as sink:
            try:
                return server_run(config, sink, clients, seconds, status_port, ports)
            except Failure:
                sys.stderr.write(log.read_text(encoding="utf-8", errors="replace"))
                raise


def server_run(config, log, clients, seconds, status_port, ports):
    with pinned(SERVER_CPU, BIN / "raimd", "-c", config, stderr=log) as daemon:
        poll("status", DEADLINE_S, daemon, lambda: get_status(status_port))
        targets = [f"127.0.0.1:{port}" for port in ports]
        # They are stopped after the window; before an end of their own they would cease fire.
        lifetime = seconds + SETTLE_S + JOIN_S + DEADLINE_S
        with pinned(LOAD_CPU, BIN / "raim-bots", "--clients", clients, "--seconds", lifetime,
                    "--json", *targets, stdout=subprocess.PIPE) as bots:
            poll(f"{clients} players", JOIN_S, bots,
                 lambda: get_status(status_port)["players"]["now"] == clients)
            time.sleep(SETTLE_S)
            before = sample(daemon.pid, status_port)
            time.sleep(seconds)
            after = sample(daemon.pid, status_port)
            bots.terminate()
            check_bots(bots.communicate(timeout=DEADLINE_S)[0])
        daemon.send_signal(signal.SIGTERM)
        if daemon.wait(DEADLINE_S) != 0:
            raise Failure(f"raimd ended with {daemon.returncode}")
    return between(before, after, clients)


# --- the whole ---

def show(result):
    print("  {kind:<7} {us_per_client_tick:6.2f} us per client-tick   {clients} clients, per"
          " client-tick {received_per_client_tick:.3f} in of {bytes_in:.0f} bytes,"
          " {sent_per_client_tick:.3f} out of {bytes_out:.0f} bytes;"
          " {late_ticks} late, {skipped_ticks} skipped ticks".format(**result), flush=True)


def write_csv(results):
    CSV.parent.mkdir(parents=True, exist_ok=True)
    with CSV.open("w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for number, result in enumerate(results, start=1):
            writer.writerow({"run": number, **result,
                             "us_per_client_tick": f"{result['us_per_client_tick']:.3f}"})


def measure(clients, seconds, runs, encrypted):
    print("The loads drain their sockets on a 60 Hz timer: clients that block until a datagram"
          " comes would\ncost the server a wake-up for each. Loopback; servers on CPU"
          f" {SERVER_CPU}, loads on CPU {LOAD_CPU}.", flush=True)

    # A short run first warms the machine up and tells the sizes that the bare loop must move.
    probe = server(clients, often(2, 1), encrypted)
    sizes = round(probe["bytes_in"]), round(probe["bytes_out"])
    results = [bare(clients, seconds, *sizes)]
    show(results[-1])
    for _ in range(runs):
        for result in (server(clients, seconds, encrypted), bare(clients, seconds, *sizes)):
            results.append(result)
            show(result)

    step = figures(subprocess.run(["taskset", "-c", str(SERVER_CPU), BIN / "bench_step",
                                   *often([], ["1", "64", "50", "1"])], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout)
    print("  step    {step_us:6.2f} us per world step   {players:.0f} players, {obstacles:.0f}"
          " obstacles, {bullets:.0f} bullets; 90th percentile {p90_us:.2f} us".format(**step))

    write_csv(results)
    median = {kind: statistics.median(result["us_per_client_tick"] for result in results
                                      if result["kind"] == kind) for kind in ("bare", "server")}
    for result in results:
        for key in ("received_per_client_tick", "sent_per_client_tick"):
            if not 0.95 < result[key] < 1.05:
                print(f"  note: {key}={result[key]} in a {result['kind']} run; the bare loop moves"
                      " one datagram each way")
    print(f"bench server us_per_client_tick={median['server']:.2f} bare_us={median['bare']:.2f}"
          f" ratio={median['server'] / median['bare']:.2f} clients={clients}"
          f" encryption={encrypted} step_us={step['step_us']:.1f}")


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--clients", type=int, default=often(500, 8))
    parser.add_argument("--seconds", type=int, default=often(8, 1), help="length of a window")
    parser.add_argument("--runs", type=int, default=often(2, 1),
                        help="of the server, between bare ones")
    parser.add_argument("--encryption", choices=("off", "offered"), default="offered")
    options = parser.parse_args()

    # A client is a descriptor.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        measure(options.clients, options.seconds, options.runs, options.encryption)
    except Failure as failure:
        print(f"bench server: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
