#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Arenas on demand: what a matchmaker asks for over the control socket and TCP, what it is told, and
what is left when an arena has ended."""

import concurrent.futures
import contextlib
import http.client
import json
import math
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
import unittest

import harness
import arenas_api
from harness import BIN, START_S, Stage, poll
from ports import free_ports

POOL = 4


class Matchmaker(unittest.TestCase):
    """Somebody with a raimd that has templates; what they try is in other classes."""

    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.state, self.run = self.stage.directory / "state", self.stage.directory / "run"
        self.state.mkdir()
        self.run.mkdir()
        self.socket = self.run / "control.sock"
        self.env = {"STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(self.run)}
        self.first = free_ports(POOL)

    def raimctl(self, *words, status=0):
        result = subprocess.run([BIN / "raimctl", "-s", self.socket, *map(str, words)], text=True,
                                stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                timeout=START_S)
        harness.check_sane(result.stderr)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout if status == 0 else result.stderr

    def make_key(self):
        path = self.stage.directory / "signer"
        self.public = self.raimctl("token", "key", path).strip()
        return path

    def token(self, key, audience, name):
        return self.raimctl("token", "make", "--key", key, "--arena", audience,
                            "--name", name).strip()

    def serve(self, *templates, count=POOL, **keys):
        text = arenas_api.config(*(templates or (arenas_api.template(max_players=8, resume_grace=1),)),
                            first=self.first, count=count, **keys)
        path = self.stage.write_config(text)
        self.daemon = self.stage.raimd("-c", path, env=self.env).wait_started()
        self.daemon.poll("the control socket", lambda: "control started socket" in self.daemon.log)
        self.api = arenas_api.Api.unix(self.socket)
        return self.api

    def bots(self, arena, clients=1, seconds=0, tokens=()):
        words = [word for token in tokens for word in ("--access", token)]
        return self.stage.bots(self.daemon, clients, seconds, network=words, ports=[arena["port"]])

    def wait_arena(self, name, **wanted):
        def seen():
            arena = self.api.arena(name)
            return arena if arena and all(arena[key] == wanted[key] for key in wanted) else None
        arena = self.daemon.poll(f"{name} with {wanted}", seen)
        if wanted.get("players"):
            self.daemon.wait_pressing(wanted["players"])
        return arena


class RequestTest(Matchmaker):
    def test_a_request_makes_an_arena_once(self):
        api = self.serve()
        request = {"template": "duel", "metadata": {"mode": "ranked"}}
        made = api.put("match-1", request)
        self.assertEqual(made.status, 201)
        self.assertEqual((made.json["address"], made.json["port"]), ("127.0.0.1", self.first))
        self.assertIsNone(made.json["access"])
        again = api.put("match-1", '{ "metadata": {"mode" :"ranked"}, "template":"duel" }')
        self.assertEqual(again.status, 200)
        for key in set(made.json) - {"state"}:
            self.assertEqual(again.json[key], made.json[key])
        self.assertEqual(api.put("match-1", {"template": "duel"}).status, 409)
        self.assertEqual([arena["id"] for arena in api.ask("GET", "/v1/arenas").json["arenas"]],
                         ["match-1"])
        self.wait_arena("match-1", state="ready")
        self.assertIn(made.json["name"], [each["name"] for each in
                                          self.daemon.get_json()["arenas"]])

    def test_clients_are_served_at_once(self):
        api, times = self.serve(), []
        for i in range(POOL):
            begin = time.monotonic()
            arena = api.make(f"r{i}")
            harness.request_cookie(arena["port"])
            times.append(time.monotonic() - begin)
        print(f"from a request to the arena's first answer to a client: at most"
              f" {max(times) * 1000:.0f} ms", flush=True)
        self.assertLess(min(times), 0.2) # cookies are asked for every 250 ms

    def test_every_mistake_is_listed(self):
        api = self.serve()
        answer = api.put("x", {"template": "duel", "max_players": 9, "players": ["ada"], "ends": "round",
                               "join_within_s": 0, "map": "maze", "rules": {"gravity": 1},
                               "metadata": {"a": 1}, "colour": "red"})
        self.assertEqual(answer.status, 422)
        for word in ("max_players", "players", "ends", "join_within_s", "map", "rules: gravity",
                     "metadata", "colour"):
            self.assertTrue(any(word in each for each in answer.json["mistakes"]), word)
        for body in ("", "[]", "{", '{"template":"duel","template":"duel"}', '{"template":7}',
                     '{"template":"none"}', b'{"template":"\xff"}', "[" * 30000):
            self.assertEqual(api.put("x", body).status, 422, body)
        for name in ("x" * 64, "a%20b", "a%2fb", "%c3%a4", ".."):
            self.assertIn(api.put(name, {"template": "duel"}).status, (404, 422), name)
        self.assertEqual(api.free(), POOL)

    def test_a_long_body_is_rejected(self):
        api = self.serve()
        self.assertEqual(api.put("x", {"template": "duel", "map": "m" * 70000}).status, 413)
        self.assertEqual(api.put("x", {"template": "duel", "map": "m" * 60000}).status, 422)

    def test_an_encoded_nul_does_not_end_an_id(self):
        api = self.serve()
        api.make("x")
        for method in ("GET", "PATCH", "DELETE"):
            self.assertIn(api.ask(method, "/v1/arenas/x%00y").status, (404, 422), method)
        self.assertEqual(api.arena("x")["cause"], None)

    def test_other_methods_and_paths(self):
        api = self.serve()
        answer = api.ask("POST", "/v1/arenas/x", "{}")
        self.assertEqual((answer.status, answer.headers["Allow"]), (405, "GET, PUT, PATCH, DELETE"))
        self.assertEqual(api.ask("GET", "/v1/nothing").status, 404)
        self.assertEqual(api.ask("GET", "/v1/arenas/none").status, 404)
        self.assertEqual(api.ask("DELETE", "/v1/arenas/none").status, 404)
        self.assertEqual(api.ask("PATCH", "/v1/arenas/none", {}).status, 404)

    def test_a_full_pool_says_so_and_when_to_ask_again(self):
        api = self.serve()
        made = [api.make(f"r{i}") for i in range(POOL)]
        self.assertEqual(sorted(arena["port"] for arena in made),
                         list(range(self.first, self.first + POOL)))
        answer = api.put("more", {"template": "duel"})
        self.assertEqual((answer.status, answer.json["free"]), (503, 0))
        self.assertGreater(int(answer.headers["Retry-After"]), 0)
        self.assertEqual(api.ask("DELETE", "/v1/arenas/r2").status, 202)
        self.wait_arena("r2", state="ended")
        self.assertEqual(api.make("more")["port"], made[2]["port"])

    def test_a_port_that_somebody_else_has_is_left_out(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", self.first))
            self.assertEqual(self.serve().make("x")["port"], self.first + 1)

    def test_templates_and_rules(self):
        api = self.serve(arenas_api.template(max_players=6, score_limit=3, bots=2))
        listed = api.ask("GET", "/v1/templates").json["templates"]
        self.assertEqual([(each["name"], each["maps"], each["max_players"]) for each in listed],
                         [("duel", ["duel"], 6)])
        made = api.make("x", max_players=3, rules={"player_speed": 200}, map="duel")
        self.assertEqual(made["max_players"], 3)
        self.assertEqual(api.put("y", {"template": "duel", "rules": {"player_radius": 21}}).status,
                         422)
        self.assertEqual(api.put("y", {"template": "duel", "rules": {"player_radius": 19.5}}).status,
                         201)

    def test_a_change_of_places_and_metadata(self):
        api = self.serve()
        made = api.make("x", max_players=2, metadata={"a": "1"})
        self.assertEqual(api.ask("PATCH", "/v1/arenas/x", {"max_players": 3}).status, 422)
        answer = api.ask("PATCH", "/v1/arenas/x", {"max_players": 1, "metadata": {"b": "2"}})
        self.assertEqual((answer.status, answer.json["max_players"], answer.json["metadata"]),
                         (200, 1, {"b": "2"}))
        self.bots(made)
        self.wait_arena("x", players=1)
        late = self.bots(made, seconds=1)
        late.expected_status = 69
        late.wait(START_S)
        self.assertEqual(self.api.arena("x")["players"], 1)

    def test_a_reload_keeps_arenas_and_takes_new_templates(self):
        api = self.serve(arenas_api.template(max_players=8), arenas_api.template("old", max_players=8))
        api.make("x")
        api.make("y", template="old")
        text = arenas_api.config(arenas_api.template(max_players=3), arenas_api.template("new", max_players=5),
                            first=self.first, count=POOL, arenas=(harness.arena(),))
        self.stage.write_config(text)
        self.daemon.send(signal.SIGHUP)
        self.daemon.poll("a reload", lambda: "configuration reloaded applied=" in self.daemon.log)
        self.assertEqual({arena["id"] for arena in api.ask("GET", "/v1/arenas").json["arenas"]},
                         {"x", "y"})
        self.assertEqual(api.put("z", {"template": "old"}).status, 422)
        self.assertEqual(api.make("z", template="new")["max_players"], 5)
        self.assertEqual(len(self.daemon.get_json()["arenas"]), 4)


class EndTest(Matchmaker):
    def test_it_ends_when_everybody_has_left(self):
        api = self.serve()
        made = api.make("x")
        with api.events() as events:
            bots = self.bots(made, 2)
            self.wait_arena("x", players=2)
            bots.stop(signal.SIGINT)
            kinds = [kind for _, kind, _ in events.until("arena_ended")]
        self.assertEqual(kinds[-3:], ["player_left", "player_left", "arena_ended"])
        self.assertEqual(self.api.arena("x")["cause"], "empty")
        self.assertEqual(api.free(), POOL)
        # A late repetition makes nothing.
        again = api.put("x", {"template": "duel"})
        self.assertEqual((again.status, again.json["state"]), (200, "ended"))
        self.assertEqual(api.put("x", {"template": "duel", "max_players": 2}).status, 409)

    def test_it_ends_when_nobody_comes(self):
        api = self.serve()
        api.make("x", join_within_s=1)
        api.make("y", join_within_s=1, ends="never")
        self.assertEqual(self.wait_arena("x", state="ended")["cause"], "nobody_joined")
        self.assertEqual(api.arena("y")["state"], "ready")

    def test_it_ends_with_its_round_and_says_the_result(self):
        api = self.serve(arenas_api.template(max_players=8, round_time=2, break_time=1, bots=1))
        with api.events() as events:
            bots = self.bots(api.make("x", ends="round", metadata={"k": "v"}), 2)
            seen = events.until("arena_ended")
        bots.expected_status = None
        kinds = [kind for _, kind, _ in seen]
        self.assertEqual(kinds[0], "arena_ready")
        self.assertEqual(kinds.count("player_joined"), 2)
        self.assertEqual(kinds.count("round_ended"), 1)
        self.assertEqual(kinds.count("player_left"), 2)
        ended = seen[-1][2]
        self.assertEqual((ended["cause"], ended["metadata"]), ("round", {"k": "v"}))
        scores = ended["result"]["scores"]
        self.assertEqual(sorted(score["bot"] for score in scores), [False, False, True])
        bots.kill()
        self.stage.programs.remove(bots)

    def test_it_does_not_end_with_a_round_of_bots_alone(self):
        api = self.serve(arenas_api.template(max_players=8, round_time=0.5, break_time=0.2, bots=2))
        arena = api.make("x", ends="round")
        self.daemon.poll("three rounds", lambda: next(
            row for row in self.daemon.get_json()["arenas"]
            if row["name"] == arena["name"])["round"]["number"] > 3)
        with api.events() as events:
            bots = self.bots(arena, 1)
            seen = events.until("arena_ended")
        kinds = [kind for _, kind, _ in seen]
        self.assertEqual([kind for kind in kinds if kind != "player_left"],
                         ["player_joined", "round_ended", "arena_ended"])
        bots.kill()
        self.stage.programs.remove(bots)

    def test_players_are_shown_the_reason(self):
        api = self.serve()
        made = api.make("x")
        bots = self.bots(made, 2)
        self.wait_arena("x", players=2)
        answer = api.ask("DELETE", "/v1/arenas/x", {"reason": "The tournament is over."})
        self.assertEqual((answer.status, answer.json["state"]), (202, "draining"))
        self.assertEqual(self.wait_arena("x", state="ended")["cause"], "deleted")
        bots.stop(signal.SIGINT)
        self.assertEqual({row["text"] for row in json.loads(bots.out)["players"]},
                         {"The tournament is over."})

    def test_a_drained_one_waits_for_its_players(self):
        api = self.serve()
        made = api.make("x")
        bots = self.bots(made, 1)
        self.wait_arena("x", players=1)
        self.assertEqual(api.ask("DELETE", "/v1/arenas/x", {"drain": True}).status, 202)
        late = self.bots(made, 1, seconds=1)
        late.expected_status = 69
        late.wait(START_S)
        self.assertEqual(api.arena("x")["state"], "draining")
        bots.stop(signal.SIGINT)
        self.wait_arena("x", state="ended")

    def test_a_drain_has_a_limit(self):
        api = self.serve()
        bots = self.bots(api.make("x"), 1)
        self.wait_arena("x", players=1)
        answer = api.ask("DELETE", "/v1/arenas/x", {"drain": True, "within_s": 1, "reason": "bye"})
        self.assertEqual(answer.status, 202)
        self.wait_arena("x", state="ended")
        bots.stop(signal.SIGINT)
        self.assertEqual(json.loads(bots.out)["players"][0]["text"], "bye")
        self.assertEqual(api.ask("DELETE", "/v1/arenas/y", {"within_s": 1}).status, 422)

    def test_the_operator_may_remove_one(self):
        api = self.serve()
        made = api.make("x")
        self.raimctl("arena", "remove", made["name"])
        self.assertEqual(self.wait_arena("x", state="ended")["cause"], "deleted")

    def test_a_drain_of_the_server_takes_no_new_ones(self):
        api = self.serve()
        self.bots(api.make("x"), 1)
        self.wait_arena("x", players=1)
        with subprocess.Popen([BIN / "raimctl", "-s", self.socket, "drain", "--timeout", "2"],
                              stdout=subprocess.DEVNULL) as drain:
            self.daemon.poll("a rejection",
                             lambda: not api.ask("GET", "/v1/capacity").json["accepts"])
            self.assertEqual(api.put("y", {"template": "duel"}).status, 503)
            self.assertEqual(drain.wait(START_S), 0)
        self.daemon.wait(START_S)
        self.assertEqual(list(self.state.glob("*.arena")), [])
        self.assertIn('"cause":"stopped"', (self.state / "arenas.events").read_text("utf-8"))


class ReservationTest(Matchmaker):
    def serve_tokens(self, **keys):
        self.key = self.make_key()
        return self.serve(arenas_api.template(max_players=4, resume_grace=0, access="token",
                                         access_key=self.public, **keys))

    def enter(self, arena, name):
        """A client with a token of this name gets in, and stays."""
        token = self.token(self.key, arena["access"]["audience"], name)
        before = self.api.arena(arena["id"])["players"]
        self.bots(arena, tokens=[token])
        self.wait_arena(arena["id"], players=before + 1)

    def reject(self, arena, name):
        """A client with a token of this name does not get in."""
        token = self.token(self.key, arena["access"]["audience"], name)
        before = self.api.arena(arena["id"])["players"]
        bots = self.bots(arena, tokens=[token], seconds=1)
        bots.expected_status = 69
        bots.wait(START_S)
        self.assertEqual(self.api.arena(arena["id"])["players"], before)

    def test_seats_are_kept_for_those_who_are_named(self):
        api = self.serve_tokens()
        arena = api.make("x", max_players=2, players=["ada", "bob"], join_within_s=30)
        self.assertEqual(arena["access"]["audience"], arena["name"])
        self.reject(arena, "eve")
        self.enter(arena, "ada")
        self.reject(arena, "ada") # bob's slot is not hers
        self.reject(arena, "eve")
        self.enter(arena, "bob")

    def test_seats_that_are_not_reserved_are_free(self):
        api = self.serve_tokens()
        arena = api.make("x", max_players=2, players=["ada"], join_within_s=30)
        self.enter(arena, "eve")
        self.reject(arena, "mallory")
        self.enter(arena, "ada")

    def test_seats_become_free_after_their_time(self):
        api = self.serve_tokens()
        arena = api.make("x", max_players=1, players=["ada"], join_within_s=1, ends="never")
        time.sleep(1.1)
        self.enter(arena, "eve")

    def test_a_token_is_good_for_one_arena(self):
        api = self.serve_tokens()
        first = api.make("x", ends="never")
        token = self.token(self.key, first["access"]["audience"], "ada")
        self.assertEqual(api.ask("DELETE", "/v1/arenas/x").status, 202)
        self.wait_arena("x", state="ended")
        second = api.make("y", ends="never")
        bots = self.bots(second, tokens=[token], seconds=1)
        bots.expected_status = 69
        bots.wait(START_S)
        self.daemon.poll("no files of tokens but one",
                         lambda: len(list(self.run.glob("*.tokens"))) == 1)

    def test_names_have_to_be_good(self):
        api = self.serve_tokens()
        for players in (["ada", "ada"], ["x" * 25], [""], [" ada"], [7], "ada", ["a"] * 5):
            self.assertEqual(api.put("x", {"template": "duel", "players": players}).status, 422)


# However long the next process takes to start.
PATIENT = arenas_api.template(max_players=8, resume_grace=60)


class RestartTest(Matchmaker):
    def restart(self):
        self.daemon.expected_status = -signal.SIGKILL
        self.daemon.send(signal.SIGKILL)
        self.daemon.wait(START_S)
        return self.daemon

    def wait_back(self, count):
        """Waits until so many clients have come back and know it: they press again."""
        before = {}
        def are_back():
            pressed = {row["id"]: row["inputs_due"] - row["inputs_missed"]
                       for row in self.daemon.get_json()["arenas"][0]["players"] if not row["away"]}
            for player in pressed:
                before.setdefault(player, pressed[player])
            return len(pressed) == count and all(
                pressed[player] > before[player] for player in pressed)
        self.daemon.poll(f"{count} clients that are back", are_back)

    def test_a_crash_keeps_arenas_players_and_events(self):
        api = self.serve(PATIENT)
        request = {"template": "duel", "metadata": {"k": "v"}, "max_players": 3}
        made = api.put("x", request).json
        gone = api.make("gone")
        self.assertEqual(api.ask("PATCH", "/v1/arenas/x", {"metadata": {"k": "w"}}).status, 200)
        self.assertEqual(api.ask("DELETE", "/v1/arenas/gone").status, 202)
        self.wait_arena("gone", state="ended")
        bots = self.bots(made, 2)
        self.wait_arena("x", players=2)
        with api.events(after=0) as events:
            joined = [each for each in events.until("arena_ended", "gone")]
            joined += events.until("player_joined")
        self.restart()
        before = self.daemon
        self.serve(PATIENT)
        again = self.api.put("x", request)
        self.assertEqual(again.status, 200)
        for key in ("name", "port", "max_players", "made_at"):
            self.assertEqual(again.json[key], made[key])
        self.assertEqual(again.json["metadata"], {"k": "w"})
        self.wait_arena("x", players=2)
        self.assertIsNone(self.api.arena("gone"))
        self.wait_back(2)
        with self.api.events(after=joined[-1][0]) as events:
            seen = [events.next() for _ in range(4)]
        while seen[0][1] == "player_joined": # the second one, before the crash
            seen.pop(0)
        self.assertEqual([kind for _, kind, _ in seen[:3]],
                         ["arena_ready", "player_joined", "player_joined"][:len(seen)])
        self.assertTrue(seen[0][2]["resumed"])
        bots.stop(signal.SIGINT)
        self.wait_arena("x", state="ended")
        self.assertNotEqual(gone["name"], made["name"])
        self.assertEqual(before.process.returncode, -signal.SIGKILL)

    def test_a_stop_and_a_start_keep_arenas_and_players(self):
        api = self.serve(PATIENT)
        made = api.make("x")
        bots = self.bots(made, 2)
        self.wait_arena("x", players=2)
        self.daemon.stop()
        self.serve(PATIENT)
        self.wait_back(2)
        self.assertEqual(self.api.arena("x")["name"], made["name"])
        bots.stop(signal.SIGINT)
        self.assertEqual(self.wait_arena("x", state="ended")["cause"], "empty")

    def test_seats_stay_reserved_and_used_tokens_used(self):
        self.key = self.make_key()
        template = arenas_api.template(access="token", access_key=self.public, resume_grace=10)
        api = self.serve(template)
        arena = api.make("x", max_players=2, players=["ada"], join_within_s=60)
        token = self.token(self.key, arena["access"]["audience"], "eve")
        bots = self.bots(arena, tokens=[token])
        self.wait_arena("x", players=1)
        self.restart()
        self.serve(template)
        self.wait_arena("x", players=1)
        self.daemon.wait_pressing(1)
        late = self.bots(arena, tokens=[self.token(self.key, arena["access"]["audience"], "zed")],
                         seconds=1)
        late.expected_status = 69
        late.wait(START_S)
        bots.stop(signal.SIGINT)

    def test_a_seat_that_was_taken_is_not_reserved_again(self):
        self.key = self.make_key()
        template = arenas_api.template(access="token", access_key=self.public, resume_grace=10)
        api = self.serve(template)
        arena = api.make("x", max_players=2, players=["ada"], join_within_s=60)
        bots = [self.bots(arena, tokens=[self.token(self.key, arena["access"]["audience"], "ada")])]
        self.wait_arena("x", players=1)
        self.restart()
        self.serve(template)
        self.wait_arena("x", players=1)
        bots += [self.bots(arena, tokens=[self.token(self.key, arena["access"]["audience"], "zed")])]
        self.wait_arena("x", players=2)
        for each in bots:
            each.stop(signal.SIGINT)

    def test_a_template_that_is_gone_ends_its_rooms(self):
        self.serve().make("x")
        self.restart()
        api = self.serve(arenas_api.template("other"))
        self.assertIsNone(api.arena("x"))
        self.daemon.poll("the line about x", lambda: "arena not reopened id=x" in self.daemon.log)
        self.daemon.poll("its file's end", lambda: not list(self.state.glob("*.arena")))
        with api.events(after=0) as events:
            self.assertEqual(events.until("arena_ended", "x")[-1][2]["cause"], "failed")

    def test_a_crash_while_an_arena_ends_reports_its_end(self):
        api = self.serve(arenas_api.template(max_players=8, round_time=1, break_time=5))
        bots = self.bots(api.make("x", ends="round"), 1)
        with api.events(after=0) as events:
            events.until("round_ended", "x")
        self.daemon.poll("the record", lambda: "cause round" in
                         next(self.state.glob("*.arena")).read_text("utf-8"))
        self.restart()
        api = self.serve()
        self.assertIsNone(api.arena("x"))
        with api.events(after=0) as events:
            ended = events.until("arena_ended", "x")
        self.assertEqual(ended[-1][2]["cause"], "round")
        round_ended, = [data for _, kind, data in ended if kind == "round_ended"]
        self.assertEqual(ended[-1][2]["result"]["scores"], round_ended["scores"])
        self.daemon.poll("its file's end", lambda: not list(self.state.glob("*.arena")))
        bots.kill()
        self.stage.programs.remove(bots)

    def test_a_clock_that_was_set_back_holds_no_seats(self):
        self.serve().make("x", join_within_s=2)
        self.wait_arena("x", state="ready")
        self.restart()
        record, = self.state.glob("*.arena")
        record.write_text(re.sub(r"(?m)^join_until_s .*", f"join_until_s {int(time.time()) + 10**7}",
                                 record.read_text("utf-8")), "utf-8")
        api = self.serve()
        with api.events(after=0) as events:
            self.assertEqual(events.until("arena_ended", "x")[-1][2]["cause"], "nobody_joined")

    def test_damaged_files_are_left_out(self):
        api = self.serve()
        api.make("x")
        with api.events(after=0) as events: # which streams tell once it is stored
            events.until("arena_ready", "x")
        self.restart()
        for path in self.state.glob("*.arena"):
            path.write_bytes(path.read_bytes()[:-9])
        with open(self.state / "arenas.events", "ab") as journal:
            journal.write(b"17 half")
        api = self.serve()
        self.assertIsNone(api.arena("x"))
        self.daemon.poll("word of it", lambda: "is not the record of the arena" in self.daemon.log)
        self.assertEqual(len(list(self.state.glob("*.arena"))), 1) # another version may read it
        with api.events(after=0) as events:
            self.assertEqual(events.next()[1], "arena_ready")


class EventTest(Matchmaker):
    def test_streams_resume_and_say_what_they_have_missed(self):
        api = self.serve()
        for name in ("a", "b", "c"):
            api.make(name)
            self.wait_arena(name, state="ready")
        with api.events(after=0) as events:
            seen = [events.next() for _ in range(3)]
        self.assertEqual([data["id"] for _, _, data in seen], ["a", "b", "c"])
        with api.events(after=seen[0][0]) as events:
            self.assertEqual([events.next() for _ in range(2)], seen[1:])
        with api.events(after=7) as events:
            self.assertEqual([events.next()[1] for _ in range(2)], ["missed", "arena_ready"])
        with api.events(after=9 * 10**15) as events: # of another server
            self.assertEqual(events.next()[1], "missed")
        with api.events(after="soon") as events:
            self.assertEqual(events.status, 400)

    def test_there_are_not_too_many_streams(self):
        api = self.serve()
        streams = []
        for _ in range(16):
            streams.append(api.events())
            self.assertEqual(streams[-1].__enter__().status, 200)
        with api.events() as events:
            self.assertEqual(events.status, 503)
        self.assertEqual(api.free(), POOL)
        for stream in streams:
            stream.__exit__(None, None, None)
        def one_more():
            with api.events() as events:
                return events.status == 200
        poll("a free stream", one_more)

    def test_who_does_not_read_is_disconnected(self):
        api = self.serve()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as idle:
            idle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            idle.connect(str(self.socket))
            idle.sendall(b"GET /v1/events HTTP/1.1\r\nHost: r\r\nLast-Event-ID: 0\r\n\r\n")
            for i in range(60): # events enough to fill what the kernel keeps
                self.assertEqual(api.put(f"r{i}", {"template": "duel", "metadata":
                                                   {f"k{j}": "v" * 255 for j in range(16)}}).status,
                                 201)
                api.ask("DELETE", f"/v1/arenas/r{i}")
                self.wait_arena(f"r{i}", state="ended")
            self.assertEqual(api.free(), POOL)


@unittest.skipUnless(shutil.which("openssl"), "skipped: no openssl")
class TcpTest(Matchmaker):
    TOKEN = "a-token-of-32-characters-0123456"

    EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")

    def certify(self, name, authority=None, purpose=None, key=EC):
        """A certificate and its key, signed by an authority or by itself."""
        base = self.stage.directory / name
        signer = ["-CA", f"{authority}.pem", "-CAkey", f"{authority}.key"] if authority else []
        if purpose:
            signer += ["-addext", f"extendedKeyUsage={purpose}"]
        subprocess.run(["openssl", "req", "-x509", *key, "-nodes", "-days", "2", "-subj",
                        f"/CN={name}", "-keyout", f"{base}.key", "-out", f"{base}.pem",
                        "-addext", "basicConstraints=critical,CA:" +
                        ("FALSE" if authority else "TRUE"), *signer],
                       check=True, capture_output=True)
        os.chmod(f"{base}.key", 0o600)
        return base

    def write_token(self):
        path = self.stage.directory / "token"
        path.write_text(self.TOKEN + "\n", encoding="ascii")
        path.chmod(0o600)
        return str(path)

    def port(self):
        found = self.daemon.poll("the control over TCP", lambda: re.search(
            r"control started url=https?://[\d.]+:(\d+)/v1", self.daemon.log))
        return int(found[1])

    def test_tls_and_a_token(self):
        base = self.certify("server")
        self.serve(control_listen="0.0.0.0:0", control_certificate=f"{base}.pem",
                   control_key=f"{base}.key", control_token_file=self.write_token())
        context = arenas_api.client_context(f"{base}.pem")
        for token in (None, "wrong", self.TOKEN[:-1], self.TOKEN + "x"):
            api = arenas_api.Api.tcp(self.port(), token, context)
            answer = api.put("x", {"template": "duel"})
            self.assertEqual(answer.status, 401, token)
            self.assertIn("Bearer", answer.headers["WWW-Authenticate"])
        api = arenas_api.Api.tcp(self.port(), self.TOKEN, context)
        self.assertEqual(api.make("x")["port"], self.first)
        self.assertIn("command given by=token via=api command=arena-create id=x", self.daemon.log)
        self.assertEqual(api.ask("GET", "/status").status, 200) # the operator's page and orders, too
        with api.events(after=0) as events:
            self.assertEqual(events.next()[1], "arena_ready")
        with self.assertRaises(OSError): # no TLS
            arenas_api.Api.tcp(self.port(), self.TOKEN).put("y", {"template": "duel"})

    def test_a_reload_reads_the_files_again(self):
        # In the sandbox, from another directory than that of the configuration.
        base = self.certify("server")
        other = self.enterContext(Stage()).directory
        for name in ("server.pem", "server.key"):
            shutil.copy(self.stage.directory / name, other)
        shutil.copy(self.write_token(), other / "token")
        self.serve(control_listen="127.0.0.1:0", control_certificate=str(other / "server.pem"),
                   control_key=str(other / "server.key"), control_token_file=str(other / "token"))
        self.daemon.send(signal.SIGHUP)
        self.daemon.poll("a reload", lambda: "configuration reloaded applied=0 restart=0"
                         in self.daemon.log)
        api = arenas_api.Api.tcp(self.port(), self.TOKEN, arenas_api.client_context(f"{base}.pem"))
        self.assertEqual(api.free(), POOL)

    def test_client_certificates(self):
        base, authority = self.certify("server"), self.certify("authority")
        client, other = self.certify("client", authority), self.certify("other")
        service = self.certify("service", authority, "serverAuth")
        named = self.certify("named", authority, "clientAuth", key=("-newkey", "rsa:2048"))
        self.serve(control_listen="0.0.0.0:0", control_certificate=f"{base}.pem",
                   control_key=f"{base}.key", control_clients=f"{authority}.pem")
        def status(shown):
            pair = (f"{shown}.pem", f"{shown}.key") if shown else None
            api = arenas_api.Api.tcp(self.port(), None, arenas_api.client_context(f"{base}.pem", pair))
            try:
                return api.ask("GET", "/v1/capacity").status
            except (ssl.SSLError, OSError):
                return None
        self.assertEqual(status(client), 200)
        self.assertIn(status(None), (403, None))
        self.assertIn(status(other), (403, None))
        self.assertEqual(status(named), 200)
        self.assertEqual(status(service), 403) # a server of the same authority may not ask
        pair = (f"{named}.pem", f"{named}.key")
        api = arenas_api.Api.tcp(self.port(), None, arenas_api.client_context(f"{base}.pem", pair))
        api.make("x")
        self.assertIn("command given by=named via=api command=arena-create id=x", self.daemon.log)
        # A browser shows the certificate for pages of strangers, too.
        own = {"Origin": f"https://127.0.0.1:{self.port()}", "Sec-Fetch-Site": "same-origin"}
        foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
        page = {"X-Raimd-Command": "1"}
        self.assertEqual(api.ask("GET", "/commands").json, {"commands": True, "token": False})
        for headers, wanted in ((own | page, 200), (own, 403), (foreign | page, 403)):
            api.headers = headers
            self.assertEqual(api.command("say", text="hello").status, wanted, headers)
        api.headers = foreign
        for path in "/v1/players", "/v1/arenas", "/summary":
            self.assertEqual(api.ask("GET", path).status, 403, path)

    def make_slow_key(self, bits):
        """The file of an RSA key whose public exponent is as long as its modulus: signing with it is
        cheap, verifying is not."""
        p, q = (int(subprocess.run(["openssl", "prime", "-generate", "-bits", str(bits // 2)],
                                   check=True, capture_output=True).stdout) for _ in range(2))
        order, private = (p - 1) * (q - 1), 65537
        while math.gcd(private, order) != 1:
            private += 2
        numbers = {"version": 0, "n": p * q, "e": pow(private, -1, order), "d": private, "p": p,
                   "q": q, "e1": private % (p - 1), "e2": private % (q - 1), "c": pow(q, -1, p)}
        path = self.stage.directory / "slow"
        path.write_text("asn1=SEQUENCE:rsa\n[rsa]\n" + "".join(
            f"{name}=INTEGER:{number:#x}\n" for name, number in numbers.items()), "ascii")
        subprocess.run(["openssl", "asn1parse", "-genconf", path, "-noout", "-out", f"{path}.der"],
                       check=True, capture_output=True)
        subprocess.run(["openssl", "rsa", "-inform", "DER", "-in", f"{path}.der", "-out",
                        f"{path}.pem"], check=True, capture_output=True)
        return f"{path}.pem"

    def test_a_key_that_is_expensive_to_verify_is_not_verified(self):
        base = self.certify("server")
        key = self.make_slow_key(2048)
        slow = self.stage.directory / "client.pem"
        subprocess.run(["openssl", "req", "-x509", "-key", key, "-days", "2", "-subj", "/CN=client",
                        "-out", slow], check=True, capture_output=True)
        self.serve(control_listen="0.0.0.0:0", control_certificate=f"{base}.pem",
                   control_key=f"{base}.key", control_clients=f"{base}.pem")
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = arenas_api.client_context(f"{base}.pem", (slow, key))
            context.minimum_version = context.maximum_version = version
            with self.assertRaises(OSError): # the handshake, and not a request
                arenas_api.Api.tcp(self.port(), None, context).ask("GET", "/v1/capacity")

    def test_half_a_handshake_keeps_nobody_busy(self):
        base = self.certify("server")
        self.serve(control_listen="127.0.0.1:0", control_certificate=f"{base}.pem",
                   control_key=f"{base}.key")
        outgoing = ssl.MemoryBIO()
        client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing,
                                                       server_hostname="localhost")
        with self.assertRaises(ssl.SSLWantReadError):
            client.do_handshake()
        hello = outgoing.read()
        for text in (hello, hello[:-1]):
            with contextlib.closing(socket.create_connection(("127.0.0.1", self.port()))) as half:
                half.sendall(text)
                time.sleep(0.3)
                begin, begin_s = time.monotonic(), self.main_thread_s()
                time.sleep(1)
                took_s = self.main_thread_s() - begin_s
                self.assertLess(took_s, 0.15 * (time.monotonic() - begin))

    def main_thread_s(self):
        """The CPU time of the daemon's main thread."""
        pid = self.daemon.pid
        with open(f"/proc/{pid}/task/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0]) / 1e9

    def test_new_connections_of_an_address_are_limited(self):
        base = self.certify("server")
        self.serve(control_listen="0.0.0.0:0", control_certificate=f"{base}.pem",
                   control_key=f"{base}.key", control_token_file=self.write_token())
        context, port = arenas_api.client_context(f"{base}.pem"), self.port()
        def ask(source):
            connection = http.client.HTTPSConnection("127.0.0.1", port, context=context,
                                                     timeout=START_S, source_address=(source, 0))
            with contextlib.closing(connection):
                connection.request("GET", "/v1/capacity",
                                   headers={"Authorization": f"Bearer {self.TOKEN}"})
                return connection.getresponse().status
        self.assertEqual(ask("127.0.0.1"), 200)
        def is_rejected():
            for _ in range(300): # more than are allowed again while it connects
                socket.create_connection(("127.0.0.1", port), timeout=START_S).close()
            return not self.is_answered(ask)
        poll("a rejection", is_rejected)
        self.assertEqual(ask("127.0.0.2"), 200)
        self.assertGreater(self.metric("raimd_control_connections_limited_total"), 100)
        poll("its connections again", lambda: self.is_answered(ask))

    @staticmethod
    def is_answered(ask):
        with contextlib.suppress(OSError):
            return ask("127.0.0.1") == 200
        return False

    def metric(self, name):
        return int(re.search(rf"^{name} (\d+)$", self.daemon.ask("/metrics").text, re.M)[1])

    def test_loopback_needs_nothing_but_keeps_browsers_out(self):
        self.serve(control_listen="127.0.0.1:0")
        api = arenas_api.Api.tcp(self.port())
        self.assertEqual(api.make("x")["port"], self.first)
        for path in "/status", "/players", "/", "/commands": # /v1 alone
            self.assertEqual(api.ask("GET", path).status, 404, path)
        for path in "/v1/status", "/v1/players", "/v1/bans": # and of it what matchmakers need
            self.assertEqual(api.ask("GET", path).status, 403, path)
        self.assertEqual(api.command("say", text="hello").status, 403)
        api.headers = {"Origin": "http://evil.example"}
        self.assertEqual(api.ask("GET", "/v1/arenas").status, 403)
        api.headers = {"Host": "evil.example"}
        self.assertEqual(api.ask("GET", "/v1/arenas").status, 421)
        for site in ("cross-site", "same-site", "same-origin"):
            api.headers = {"Sec-Fetch-Site": site} # as of an image, which has no Origin
            self.assertEqual(api.ask("GET", "/v1/arenas").status, 403)
        self.assertEqual(self.metric("raimd_control_requests_denied_total"), 5)
        api.headers = {"Sec-Fetch-Site": "none"}
        self.assertEqual(api.ask("GET", "/v1/arenas").status, 200)

    def test_who_is_not_protected_is_rejected(self):
        base = self.certify("server")
        good = {"control_certificate": f"{base}.pem", "control_key": f"{base}.key"}
        token = {"control_token_file": self.write_token()}
        for keys in ({}, good, token, {"control_clients": f"{base}.pem", **token}):
            text = arenas_api.config(arenas_api.template(), first=self.first, count=1,
                                control_listen="0.0.0.0:0", **keys)
            result = harness.run_raimd("-t", "-c", self.stage.write_config(text))
            self.assertEqual(result.returncode, 78, keys)
            self.assertIn(" control.", result.stderr)
        text = arenas_api.config(arenas_api.template(), first=self.first, count=1,
                            control_listen="0.0.0.0:0", **good, **token)
        self.assertEqual(harness.run_raimd("-t", "-c", self.stage.write_config(text)).stderr, "")


class RaimctlTest(Matchmaker):
    def test_the_life_of_an_arena(self):
        api = self.serve(arenas_api.template(max_players=8, score_limit=5))
        out = self.raimctl("arena", "create", "x", "--template", "duel", "--ends", "round",
                           "--map", "duel", "--max-players", 4, "--join-within", 30,
                           "--metadata", "mode=ranked", "--metadata", "eq=a=b")
        self.assertIn(f"127.0.0.1:{self.first}\n", out)
        self.assertRegex(out, r"(?m)^metadata +eq=a=b$")
        arena = json.loads(self.raimctl("arena", "show", "x", "--json"))
        self.assertEqual((arena["ends"], arena["max_players"], arena["metadata"]),
                         ("round", 4, {"mode": "ranked", "eq": "a=b"}))
        self.assertRegex(self.raimctl("arena", "list"), rf"(?m)^x +\w+ +duel +duel +{self.first}")
        self.assertIn("3", self.raimctl("arena", "change", "x", "--max-players", 3))
        self.assertEqual(api.arena("x")["max_players"], 3)
        self.assertRegex(self.raimctl("arena", "templates"), r"(?m)^duel +8 +0 open +duel$")
        self.assertRegex(self.raimctl("arena", "capacity"), rf"^free {POOL - 1}, on demand 1,")
        self.raimctl("arena", "end", "x", "Over.")
        self.wait_arena("x", state="ended")
        for line in out.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_what_is_rejected(self):
        self.serve()
        self.assertIn("max_players: got 9", self.raimctl("arena", "create", "x", "--template",
                                                    "duel", "--max-players", 9, status=1))
        self.assertIn("no such arena", self.raimctl("arena", "end", "x", status=1))
        for words in (["create"], ["create", "x"], ["show"], ["show", "a/b"],
                      ["create", "..", "--template", "duel"],
                      ["create", "x", "--template", "duel", "--max-players", "many"],
                      ["create", "x", "--template", "duel", "--metadata", "k"],
                      ["create", "x", "--template", "duel", "--rule", "k=v"], ["list", "--drain"]):
            self.raimctl("arena", *words, status=64)


class StormTest(Matchmaker):
    """Arenas made and ended by several clients at once; ./dev bench arenas does so for longer."""

    ARENAS, CLIENTS, PORTS = (200 if harness.SLOW else 500), 8, 16

    def churn(self, client):
        """Makes and ends arenas; returns the seconds that each took to make."""
        api, times = arenas_api.Api.unix(self.socket), []
        connection = api.connect()
        for i in range(self.ARENAS // self.CLIENTS):
            name = f"c{client}-{i}"
            begin = time.monotonic()
            answer = api.put(name, {"template": "duel"}, connection=connection)
            times.append(time.monotonic() - begin)
            if answer.status != 201:
                raise AssertionError(answer.text)
            api.ask("DELETE", f"/v1/arenas/{name}", connection=connection)
            poll("its end", lambda name=name: api.ask("GET", f"/v1/arenas/{name}",
                                                      connection=connection
                                                      ).json["state"] == "ended")
        connection.close()
        return times

    def descriptors(self):
        return len(list(pathlib.Path(f"/proc/{self.daemon.pid}/fd").iterdir()))

    def test_nothing_is_left(self):
        self.first = free_ports(self.PORTS)
        api = self.serve(arenas_api.template(max_players=8), count=self.PORTS,
                         arenas=(harness.arena("beside"),), core_dumps=True) # /proc shows all of it
        self.churn(99)
        time.sleep(0.5) # the connection is closed
        resident, open_files = self.daemon.resident_kb(), self.descriptors()
        with concurrent.futures.ThreadPoolExecutor(self.CLIENTS) as pool:
            times = sorted(sum(pool.map(self.churn, range(self.CLIENTS)), []))
        poll("every port", lambda: api.free() == self.PORTS)
        poll("every descriptor", lambda: self.descriptors() <= open_files)
        p99 = times[len(times) * 99 // 100]
        print(f"{len(times)} arenas, creation p50 {times[len(times) // 2] * 1000:.1f} ms,"
              f" p99 {p99 * 1000:.1f} ms, resident {resident} -> {self.daemon.resident_kb()} kB",
              flush=True)
        # Sanitizers keep freed memory for a while.
        if not any("Sanitizer" in line or "libasan" in line or "libtsan" in line for line in
                   pathlib.Path(f"/proc/{self.daemon.pid}/maps").read_text("ascii").splitlines()):
            self.assertLess(self.daemon.resident_kb(), resident * 1.1 + 2000)
            self.assertLess(p99, 0.05)
        self.assertEqual([path.name for path in self.run.iterdir()
                          if path.suffix in (".checkpoint", ".tokens")], ["beside.checkpoint"])
        self.assertEqual(list(self.state.glob("*.arena")), [])


class DocumentTest(unittest.TestCase):
    @unittest.skipUnless(arenas_api.jsonschema, "skipped: no jsonschema; answers are not checked")
    def test_schemas_are_good(self):
        for name, schema in arenas_api.DOCUMENT["components"]["schemas"].items():
            with self.subTest(name):
                arenas_api.jsonschema.Draft202012Validator.check_schema(schema)

    def test_references_lead_somewhere(self):
        text = json.dumps(arenas_api.DOCUMENT)
        for name in re.findall(r'"#/components/schemas/(\w+)"', text):
            self.assertIn(name, arenas_api.DOCUMENT["components"]["schemas"])


if __name__ == "__main__":
    harness.main()
