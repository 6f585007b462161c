#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A matchmaker for raimd to start from: it queues players by their ping per region, makes a room
for each group, signs their access tokens, and answers with address, port and token.

    POST /v1/tickets      {"player": NAME, "pings": {REGION: MS, ...}}  202 {"id", "state"}
    GET  /v1/tickets/ID   200 {"id", "state": "waiting"}, or
                          {"id", "state": "placed", "address", "port", "access"}; ?wait=S answers
                          when the state changes, or after S seconds; 404 once it has expired
    DELETE /v1/tickets/ID 204
    GET  /healthz         200 with the numbers of tickets and rooms

Rooms are made through Agones' allocator, or through the API of several raimd; matchmaker.json says
which. Tickets are held in memory: after a restart, clients get a 404 and queue again. Who a player
is, is for you to check: by your own login, in Handler.do_POST.
"""

import argparse
import base64
import concurrent.futures
import ctypes
import http.client
import http.server
import json
import re
import secrets
import ssl
import struct
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

MAX_BODY_BYTES = 4096
MAX_TICKETS = 20000
MAX_WAIT_S = 10
FORGET_S = 5 # a ticket is removed when nobody has asked for it in this time
REQUEST_S = 2 # for one request to an allocator or a raimd
TOKEN_S = 120 # for which an access token is valid
ROOM_S = 4 # for a room to be reported, after its allocation

DEFAULTS = {
    "listen": "127.0.0.1:8350",
    "key": "signer", # a file of `raimctl token key`, which signs access tokens
    "template": "duel", # what rooms are made from, see raimd.conf(5)
    "players": 6, # of a room
    "min_players": 2, # of a room that is not full, after fill_s
    "fill_s": 3,
    "join_within_s": 20,
    "max_ping_ms": 150, # to a region
    "regions": {}, # NAME: {"raimd": ...} of Raimds or {"allocator": ...} of Agones
}


class NoRoom(Exception):
    """No room can be made now."""


def ask(server, method, path, body=None):
    """The JSON of an answer; raises NoRoom for every failure. A server is {"url"}, perhaps with
    "token" (a file), "ca", "certificate" and "certificate_key"."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server["url"] + path, data, method=method,
                                     headers={"Content-Type": "application/json"})
    try:
        if "token" in server: # read anew, since such files are rotated
            with open(server["token"], encoding="utf-8") as file:
                request.add_header("Authorization", "Bearer " + file.read().strip())
        context = None
        if request.type == "https":
            context = ssl.create_default_context(cafile=server.get("ca"))
            if "certificate" in server:
                context.load_cert_chain(server["certificate"], server.get("certificate_key"))
        with urllib.request.urlopen(request, timeout=REQUEST_S, context=context) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise NoRoom(f"{method} {server['url']}{path}: {error.code} {error.read(300)!r}") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise NoRoom(f"{method} {server['url']}{path}: {error}") from error


# --- where rooms come from: make(id) returns {"address", "port", "audience"} ---

class Raimds:
    """Several raimd with control_listen: {"raimd": [SERVER, ...]}, see ask()."""

    def __init__(self, settings, region):
        self.settings, self.servers = settings, region["raimd"]

    def make(self, name):
        # No seats are reserved by "players": only these players get tokens for this room, and a name
        # that raimd refuses would cost the others the room.
        request = {"template": self.settings["template"], "ends": "round",
                   "join_within_s": self.settings["join_within_s"]}
        problems = []
        for server in self.by_free_rooms(problems):
            try:
                room = ask(server, "PUT", f"/v1/arenas/{name}", request)
                return {"address": room["address"], "port": room["port"],
                        "audience": room["access"] and room["access"]["audience"]}
            except (NoRoom, KeyError) as error:
                problems.append(str(error))
        raise NoRoom("; ".join(problems) or "no raimd has a free port")

    def by_free_rooms(self, problems):
        """The servers that accept rooms, the emptiest first."""
        found = []
        for server in self.servers:
            try:
                capacity = ask(server, "GET", "/v1/capacity")
                if capacity["accepts"] and capacity["free"] > 0:
                    found.append((-capacity["free"], server["url"], server))
            except (NoRoom, KeyError) as error:
                problems.append(str(error))
        return [server for _, _, server in sorted(found, key=lambda each: each[:2])]


class Agones:
    """Agones' allocator, which wants a client's certificate, and Kubernetes, which wants a service
    account's token: {"allocator": SERVER, "kubernetes": SERVER, "namespace", "fleet"}."""

    def __init__(self, settings, region):
        self.settings, self.region = settings, region
        self.namespace = region.get("namespace", "default")

    def make(self, name):
        server = ask(self.region["allocator"], "POST", "/gameserverallocation",
                     self.request(name))
        report = self.wait_for_report(server["gameServerName"], name)
        return {"address": server["address"], "port": report["port"], "audience": report["name"]}

    def request(self, name):
        """deploy/allocations/room.yaml as the allocator's REST API has it. The annotation is the
        same in all allocations, because each overwrites the one before; the list is not."""
        labels = {"agones.dev/fleet": self.region.get("fleet", "raimd"),
                  "agones.dev/sdk-raimd-accepts": "true"} # it does not drain
        free = {"rooms": {"minAvailable": "1"}}
        room = {"ends": "round", "join_within_s": self.settings["join_within_s"]}
        return {
            "namespace": self.namespace,
            "scheduling": "Packed",
            "priorities": [{"type": "Counter", "key": "rooms", "order": "Ascending"}],
            "gameServerSelectors": [
                {"matchLabels": labels, "gameServerState": state, "counters": free}
                for state in ("ALLOCATED", "READY")],
            "counters": {"rooms": {"action": "Increment", "amount": "1"}},
            "lists": {"rooms": {"addValues": [f"{self.settings['template']}/{name}"]}},
            "metadata": {"annotations": {"raimd/room": json.dumps(room, sort_keys=True)}},
        }

    def wait_for_report(self, server, name):
        """What raimd has written of the room into its GameServer."""
        path = f"/apis/agones.dev/v1/namespaces/{self.namespace}/gameservers/{server}"
        end = time.monotonic() + ROOM_S
        while time.monotonic() < end:
            annotations = ask(self.region["kubernetes"], "GET", path)["metadata"]["annotations"]
            room = json.loads(annotations.get("agones.dev/sdk-raimd-rooms", "{}")).get(name)
            if room and "error" in room:
                raise NoRoom(f"{server}: {room['error']}")
            if room:
                return room
            time.sleep(0.05)
        raise NoRoom(f"{server} has not reported its room {name}")


# --- access tokens ---

class Signer:
    """Signs access tokens (proto/PROTOCOL.md) like `raimctl token make`, with the library that raimd
    signs and verifies with: a process for each token would cost more than everything else here."""

    def __init__(self, path):
        self.sodium = ctypes.CDLL("libsodium.so.23")
        if self.sodium.sodium_init() < 0:
            raise OSError("libsodium has no random numbers")
        with open(path, encoding="ascii") as file:
            seed = bytes.fromhex(file.read().strip())
        self.public, self.secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(64)
        if len(seed) != 32:
            raise ValueError(f"{path} has no key")
        self.sodium.crypto_sign_seed_keypair(self.public, self.secret, seed)

    def sign(self, audience, player):
        now, fields = int(time.time()), b""
        for field in (audience.encode(), player.encode(), b""): # no server key
            fields += bytes([len(field)]) + field
        token = (b"RAIM\2" + self.public.raw[:8] + struct.pack("<QQ", now, now + TOKEN_S)
                 + secrets.token_bytes(16) + fields)
        signature = ctypes.create_string_buffer(64)
        self.sodium.crypto_sign_detached(signature, None, token, ctypes.c_ulonglong(len(token)),
                                         self.secret)
        return base64.urlsafe_b64encode(token + signature.raw).rstrip(b"=").decode()


# --- the queue ---

class Ticket:
    def __init__(self, player, pings):
        self.id, self.player, self.pings = secrets.token_urlsafe(12), player, pings
        self.queued = self.seen = time.monotonic()
        self.room = None # {"address", "port", "access"}
        self.is_grouped = False
        self.changed = threading.Event()

    def text(self):
        state = {"state": "placed", **self.room} if self.room else {"state": "waiting"}
        return {"id": self.id, **state}


class Matchmaker:
    def __init__(self, settings):
        self.settings = {**DEFAULTS, **settings}
        self.signer = Signer(self.settings["key"])
        self.regions = {name: (Raimds if "raimd" in region else Agones)(self.settings, region)
                        for name, region in self.settings["regions"].items()}
        self.tickets, self.by_player, self.rooms = {}, {}, 0
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

    def remove(self, name):
        with self.lock:
            self.forget(self.tickets.get(name))

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
        """The players of each room that is to be made now, who have waited longest first."""
        now, found = time.monotonic(), []
        with self.lock:
            for ticket in list(self.tickets.values()):
                if now - ticket.seen > FORGET_S:
                    self.forget(ticket)
            waiting = sorted((each for each in self.tickets.values()
                              if not each.is_grouped and not each.room), key=lambda t: t.queued)
            for region in self.regions:
                near = [each for each in waiting if not each.is_grouped
                        and self.suits(each, region, now)]
                while near and (len(near) >= self.settings["players"] or (
                        len(near) >= self.settings["min_players"]
                        and now - near[0].queued > self.settings["fill_s"])):
                    group = near[:self.settings["players"]]
                    near = near[self.settings["players"]:]
                    for ticket in group:
                        ticket.is_grouped = True
                    found.append((region, group))
        return found

    def place(self, region, group):
        """Makes the room of a group; without one, its players are queued again, in front."""
        try:
            room = self.regions[region].make("m-" + secrets.token_hex(8))
            for ticket in group:
                access = room["audience"] and self.signer.sign(room["audience"], ticket.player)
                ticket.room = {"address": room["address"], "port": room["port"], "access": access}
                ticket.changed.set()
            self.rooms += 1
        except Exception as error: # whatever it was, players wait for a room
            print(f"matchmaker: no room region={region} players={len(group)}: {error!r}", flush=True)
            time.sleep(0.2)
            for ticket in group:
                ticket.is_grouped = ticket.room is not None


# --- HTTP ---

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, body=None):
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
            self.answer(413, {"error": f"want a body of 1 to {MAX_BODY_BYTES} bytes"})
            return
        data = self.rfile.read(size)
        if self.path != "/v1/tickets":
            self.answer(404, {"error": "no such path"})
            return
        try:
            body = json.loads(data)
            player, pings = body["player"], body.get("pings") or {}
            good = (isinstance(player, str) and 0 < len(player.encode()) <= 24
                    and player.isprintable() and player == " ".join(player.split())
                    and all(isinstance(ms, (int, float)) for ms in pings.values()))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            good = False
        if not good:
            self.answer(422, {"error": 'want {"player": 1 to 24 bytes, "pings": {REGION: MS}}'})
            return
        ticket = self.server.matchmaker.add(player, pings)
        if ticket is None:
            self.answer(503, {"error": "the queue is full"})
            return
        self.answer(202, ticket.text())

    def do_GET(self):
        matchmaker = self.server.matchmaker
        path, _, query = self.path.partition("?")
        wait = urllib.parse.parse_qs(query).get("wait", ["0"])[0]
        wait_s = min(int(wait), MAX_WAIT_S) if re.fullmatch("[0-9]{1,4}", wait) else 0
        if path == "/healthz":
            self.answer(200, {"tickets": len(matchmaker.tickets), "rooms": matchmaker.rooms})
            return
        ticket = matchmaker.find(path.removeprefix("/v1/tickets/"), wait_s)
        if ticket is None:
            self.answer(404, {"error": "no such ticket"})
            return
        ticket.changed.wait(wait_s)
        self.answer(200, ticket.text())

    def do_DELETE(self):
        self.server.matchmaker.remove(self.path.removeprefix("/v1/tickets/"))
        self.answer(204)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, settings):
        self.matchmaker = Matchmaker(settings)
        host, _, port = self.matchmaker.settings["listen"].rpartition(":")
        super().__init__((host, int(port)), Handler)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("settings", help="a JSON file, see matchmaker.json")
    with open(parser.parse_args().settings, encoding="utf-8") as file:
        server = Server(json.load(file))
    print(f"matchmaker: started on {server.server_address[0]}:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
