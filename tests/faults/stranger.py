# SPDX-License-Identifier: MIT
"""Whoever sends datagrams to an arena's port: anybody from any address, and a peer of ENet's
protocol, written by hand so that it can break every rule of it."""

import random
import socket
import struct
import time

from row import harness

IP_PKTINFO = 8 # Linux's, for which Debian 12's Python has no name
VERSION = 7 # RAIM_PROTOCOL_VERSION
SENT_TIME, NO_PEER, ON_ALL = 0x8000, 0x0FFF, 0xFF
ACKNOWLEDGE, CONNECT, VERIFY, DISCONNECT, PING, SEND, FRAGMENT = 1, 2, 3, 4, 5, 6, 8
RELIABLE = 0x80
# Bytes of a command without its message, and whether its last two tell the message's size.
COMMANDS = {1: 8, 2: 48, 3: 44, 4: 8, 5: 4, 6: 6, 7: 8, 8: 24, 9: 8, 10: 12, 11: 16, 12: 24}
SIZE_AT = {6: 4, 7: 6, 8: 6, 9: 6, 12: 6}

INFO_QUERY = b"\xff\xff\xff\xffTSource Engine Query\0"
PLAYER_QUERY, RULES_QUERY = (b"\xff\xff\xff\xff" + kind + b"\xff" * 4 for kind in (b"U", b"V"))
CONNECT_REQUEST = (b"\xff\xff\xff\xffRAIM\x01\x02").ljust(512, b"\0")
COOKIE_HEAD = b"\xff\xff\xff\xffRAIM\x02\x02"


def datagram(commands, peer=NO_PEER, session=0):
    sent = int(time.monotonic() * 1000) & 0xFFFF
    return struct.pack("!HH", SENT_TIME | session << 12 | peer, sent) + commands


def connect_command(cookie=0):
    return struct.pack("!BBHHBBIIIIIIIIII", CONNECT | RELIABLE, ON_ALL, 1, 0, 0xFF, 0xFF, 1200,
                       32768, 2, 0, 0, 5000, 2, 2, random.getrandbits(32), cookie)


def acknowledge_command(channel, sequence, sent):
    return struct.pack("!BBHHH", ACKNOWLEDGE, channel, sequence, sequence, sent)


def pack(*fields):
    """A message of (value, bits), the first bit in the lowest bit of the first byte."""
    number = at = 0
    for value, bits in fields:
        number |= value << at
        at += bits
    return number.to_bytes((at + 7) // 8, "little")


def hello(name):
    """A HELLO of somebody new who plays, without an access token."""
    return pack((0, 1), (1, 4), (int.from_bytes(b"RAIM", "little"), 32), (VERSION, 16), (0, 32),
                (0, 1), (0, 1), (0, 8), (len(name.encode()), 5), *((byte, 8) for byte in name.encode()))


class Crowd:
    """One socket that sends from every address of 127.0.0.0/8, as spoofed datagrams would come."""

    def __init__(self, port):
        self.port = port
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("0.0.0.0", 0))
        self.socket.setblocking(False)
        self.sent_bytes = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data, member):
        """Sends for a member, 0 to 65535."""
        source = struct.pack("i4s4s", 0, bytes((127, 1, member >> 8, member & 255)), bytes(4))
        while True:
            try:
                self.socket.sendmsg([data], [(socket.IPPROTO_IP, IP_PKTINFO, source)], 0,
                                    ("127.0.0.1", self.port))
                self.sent_bytes += len(data)
                return
            except BlockingIOError:
                time.sleep(0.001)

    def received(self):
        """The datagrams that came back."""
        found = []
        while True:
            try:
                found.append(self.socket.recv(65536))
            except BlockingIOError:
                return found


def send_spoofed(data, source, target):
    """Sends as root from any (address, port), 0 included."""
    size = 28 + len(data)
    addresses = socket.inet_aton(source[0]), socket.inet_aton(target[0])
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, size, 0, 0, 64, socket.IPPROTO_UDP, 0,
                         *addresses)
    udp = struct.pack("!HHHH", source[1], target[1], 8 + len(data), 0)
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
        raw.sendto(header + udp + data, (target[0], 0))


class Peer:
    """A connection that keeps ENet's rules only as far as it is told to."""

    def __init__(self, port, source="127.0.0.1", address_validation=False):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((source, 0))
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.address_validation = address_validation
        self.number = self.session = None # that the server gave
        self.sequences = [0, 0] # of the two channels
        self.own_sequence = 1 # of the connection itself
        self.messages = []
        self.ended = False
        self.unacknowledged = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        try:
            self.socket.send(data)
        except (BlockingIOError, ConnectionRefusedError):
            pass # lost

    def send_commands(self, commands):
        self.send(datagram(commands, self.number, self.session))

    def fetch_cookie(self, deadline_s=harness.START_S):
        """The number that lets a CONNECT in."""
        def request_cookie():
            self.send(CONNECT_REQUEST)
            return self.take_cookie(0.05)
        return harness.poll("cookie", request_cookie, deadline_s)

    def take_cookie(self, seconds=0.0):
        """The number that has been told, or None."""
        for data in self._datagrams(seconds):
            if data.startswith(COOKIE_HEAD):
                return int.from_bytes(data[11:15], "little")
        return None

    def connect(self, name="stranger", deadline_s=harness.START_S):
        """Connects and says hello."""
        cookie = self.fetch_cookie(deadline_s) if self.address_validation else 0
        command = connect_command(cookie)

        def ask():
            self.send(datagram(command))
            self.serve(0.05)
            return self.number is not None
        harness.poll("connection", ask, deadline_s)
        self.say(hello(name))
        return self

    def say(self, message):
        self.sequences[0] += 1
        self.send_commands(struct.pack("!BBHH", SEND | RELIABLE, 0, self.sequences[0],
                                       len(message)) + message)

    def disconnect(self):
        self.own_sequence += 1
        self.send_commands(struct.pack("!BBHI", DISCONNECT | RELIABLE, ON_ALL, self.own_sequence,
                                       0))

    def serve(self, seconds=0.0, acknowledges=True):
        """Takes what comes within the time."""
        for data in self._datagrams(seconds):
            if not data.startswith(b"\xff\xff"):
                self._take(data, acknowledges)

    def _datagrams(self, seconds):
        end = time.monotonic() + seconds
        while True:
            try:
                yield self.socket.recv(4096)
            except BlockingIOError:
                if time.monotonic() >= end:
                    return
                time.sleep(0.001)
            except ConnectionRefusedError:
                return

    def _take(self, data, acknowledges):
        head, = struct.unpack_from("!H", data)
        at, sent = (4, struct.unpack_from("!H", data, 2)[0]) if head & SENT_TIME else (2, 0)
        answers = b""
        while at + 4 <= len(data):
            command, channel, sequence = struct.unpack_from("!BBH", data, at)
            kind, size = command & 15, COMMANDS.get(command & 15, len(data))
            if kind in SIZE_AT:
                size += struct.unpack_from("!H", data, at + SIZE_AT[kind])[0]
            if kind == VERIFY:
                self.number, _, self.session = struct.unpack_from("!HBB", data, at + 4)
            elif kind == DISCONNECT:
                self.ended = True
            elif kind in (6, 7):
                self.messages.append(data[at + COMMANDS[kind]:at + size])
            if command & RELIABLE:
                answers += acknowledge_command(channel, sequence, sent)
            at += size
        if answers and acknowledges and self.number is not None:
            self.send_commands(answers)
