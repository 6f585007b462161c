# SPDX-License-Identifier: MIT
"""Rows of the table of faults: what a connected peer does to ENet, and others in a peer's name."""

import contextlib
import itertools
import struct
import threading
import time

from row import arena_of, count_lost, end_bots, expect, harness, row, ticks_go_on
from stalls import Stalls
from stranger import (ACKNOWLEDGE, DISCONNECT, RELIABLE, SEND, Peer, connect_command,
                      datagram)

SEND_UNRELIABLE = 7
HONEST = 16
FULL_RATE = 10000 # datagrams a second


def limited_arena(**keys):
    """An arena where loopback is no exception."""
    return harness.arena(limits={"loopback": True}, **keys)


def reliable(sequence, channel=0):
    return struct.pack("!BBHH", SEND | RELIABLE, channel, sequence & 0xFFFF, 1) + b"\0"


def unreliable(sequence, number, channel=1):
    return struct.pack("!BBHHH", SEND_UNRELIABLE, channel, sequence & 0xFFFF, number & 0xFFFF,
                       1) + b"\0"


def of_peer(peer, commands):
    """Datagrams of a peer that have these commands, 32 each."""
    return [datagram(b"".join(commands[at:at + 32]), peer.number, peer.session)
            for at in range(0, len(commands), 32)]


class Flood:
    """Sends the same datagrams over and over, so many a second."""

    def __init__(self, peer, datagrams, rate):
        self.peer, self.datagrams, self.rate = peer, datagrams, rate
        self.sent = 0
        self.ended = False
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.thread.join()

    def _run(self):
        begin = time.monotonic()
        for data in itertools.cycle(self.datagrams):
            if self.ended:
                return
            while self.sent >= (time.monotonic() - begin) * self.rate and not self.ended:
                time.sleep(0.002)
            self.peer.send(data)
            self.sent += 1


def connect_silently(daemon, trial, source):
    """A peer that has said nothing: no HELLO is needed for what follows."""
    peer = Peer(daemon.ports[0], source, address_validation=trial.has("address_validation"))
    command = connect_command(peer.fetch_cookie() if peer.address_validation else 0)

    def ask():
        peer.send(datagram(command))
        peer.serve(0.05)
        return peer.number is not None
    harness.poll("connection", ask)
    return peer


def play_on(trial, daemon, bots, flood, reason):
    """What a flood does to those who play: how many datagrams came, and what was seen. It is to be
    rejected for a reason."""
    before, begin, stalls = arena_of(daemon), time.monotonic(), Stalls(daemon.pid)
    with flood:
        ticks_go_on(daemon, trial.often(360, 60))
        after, seconds = arena_of(daemon), time.monotonic() - begin
        excused = stalls.seconds() * harness.TICK_HZ
    lost, _ = count_lost(bots)
    ticks = after["tick"] - before["tick"]
    skipped = after["skipped_ticks"] - before["skipped_ticks"]
    rejected = {reason: count - before["rejections"][reason]
               for reason, count in after["rejections"].items()
               if count > before["rejections"][reason]}
    us = after["tick_us"]
    seen = (f"{ticks} ticks in {seconds:.1f} s, {skipped} skipped and {excused:.0f} excused, p99"
            f" {us['p99']} us, max {us['max']} us, {lost} players lost, rejected {rejected}")
    # Tests assert no times: in the short form as many ticks may be skipped as are run.
    good = (lost == 0 and len(after["players"]) >= HONEST and
            skipped <= trial.often(ticks / 100, ticks) + excused and rejected.get(reason, 0) > 0)
    return flood.sent, expect(good, seen)


@contextlib.contextmanager
def game(trial, **keys):
    """An arena with those who play honestly."""
    daemon = trial.stage.serve(limited_arena(max_players=32, **keys))
    yield daemon, trial.bots(daemon, HONEST)


def flood_game(trial, prepare, repeated, reason):
    """Sends some datagrams' commands once and others again and again."""
    with game(trial) as (daemon, bots):
        with connect_silently(daemon, trial, "127.0.0.2") as peer:
            for data in of_peer(peer, prepare):
                peer.send(data)
                time.sleep(0.0005)
            flood = Flood(peer, of_peer(peer, repeated), trial.often(FULL_RATE, 1000))
            return play_on(trial, daemon, bots, flood, reason)


@row(23, "reliable messages behind a gap, and the first of them over and over",
     "ticks go on, honest players play on")
def repeated_behind_a_gap(trial):
    return flood_game(trial, [reliable(2 + i) for i in range(16384)], [reliable(2)] * 32,
                      "repeated")


@row(24, "unreliable messages that wait for a reliable one to come",
     "ticks go on, honest players play on")
def unreliable_in_the_future(trial):
    return flood_game(trial, [unreliable(5, 1 + i) for i in range(16384)], [unreliable(5, 1)] * 32,
                      "ahead")


@row(25, "acknowledgements of nothing, by a peer that acknowledges nothing else",
     "ticks go on, honest players play on")
def acknowledgements_of_nothing(trial):
    nothing = [struct.pack("!BBHHH", ACKNOWLEDGE, 0, 60000, 60000, 0)] * 32
    with game(trial) as (daemon, bots):
        with Peer(daemon.ports[0], "127.0.0.2",
                  address_validation=trial.has("address_validation")) as peer:
            peer.connect()
            daemon.wait_players(HONEST + 1)
            time.sleep(trial.often(3, 0)) # the server's list grows
            flood = Flood(peer, of_peer(peer, nothing), trial.often(FULL_RATE, 1000))
            return play_on(trial, daemon, bots, flood, "acknowledgements")


class Holders:
    """Connections from three addresses that say nonsense and never HELLO, renewed as soon as they
    end."""

    SOURCES = ("127.0.1.1", "127.0.2.1", "127.0.3.1")

    def __init__(self, daemon, trial, each):
        self.commands = [] # a CONNECT of each peer
        self.peers = []
        for source in self.SOURCES:
            peers = [Peer(daemon.ports[0], source) for _ in range(each)]
            cookie = peers[0].fetch_cookie() if trial.has("address_validation") else 0
            self.commands += [connect_command(cookie) for _ in peers]
            self.peers += peers
        self.ended = False
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.thread.join()
        for peer in self.peers:
            peer.socket.close()

    def count(self):
        return sum(peer.number is not None for peer in self.peers)

    def _run(self):
        asked = {}
        while not self.ended:
            for peer, command in zip(self.peers, self.commands):
                peer.serve()
                now = time.monotonic()
                if peer.ended:
                    peer.number, peer.ended, peer.sequences = None, False, [0, 0]
                if peer.number is not None and peer.sequences[0] == 0:
                    peer.say(b"\xff")
                if peer.number is None and now - asked.get(peer, 0) > 0.5:
                    asked[peer] = now
                    peer.send(datagram(command))
            time.sleep(0.01)


@row(26, "connections that say nonsense instead of HELLO, from 3 addresses, in all slots",
     "a newcomer from another network joins")
def slots_held(trial):
    daemon = trial.stage.serve(limited_arena(max_players=4))
    with Holders(daemon, trial, 16) as holders: # each address has all that it may have
        # As many connections as an arena of 4 has, and the rest waits for a slot.
        holders_seen = harness.poll("held slots", lambda: holders.count() >= 8 and holders.count())
        time.sleep(1.2) # beyond a newcomer's patience
        begin = time.monotonic()
        bots = trial.stage.bots(daemon, 1)
        daemon.wait_players(1)
        joined_s = time.monotonic() - begin
        time.sleep(trial.often(5, 0.5))
        playing = daemon.get_json()["players"]["now"]
        report = end_bots(bots)
    return len(holders.peers), expect(
        playing == 1 and report["disconnected"] == 0 and (trial.short or joined_s < 5),
        f"{holders_seen} connections held slots, joined in {joined_s:.2f} s, plays on")


@row(27, "forged DISCONNECTs at a peer of a plain arena, 20 kbit/s",
     "it stays; when it leaves, it is gone")
def forged_disconnects(trial):
    daemon = trial.stage.serve(limited_arena(max_players=8))
    with Peer(daemon.ports[0], "127.0.0.2",
              address_validation=trial.has("address_validation")) as victim:
        victim.connect("victim")
        daemon.wait_players(1)
        forged = [datagram(struct.pack("!BBHI", kind, 0xFF, 0, 0), victim.number, session)
                  for session in range(4) for kind in (DISCONNECT | 0x40, DISCONNECT | RELIABLE)]
        looks, away, sent, own = trial.often(120, 20), 0, 0, 0
        number = itertools.count(1)
        for look in range(looks):
            end = time.monotonic() + 0.1
            while time.monotonic() < end:
                # Whatever the machine held up, the victim is not silent when one comes.
                if time.monotonic() > own + 0.02:
                    victim.send_commands(unreliable(0, next(number)))
                    own = time.monotonic()
                # The victim's own socket stands for one that forges its address: 250 a second.
                victim.send(forged[sent % len(forged)])
                sent += 1
                victim.serve(0.004)
            away += arena_of(daemon)["away"] != 0
        rejected = arena_of(daemon)["rejections"]
        begin = time.monotonic()
        # Once only, as enet_peer_disconnect_now does it.
        victim.send_commands(struct.pack("!BBHI", DISCONNECT | 0x40, 0xFF, 0, 0))
        daemon.poll("end", lambda: arena_of(daemon)["away"] == 1)
        left_s = time.monotonic() - begin
    return sent, expect(
        away == 0 and (trial.short or left_s < 2.5),
        f"away in {away} of {looks} looks, {rejected.get('disconnect', 0)} rejected; gone"
        f" {left_s:.2f} s after its own")
