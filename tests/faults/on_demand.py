# SPDX-License-Identifier: MIT
"""Rows of the table of faults about arenas on demand: storms of requests, clients of the API that
are slow or send garbage, and memory that runs out while an arena is made."""

import concurrent.futures
import contextlib
import http.client
import itertools
import json
import os
import random
import socket
import time

import arenas_api
from page import ALLOCATIONS, FAILING, Page
from ports import free_ports
from row import Skipped, arena_of, count_lost, end_bots, expect, harness, row, ticks_go_on

POOL = 8


class Server:
    """A raimd with a pool of ports, and an arena beside it in which people play."""

    def __init__(self, trial, env=None, **keys):
        self.directory = trial.stage.directory
        self.socket = self.directory / "control.sock"
        self.env = {"STATE_DIRECTORY": str(self.directory), "RUNTIME_DIRECTORY": str(self.directory),
                    **(env or {})}
        self.first = free_ports(POOL)
        text = arenas_api.config(arenas_api.template(max_players=8), first=self.first, count=POOL,
                            arenas=(harness.arena("beside", max_players=4),), **keys)
        self.daemon = trial.stage.raimd("-c", trial.stage.write_config(text, "arenas.conf"),
                                        env=self.env).wait_started()
        self.daemon.poll("the control", lambda: "control started socket" in self.daemon.log)
        self.api = arenas_api.Api.unix(self.socket)

    def descriptors(self):
        """How many, without the journals, which the store opens and closes as it writes."""
        count = 0
        for entry in os.scandir(f"/proc/{self.daemon.pid}/fd"):
            with contextlib.suppress(FileNotFoundError): # closed meanwhile
                count += not os.readlink(entry.path).endswith(".events")
        return count

    def is_clean(self):
        """Every port is free, and no file of an arena is left."""
        left = [path.name for path in self.directory.iterdir()
                if path.suffix in (".arena", ".tokens") or path.name.startswith("r-")]
        return self.api.free() == POOL and not left


def storm(server, seconds, client):
    """Makes and ends arenas as fast as it can. Returns how often it was told each status."""
    told, end = {}, time.monotonic() + seconds
    connection = server.api.connect()
    for number in itertools.count():
        if time.monotonic() > end:
            connection.close()
            return told
        name = f"r-{client}-{number}"
        status = server.api.put(name, {"template": "duel"}, connection=connection).status
        told[status] = told.get(status, 0) + 1
        if status == 201:
            server.api.ask("DELETE", f"/v1/arenas/{name}", connection=connection)


@row(45, "16 clients make and end arenas on 8 ports as fast as they can",
     "201 or 503; players beside notice nothing; nothing is left")
def creation_storm(trial):
    server = Server(trial, **trial.traceable())
    bots = trial.bots(server.daemon, 2)
    server.api.make("warm")
    server.api.ask("DELETE", "/v1/arenas/warm")
    server.daemon.poll("a clean server", server.is_clean)
    skipped, files = arena_of(server.daemon)["skipped_ticks"], server.descriptors()
    seconds = trial.often(20, 2)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda client: storm(server, seconds, client), range(16)))
    made = sum(told.get(201, 0) for told in results)
    busy = sum(told.get(503, 0) for told in results)
    server.daemon.poll("a clean server", server.is_clean)
    server.daemon.poll("no more descriptors", lambda: server.descriptors() <= files)
    skipped = arena_of(server.daemon)["skipped_ticks"] - skipped
    ticks_go_on(server.daemon)
    lost, _ = count_lost(bots)
    others = {status for told in results for status in told} - {201, 503}
    return made + busy, expect(
        not others and made > 0 and lost == 0,
        f"{made} made, {busy} times busy, others {others}, {lost} players lost, {skipped} ticks"
        " skipped beside")


@row(46, "a full pool", "503 with Retry-After and what is free, until one ends")
def full_pool(trial):
    server = Server(trial)
    for number in range(POOL):
        server.api.make(f"r-{number}")
    count = trial.often(1000, 50)
    for number in range(count):
        answer = server.api.put(f"r-more-{number}", {"template": "duel"})
        expect(answer.status == 503 and answer.json["free"] == 0 and
               int(answer.headers["Retry-After"]) > 0, f"{answer.status} {answer.text}")
    expect(len(server.api.ask("GET", "/v1/arenas").json["arenas"]) == POOL, "others are there")
    server.api.ask("DELETE", "/v1/arenas/r-3")
    server.daemon.poll("a free port", lambda: server.api.free() == 1)
    expect(server.api.put("r-more", {"template": "duel"}).status == 201, "no room for one more")
    return count, "always 503, and 201 once one had ended"


def garbage(chance, first):
    """Bytes that are no good request, or only the beginning of one."""
    body = json.dumps({"template": "duel", "metadata": {"k": "v" * chance.randrange(300)}})
    good = (f"{chance.choice(['PUT', 'PATCH', 'DELETE', 'GET'])} /v1/arenas/r-{chance.random()} "
            f"HTTP/1.1\r\nHost: 127.0.0.1:{first}\r\nContent-Length: {len(body)}\r\n\r\n{body}")
    kind = chance.randrange(5)
    if kind == 0:
        return good.encode()[:chance.randrange(len(good))]
    if kind == 1:
        spoiled = bytearray(good.encode())
        for _ in range(3):
            spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
        return bytes(spoiled)
    if kind == 2:
        return b"PUT /v1/arenas/x HTTP/1.1\r\nHost: r\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n"
    if kind == 3:
        return b"PUT /v1/arenas/x HTTP/1.1\r\nHost: r\r\nContent-Length: 99999999999\r\n\r\n"
    return b"GET /v1/events HTTP/1.1\r\nHost: r\r\nLast-Event-ID: 0\r\n\r\n" # and never reads


@row(47, "clients of the API that drip, send garbage, or do not read",
     "others are answered; arenas and players stay")
def bad_clients(trial):
    server = Server(trial, control_listen="127.0.0.1:0")
    bots = trial.bots(server.daemon, 2)
    arena = server.api.make("kept", ends="never")
    chance, count, slowest = random.Random(1), trial.often(2000, 100), 0
    with contextlib.ExitStack() as stack:
        open_ones = []
        for _ in range(count):
            client = stack.enter_context(socket.socket(socket.AF_UNIX))
            client.settimeout(harness.START_S)
            with contextlib.suppress(OSError):
                client.connect(str(server.socket))
                client.sendall(garbage(chance, server.first))
            open_ones.append(client)
            if len(open_ones) > 24:
                open_ones.pop(chance.randrange(24)).close()
            begin = time.monotonic()
            with contextlib.suppress(OSError, http.client.HTTPException): # it may be evicted
                expect(server.api.arena("kept")["name"] == arena["name"], "the arena has changed")
            slowest = max(slowest, time.monotonic() - begin)
    server.daemon.poll("an answer", lambda: server.api.arena("kept"))
    ticks_go_on(server.daemon)
    report = end_bots(bots)
    return count, expect(report["disconnected"] == 0 and slowest < 5,
                         f"{report['disconnected']} players lost, the slowest answer took"
                         f" {slowest:.2f} s")


@row(48, "malloc failing at each call of an arena's making and end",
     "rejected or made; no crash, and the port is given back")
def no_memory_for_an_arena(trial):
    if trial.is_sanitized():
        raise Skipped("a sanitizer has a malloc of its own")
    step, tried, told = trial.often(1, 9), 0, {}
    with contextlib.closing(Page(trial.stage, "fault_memory")) as page:
        server = Server(trial, env=page.env)
        bots = trial.bots(server.daemon, 2)
        for number in itertools.count(1, step):
            page[ALLOCATIONS], page[FAILING] = 0, number
            name, status = f"r-{number}", "closed"
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                status = server.api.put(name, {"template": "duel", "metadata": {"k": "v"}}).status
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                server.api.ask("DELETE", f"/v1/arenas/{name}")
            reached = page[ALLOCATIONS] >= number
            page[FAILING] = 0
            with contextlib.suppress(AssertionError): # the end may have been what failed
                server.api.ask("DELETE", f"/v1/arenas/{name}")
            server.daemon.poll("a clean server", server.is_clean)
            told[status] = told.get(status, 0) + 1
            tried += reached
            if not reached:
                break
        ticks_go_on(server.daemon)
        report = end_bots(bots)
    return tried, expect(report["disconnected"] == 0 and status == 201,
                         f"answers {told}, {report['disconnected']} players lost")
