# SPDX-License-Identifier: MIT
"""Rows of the table of faults: attackers that have a whole network of IPv6."""

import ipaddress
import os
import random
import socket
import struct
import subprocess
import threading
import time

from row import Skipped, arena_of, expect, row, harness
from secure_client import SecureClient
from stalls import Stalls
from stranger import CONNECT_REQUEST, COOKIE_HEAD, connect_command, datagram

SITE = ipaddress.IPv6Address("2001:db8:1::") # the attacker's; all of its /32 is this machine's
SERVER = "2001:db8:ffff::1"
NEIGHBOUR = "2001:db8:2::1"
MEMBERS = 1 << 16
REPEATS_PER_S = 12 # of answers, by ENet: at most 12 wait for an acknowledgement, a second each
IPV6_FREEBIND = 78 # Linux's: sources need only a route


class Crowd:
    """One socket that sends from every address of the attacker's network, and hears the answers."""

    def __init__(self, port, address_of):
        self.port = port
        self.address_of = address_of # of a member, 0 to MEMBERS - 1
        self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
        self.socket.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind(("::", 0))
        self.socket.setblocking(False)
        self.answers = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send_from(self, packed, data):
        source = struct.pack("16si", packed, 0)
        while True:
            try:
                self.socket.sendmsg([data], [(socket.IPPROTO_IPV6, socket.IPV6_PKTINFO, source)], 0,
                                    (SERVER, self.port))
                return
            except BlockingIOError:
                time.sleep(0.001)

    def ask(self, member):
        self.send_from(self.address_of(member).packed, CONNECT_REQUEST)

    def connect_all(self):
        """Connects from every address that has a cookie by now. Never acknowledges the answer."""
        while True:
            try:
                data, items, _, _ = self.socket.recvmsg(2048, 64)
            except BlockingIOError:
                return
            self.answers += 1
            if data.startswith(COOKIE_HEAD):
                (info,) = (item for _, kind, item in items if kind == socket.IPV6_PKTINFO)
                cookie = int.from_bytes(data[11:15], "little")
                self.send_from(info[:16], datagram(connect_command(cookie)))


def flood(trial, address_of):
    """Floods an arena from all members, while a neighbour connects. Returns the daemon's arena
    before and after, the seconds that the neighbour waited, and the growth of the memory."""
    if os.geteuid() != 0 or "RAIM_FAULTS_NAMESPACE" not in os.environ:
        raise Skipped("needs a network namespace of its own")
    if not harness.HAS_IPV6:
        raise Skipped("this machine has no IPv6")
    for words in ("route", "replace", "local", "2001:db8::/32"), ("addr", "replace", NEIGHBOUR):
        subprocess.run(["ip", "-6", *words, "dev", "lo"], check=True)
    # An honest client of another network has room: a flood of one takes at most 12 of 16 slots.
    daemon = trial.stage.serve(harness.arena(address="::", max_players=16))
    count = trial.often(MEMBERS, MEMBERS // 16)
    ended = threading.Event()
    with Crowd(daemon.ports[0], address_of) as crowd:
        def run():
            for member in range(count):
                crowd.ask(member)
                if member % 256 == 255:
                    time.sleep(0.02)
                    crowd.connect_all()
            ended.set()

        crowd.ask(0)
        time.sleep(0.2)
        before, before_kb = arena_of(daemon), daemon.resident_kb()
        flood_begin, flooding = time.monotonic(), threading.Thread(target=run)
        flooding.start()
        time.sleep(0.5)
        begin, stalls = time.monotonic(), Stalls(daemon.pid)
        with SecureClient(daemon.ports[0], NEIGHBOUR, server=SERVER) as neighbour:
            is_in = neighbour.shake_hands() and neighbour.connect(random.getrandbits(32))
            waited_s = time.monotonic() - begin - stalls.seconds()
            was_flooding = not ended.is_set()
        flooding.join()
        time.sleep(0.3) # the status is published ten times a second
        answers, flooded_s = crowd.answers, time.monotonic() - flood_begin
    after, grown_kb = arena_of(daemon), daemon.resident_kb() - before_kb
    rejections = {key: after["rejections"][key] - before["rejections"][key]
                  for key in ("connections", "connect_rate", "connect_requests")}
    most_kb = 8192 if trial.is_sanitized() else 1024
    good = (is_in is not None and is_in is not False and grown_kb <= most_kb and
            (trial.short or (waited_s < 1 and was_flooding)) and
            rejections["connections"] + rejections["connect_rate"] > 0 and
            answers < count + 100 + REPEATS_PER_S * flooded_s)
    return count, expect(good, f"another /48 connected in {waited_s:.2f} s, {answers} answers,"
                               f" {grown_kb} kB more, rejected: {rejections}")


@row(52, "connections from 2^16 addresses of a /64", "another /48 is in within 1 s")
def flood_of_a_64(trial):
    return flood(trial, lambda member: SITE + random.getrandbits(48) * MEMBERS + member)


@row(53, "connections from 2^16 networks (/64) of a /48", "another /48 is in within 1 s")
def flood_of_a_48(trial):
    return flood(trial, lambda member: SITE + (member << 64) + random.getrandbits(64))
