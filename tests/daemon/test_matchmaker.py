#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The matchmaker of deploy/matchmaker: its requests, its groups by ping, and its arenas on real raimd,
in which raim-bots and raim play one after the other."""

import contextlib
import http.client
import http.server
import json
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import unittest

import harness
import arenas_api
from harness import BIN, ROOT, START_S, Stage, poll
from ports import free_port, free_ports

sys.path.insert(0, str(ROOT / "deploy/matchmaker"))
import bounded_server # noqa: E402
import matchmaker # noqa: E402

PROGRAM = ROOT / "deploy/matchmaker/matchmaker.py"


class Client:
    """Requests to a matchmaker on this port."""

    def __init__(self, port):
        self.port = port

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_S)
        with contextlib.closing(connection):
            text = body if isinstance(body, (str, bytes, type(None))) else json.dumps(body)
            connection.request(method, path, text)
            answer = connection.getresponse()
            data = answer.read()
            return answer.status, json.loads(data) if data else None

    def queue(self, player, **pings):
        status, ticket = self.ask("POST", "/v1/tickets", {"player": player, "pings": pings})
        assert status == 202, ticket
        return ticket["id"]


class StoppedMatchmaker(matchmaker.Matchmaker):
    """Groups players only when it is told to."""

    def run(self):
        pass


class QueueTest(unittest.TestCase):
    """The queue alone."""

    def setUp(self):
        self.key = self.enterContext(Stage()).directory / "signer"
        self.key.write_text("5a" * 32, encoding="ascii")

    def matchmaker(self, **settings):
        regions = {"eu": {"raimd": []}, "us": {"raimd": []}}
        maker = StoppedMatchmaker({"key": self.key, "players": 2, "fill_s": 60, "regions": regions, **settings})
        self.addCleanup(maker.pool.shutdown)
        return maker

    def groups(self, maker):
        return [(region, [ticket.player for ticket in group]) for region, group in maker.groups()]

    def test_players_meet_in_their_nearest_region(self):
        maker = self.matchmaker()
        for player, pings in (("ada", {"eu": 20, "us": 90}), ("bob", {"eu": 95, "us": 15}),
                              ("cyd", {"eu": 25, "us": 99}), ("dan", {"eu": 99, "us": 20})):
            maker.add(player, pings)
        found = dict(self.groups(maker))
        self.assertEqual(found, {"eu": ["ada", "cyd"], "us": ["bob", "dan"]})

    def test_a_far_player_waits_and_is_then_taken_anywhere(self):
        maker = self.matchmaker()
        maker.add("ada", {"eu": 20, "us": 90})
        far = maker.add("bob", {"eu": 400, "us": 500})
        self.assertEqual(self.groups(maker), [])
        far.queued -= 121
        self.assertEqual(self.groups(maker), [("eu", ["bob", "ada"])])

    def test_an_arena_is_not_full_for_ever(self):
        maker = self.matchmaker(players=6)
        tickets = [maker.add(player, {}) for player in ("ada", "bob", "cyd")]
        self.assertEqual(self.groups(maker), [])
        tickets[0].queued -= 61
        self.assertEqual(self.groups(maker), [("eu", ["ada", "bob", "cyd"])])

    def test_one_ticket_a_player_and_a_limit(self):
        maker = self.matchmaker()
        first = maker.add("ada", {})
        second = maker.add("ada", {})
        self.assertIsNone(maker.find(first.id))
        self.assertIs(maker.find(second.id), second)
        self.assertEqual(len(maker.tickets), 1)
        self.addCleanup(setattr, matchmaker, "MAX_TICKETS", matchmaker.MAX_TICKETS)
        matchmaker.MAX_TICKETS = 1
        self.assertIsNone(maker.add("bob", {}))

    def test_a_ticket_without_a_client_expires(self):
        maker = self.matchmaker()
        ticket = maker.add("ada", {})
        ticket.seen -= 60
        self.assertEqual(self.groups(maker), [])
        self.assertIsNone(maker.find(ticket.id))
        self.assertEqual(maker.by_player, {})

    def test_an_allocation_is_what_the_allocator_takes(self):
        region = {"allocator": {"url": ""}, "kubernetes": {"url": ""}}
        request = matchmaker.Agones(matchmaker.DEFAULTS, region).request("m-1")
        self.assertEqual(request["lists"], {"arenas": {"addValues": ["duel/m-1"]}})
        self.assertEqual(json.loads(request["metadata"]["annotations"]["raimd/arena"])["ends"],
                         "round")
        # Strings, since the allocator's numbers are of 64 bits.
        self.assertEqual(request["counters"]["arenas"], {"action": "Increment", "amount": "1"})


class SlowClientTest(unittest.TestCase):
    """Its HTTP server, with clients that do not send what they have begun."""

    def setUp(self):
        key = self.enterContext(Stage()).directory / "signer"
        key.write_text("5a" * 32, encoding="ascii")
        for name, value in (("MAX_CONNECTIONS", 8), ("MAX_REQUEST_S", 2)):
            self.addCleanup(setattr, bounded_server, name, getattr(bounded_server, name))
            setattr(bounded_server, name, value)
        self.server = matchmaker.Server({"listen": "127.0.0.1:0", "key": key})
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.address = self.server.server_address

    def send(self, text):
        client = self.enterContext(contextlib.closing(
            socket.create_connection(self.address, timeout=START_S)))
        client.sendall(text)
        return client

    @staticmethod
    def receive_all(client):
        text = b""
        with contextlib.suppress(ConnectionError):
            while piece := client.recv(4096):
                text += piece
        return text

    def test_slow_clients_make_room_for_others_and_end(self):
        half = b"POST /v1/tickets HTTP/1.1\r\nContent-Length: 99\r\n\r\n{"
        slow = [self.send(half[:size]) for size in (0, 5, 30, len(half)) for _ in range(5)]
        answer = Client(self.address[1]).ask("GET", "/healthz")
        self.assertEqual(answer[0], 200)
        self.assertLessEqual(self.server.connections, bounded_server.MAX_CONNECTIONS)
        for client in slow: # those that had to go, and the others when their time is over
            self.receive_all(client)
        poll("no connection", lambda: self.server.connections == 0 and not self.server.awaited)

    def test_no_body_is_taken_for_a_request(self):
        hidden = b"GET /healthz HTTP/1.1\r\n\r\n"
        for text in (b"DELETE /v1/tickets/x HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(hidden), hidden),
                     b"POST /v1/tickets HTTP/1.1\r\nContent-Length: 2\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\n{}" + hidden):
            answer = self.receive_all(self.send(text))
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1)
            self.assertIn(b"HTTP/1.1 400 ", answer)


class Liar(http.server.BaseHTTPRequestHandler):
    """A matchmaker that gives every request the same answer at once."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def do_GET(self):
        self.server.asked += 1
        self.send_response(self.server.status)
        for name, value in {"Content-Length": len(self.server.text), **self.server.more}.items():
            self.send_header(name, str(value))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(self.server.text)

    def log_message(self, *_):
        pass


class LiarTest(unittest.TestCase):
    """raim-bots at matchmakers that answer with anything."""

    def bots(self, text, status=200, more=None):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar)
        server.asked, server.text, server.status, server.more = 0, text, status, more or {}
        server.handle_error = lambda *_: None # bots that have gone
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        bots = self.enterContext(Stage())._start(harness.Bots, [
            BIN / "raim-bots", "--matchmaker", f"http://127.0.0.1:{server.server_port}",
            "--clients", "1", "--seconds", "0"], None)
        bots.expected_status = 69
        return bots, server

    def test_answers_that_are_none_are_named_and_waited_after(self):
        arena = {"id": "a", "state": "placed", "address": "x\n", "port": 1}
        for text, status, reason in ((b"[" + b"[]," * 10**5 + b"[]]", 200, "too long"),
                                     (b"[" * 10**4, 200, "not that of a matchmaker"),
                                     (json.dumps(arena).encode(), 200, "not that of a matchmaker"),
                                     (b"", 302, "status 302")):
            bots, server = self.bots(text, status, {"Location": "file:///etc/passwd"})
            bots.poll(reason, lambda: f"matchmaker: {reason}" in bots.log
                      or f"{reason}\n" in bots.log)
            bots.stop(signal.SIGINT)
            self.assertLess(server.asked, 8, text[:20])

    def test_one_that_does_not_wait_is_not_asked_all_the_time(self):
        bots, server = self.bots(b'{"id": "a", "state": "waiting"}')
        poll("answers", lambda: server.asked >= 3)
        begin, asked = time.monotonic(), server.asked
        time.sleep(1.5)
        self.assertLess(server.asked - asked, 2 + 4 * (time.monotonic() - begin))
        bots.stop(signal.SIGINT)


@unittest.skipUnless(shutil.which("openssl"), "skipped: no openssl")
class TlsTest(unittest.TestCase):
    """raim-bots at a matchmaker with a certificate that no authority of the system has signed."""

    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.certificate = self.stage.directory / "server.pem"
        key = self.stage.directory / "server.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                        "-keyout", key, "-out", self.certificate], check=True, capture_output=True)
        signer = self.stage.directory / "signer"
        signer.write_text("5a" * 32, encoding="ascii")
        self.server = matchmaker.Server({"listen": "127.0.0.1:0", "key": signer})
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                 do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def bots(self, host, certificate):
        url = f"https://{host}:{self.server.server_address[1]}"
        bots = self.stage._start(harness.Bots, [
            BIN / "raim-bots", "--matchmaker", url, "--clients", "1", "--seconds", "0"],
            {"SSL_CERT_FILE": str(certificate)} if certificate else None)
        bots.expected_status = 69
        return bots

    def test_an_unknown_certificate_is_rejected_with_its_reason(self):
        bots = [self.bots("localhost", None), self.bots("127.0.0.1", self.certificate)]
        for each in bots:
            each.poll("a reason", lambda log=each: re.search("matchmaker: SSL.*certificate", log.log))
            each.stop(signal.SIGINT)
        self.assertEqual(self.server.matchmaker.tickets, {})

    def test_a_certificate_of_ones_own_may_be_trusted(self):
        bots = self.bots("localhost", self.certificate)
        poll("a ticket", lambda: self.server.matchmaker.tickets)
        bots.stop(signal.SIGINT)
        self.assertNotIn("matchmaker:", bots.log)


class FleetTest(unittest.TestCase):
    """With one or two raimd of its own."""

    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.key = self.stage.directory / "signer"
        self.public = subprocess.run([BIN / "raimctl", "token", "key", self.key], check=True,
                                     capture_output=True, text=True).stdout.strip()
        self.servers = []

    def serve(self, **keys):
        """A raimd with a control API on loopback."""
        first = free_ports(4)
        directory = self.stage.directory / f"raimd{first}"
        directory.mkdir()
        keys = {"max_players": 4, "round_time": 60, "access": "token",
                "access_key": self.public, **keys}
        text = arenas_api.config(arenas_api.template(**keys), first=first, count=4,
                            control_listen="127.0.0.1:0", log_level="info")
        path = self.stage.write_config(text, f"raimd{first}.conf")
        daemon = self.stage.raimd("-c", path, env={"STATE_DIRECTORY": str(directory),
                                                   "RUNTIME_DIRECTORY": ""}).wait_started()
        port = daemon.poll("control_listen", lambda: self.control_port(daemon))
        self.servers.append({"url": f"http://127.0.0.1:{port}"})
        return daemon

    @staticmethod
    def control_port(daemon):
        for line in daemon.log.splitlines():
            if "control started" in line and "127.0.0.1:" in line:
                return int(re.search(r"127.0.0.1:(\d+)", line)[1])
        return None

    def start(self, port=None, **settings):
        port = port or free_port()
        path = self.stage.directory / "matchmaker.json"
        path.write_text(json.dumps({
            "listen": f"127.0.0.1:{port}", "key": str(self.key),
            "players": 2, "fill_s": 0.2, "regions": {"eu": {"raimd": self.servers}}, **settings}))
        self.program = self.stage._start(harness.Program, [PROGRAM, path], None)
        self.program.expected_status = -signal.SIGTERM
        self.program.poll("its start", lambda: "started" in self.program.out)
        return Client(port)

    def bots(self, client, count, seconds=0):
        return self.stage._start(harness.Bots, [
            BIN / "raim-bots", "--matchmaker", f"http://127.0.0.1:{client.port}", "--clients",
            str(count), "--seconds", str(seconds), "--json"], None)

    def test_requests(self):
        client = self.start(regions={"eu": {"raimd": [], "ping": "eu1.example.org:7246"},
                                     "us": {"raimd": []}})
        self.assertEqual(client.ask("GET", "/healthz"), (200, {"tickets": 0, "arenas": 0}))
        self.assertEqual(client.ask("GET", "/v1/regions"),
                         (200, {"regions": {"eu": "eu1.example.org:7246"}}))
        for body in ("", "x" * 5000):
            self.assertEqual(client.ask("POST", "/v1/tickets", body)[0], 413)
        for body in ("[]", "{", "7", '"ada"', '{"player": 7}', '{"player": ""}', "[" * 4000,
                     {"player": "a" * 25}, {"player": "a\0b"}, {"player": " a"}, {"player": "\ud800"}, {"player": "ada", "pings": [7]},
                     {"player": "ada", "pings": {"eu": "fast"}}, b"\xff"):
            self.assertEqual(client.ask("POST", "/v1/tickets", body)[0], 422, body)
        self.assertEqual(client.ask("POST", "/v1/ticket", {"player": "ada"})[0], 404)
        self.assertEqual(client.ask("GET", "/v1/tickets/none")[0], 404)
        ticket = client.queue("ada", eu=20)
        self.assertEqual(client.ask("GET", f"/v1/tickets/{ticket}"),
                         (200, {"id": ticket, "state": "waiting"}))
        self.assertEqual(client.ask("DELETE", f"/v1/tickets/{ticket}")[0], 204)
        self.assertEqual(client.ask("GET", f"/v1/tickets/{ticket}?wait=1")[0], 404)

    def test_a_group_gets_an_arena_and_a_token_each(self):
        self.serve()
        client = self.start()
        tickets = {name: client.queue(name, eu=20) for name in ("ada", "bob")}
        placed = {name: client.ask("GET", f"/v1/tickets/{ticket}?wait=9")[1]
                  for name, ticket in tickets.items()}
        self.assertEqual({each["state"] for each in placed.values()}, {"placed"})
        self.assertEqual(placed["ada"]["port"], placed["bob"]["port"])
        shown = subprocess.run([BIN / "raimctl", "token", "show", placed["ada"]["access"]],
                               capture_output=True, text=True, check=True).stdout
        self.assertRegex(shown, r"name +ada")
        api = arenas_api.Api.tcp(int(self.servers[0]["url"].rpartition(":")[2]))
        arena, = api.ask("GET", "/v1/arenas").json["arenas"]
        self.assertEqual((arena["port"], arena["ends"]), (placed["ada"]["port"], "round"))
        self.assertEqual(arena["access"]["audience"], arena["name"])

    def test_bots_play_round_after_round(self):
        daemon = self.serve(round_time=2, break_time=1)
        bots = self.bots(self.start(), 4)
        daemon.poll("arenas that ended by their rounds",
                    lambda: daemon.log.count("cause=round") >= 4, 30)
        bots.stop(signal.SIGINT)
        report = json.loads(bots.out)
        self.assertGreaterEqual(report["arenas"], 8)
        self.assertGreaterEqual(bots.log.count("state=playing"), 8)
        # Figures contain the arenas that the bots have left.
        for key in ("bytes_down_per_s", "bytes_up_per_s", "round_trip_ms", "predictions"):
            self.assertGreater(report[key], 0, key)

    def test_the_loss_of_a_raimd_leads_to_another_one(self):
        daemons = [self.serve(), self.serve()]
        bots = self.bots(self.start(), 2)
        first = poll("an arena", lambda: next((each for each in daemons if "arena made" in each.log),
                                            None))
        bots.poll("players", lambda: bots.log.count("state=playing") == 2)
        other = daemons[first is daemons[0]]
        first.kill()
        self.stage.programs.remove(first)
        other.poll("an arena on the other", lambda: "arena made" in other.log)
        bots.poll("players there", lambda: bots.log.count("state=playing") == 4)
        self.assertEqual(bots.log.count("state=lost"), 2)
        bots.stop(signal.SIGINT)

    def test_a_full_fleet_and_a_restart_are_waited_for(self):
        daemon = self.serve()
        api = arenas_api.Api.tcp(int(self.servers[0]["url"].rpartition(":")[2]))
        for name in "abcd":
            api.make(name)
        client = self.start()
        bots = self.bots(client, 2)
        self.program.poll("a rejection", lambda: "no raimd has a free port" in self.program.out)
        self.program.stop()
        self.start(client.port)
        api.ask("DELETE", "/v1/arenas/a")
        bots.poll("players", lambda: bots.log.count("state=playing") == 2)
        daemon.wait_pressing(2)
        bots.stop(signal.SIGINT)

    def start_in_two_regions(self, players):
        """Nobody answers in the first one. Returns a matchmaker, in which nobody waits so long that
        any region will do, and the raimd of the second one."""
        daemons = [self.serve(), self.serve()]
        unused, near = free_port(), self.servers[1]["url"].removeprefix("http://")
        client = self.start(players=players, fill_s=60, regions={
            "far": {"raimd": self.servers[:1], "ping": f"127.0.0.1:{unused}"},
            "near": {"raimd": self.servers[1:], "ping": near}})
        return client, daemons[1]

    def test_bots_play_in_their_nearest_region(self):
        client, daemon = self.start_in_two_regions(players=2)
        bots = self.bots(client, 2)
        daemon.wait_pressing(2)
        bots.stop(signal.SIGINT)

    @unittest.skipUnless((BIN / "raim").exists(), "skipped: the game is not built")
    def test_the_game_plays_in_its_nearest_region(self):
        client, daemon = self.start_in_two_regions(players=1)
        game = self.stage._start(harness.Program, [
            BIN / "raim", "--matchmaker", f"http://127.0.0.1:{client.port}", "--name", "Mira",
            "--headless", "--frames", "2000", "--size", "320x200"], None)
        daemon.wait_players(1)
        game.kill()
        self.stage.programs.remove(game)

    @unittest.skipUnless((BIN / "raim").exists(), "skipped: the game is not built")
    def test_the_game_plays_through_it(self):
        daemon = self.serve(round_time=2, break_time=1)
        client = self.start(min_players=1)
        game = self.stage._start(harness.Program, [
            BIN / "raim", "--matchmaker", f"http://127.0.0.1:{client.port}", "--name", "Mira",
            "--headless", "--frames", "2000", "--size", "320x200"], None)
        daemon.poll("two arenas that ended by their rounds",
                    lambda: daemon.log.count("cause=round") >= 2, 40)
        game.kill()
        self.stage.programs.remove(game)


if __name__ == "__main__":
    harness.main()
