# SPDX-License-Identifier: MIT
"""A gateway, as proto/gateway.h describes it, between clients and an arena: each client that comes
gets a socket of its own, whose player the gateway announces."""

import hashlib
import ipaddress
import select
import socket
import struct
import threading
import time

KEY = bytes(range(32))


def packed(address, port):
    ip = ipaddress.ip_address(address)
    mapped = ip.packed if ip.version == 6 else bytes(10) + b"\xff\xff" + ip.packed
    return mapped + struct.pack("<H", port)


def announcement(own, player, key=KEY, at=None):
    """By the socket `own` about `player`, both (address, port); `at` in seconds since 1970."""
    time_us = int((time.time() if at is None else at) * 1e6)
    signed = (b"\xff\xff\xff\xffRAIM\x06\x02" + struct.pack("<Q", time_us) + packed(*own)
              + packed(*player))
    return signed + hashlib.blake2b(signed, key=key).digest()[:16]


class Gateway(threading.Thread):
    """`player_of(n)` is the address and port of the n-th client that comes; None: the gateway
    announces nobody."""

    def __init__(self, port, player_of, host="127.0.0.1", key=KEY, offset_s=0):
        super().__init__(daemon=True)
        self.server, self.key, self.player_of = (host, port), key, player_of
        self.family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.front.bind(("127.0.0.1", 0))
        self.port = self.front.getsockname()[1]
        self.backs = {} # by client
        self.players = {} # by back
        self.largest = {"up": 0, "down": 0}
        self.invitations = 0 # that passed
        self.offset_s, self.ending = offset_s, False # of its clock
        self.start()

    def announce(self, back):
        player = self.players[back]
        if player is not None:
            back.send(announcement(back.getsockname()[:2], player, self.key,
                                   time.time() + self.offset_s))

    def open(self, client):
        back = socket.socket(self.family, socket.SOCK_DGRAM)
        back.connect(self.server)
        self.players[back] = self.player_of(len(self.backs))
        self.backs[client] = back
        self.announce(back)

    def run(self):
        next_s = time.monotonic() + 0.5
        while not self.ending:
            ready, _, _ = select.select([self.front, *self.players], [], [], 0.05)
            for sock in ready:
                try:
                    datagram, sender = sock.recvfrom(4096)
                except ConnectionRefusedError: # the server is being restarted
                    continue
                self.pass_on(sock, datagram, sender)
            if time.monotonic() >= next_s:
                next_s += 0.5
                for back in list(self.players):
                    self.send(back, None)

    def pass_on(self, sock, datagram, sender):
        way = "up" if sock is self.front else "down"
        self.largest[way] = max(self.largest[way], len(datagram))
        if sock is self.front:
            if sender not in self.backs:
                self.open(sender)
            self.send(self.backs[sender], datagram)
        else:
            self.invitations += datagram[:9] == b"\xff\xff\xff\xffRAIM\x03"
            client = next(key for key, back in self.backs.items() if back is sock)
            self.front.sendto(datagram, client)

    def send(self, back, datagram):
        """Nothing: an announcement."""
        try:
            if datagram is None:
                self.announce(back)
            else:
                back.send(datagram)
        except ConnectionRefusedError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ending = True
        self.join()
        for sock in (self.front, *self.players):
            sock.close()
