# SPDX-License-Identifier: MIT
"""Somebody on the path between clients and a server."""

import select
import socket
import threading


class Wire(threading.Thread):
    """Somebody between clients and an arena, who sees every datagram and may add some. To each
    client it is the server, and to the server each client is a port of its own, at the address
    `source`, which may change for the clients to come. With `host` "::1" clients reach it by
    IPv6."""

    def __init__(self, port, host="127.0.0.1"):
        super().__init__(daemon=True)
        self.server = "127.0.0.1", port
        self.source = "127.0.0.1"
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.front = socket.socket(family, socket.SOCK_DGRAM)
        self.front.bind((host, 0))
        self.port = self.front.getsockname()[1]
        self.backs = {} # by client
        self.up, self.down = [], []
        self.last_client = None
        self.change = lambda datagram, up: [datagram]
        self.ending = False
        self.start()

    def run(self):
        while not self.ending:
            ready, _, _ = select.select([self.front, *self.backs.values()], [], [], 0.05)
            for sock in ready:
                datagram, sender = sock.recvfrom(4096)
                if sock is self.front:
                    if sender not in self.backs:
                        self.backs[sender] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                        self.backs[sender].bind((self.source, 0))
                    self.last_client = sender
                    self.up.append(datagram)
                    for out in self.change(datagram, True):
                        self.backs[sender].sendto(out, self.server)
                else:
                    client = next(key for key, back in self.backs.items() if back is sock)
                    self.down.append(datagram)
                    for out in self.change(datagram, False):
                        self.front.sendto(out, client)

    def inject(self, datagram):
        """Sends to the newest client in the server's name."""
        self.front.sendto(datagram, self.last_client)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.ending = True
        self.join()
        for sock in (self.front, *self.backs.values()):
            sock.close()
