# SPDX-License-Identifier: MIT
"""Rows of the table of faults: strangers who announce players, beside a gateway that may; strangers
at the gateway for browsers, and its death."""

import contextlib
import os
import pathlib
import signal
import socket
import statistics
import threading
import time

from gateway import KEY, Gateway, announcement
from ports import free_port
from row import Skipped, arena_of, count_lost, end_bots, expect, harness, row
from stalls import Stalls, waits_s
from stranger import Crowd
from web_stage import Scene

SILENCE_S = 1.5 # after which a client takes its connection for lost


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
    player = lambda number: (f"203.0.113.{number % 250 + 1}", 40000 + number % 25000)  # noqa: E731
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


def need_web():
    if not (harness.BIN / "raim-web").exists():
        raise Skipped("not built in: raim-web")


@row(72, "junk Initials, unfinished handshakes, idle sessions, from 64 networks at a gateway with players",
     "players stay, a newcomer gets in, memory is bounded")
def quic_strangers(trial):
    need_web()
    networks, hosts, connections = trial.often((64, 32, 1000), (16, 8, 60))
    deadline_s = trial.often(2, harness.START_S)
    waited, grown, sent, rejected = [], [], [], []
    with Scene(connections=connections) as scene:
        scene.carry()
        empty_kb = resident_kb(scene.gateway)
        players = trial.bots(scene.daemon, 4, ports=[scene.carrier_port])
        unfinished, idle = free_port(), free_port() # carriers of strangers
        scene.carry("--", unfinished, "sender")
        scene.carry(port=idle, own="sender")
        for port, make, per_second in ((scene.web_port, initial, trial.often(20000, 2500)),
                                       (unfinished, lambda: b"hello", trial.often(4000, 800)),
                                       (idle, lambda: b"hello", trial.often(4000, 800))):
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
            scene.daemon.wait_pressing(5)
            end_bots(newcomer)
            scene.daemon.wait_players(4)
        status = scene.gateway.status()
        lost, report = count_lost(players)
    expect(lost == 0, f"players: {report}")
    expect(rejected[0] == 0 and status["retries"] > 100 and status["connections"] <= connections,
           f"rejected because of junk {rejected[0]}, {status}")
    expect(trial.is_sanitized() or max(grown) < 160 * connections, f"grown by {grown} kB")
    return sum(sent), (f"4 of 4 play on; newcomers within {max(waited):.2f} s; {max(grown)} kB more,"
                       f" {status['displaced']} times one of {connections} connections made room")


def clients_of(daemon):
    return {player["id"]: player for player in daemon.get_json("/arenas/arena")["players"]
            if not player["bot"]}


def pressed(found):
    """By player, the ticks for which an input came in time."""
    return {who: player["inputs_due"] - player["inputs_missed"] for who, player in found.items()}


def wait_silent(daemon, players):
    """Waits until nothing more comes of these; returns what they have pressed."""
    before = clients_of(daemon)

    def are_silent():
        nonlocal before
        now = clients_of(daemon)
        if all(now[who]["inputs_due"] < before[who]["inputs_due"] + 6 for who in players):
            return None # of the same status
        counts, before = pressed(before), now
        return all(pressed(now)[who] == counts[who] for who in players) and counts
    return daemon.poll("silence", are_silent)


def kill_gateway(scene, bots, players, down_s):
    """Kills it and starts the next one at once, or after so long. The seconds until all of its players
    press again: from the start, or from when they take silence for a loss if that is later. The
    machine's stalls do not count."""
    scene.gateway.expected_status = -signal.SIGKILL
    scene.gateway.kill()
    lost, stalls = time.monotonic() + SILENCE_S, Stalls(scene.daemon.pid, bots.pid)
    counts = wait_silent(scene.daemon, players)
    if down_s > 0:
        time.sleep(down_s)
        lost, stalls = time.monotonic(), Stalls(scene.daemon.pid, bots.pid)
    scene.gateway = scene.start_gateway()

    def all_press():
        now = pressed(clients_of(scene.daemon))
        return all(now[who] > counts[who] for who in players)
    scene.daemon.poll("everybody playing", all_press)
    own_s = max(waits_s(scene.gateway.pid).values())
    return max(0.0, time.monotonic() - lost - stalls.seconds() - own_s)


@row(73, "raim-web killed beside native clients, and started again after 0.3 to 4.5 s",
     "nobody loses a score; those in browsers play within 1 s of the start, or of 1.5 s of silence")
def killed_gateway(trial):
    need_web()
    kills, web, native = trial.often((10, 32, 8), (2, 3, 1))
    took, points = [], 0
    duel = str(harness.ROOT / "config/maps/duel.conf") # small: points come soon
    with Scene(keys={"map": duel}, connections_per_address=64) as scene:
        ports = [free_port() for _ in range(trial.often(8, 2))] # of networks
        for number, port in enumerate(ports):
            scene.carry(port=port, own=f"127.0.{number}.9")
        players = trial.stage.bots(scene.daemon, web, ports=ports)
        scene.daemon.wait_pressing(web)
        in_browsers = set(clients_of(scene.daemon))
        others = trial.stage.bots(scene.daemon, native)
        scene.daemon.wait_pressing(web + native)
        for number in range(kills):
            known = scene.daemon.poll("another point", lambda: (
                now := clients_of(scene.daemon)) and sum(
                    who["score"] for who in now.values()) > points and now, 60)
            down_s = number % 2 * (2 + number / 4)
            took.append(kill_gateway(scene, players, in_browsers, down_s))
            found = clients_of(scene.daemon)
            expect(set(found) == set(known) and all(
                player["name"] == known[who]["name"] and player["score"] >= known[who]["score"]
                for who, player in found.items()), f"{known} are now {found}")
            points = sum(player["score"] for player in found.values())
        web_report, report = end_bots(players), end_bots(others)
    expect(web_report["disconnected"] == report["disconnected"] == report["resumes"] == 0,
           f"browsers {web_report}, native {report}")
    expect(trial.short or max(took) < 1, f"they play after {sorted(took)} s")
    return kills, (f"{web} in browsers and {native} others keep {points} points; playing after"
                   f" {statistics.median(took):.2f} s, {max(took):.2f} s at most")
