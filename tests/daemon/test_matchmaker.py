#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The matchmaker of deploy/matchmaker: its requests, its groups by ping, and its rooms on real raimd,
in which raim-bots and raim play one after the other."""

import contextlib
import http.client
import json
import re
import signal
import subprocess
import sys
import unittest

import harness
import rooms
import sidecar
from harness import BIN, ROOT, START_S, Stage, poll

sys.path.insert(0, str(ROOT / "deploy/matchmaker"))
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

    def test_a_room_is_not_full_for_ever(self):
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
        self.assertEqual(request["lists"], {"rooms": {"addValues": ["duel/m-1"]}})
        self.assertEqual(json.loads(request["metadata"]["annotations"]["raimd/room"])["ends"],
                         "round")
        # Strings, since the allocator's numbers are of 64 bits.
        self.assertEqual(request["counters"]["rooms"], {"action": "Increment", "amount": "1"})


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
        first = rooms.free_ports(4)
        directory = self.stage.directory / f"raimd{first}"
        directory.mkdir()
        keys = {"max_players": 4, "round_time": 60, "access": "token",
                "access_key": self.public, **keys}
        text = rooms.config(rooms.template(**keys), first=first, count=4,
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
        port = port or sidecar.free_port()
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
        client = self.start()
        self.assertEqual(client.ask("GET", "/healthz"), (200, {"tickets": 0, "rooms": 0}))
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

    def test_a_group_gets_a_room_and_a_token_each(self):
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
        api = rooms.Api.tcp(int(self.servers[0]["url"].rpartition(":")[2]))
        room, = api.ask("GET", "/v1/arenas").json["arenas"]
        self.assertEqual((room["port"], room["ends"]), (placed["ada"]["port"], "round"))
        self.assertEqual(room["access"]["audience"], room["name"])

    def test_bots_play_round_after_round(self):
        daemon = self.serve(round_time=2, break_time=1)
        bots = self.bots(self.start(), 4)
        daemon.poll("rooms that ended by their rounds",
                    lambda: daemon.log.count("cause=round") >= 4, 30)
        bots.stop(signal.SIGINT)
        report = json.loads(bots.out)
        self.assertGreaterEqual(report["rooms"], 8)
        self.assertGreaterEqual(bots.log.count("state=playing"), 8)

    def test_the_loss_of_a_raimd_leads_to_another_one(self):
        daemons = [self.serve(), self.serve()]
        bots = self.bots(self.start(), 2)
        first = poll("a room", lambda: next((each for each in daemons if "room made" in each.log),
                                            None))
        bots.poll("players", lambda: bots.log.count("state=playing") == 2)
        other = daemons[first is daemons[0]]
        first.kill()
        self.stage.programs.remove(first)
        other.poll("a room on the other", lambda: "room made" in other.log)
        bots.poll("players there", lambda: bots.log.count("state=playing") == 4)
        self.assertEqual(bots.log.count("state=lost"), 2)
        bots.stop(signal.SIGINT)

    def test_a_full_fleet_and_a_restart_are_waited_for(self):
        daemon = self.serve()
        api = rooms.Api.tcp(int(self.servers[0]["url"].rpartition(":")[2]))
        for name in "abcd":
            api.make(name)
        client = self.start()
        bots = self.bots(client, 2)
        self.program.poll("a refusal", lambda: "no raimd has a free port" in self.program.out)
        self.program.stop()
        self.start(client.port)
        api.ask("DELETE", "/v1/arenas/a")
        bots.poll("players", lambda: bots.log.count("state=playing") == 2)
        daemon.wait_pressing(2)
        bots.stop(signal.SIGINT)

    @unittest.skipUnless((BIN / "raim").exists(), "skipped: the game is not built")
    def test_the_game_plays_through_it(self):
        daemon = self.serve(round_time=2, break_time=1)
        client = self.start(min_players=1)
        game = self.stage._start(harness.Program, [
            BIN / "raim", "--matchmaker", f"http://127.0.0.1:{client.port}", "--name", "Mira",
            "--headless", "--frames", "2000", "--size", "320x200"], None)
        daemon.poll("two rooms that ended by their rounds",
                    lambda: daemon.log.count("cause=round") >= 2, 40)
        game.kill()
        self.stage.programs.remove(game)


if __name__ == "__main__":
    harness.main()
