# SPDX-License-Identifier: MIT
"""A row of the table of faults: the server of a ban list."""

import contextlib
import signal
import socket
import threading
import time

from row import arena_of, end_bots, expect, harness, row

GOOD = b"192.0.2.0/24 2101-01-31 spam\n2001:db8::/32\n"


class OddServer:
    """Answers each request in the way that `way` names."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.way, self.asked = "good", 0
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.asked += 1
                threading.Thread(target=self._answer, args=(connection, self.way),
                                 daemon=True).start()

    @staticmethod
    def _answer(connection, way):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
        with contextlib.suppress(OSError), connection:
            connection.recv(4096)
            if way == "good":
                connection.sendall(head % len(GOOD) + GOOD)
            elif way == "garbage":
                connection.sendall(bytes(range(256)) * 40)
            elif way == "wide":
                connection.sendall(head % 10 + b"0.0.0.0/0\n")
            elif way == "huge":
                connection.sendall(head % (1 << 33))
                for _ in range(64):
                    connection.sendall(b"10.0.0.1\n" * 16384)
            elif way == "slow":
                connection.sendall(head % len(GOOD))
                for byte in GOOD:
                    connection.sendall(bytes((byte,)))
                    time.sleep(1)
            # dead: nothing

    def close(self):
        self.listener.close()


@row(59, "a ban list whose server is dead, slow, huge, or sends garbage or everybody",
     "the list before stays, every failure is told, every player plays on")
def bad_list(trial):
    trial.need_key("bans")
    server = OddServer()
    with contextlib.closing(server):
        daemon = trial.stage.serve(harness.arena(max_players=8),
                                   bans_list=f"http://127.0.0.1:{server.port}/bans")
        shown = lambda: daemon.get_json()["ban_list"]  # noqa: E731
        daemon.poll("the list", lambda: shown()["networks"] == 2)
        bots = trial.bots(daemon, 8)
        before, told = arena_of(daemon), []
        for way in ("dead", "garbage", "wide", "huge", "slow"):
            server.way, asked, failures = way, server.asked, shown()["failures"]
            daemon.send(signal.SIGHUP)
            daemon.poll("a request", lambda: server.asked > asked)
            if way == "slow": # its deadline is half a minute
                time.sleep(trial.often(35, 1))
            else:
                daemon.poll(f"the failure of {way}", lambda: shown()["failures"] > failures)
                told.append(shown()["error"])
        after = arena_of(daemon)
        kept = shown()["networks"]
        report = end_bots(bots)
    ticks = after["tick"] - before["tick"]
    late = (after["late_ticks"] - before["late_ticks"]) / max(ticks, 1)
    return server.asked, expect(
        kept == 2 and all(told) and report["disconnected"] == 0,
        f"{kept} networks in force, {len(told)} failures told, {report['disconnected']} players"
        f" lost, {late:.1%} of {ticks} ticks late")
