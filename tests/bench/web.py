#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does a player in a browser cost? Bots play in one arena through raim-web and a client that
plays the browsers' part (tests/web/carrier.c), with a simulated network between the two. The CPU
time of the gateway for a client and tick, and its ratio to that of raimd; its memory for a
connection; the round trip that it adds; the bytes of the page, compressed, and the time from
a link to the first shot. Figures go to build/bench/web.csv.

And do players in browsers hit as often? `web_hits_20ms` is the hits per shot of bots behind the
gateway by those of as many native bots in the same matches, all with a round trip of 20 ms, with the
95 % interval and the hits of both; `web_hits_150ms` at 150 ms. The matches go to
build/bench/web_hits.csv. Two are played at a time, without a pause after a death, so that more is
shot. Both kinds have the same simulated network, of the carrier."""

import concurrent.futures
import csv
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import time

from fairness import hit_ratio, interval
from shared import BIN, FIGURES, ROOT, often, options_parser

os.environ.setdefault("RAIM_BIN", str(BIN))
sys.path.insert(0, str(ROOT / "tests/daemon"))

import browser # noqa: E402
import harness # noqa: E402
from ports import free_port # noqa: E402
from web_stage import Scene # noqa: E402

CLIENTS = often(64, 2)
SECONDS = often(20, 1)
ECHOES = often(2000, 20)
HZ = 60
NETWORK = 64 # clients of a network, whose handshakes are limited
PAGE = ROOT / "build/web/page"

SHOTS = often(5, 1) # first ones
HITS_RTT_MS = 20, 150
HITS_PLAYERS = often(32, 2) # in browsers, and as many others
HITS_SECONDS = often(45, 4) # of each match
HITS_MATCHES = often(12, 1) # at each round trip


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
        ports = [free_port() for _ in range(0, clients, NETWORK)]
        generator = [scene.carry(port=port, own=f"127.0.{number}.9")
                     for number, port in enumerate(ports)]
        bots = scene.bots(scene.daemon, clients, ports=ports)
        scene.daemon.wait_pressing(clients, 2 * harness.START_S)
        generator.append(bots)
        before = cpu_s(scene.gateway), cpu_s(scene.daemon), scene.gateway.status()
        load_s = [cpu_s(program) for program in generator]
        time.sleep(SECONDS)
        after = cpu_s(scene.gateway), cpu_s(scene.daemon), scene.gateway.status()
        load_s = [cpu_s(program) - it for program, it in zip(generator, load_s)]
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
                "kB_per_client": round(kb), "clients": clients,
                "generator_percent": round(100 * max(load_s) / SECONDS), **moved}


def round_trips(port):
    """Milliseconds of round trips to an echo, sorted."""
    times = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(2)
        for number in range(ECHOES):
            datagram = number.to_bytes(60, "little")
            begin = time.monotonic()
            client.sendto(datagram, ("127.0.0.1", port))
            while client.recv(2048) != datagram: # an announcement of the gateway
                pass
            times.append((time.monotonic() - begin) * 1000)
            time.sleep(0.004)
    return sorted(times)


# Sends back what comes, in a process of its own.
ECHO = """import socket, sys
echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
echo.bind(("127.0.0.1", int(sys.argv[1])))
while True:
    echo.sendto(*echo.recvfrom(2048))"""


def added():
    """The round trip that gateway and carrier add."""
    with Scene() as scene:
        scene.daemon.stop()
        with subprocess.Popen([sys.executable, "-c", ECHO, str(scene.port)]) as echo:
            try:
                scene.carry()
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client: # the handshake
                    client.settimeout(0.5)
                    harness.poll("an echo", lambda: answers(client, scene.carrier_port))
                direct, through = round_trips(scene.port), round_trips(scene.carrier_port)
            finally:
                echo.kill()
        p99 = len(direct) * 99 // 100
        return {"added_p50_ms": round(statistics.median(through) - statistics.median(direct), 3),
                "added_p99_ms": round(through[p99] - direct[p99], 3)}


def answers(client, port):
    client.sendto(b"begin", ("127.0.0.1", port))
    try:
        return client.recv(2048)
    except TimeoutError:
        return None


def fight(round_trip_ms, seed):
    """The figures of a match, by the names of fairness.py: the far ones are in browsers."""
    count, most = HITS_PLAYERS, 2 * HITS_PLAYERS
    limits = {"connections_per_address": most, "connections_per_network": most}
    with Scene(players=most, network=(round_trip_ms, 0), keys={"rules": {"respawn_delay": 0.0}},
               **limits) as scene:
        plain = free_port()
        scene.carry()
        scene.carry("udp", plain)
        alike = ("--small-datagrams", "--poll", 1000)
        groups = {group: scene.bots(scene.daemon, count, HITS_SECONDS, of_group, alike, [port])
                  for group, of_group, port in (("near", seed, plain),
                                                ("far", seed + 1000, scene.carrier_port))}
        match = {"round_trip_ms": round_trip_ms, "seed": seed}
        for group, bots in groups.items():
            report = bots.report(HITS_SECONDS + harness.START_S)
            match.update({f"{group}_{key}": report[key] for key in ("shots", "hits", "round_trip_ms",
                                                                    "view_delay_ms", "resumes")})
        return match


def fights(matches):
    """The ratio of hits at each round trip."""
    jobs = [(round_trip_ms, seed) for seed in range(1, matches + 1) for round_trip_ms in HITS_RTT_MS]
    with concurrent.futures.ThreadPoolExecutor(len(HITS_RTT_MS)) as pool:
        rows = list(pool.map(fight, *zip(*jobs)))
    with open(FIGURES / "web_hits.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    figures = {}
    for round_trip_ms in HITS_RTT_MS:
        played = [row for row in rows if row["round_trip_ms"] == round_trip_ms]
        low, high = interval(played)
        name = f"web_hits_{round_trip_ms}ms"
        figures.update({name: round(hit_ratio(played), 3), f"{name}_low": round(low, 3),
                        f"{name}_high": round(high, 3),
                        f"{name}_n": "+".join(str(sum(row[f"{group}_hits"] for row in played))
                                              for group in ("far", "near"))})
    return figures


def page_kb():
    """What a browser fetches."""
    return round(sum(path.stat().st_size for path in PAGE.glob("*.br")) / 1000)


def first_shot_ms():
    """From a click on a link to the first shot of a Chromium that draws without a graphics card."""
    with Scene() as scene, browser.Browser(graphics=True) as page:
        scene.gateway.stop()
        scene.gateway = scene.start_gateway(page=str(PAGE))

        def report():
            return json.loads(page.evaluate("JSON.stringify(globalThis.raim?.report?.() ?? {})") or "{}")
        begin = time.monotonic()
        page.open(f"http://127.0.0.1:{scene.web_port}/?server={scene.target}", 800, 450)
        harness.poll("a player", lambda: report().get("alive"), interval_s=0.01)
        page.ask("Input.dispatchMouseEvent", type="mousePressed", x=500, y=200, button="left",
                 buttons=1, clickCount=1)
        harness.poll("a shot", lambda: report()["shots"] > 0, interval_s=0.01)
        return round(1000 * (time.monotonic() - begin))


def look_at_page():
    """The figures of the page, where it was built, and a browser is installed."""
    figures = {}
    if PAGE.is_dir():
        figures["page_kB"] = page_kb()
        if browser.CHROMIUM is not None:
            figures["first_shot_ms"] = statistics.median(first_shot_ms() for _ in range(SHOTS))
    return figures


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--latency", type=float, default=0, metavar="MS", help="round trip")
    parser.add_argument("--loss", type=float, default=0, metavar="PCT")
    parser.add_argument("--hits-matches", type=int, default=HITS_MATCHES,
                        help="at each round trip (%(default)s); 0: none")
    parser.add_argument("--realtime", action="store_true",
                        help="schedule all programs before others (root)")
    options = parser.parse_args()
    if not (BIN / "raim-web").exists():
        print("bench web SKIPPED: raim-web was not built")
        return
    if options.realtime:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    FIGURES.mkdir(parents=True, exist_ok=True)
    figures = {**play(options.clients, options.latency, options.loss), **added(), **look_at_page()}
    if options.hits_matches > 0:
        figures.update(fights(options.hits_matches))
    with open(FIGURES / "web.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, figures)
        writer.writeheader()
        writer.writerow(figures)
    print("bench web", *(f"{key}={it}" for key, it in figures.items()))


if __name__ == "__main__":
    main()
