# SPDX-License-Identifier: MIT
"""Rows of the table of faults: who speaks in the name of a master server."""

import time

from master import PREFIX, Master
from row import arena_of, end_bots, expect, harness, row, ticks_go_on
from stranger import Crowd


@row(60, "getinfo floods from forged addresses and from a master's own",
     "nobody but the master is answered, four times for a heartbeat; play goes on")
def flood_of_getinfos(trial):
    trial.need_key("masters")
    count = trial.often(50000, 5000)
    getinfo = PREFIX + b"getinfo A_ch4Lleng3"
    with Master() as master:
        daemon = trial.stage.serve(harness.arena(max_players=4),
                                   masters=[f"127.0.0.1:{master.port}"])
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
