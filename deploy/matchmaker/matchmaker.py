#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A matchmaker for raimd to start from: it queues players by their ping per region, makes an arena
for each group, and answers with its address, its port and an access token.

    POST /v1/tickets      {"player": NAME, "pings": {REGION: MS, ...}}  202 {"id", "state"}
    GET  /v1/tickets/ID   200 {"id", "state": "waiting"}, or "placed" with "address", "port" and
                          "access"; with ?wait=S when that changes, or after S seconds; else 404
    DELETE /v1/tickets/ID 204
    GET  /v1/regions      200 {"regions": {REGION: "HOST:PORT", ...}}, to measure pings to by TCP
    GET  /healthz         200 with the numbers of tickets and arenas

Tickets are in memory: after a restart, clients get a 404 and queue again.
"""

import concurrent.futures
import http.server
import json
import re
import secrets
import sys
import threading
import time

from bounded_server import BoundedServer
from arena_sources import Agones, Raimds, Signer

MAX_BODY_BYTES = 4096
MAX_TICKETS = 20000
MAX_WAIT_S = 10
FORGET_S = 5 # a ticket is removed when nobody has asked for it in this time

DEFAULTS = {
    "listen": "127.0.0.1:8350",
    "key": "signer", # a file of `raimctl token key`, which signs access tokens
    "template": "duel", # what arenas are made from, see raimd.conf(5)
    "players": 6, # of an arena
    "min_players": 2, # of an arena that is not full, after fill_s
    "fill_s": 3,
    "join_within_s": 20,
    "max_ping_ms": 150, # to a region
    "regions": {}, # NAME: {"raimd": ...} of Raimds or {"allocator": ...} of Agones; "ping"
}


class Ticket:
    def __init__(self, player, pings):
        self.id, self.player, self.pings = secrets.token_urlsafe(12), player, pings
        self.queued = self.seen = time.monotonic()
        self.arena = None # {"address", "port", "access"}
        self.is_grouped = False
        self.changed = threading.Event()

    def text(self):
        state = {"state": "placed", **self.arena} if self.arena else {"state": "waiting"}
        return {"id": self.id, **state}


class Matchmaker:
    def __init__(self, settings):
        self.settings = {**DEFAULTS, **settings}
        self.signer = Signer(self.settings["key"])
        self.regions = {name: (Raimds if "raimd" in region else Agones)(self.settings, region)
                        for name, region in self.settings["regions"].items()}
        self.tickets, self.by_player, self.arenas = {}, {}, 0
        self.lock = threading.Lock()
        self.pool = concurrent.futures.ThreadPoolExecutor(16)
        threading.Thread(target=self.run, daemon=True).start()

    def add(self, player, pings):
        """None: too many wait. A player who queues again loses the earlier ticket."""
        ticket = Ticket(player, pings)
        with self.lock:
            self.forget(self.by_player.get(player))
            if len(self.tickets) >= MAX_TICKETS:
                return None
            self.tickets[ticket.id] = self.by_player[player] = ticket
        return ticket

    def forget(self, ticket):
        """Needs the lock."""
        if ticket and self.tickets.pop(ticket.id, None):
            del self.by_player[ticket.player]

    def find(self, name, wait_s=0):
        """A ticket, for whose change somebody waits."""
        ticket = self.tickets.get(name)
        if ticket:
            ticket.seen = time.monotonic() + wait_s
        return ticket

    def run(self):
        while True:
            for region, group in self.groups():
                self.pool.submit(self.place, region, group)
            time.sleep(0.1)

    def suits(self, ticket, region, now):
        """At first the nearest region does, then each that is near enough, then any."""
        waited, fill_s = now - ticket.queued, self.settings["fill_s"]
        if not ticket.pings or waited > 2 * fill_s:
            return True
        ping = ticket.pings.get(region, float("inf"))
        is_nearest = ping == min(ticket.pings.values())
        return ping <= self.settings["max_ping_ms"] and (is_nearest or waited > fill_s)

    def groups(self):
        """The players of each arena that is to be made now, who have waited longest first."""
        now, found, most = time.monotonic(), [], self.settings["players"]
        with self.lock:
            for ticket in list(self.tickets.values()):
                if now - ticket.seen > FORGET_S:
                    self.forget(ticket)
            waiting = sorted((each for each in self.tickets.values()
                              if not each.is_grouped and not each.arena), key=lambda t: t.queued)
            for region in self.regions:
                near = [each for each in waiting if not each.is_grouped
                        and self.suits(each, region, now)]
                while near and (len(near) >= most or (
                        len(near) >= self.settings["min_players"]
                        and now - near[0].queued > self.settings["fill_s"])):
                    group, near = near[:most], near[most:]
                    for ticket in group:
                        ticket.is_grouped = True
                    found.append((region, group))
        return found

    def place(self, region, group):
        """Makes the arena of a group; without one, its players are queued again, in front."""
        try:
            arena = self.regions[region].make("m-" + secrets.token_hex(8))
            for ticket in group:
                access = arena["audience"] and self.signer.sign(arena["audience"], ticket.player)
                ticket.arena = {"address": arena["address"], "port": arena["port"], "access": access}
                ticket.changed.set()
            self.arenas += 1
        except Exception as error: # whatever it was, players wait for an arena
            print(f"matchmaker: no arena region={region} players={len(group)}: {error!r}", flush=True)
            time.sleep(0.2)
            for ticket in group:
                ticket.is_grouped = ticket.arena is not None


def read_ticket(data):
    """The player and the pings of a request. Who a player is, is for you to check: by your login."""
    body = json.loads(data)
    player, pings = body["player"], body.get("pings") or {}
    if not (0 < len(player.encode()) <= 24 and player.isprintable()
            and player == " ".join(player.split())
            and all(isinstance(ms, (int, float)) for ms in pings.values())):
        raise ValueError
    return player, pings


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def parse_request(self):
        if not super().parse_request():
            return False
        # A body that is not read would be taken for the next request.
        has_body = self.headers.get("Content-Length", "0") != "0"
        if "Transfer-Encoding" in self.headers or (has_body and self.command != "POST"):
            self.close_connection = True
            self.answer(400, {"error": "want a body with POST only, and its Content-Length"})
            return False
        return True

    def answer(self, status, body=None):
        self.server.expect_request(self.connection)
        data = b"" if body is None else json.dumps(body).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        length = self.headers.get("Content-Length") or ""
        size = int(length) if re.fullmatch("[0-9]{1,9}", length) else 0
        if not 0 < size <= MAX_BODY_BYTES:
            self.close_connection = True
            return self.answer(413, {"error": f"want a body of 1 to {MAX_BODY_BYTES} bytes"})
        data = self.rfile.read(size)
        self.server.end_request(self.connection)
        if self.path != "/v1/tickets":
            return self.answer(404, {"error": "no such path"})
        try:
            player, pings = read_ticket(data)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return self.answer(
                422, {"error": 'want {"player": 1 to 24 bytes, "pings": {REGION: MS}}'})
        ticket = self.server.matchmaker.add(player, pings)
        if ticket is None:
            return self.answer(503, {"error": "the queue is full"})
        return self.answer(202, ticket.text())

    def do_GET(self):
        self.server.end_request(self.connection)
        matchmaker = self.server.matchmaker
        path, _, query = self.path.partition("?")
        if path == "/healthz":
            return self.answer(200, {"tickets": len(matchmaker.tickets), "arenas": matchmaker.arenas})
        if path == "/v1/regions":
            regions = matchmaker.settings["regions"].items()
            return self.answer(200, {"regions": {name: region["ping"] for name, region in regions
                                                 if "ping" in region}})
        wait = re.fullmatch("wait=([0-9]{1,4})", query)
        wait_s = min(int(wait[1]), MAX_WAIT_S) if wait else 0
        ticket = matchmaker.find(path.removeprefix("/v1/tickets/"), wait_s)
        if ticket is None:
            return self.answer(404, {"error": "no such ticket"})
        ticket.changed.wait(wait_s)
        return self.answer(200, ticket.text())

    def do_DELETE(self):
        matchmaker = self.server.matchmaker
        with matchmaker.lock:
            matchmaker.forget(matchmaker.tickets.get(self.path.removeprefix("/v1/tickets/")))
        self.answer(204)


class Server(BoundedServer):
    def __init__(self, settings):
        self.matchmaker = Matchmaker(settings)
        host, _, port = self.matchmaker.settings["listen"].rpartition(":")
        super().__init__((host, int(port)), Handler)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: matchmaker.py SETTINGS, a JSON file such as matchmaker.json")
    with open(sys.argv[1], encoding="utf-8") as file:
        server = Server(json.load(file))
    print(f"matchmaker: started on {server.server_address[0]}:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
