# SPDX-License-Identifier: MIT
"""A master server in dpmaster's protocol, written from dpmaster's doc/techinfo.txt alone: a
heartbeat is answered with a getinfo, an infoResponse with its challenge lists the sender, and
getservers and getserversExt are answered with the list."""

import ipaddress
import secrets
import socket
import threading

PREFIX = b"\xff\xff\xff\xff"
END = b"\\EOT\0\0\0"
ENTRIES = 100 # in a datagram


def infostring(text):
    words = text.split("\\")
    if words[0] or len(words) % 2 == 0:
        raise ValueError(text)
    return dict(zip(words[1::2], words[2::2]))


class Master:
    """Runs in a thread until it is left. `listed` has what each address said last."""

    def __init__(self, address="127.0.0.1", port=0):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.bind((address, port))
        self.socket.settimeout(0.1)
        self.port = self.socket.getsockname()[1]
        self.challenges = {}
        self.listed = {}    # (host, port): the infostring
        self.heartbeats = []
        self.odd = []       # datagrams that are none of the protocol
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()
        self.socket.close()

    def _run(self):
        while not self._ends.is_set():
            try:
                data, sender = self.socket.recvfrom(4096)
            except TimeoutError:
                continue
            self._take(data, sender[:2])

    def _take(self, data, sender):
        if data == PREFIX + b"heartbeat DarkPlaces\n":
            self.heartbeats.append(sender)
            self.ask(sender)
        elif data == PREFIX + b"heartbeat FlatLine\n":
            self.listed.pop(sender, None)
        elif data.startswith(PREFIX + b"infoResponse\n"):
            info = infostring(data[len(PREFIX) + 13:].decode("utf-8"))
            if info.get("challenge") == self.challenges.pop(sender, None):
                self.listed[sender] = info
            else:
                self.odd.append(data)
        elif data.startswith((PREFIX + b"getservers ", PREFIX + b"getserversExt ")):
            self._answer_list(data[len(PREFIX):].decode().split(), sender)
        else:
            self.odd.append(data)

    def ask(self, sender, challenge=None):
        self.challenges[sender] = challenge or secrets.token_urlsafe(8)
        self.socket.sendto(PREFIX + b"getinfo " + self.challenges[sender].encode(), sender)

    def _answer_list(self, words, sender):
        command, game, protocol, *filters = words
        entries = []
        for (host, port), info in self.listed.items():
            clients, most = int(info["clients"]), int(info["sv_maxclients"])
            address = ipaddress.ip_address(host.split("%")[0])
            if (info["gamename"], info["protocol"]) != (game, protocol):
                continue
            if (clients == 0 and "empty" not in filters) or (
                    clients >= most and "full" not in filters):
                continue
            if address.version == 6 and command == "getservers":
                continue
            mark = b"/" if address.version == 6 else b"\\"
            entries.append(mark + address.packed + port.to_bytes(2, "big"))
        head = PREFIX + command.encode() + b"Response"
        for first in range(0, max(len(entries), 1), ENTRIES):
            is_last = first + ENTRIES >= len(entries)
            datagram = head + b"".join(entries[first:first + ENTRIES]) + (END if is_last else b"")
            self.socket.sendto(datagram, sender)
