# SPDX-License-Identifier: MIT
"""Rows of the table of faults: strangers who announce players, beside a gateway that may, and
strangers at the gateway for browsers."""

import contextlib
import os
import pathlib
import socket
import threading
import time

from gateway import KEY, Gateway, announcement
from ports import free_port
from row import Skipped, arena_of, end_bots, expect, harness, row
from stranger import Crowd
from web_stage import Scene


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


def initial():
    """The head of a client's first packet of QUIC, and junk."""
    return (b"\xc0\0\0\0\1\x08" + os.urandom(8) + b"\x08" + os.urandom(8) + b"\0\x44\x96"
            + os.urandom(1174))


class Flood(threading.Thread):
    """Sends datagrams from so many addresses in each of so many networks until it is left."""

    def __init__(self, port, make, networks, hosts, per_second):
        super().__init__()
        self.port, self.make, self.per_second = port, make, per_second
        self.networks, self.hosts = networks, hosts
        self.ended, self.sent = threading.Event(), 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()

    def run(self):
        begin = time.monotonic()
        with Crowd(self.port) as crowd:
            while not self.ended.wait(0.01):
                while self.sent < (time.monotonic() - begin) * self.per_second:
                    host = self.sent // self.networks % self.hosts
                    crowd.send(self.make(), self.sent % self.networks << 8 | host)
                    self.sent += 1
                crowd.received()


def resident_kb(program):
    return int(pathlib.Path(f"/proc/{program.pid}/statm").read_text("ascii").split()[1]) * 4


@row(72, "junk Initials, then unfinished handshakes, from 64 networks at a gateway with players",
     "players stay, a newcomer gets in, memory is bounded")
def quic_strangers(trial):
    if not (harness.BIN / "raim-web").exists():
        raise Skipped("not built in: raim-web")
    networks, hosts, connections = trial.often((64, 32, 1000), (16, 8, 60))
    deadline_s = trial.often(2, harness.START_S)
    waited, grown, sent, rejected = [], [], [], []
    with Scene(connections=connections) as scene:
        scene.carry()
        empty_kb = resident_kb(scene.gateway)
        players = trial.stage.bots(scene.daemon, 4, ports=[scene.carrier_port])
        scene.daemon.wait_pressing(4)
        fake = free_port() # a carrier's whose handshakes are not finished
        scene.carry("--", fake, "sender")
        for port, make, per_second in ((scene.web_port, initial, trial.often(20000, 2500)),
                                       (fake, lambda: b"hello", trial.often(4000, 800))):
            with Flood(port, make, networks, hosts, per_second) as flood:
                before = scene.gateway.status()["packets_in"]
                scene.gateway.wait_count("packets_in", before + per_second / 2)
                time.sleep(trial.often(8, 0))
                own = free_port()
                scene.carry(port=own, own=f"127.0.0.{100 + len(waited)}")
                begin = time.monotonic()
                newcomer = trial.stage.bots(scene.daemon, 1, ports=[own])
                scene.daemon.poll("the newcomer", lambda: scene.daemon.get_json()["players"]["now"]
                                  == 5, deadline_s)
                waited.append(time.monotonic() - begin)
                grown.append(resident_kb(scene.gateway) - empty_kb)
                sent.append(flood.sent)
                rejected.append(scene.gateway.status()["rejected_rate"])
            end_bots(newcomer)
            scene.daemon.wait_players(4)
        status = scene.gateway.status()
        report = end_bots(players)
    expect(report["resumes"] == 0 and report["disconnected"] == 0, f"players: {report}")
    expect(rejected[0] == 0 and status["retries"] > 100 and status["connections"] <= connections,
           f"rejected because of junk {rejected[0]}, {status}")
    expect(trial.is_sanitized() or max(grown) < 160 * connections, f"grown by {grown} kB")
    return sum(sent), (f"4 of 4 play on; newcomers within {waited[0]:.2f} and {waited[1]:.2f} s;"
                       f" {max(grown)} kB more, {status['displaced']} of {connections} connections"
                       f" made room")
