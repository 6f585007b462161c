# SPDX-License-Identifier: MIT
"""A row of the table of faults: strangers who announce players, beside a gateway that may."""

import contextlib
import socket
import time

from gateway import KEY, Gateway, announcement
from row import arena_of, end_bots, expect, harness, row
from stranger import Crowd


@row(71, "announcements by strangers: forged, copied, late; of a thousand players by a gateway",
     "counted and unanswered; nobody is taken for another, everybody plays on")
def announcements(trial):
    trial.need_key("gateway")
    count = trial.often(50000, 3000)
    key_file = trial.stage.directory / "gateway.key"
    key_file.touch(0o600)
    key_file.write_text(KEY.hex(), encoding="ascii")
    daemon = trial.stage.serve(harness.arena(max_players=16), gateway_key_file=str(key_file))
    port = daemon.ports[0]
    player = lambda number: (f"203.0.113.{number % 250 + 1}", 40000 + number)  # noqa: E731
    with contextlib.ExitStack() as stack:
        gateway = stack.enter_context(Gateway(port, player))
        native = trial.bots(daemon, 4)
        web = trial.stage.bots(daemon, 4, ports=[gateway.port])
        daemon.wait_pressing(8)
        before = arena_of(daemon)
        crowd = stack.enter_context(Crowd(port))
        victim = next(iter(gateway.players)).getsockname()
        valid = announcement(victim, ("198.51.100.1", 1))
        kinds = (lambda n: announcement((f"127.{n >> 8 & 255}.{n & 255}.1", 9), player(n)),
                 lambda n: announcement(victim, player(n), key=bytes(32)), lambda n: valid,
                 lambda n: valid[:-1])
        for number in range(count):
            crowd.send(kinds[number % len(kinds)](number), number % 65536)
            if number % 500 == 0:
                time.sleep(0.02)
        # The gateway's own: more players than the table has room for, none of whom connects.
        sockets = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                   for _ in range(trial.often(1000, 300))]
        for number, own in enumerate(sockets):
            own.connect(("127.0.0.1", port))
            own.send(announcement(own.getsockname(), player(number)))
        counted = lambda name: (arena_of(daemon)["rejections"].get(name, 0)  # noqa: E731
                                - before["rejections"].get(name, 0))
        daemon.poll("the count", lambda: counted("gateway_socket") > count / 4 and arena_of(daemon)
                    ["announcements"] - before["announcements"] >= len(sockets))
        answers = len(crowd.received())
        after = daemon.wait_pressing(8)
        for bots in native, web:
            end_bots(bots)
    return count + len(sockets), expect(
        answers == 0 and after["players"]["now"] == 8 and counted("connectionless") > count / 8,
        f"{answers} answers, {counted('gateway_socket')} of other sockets rejected, 8 of 8 play on")
