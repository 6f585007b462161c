# SPDX-License-Identifier: MIT
"""Clients written from PROTOCOL.md, each with an address of its own, that vote."""

import sys

import enet

import harness

sys.path.insert(0, str(harness.ROOT / "proto"))
import example # noqa: E402

VOTE, CHAT, NOTICE = 13, 9, 14
KICK, MUTE, MAP, NEXTMAP, RESTART, EXTEND, SPECTATE, PAUSE = range(1, 9)
ABOUT_PLAYER = (KICK, MUTE, SPECTATE)
CALL, CAST, WITHDRAW = range(3)
OFFER, BEGAN, TALLY, ENDED, REJECTED = range(5)
SILENT, YES, NO = range(3)
PASSED, FAILED, WITHDRAWN, CANCELLED, MOOT = range(1, 6)
CAPABILITIES = 2 | 4 # VOTE and NOTICE


def text_fields(text, most):
    data = text.encode()
    return [(len(data), most.bit_length()), *((byte, 8) for byte in data)]


class Voter:
    """A client from 127.0.0.`number`, of an arena without address validation."""

    def __init__(self, port, number, name, watch=False, capabilities=CAPABILITIES):
        self.host = enet.Host(enet.Address(f"127.0.0.{number}".encode(), 0), 1, 2, 0, 0)
        self.peer = self.host.connect(enet.Address(b"127.0.0.1", port), 2, 0)
        self.name, self.watch, self.capabilities = name, watch, capabilities
        self.welcomes, self.reports, self.chat, self.notices, self.ended = [], [], [], [], None
        self.phase, self.is_lost = None, False

    def send(self, *fields):
        self.peer.send(0, enet.Packet(example.write((0, 1), *fields), enet.PACKET_FLAG_RELIABLE))

    def pump(self):
        while (event := self.host.service(0)).type != enet.EVENT_TYPE_NONE:
            if event.type == enet.EVENT_TYPE_CONNECT:
                watch = [(1, 1), (0, 16)] if self.watch else [(0, 1), (0, 1)]
                self.send((1, 4), (0x4D494152, 32), (7, 16), (self.capabilities, 32), *watch,
                          (0, 8), *text_fields(self.name, 24))
            elif event.type == enet.EVENT_TYPE_RECEIVE:
                self.receive(example.Reader(event.packet.data))
            elif event.type == enet.EVENT_TYPE_DISCONNECT:
                self.is_lost, self.ended = True, self.ended or (event.data, "")

    def receive(self, reader):
        kind = reader.kind()
        if kind == example.WELCOME:
            self.welcomes.append(reader.welcome())
            self.phase = self.welcomes[-1]["phase"]
        elif kind == example.GOODBYE:
            self.ended = reader.u(8), reader.text(120)
        elif kind == example.EVENTS:
            for event in reader.events()[2]:
                if event["kind"] == 3 and event["text"] not in self.chat:
                    self.chat.append(event["text"])
                elif event["kind"] == 4:
                    self.phase = event
        elif kind == VOTE:
            self.reports.append(self.read_report(reader))
        elif kind == NOTICE:
            reader.u(1)
            self.notices.append(reader.text(120))

    def read_report(self, reader):
        report = {"report": reader.u(3)}
        if report["report"] == OFFER:
            return report | {"kinds": reader.u(16),
                             "maps": [reader.text(31) for _ in range(reader.ranged(0, 33))]}
        if report["report"] == REJECTED:
            return report | {"rejection": reader.u(5), "amount": reader.u(12)}
        report["number"] = reader.u(8)
        if report["report"] == BEGAN:
            report["kind"] = reader.u(4)
            report |= {"player": reader.u(16)} if report["kind"] in ABOUT_PLAYER else {}
            report |= {"minutes": reader.ranged(1, 60)} if report["kind"] == EXTEND else {}
            report |= {"map": reader.text(31)} if report["kind"] == MAP else {}
            report |= {"reason": reader.text(32), "caller": reader.u(16),
                       "caller_name": reader.text(24)}
            report |= {"target_name": reader.text(24)} if report["kind"] in ABOUT_PLAYER else {}
            return report | {"left_ms": reader.u(20)}
        report |= {key: reader.u(10) for key in ("yes", "no", "electors", "needed")}
        return report | ({"choice": reader.u(2)} if report["report"] == TALLY
                         else {"outcome": reader.u(3)})

    @property
    def player(self):
        return self.welcomes[-1]["player"]

    def of_kind(self, report):
        return [each for each in self.reports if each["report"] == report]

    def call(self, kind, player=0, text="", minutes=0, reason=""):
        fields = [(VOTE, 4), (CALL, 2), (kind, 4)]
        if kind in ABOUT_PLAYER:
            fields.append((player, 16))
        if kind == EXTEND:
            fields.append((minutes - 1, 6))
        if kind == MAP:
            fields += text_fields(text, 31)
        self.send(*fields, *text_fields(reason, 32))

    def cast(self, choice):
        self.send((VOTE, 4), (CAST, 2), (self.of_kind(BEGAN)[-1]["number"], 8), (choice, 2))

    def say(self, text):
        self.send((CHAT, 4), *text_fields(text, 120))

    def leave(self):
        self.peer.disconnect_now(1)
        self.host.flush()


def pump_until(voters, what, ready, deadline_s=harness.START_S):
    """Lets all voters receive until something is so; returns it."""
    def look():
        for voter in voters:
            voter.pump()
        return ready()
    return harness.poll(what, look, deadline_s, 0.01)
