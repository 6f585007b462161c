# SPDX-License-Identifier: MIT
"""Rows of the table of faults: floods of what finds servers: requests in the name of a master server,
and discoveries in the local network."""

import os
import socket
import threading
import time

from master import PREFIX, Master
from row import arena_of, end_bots, expect, harness, row, ticks_go_on
from stranger import Crowd


@row(56, "getinfo floods from forged addresses and from a master's own",
     "nobody but the master is answered, four times for a heartbeat; play goes on")
def flood_of_getinfos(trial):
    trial.need_key("masters")
    count = trial.often(50000, 5000)
    getinfo = PREFIX + b"getinfo A_ch4Lleng3"
    with Master() as master:
        daemon = trial.stage.serve(harness.arena(max_players=4),
                                   discovery_masters=[f"127.0.0.1:{master.port}"])
        daemon.poll("a listed arena", lambda: master.listed)
        bots = trial.stage.bots(daemon, 2)
        daemon.wait_pressing(2)
        with Crowd(daemon.ports[0]) as crowd:
            for member in range(count):
                crowd.send(getinfo, member % 65536)
                master.socket.sendto(getinfo, ("127.0.0.1", daemon.ports[0]))
                if member % 500 == 0:
                    time.sleep(0.02)
            ticks_go_on(daemon, 30)
            strangers = len(crowd.received())
        shown = arena_of(daemon)["masters"]
        report = end_bots(bots)
    return 2 * count, expect(
        strangers == 0 and shown["asked"] <= 4 * shown["heartbeats"]
        and shown["limited"] > count / 2 and report["disconnected"] == 0,
        f"{strangers} strangers answered, {shown['asked']} answers for {shown['heartbeats']}"
        f" heartbeats, {shown['limited']} limited, {report['disconnected']} disconnected")


DISCOVERY_PORT, DISCOVERY_BYTES, NEAR_HOPS = 7245, 540, 255


@row(57, "flood of discoveries", "100 answers a second at most, and the status answers within 0.5 s")
def flood_of_discoveries(trial):
    trial.need_key("lan")
    seconds = trial.often(10, 2)
    daemon = trial.stage.serve(harness.arena(address="0.0.0.0"))
    request = (PREFIX + b"RAIM\x10\1" + os.urandom(8)).ljust(DISCOVERY_BYTES, b"\0")
    sent, slowest_s, ends = 0, 0, threading.Event()

    def flood():
        nonlocal sent
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
            asker.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, NEAR_HOPS)
            while not ends.is_set():
                asker.sendto(request, ("127.0.0.1", DISCOVERY_PORT))
                sent += 1

    flooding = threading.Thread(target=flood)
    flooding.start()
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        asked = time.monotonic()
        counts = daemon.get_json()["lan_discovery"]
        slowest_s = max(slowest_s, time.monotonic() - asked)
        time.sleep(0.05)
    ends.set()
    flooding.join()
    read = counts["answered"] + counts["limited"] + counts["rejected"]
    return sent, expect(
        0 < counts["answered"] <= 100 * (seconds + 1) and counts["limited"] > 0
        and slowest_s < (2 if trial.short else 0.5),
        f"{counts['answered']} answered, {read} read of {sent}, the status within"
        f" {1000 * slowest_s:.0f} ms")
