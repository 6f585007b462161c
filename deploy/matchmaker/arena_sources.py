# SPDX-License-Identifier: MIT
"""Where a matchmaker's arenas come from: Agones' allocator, or the API of several raimd; and the access
tokens that their players need. make(id) returns {"address", "port", "audience"} of a new arena, or
raises NoArena."""

import base64
import ctypes
import http.client
import json
import secrets
import ssl
import struct
import time
import urllib.error
import urllib.request

REQUEST_S = 2 # for one request to an allocator or a raimd
TOKEN_S = 120 # for which an access token is valid
ARENA_S = 4 # for an arena to be reported, after its allocation


class NoArena(Exception):
    """No arena can be made now."""


def ask(server, method, path, body=None):
    """The JSON of an answer; raises NoArena for every failure. A server is {"url"}, perhaps with
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
        raise NoArena(f"{method} {server['url']}{path}: {error.code} {error.read(300)!r}") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise NoArena(f"{method} {server['url']}{path}: {error}") from error


class Raimds:
    """Several raimd with control.listen: {"raimd": [SERVER, ...]}, see ask()."""

    def __init__(self, settings, region):
        self.settings, self.servers = settings, region["raimd"]

    def make(self, name):
        # No slots are reserved by "players": only these players get tokens for this arena, and a name
        # that raimd rejects would cost the others the arena.
        request = {"template": self.settings["template"], "ends": "round",
                   "join_within_s": self.settings["join_within_s"]}
        offers, problems = [], ["no raimd has a free port"]
        for server in self.servers:
            try:
                capacity = ask(server, "GET", "/v1/capacity")
                if capacity["accepts"] and capacity["free"] > 0:
                    offers.append((capacity["free"], server))
            except (NoArena, KeyError) as error:
                problems.append(str(error))
        for _, server in sorted(offers, key=lambda offer: -offer[0]): # the emptiest first
            try:
                arena = ask(server, "PUT", f"/v1/arenas/{name}", request)
                return {"address": arena["address"], "port": arena["port"],
                        "audience": arena["access"] and arena["access"]["audience"]}
            except (NoArena, KeyError) as error:
                problems.append(str(error))
        raise NoArena("; ".join(problems))


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
        """deploy/allocations/arena.yaml as the allocator's REST API has it. The annotation is the
        same in all allocations, because each overwrites the one before; the list is not."""
        labels = {"agones.dev/fleet": self.region.get("fleet", "raimd"),
                  "agones.dev/sdk-raimd-accepts": "true"} # it does not drain
        free = {"arenas": {"minAvailable": "1"}}
        arena = {"ends": "round", "join_within_s": self.settings["join_within_s"]}
        return {
            "namespace": self.namespace,
            "scheduling": "Packed",
            "priorities": [{"type": "Counter", "key": "arenas", "order": "Ascending"}],
            "gameServerSelectors": [
                {"matchLabels": labels, "gameServerState": state, "counters": free,
                 "lists": free}
                for state in ("ALLOCATED", "READY")],
            "counters": {"arenas": {"action": "Increment", "amount": "1"}},
            "lists": {"arenas": {"addValues": [f"{self.settings['template']}/{name}"]}},
            "metadata": {"annotations": {"raimd/arena": json.dumps(arena, sort_keys=True)}},
        }

    def wait_for_report(self, server, name):
        """What raimd has written of the arena into its GameServer."""
        path = f"/apis/agones.dev/v1/namespaces/{self.namespace}/gameservers/{server}"
        end = time.monotonic() + ARENA_S
        while time.monotonic() < end:
            annotations = ask(self.region["kubernetes"], "GET", path)["metadata"]["annotations"]
            arena = json.loads(annotations.get("agones.dev/sdk-raimd-arenas", "{}")).get(name)
            if arena and "error" in arena:
                raise NoArena(f"{server}: {arena['error']}")
            if arena:
                return arena
            time.sleep(0.05)
        raise NoArena(f"{server} has not reported its arena {name}")


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
