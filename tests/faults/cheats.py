# SPDX-License-Identifier: MIT
"""Rows of the table of faults: those who are let in and then play unfairly."""

import contextlib

from row import arena_of, end_bots, expect, harness, row, ticks_go_on
from stranger import Peer

WELCOME, GOODBYE = 3, 8
IDLE = 15 # reason


def kinds_of(peer):
    """The kinds of the reliable messages that came, as far as they are no snapshots."""
    return [message[0] >> 1 & 15 for message in peer.messages if message[0] & 1 == 0]


def goodbye_of(peer):
    """The reason of the GOODBYE that came, or None."""
    for message in peer.messages:
        bits = int.from_bytes(message[:4], "little")
        if bits & 31 == GOODBYE << 1:
            return bits >> 5 & 255
    return None


class Idlers:
    """Peers that play and never press a key."""

    def __init__(self, trial, port):
        self.trial, self.port, self.peers = trial, port, []
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def join(self, address="127.0.0.1", deadline_s=harness.START_S):
        """Another one; False when it is not let in within the time."""
        peer = self.stack.enter_context(
            Peer(self.port, address, address_validation=self.trial.has("address_validation")))
        try:
            peer.connect("idle", deadline_s)
        except AssertionError:
            return False
        self.peers.append(peer)
        return True

    def serve(self):
        for peer in self.peers:
            peer.serve()

    def wait(self, what, ready):
        def serve_and_ask():
            self.serve()
            return ready()
        return harness.poll(what, serve_and_ask)


@row(38, "idle players from one network fill an arena",
     "the longest idle makes room at a newcomer's first HELLO; a network gets 3/4 of the places")
def idle_players(trial):
    places = trial.often(64, 12)
    keys = {"idle_timeout": 2} if trial.has("idle_timeout") else {}
    daemon = trial.stage.serve(harness.arena(max_players=places, limits={
        "connections_per_address": 4095, "connects_per_second": 1000}, **keys))
    with Idlers(trial, daemon.ports[0]) as idlers:
        while len(idlers.peers) < places:
            idlers.join()
            idlers.serve()
        idlers.wait("a full arena", lambda: arena_of(daemon)["players"][places - 1:])
        for _ in range(6): # until the last one is idle, too
            ticks_go_on(daemon, 30)
            idlers.serve()
        idlers.join()
        newcomer = idlers.peers.pop()
        def is_answered():
            newcomer.serve()
            return WELCOME in kinds_of(newcomer) or goodbye_of(newcomer) is not None
        idlers.wait("an answer", is_answered)
        is_in = WELCOME in kinds_of(newcomer)
        if is_in:
            idlers.wait("a goodbye", lambda: any(goodbye_of(peer) for peer in idlers.peers))
        reasons = [reason for peer in idlers.peers if (reason := goodbye_of(peer)) is not None]
    other = trial.stage.serve(harness.arena(max_players=places, limits={
        "connects_per_second": 1000, "loopback": True}))
    with Idlers(trial, other.ports[0]) as idlers:
        for member in range(places):
            if not idlers.join(f"127.0.0.{1 + member % 4}", 0.3):
                break
            idlers.serve()
        of_network = len(idlers.peers)
    return places, expect(
        is_in and reasons == [IDLE] and of_network <= max(8, places - places // 4),
        f"a newcomer is {'let in' if is_in else 'rejected'}, {len(reasons)} made room, a network"
        f" took {of_network} of {places} places")


@row(39, "acknowledgements held for 6 ticks and the oldest view claimed, from loopback",
     "rewound by what the server measures, less than 150 ms, and counted")
def backtracking(trial):
    daemon = trial.stage.serve(harness.arena(
        map=str(harness.ROOT / "config/maps/duel.conf"), max_players=8, bots=8))
    hits = lambda: arena_of(daemon)["hits"]
    wanted = trial.often(200, 8)
    liars = trial.stage.bots(daemon, trial.often(8, 4), program="fault_liar")
    daemon.wait_players(trial.often(8, 4))
    # Nobody else of this arena is rewound: bots see it as it is.
    daemon.poll("hits of liars", lambda: hits()["rewound"] >= wanted, trial.often(300, 60))
    seen = hits()
    end_bots(liars)
    clamped = seen.get("clamped", 0)
    return seen["rewound"], expect(
        seen["rewound_ms_max"] < 150 and clamped > 0,
        f"rewound by {seen['rewound_ms_mean']:.0f} ms on average, {seen['rewound_ms_max']:.0f} ms at"
        f" most; {clamped} shots clamped")
