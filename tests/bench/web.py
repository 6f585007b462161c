#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does a player in a browser cost? Bots play in one arena through raim-web and a client that
plays the browsers' part (tests/web/carrier.c), with a simulated network between the two. The CPU
time of the gateway for a client and tick, and its ratio to that of raimd; its memory for a
connection; the round trip that it adds. Figures go to build/bench/web.csv."""

import csv
import os
import pathlib
import re
import socket
import statistics
import sys
import threading
import time

from shared import BIN, FIGURES, ROOT, often, options_parser

os.environ.setdefault("RAIM_BIN", str(BIN))
sys.path.insert(0, str(ROOT / "tests/daemon"))

import harness # noqa: E402
from web_stage import Scene # noqa: E402

CLIENTS = often(64, 2)
SECONDS = often(20, 1)
ECHOES = often(2000, 20)
HZ = 60


def cpu_s(program):
    fields = pathlib.Path(f"/proc/{program.pid}/stat").read_text(encoding="utf-8").split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def resident_kb(program):
    text = pathlib.Path(f"/proc/{program.pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1])


def play(clients, round_trip_ms, loss):
    """The figures of so many clients."""
    network = (round_trip_ms, loss) if round_trip_ms else ()
    many = {"connections_per_address": clients + 8, "connections_per_network": clients + 8}
    with Scene(players=clients, network=network, **many) as scene:
        empty_kb = resident_kb(scene.gateway)
        scene.carry()
        bots = scene.bots(scene.daemon, clients, ports=[scene.carrier_port])
        scene.daemon.wait_pressing(clients)
        before = cpu_s(scene.gateway), cpu_s(scene.daemon), scene.gateway.status()
        time.sleep(SECONDS)
        after = cpu_s(scene.gateway), cpu_s(scene.daemon), scene.gateway.status()
        kb = (resident_kb(scene.gateway) - empty_kb) / after[2]["connections"]
        bots.stop(2)
        web_s, raimd_s = after[0] - before[0], after[1] - before[1]
        moved = {key: after[2][key] - before[2][key] for key in (
            "packets_in", "packets_out", "datagrams_in", "datagrams_out", "dropped_congested")}
        datagrams = moved["datagrams_in"] + moved["datagrams_out"]
        return {"us_per_client_tick": round(web_s * 1e6 / (clients * HZ * SECONDS), 1),
                "raimd_us": round(raimd_s * 1e6 / (clients * HZ * SECONDS), 1),
                "ratio": round(web_s / max(raimd_s, 0.01), 2),
                "us_per_datagram": round(web_s * 1e6 / max(1, datagrams), 1),
                "kB_per_client": round(kb), "clients": clients, **moved}


def round_trips(port):
    """Milliseconds of round trips to an echo, sorted."""
    times = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(2)
        for _ in range(ECHOES):
            begin = time.monotonic()
            client.sendto(bytes(60), ("127.0.0.1", port))
            client.recv(2048)
            times.append((time.monotonic() - begin) * 1000)
            time.sleep(0.004)
    return sorted(times)


def added():
    """The round trip that gateway and carrier add."""
    with Scene() as scene, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as echo:
        scene.daemon.stop()
        echo.bind(("127.0.0.1", scene.port))

        def answer():
            while (came := echo.recvfrom(2048))[0] != b"end":
                echo.sendto(*came)
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        scene.carry()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client: # the handshake
            client.settimeout(harness.START_S)
            client.sendto(b"begin", ("127.0.0.1", scene.carrier_port))
            client.recv(2048)
        direct, through = round_trips(scene.port), round_trips(scene.carrier_port)
        echo.sendto(b"end", ("127.0.0.1", scene.port))
        thread.join()
        p99 = len(direct) * 99 // 100
        return {"added_p50_ms": round(statistics.median(through) - statistics.median(direct), 3),
                "added_p99_ms": round(through[p99] - direct[p99], 3)}


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--latency", type=float, default=0, metavar="MS", help="round trip")
    parser.add_argument("--loss", type=float, default=0, metavar="PCT")
    options = parser.parse_args()
    if not (BIN / "raim-web").exists():
        print("bench web SKIPPED: raim-web was not built")
        return
    figures = {**play(options.clients, options.latency, options.loss), **added()}
    FIGURES.mkdir(parents=True, exist_ok=True)
    with open(FIGURES / "web.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, figures)
        writer.writeheader()
        writer.writerow(figures)
    print("bench web", *(f"{key}={it}" for key, it in figures.items()))


if __name__ == "__main__":
    main()
