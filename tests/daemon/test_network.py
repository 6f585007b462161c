#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Clients far away and on bad networks: what the simulated network proves, once over real UDP."""

import select
import socket
import threading
import time
import unittest

import harness
from harness import SLOW, Stage, arena, poll
from stalls import Stalls

CLIENTS = 4 if SLOW else 12


class Nat:
    """A router on loopback, between clients and one port of a server at this address, which it may
    reach over IPv6 where the clients reach it over IPv4. Each client gets a port of
    the router's own, until rebind() forgets them all: then what the server sends to the old ones is
    lost, and what clients send comes from new ones."""

    def __init__(self, port, address="127.0.0.1"):
        self._server = (address, port)
        self._inside = self._open("127.0.0.1")
        self.port = self._inside.getsockname()[1]
        self._outside = {} # client's address: socket
        self._forget = self._ended = False
        self._thread = threading.Thread(target=self._route, daemon=True)
        self._thread.start()

    @staticmethod
    def _open(address):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        opened = socket.socket(family, socket.SOCK_DGRAM)
        opened.bind((address, 0))
        return opened

    def rebind(self):
        self._forget = True
        poll("rebinding", lambda: not self._forget)

    def close(self):
        self._ended = True
        self._thread.join()
        for opened in (self._inside, *self._outside.values()):
            opened.close()

    def _route(self):
        while not self._ended:
            if self._forget:
                for outside in self._outside.values():
                    outside.close()
                self._outside = {}
                self._forget = False
            ready, _, _ = select.select([self._inside, *self._outside.values()], [], [], 0.02)
            for source in ready:
                try:
                    data, sender = source.recvfrom(2048)
                    if source is self._inside:
                        if sender not in self._outside:
                            self._outside[sender] = self._open(self._server[0])
                        self._outside[sender].sendto(data, self._server)
                    else:
                        client = next(client for client, outside in self._outside.items()
                                      if outside is source)
                        self._inside.sendto(data, client)
                except ConnectionRefusedError:
                    pass # somebody has left


class NetworkTest(unittest.TestCase):

    def test_far_clients_play_in_time(self):
        """100 ms away, with 30 ms of jitter and 2 % loss each way."""
        with Stage() as stage:
            daemon = stage.serve(arena(max_players=CLIENTS))
            bots = stage.bots(daemon, CLIENTS, network=("--latency", 100, "--jitter", 30,
                                                        "--loss", 2))
            # Each lost datagram of a join costs up to seconds; how one plays is judged, not that.
            daemon.wait_pressing(CLIENTS, deadline_s=30)
            stalls = Stalls(daemon.pid, bots.pid)
            begin = time.monotonic()
            time.sleep(2 if SLOW else 10) # it is a while of play that is judged, from 5 s on
            status = daemon.get_json()
            excused = stalls.seconds() / (time.monotonic() - begin)
            bots.stop()
            report = bots.report()
        rows = [row for row in status["arenas"][0]["players"] if not row["bot"]]
        missed = sum(row["inputs_missed"] for row in rows) / sum(row["inputs_due"] for row in rows)
        print(f"missed {missed:.5f} of the inputs, round trip {report['round_trip_ms']:.0f} ms,"
              f" jitter {report['jitter_ms']:.0f} ms, loss {report['loss']:.3f},"
              f" others {report['view_delay_ms']:.0f} ms late, stalled {excused:.1%}",
              flush=True)
        self.assertEqual(report["connected"], CLIENTS)
        self.assertEqual(report["disconnected"] + report["resumes"], 0)
        self.assertGreater(report["events"], 0)
        self.assertGreater(report["hits"], 0)
        self.assertGreater(report["round_trip_ms"], 90)
        self.assertGreater(report["loss"], 0)
        # A busy machine stalls both ends.
        self.assertLess(missed, (0.2 if SLOW else 0.05) + 2 * excused)

    def test_a_rebound_router_costs_nothing(self):
        with Stage() as stage:
            daemon = stage.serve(arena(max_players=4, bots=16))
            nat = Nat(daemon.ports[0])
            try:
                bots = stage.bots(daemon, 1, ports=[nat.port])

                def own_row():
                    rows = daemon.get_json()["arenas"][0]["players"]
                    return next((row for row in rows if not row["bot"]), None)

                def scored(points):
                    return poll(f"{points} points", lambda: (row := own_row()) and
                                row["score"] >= points and row, 60)

                before = scored(1)
                nat.rebind()
                # What flew by then may still have hit: who scores twice has come back.
                after = scored(own_row()["score"] + 2)
                bots.stop()
                report = bots.report()
            finally:
                nat.close()
        self.assertEqual(report["resumes"], 1)
        self.assertEqual(report["disconnected"], 0)
        self.assertEqual(after["id"], before["id"])
        self.assertGreaterEqual(after["score"], before["score"])
        self.assertGreaterEqual(after["connected_s"], before["connected_s"])


if __name__ == "__main__":
    harness.main()
