#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""raimd under Agones: beside a stub of its SDK server that can be spoilt, and beside the real one."""

import json
import re
import signal
import subprocess
import time
import unittest

import sidecar
from harness import BIN, ROOT, SLOW, START_S, TICK_HZ, Stage, Text, arena, config, main, poll, value
from ports import free_port, free_ports
from sidecar import SdkServer, Stub
from stalls import Stalls

DUEL = ROOT / "config/maps/duel.conf"


def template(name="duel", **keys):
    keys = {"name": name, "address": "127.0.0.1", "map": str(DUEL), **keys}
    return value(keys)


class AgonesTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())

    def serve_arenas(self, env, pool, rules=None, **keys):
        """A raimd without arenas that makes arenas of a duel on these ports."""
        path = self.stage.write_config(config(
            on_demand_ports=f"{pool}-{pool + 7}",
            on_demand_templates=Text(f"( {template(**rules or {})} )"), **keys))
        state = self.stage.directory / "state"
        state.mkdir(exist_ok=True)
        return self.stage.raimd("-c", path, env={
            **env, "STATE_DIRECTORY": str(state), "RUNTIME_DIRECTORY": ""}).wait_started()

    @staticmethod
    def agones(daemon):
        return daemon.get_json()["agones"]

    def wait_phase(self, daemon, phase="serving"):
        daemon.poll(f"phase {phase}", lambda: f'agones phase="{phase}"' in daemon.log)


class Watched:
    """Players on an arena of a daemon, and whether they notice anything."""

    def __init__(self, test, daemon, count=4):
        self.test, self.daemon = test, daemon
        self.bots = test.stage.bots(daemon, count)
        daemon.wait_pressing(count)
        self.before, self.stalls = daemon.get_json()["arenas"][0], Stalls(daemon.pid)

    def check(self):
        after = self.daemon.get_json()["arenas"][0]
        excused = self.stalls.seconds() * TICK_HZ
        self.bots.stop()
        report = self.bots.report()
        ticks, skipped = (after[key] - self.before[key] for key in ("tick", "skipped_ticks"))
        print(f"{ticks} ticks, {skipped} skipped, {excused:.0f} excused", flush=True)
        self.test.assertEqual((report["disconnected"], report["resumes"]), (0, 0))
        if not SLOW:
            self.test.assertLessEqual(skipped, excused)


class StubTest(AgonesTest):
    """Beside a stub."""

    def setUp(self):
        super().setUp()
        self.stub = self.enterContext(Stub())

    def test_the_life_of_a_game_server(self):
        port = free_port()
        self.stub.state = sidecar.game_server(ports=(("default", port),))
        self.stub.takes_lists = True
        daemon = self.stage.serve(arena("duel"), env=self.stub.env)
        self.assertEqual(daemon.ports, [port]) # the GameServer's only one
        self.wait_phase(daemon)
        self.assertEqual(self.stub.counts("POST /ready"), 1)
        bots = self.stage.bots(daemon, 2)
        daemon.wait_pressing(2)
        poll("its own allocation", lambda: self.stub.status["state"] == "Allocated")
        poll("the players", lambda: len(self.stub.status["lists"]["players"]["values"]) == 2)
        daemon.poll("a second Health", lambda: self.stub.counts("POST /health") >= 2)
        state = self.agones(daemon)
        self.assertTrue(state["connected"] and state["watching"])
        self.assertEqual(state["requests"]["rejected"], 0)
        self.assertIn("raimd_agones_up 1\n", daemon.ask("/metrics").text)
        daemon.send(signal.SIGTERM)
        self.wait_phase(daemon, "draining")
        time.sleep(0.3)
        self.assertEqual(self.stub.counts("POST /shutdown"), 0) # they play on
        self.assertEqual(self.stub.state["object_meta"]["labels"]["agones.dev/sdk-raimd-accepts"],
                         "false")
        bots.stop()
        daemon.wait(START_S)
        self.assertEqual(self.stub.counts("POST /shutdown"), 1)
        self.assertEqual(self.stub.counts("POST /ready"), 1)

    def test_the_deadline_of_a_drain(self):
        daemon = self.stage.serve(arena(port=free_port()), env=self.stub.env, agones_drain=1)
        self.stage.bots(daemon, 1)
        daemon.wait_pressing(1)
        daemon.send(signal.SIGTERM)
        daemon.wait(START_S) # else it would wait for as long as somebody plays
        self.assertEqual(self.stub.counts("POST /shutdown"), 1)

    def test_a_second_signal_ends_at_once(self):
        daemon = self.stage.serve(arena(port=free_port()), env=self.stub.env, agones_mode="on",
                                  agones_drain=600)
        self.stage.bots(daemon, 1)
        daemon.wait_pressing(1)
        daemon.send(signal.SIGTERM)
        self.wait_phase(daemon, "draining")
        daemon.send(signal.SIGTERM)
        daemon.wait(START_S)
        self.assertEqual(self.stub.counts("POST /shutdown"), 0)

    def test_an_empty_server_is_ready_again_where_configured(self):
        daemon = self.stage.serve(arena(port=free_port()), env=self.stub.env, agones_ready=True)
        self.wait_phase(daemon)
        bots = self.stage.bots(daemon, 1)
        daemon.wait_pressing(1)
        poll("its own allocation", lambda: self.stub.status["state"] == "Allocated")
        bots.stop()
        poll("Ready again", lambda: self.stub.status["state"] == "Ready")
        self.assertEqual(self.stub.counts("POST /ready"), 2)
        daemon.send(signal.SIGTERM)
        daemon.wait(START_S)

    def test_counters_of_the_version_that_is_served(self):
        self.stub.api = "v1"
        daemon = self.serve_arenas(self.stub.env, free_ports(8))
        daemon.poll("the version", lambda: "agones counters and lists api=v1\n" in daemon.log)
        poll("the capacity", lambda: self.stub.status["counters"]["arenas"]["capacity"] == "8")
        self.assertEqual(self.agones(daemon)["requests"]["rejected"], 0)
        self.assertNotIn("agones rejected", daemon.log)

    def test_players_are_listed_where_a_whole_list_is_rejected(self):
        players = self.stub.status["lists"]["players"]
        players["values"].append("somebody")
        daemon = self.stage.serve(arena("duel", port=free_port()), env=self.stub.env)
        bots = self.stage.bots(daemon, 2)
        poll("the players", lambda: sorted(self.stub.status["lists"]["players"]["values"]) ==
             ["bot-1", "bot-2"])
        bots.stop()
        poll("nobody", lambda: self.stub.status["lists"]["players"]["values"] == [])
        self.assertEqual(daemon.log.count("agones rejected"), 1)
        self.assertIn("agones rejected request=players status=500", daemon.log)

    def test_a_full_server_loses_no_allocation(self):
        """Whenever its counter shows a free arena, its list has room for the value."""
        self.stub.status["lists"]["arenas"]["capacity"] = "8"
        daemon = self.serve_arenas(self.stub.env, free_ports(8), agones_drain=1)
        self.wait_phase(daemon)
        self.stub.allocate(*(f"m-{number}" for number in range(7)),
                           annotation={"join_within_s": 600})
        poll("seven arenas", lambda: len(self.report()) == 7)
        self.stub.allocate("short", annotation={"join_within_s": 1})
        poll("a full counter", lambda: self.stub.status["counters"]["arenas"] ==
             {"count": "8", "capacity": "8"})
        removal = "POST /v1beta1/lists/arenas:removeValue"
        poll("the removal", lambda: self.stub.counts(removal) == 1)
        self.stub.change(lambda _: None) # an update that still lists the value
        poll("a free arena", lambda: self.stub.arenas()[0] < 8)
        # As the allocator, which takes the fullest that has a free one.
        self.stub.allocate("next", annotation={"join_within_s": 600})
        poll("its arena", lambda: "next" in self.report())
        self.assertEqual(self.stub.counts(removal), 1)
        self.assertEqual(self.agones(daemon)["requests"]["rejected"], 0)

    def test_one_request_that_hangs_is_no_loss(self):
        self.stub.unanswered = "PATCH /v1beta1/lists/players"
        daemon = self.stage.serve(arena(port=free_port()), env=self.stub.env, agones_drain=1)
        self.stage.bots(daemon, 1)
        line = re.compile(r'requests_total{kind="players",result="unanswered"} [2-9]')
        daemon.poll("two time-outs", lambda: line.search(daemon.ask("/metrics").text))
        self.assertNotIn("agones lost", daemon.log)
        self.assertIn('requests_total{kind="health",result="unanswered"} 0\n',
                      daemon.ask("/metrics").text)
        self.stub.mode = "silent"
        daemon.poll("its loss", lambda: "agones lost" in daemon.log)

    def test_a_sidecar_that_starts_later_is_no_error(self):
        port = free_port()
        daemon = self.stage.serve(arena(port=free_port()), env={"AGONES_SDK_HTTP_PORT": str(port)})
        time.sleep(0.5) # in which it is asked and does not listen
        with Stub(port=port) as late:
            self.wait_phase(daemon)
            self.assertEqual(late.counts("POST /ready"), 1)
            self.assertEqual(self.agones(daemon)["requests"]["unanswered"], 0)
            daemon.stop()

    def test_a_rejection_is_logged_once_and_counted(self):
        self.stub.api = "v7"
        daemon = self.serve_arenas(self.stub.env, free_ports(8))
        daemon.poll("two rejections", lambda: self.agones(daemon)["requests"]["rejected"] >= 2)
        self.assertEqual(daemon.log.count("agones rejected"), 1)
        self.assertIn("agones rejected request=version status=404: Not Found", daemon.log)

    def test_an_operator_drains(self):
        socket_path = self.stage.directory / "control.sock"
        daemon = self.stage.serve(arena(port=free_port()), env=self.stub.env,
                                  control_socket=str(socket_path))
        self.wait_phase(daemon)
        with subprocess.Popen([BIN / "raimctl", "-s", socket_path, "drain"],
                              stdout=subprocess.PIPE, text=True) as drain:
            poll("Shutdown", lambda: self.stub.counts("POST /shutdown") == 1)
            self.assertIsNone(daemon.process.poll())
            daemon.send(signal.SIGTERM) # as Kubernetes then does
            daemon.wait(5)
            self.assertIn("raimd has ended", drain.stdout.read())

    def test_a_port_that_is_none_is_reported(self):
        daemon = self.stage.serve(arena(), env={"AGONES_SDK_HTTP_PORT": "none"})
        self.assertIn('warning agones off: AGONES_SDK_HTTP_PORT is "none", want a port', daemon.log)
        self.assertIsNone(daemon.get_json()["agones"])

    def test_off_means_off(self):
        daemon = self.stage.serve(arena(), env=self.stub.env, agones_mode="off")
        self.assertIsNone(daemon.get_json()["agones"])
        self.assertNotIn("raimd_agones", daemon.ask("/metrics").text)
        daemon.stop()
        self.assertEqual(self.stub.calls, [])

    def test_an_allocation_makes_rooms_and_their_end_gives_them_back(self):
        daemon = self.serve_arenas(self.stub.env, free_ports(8), agones_drain=2)
        self.wait_phase(daemon)
        poll("the pool's capacity",
             lambda: self.stub.status["counters"]["arenas"]["capacity"] == "8")
        self.stub.allocate("m-1", "duel/m-2", annotation={"join_within_s": 600})
        arenas = poll("both arenas", lambda: self.report() if len(self.report()) == 2 else None)
        self.assertEqual(set(arenas), {"m-1", "m-2"})
        self.assertEqual(self.agones(daemon)["arenas"], 2)
        bots = self.stage.bots(daemon, 2, ports=[arenas["m-1"]["port"]])
        daemon.wait_pressing(2)
        self.stub.allocate("no/m-3")
        problem = poll("a rejection", lambda: self.report().get("m-3"))
        self.assertIn("no template", problem["error"])
        poll("what runs", lambda: self.stub.arenas() == (2, ["m-1", "duel/m-2"]))
        bots.stop()
        # Everybody has left the first; nobody was in the second.
        poll("the end of the first", lambda: self.stub.arenas() == (1, ["duel/m-2"]))
        poll("a report without it", lambda: "m-1" not in self.report())
        daemon.send(signal.SIGTERM)
        daemon.wait(START_S)
        self.assertEqual(self.stub.counts("POST /shutdown"), 1)

    def end_before_crash(self, rules, has_ended):
        """An arena whose round ends, a crash when it `has_ended`, and what the next process does about
        its value in the list."""
        pool = free_ports(8)
        daemon = self.serve_arenas(self.stub.env, pool, rules)
        self.wait_phase(daemon)
        self.stub.allocate("m-1", annotation={"ends": "round"})
        arena = poll("the arena", lambda: self.report().get("m-1"))
        bots = self.stage.bots(daemon, 2, ports=[arena["port"]])
        daemon.wait_pressing(2)
        self.stub.mode = "silent" # so that it does not leave the list
        daemon.poll("its end", lambda: has_ended(daemon))
        daemon.expected_status = -signal.SIGKILL
        daemon.send(signal.SIGKILL)
        daemon.wait(START_S)
        self.assertEqual(self.stub.arenas(), (1, ["m-1"]))
        self.stub.mode = "good"
        daemon = self.serve_arenas(self.stub.env, pool, rules)
        daemon.poll("an empty list", lambda: self.stub.arenas() == (0, []))
        self.assertNotIn("arena made", daemon.log)
        bots.kill()
        self.stage.programs.remove(bots)

    def test_an_arena_that_is_ending_before_a_crash_is_not_made_again(self):
        state = self.stage.directory / "state"
        self.end_before_crash({"round_time": 2, "break_time": 5}, lambda _: any(
            "cause round" in path.read_text("utf-8") for path in state.glob("*.arena")))

    def test_an_arena_that_has_ended_before_a_crash_is_not_made_again(self):
        state = self.stage.directory / "state"
        self.end_before_crash({"round_time": 2, "break_time": 1}, lambda daemon:
                              "arena ended id=m-1 " in daemon.log and not list(state.glob("*.arena")))

    def report(self):
        return json.loads(self.stub.state["object_meta"]["annotations"].get(
            "agones.dev/sdk-raimd-arenas", "{}"))

    def test_a_label_leaves_the_arenas_that_run_open(self):
        daemon = self.serve_arenas(self.stub.env, free_ports(8))
        self.wait_phase(daemon)
        self.stub.allocate("m-1", annotation={"join_within_s": 600})
        arena = poll("the arena", lambda: self.report().get("m-1"))
        self.stub.change(lambda state: state["object_meta"]["labels"].update(
            {"raimd/drain": "true"}))
        self.wait_phase(daemon, "draining")
        bots = self.stage.bots(daemon, 2, ports=[arena["port"]]) # for whom it was made
        daemon.wait_pressing(2)
        self.stub.allocate("late")
        problem = poll("a rejection", lambda: self.report().get("late"))
        self.assertIn("draining", problem["error"])
        poll("a full counter",
             lambda: self.stub.status["counters"]["arenas"]["capacity"] == "2")
        self.assertEqual(self.stub.counts("POST /shutdown"), 0)
        bots.stop()
        poll("Shutdown", lambda: self.stub.counts("POST /shutdown") == 1)
        daemon.send(signal.SIGTERM)
        daemon.wait(START_S)

    def test_a_signal_lets_those_in_who_are_on_their_way(self):
        daemon = self.serve_arenas(self.stub.env, free_ports(8), agones_drain=60)
        self.wait_phase(daemon)
        self.stub.allocate("m-1", annotation={"join_within_s": 600})
        arena = poll("the arena", lambda: self.report().get("m-1"))
        daemon.send(signal.SIGTERM)
        self.wait_phase(daemon, "draining")
        bots = self.stage.bots(daemon, 2, ports=[arena["port"]])
        daemon.wait_pressing(2)
        self.assertEqual(self.stub.counts("POST /shutdown"), 0)
        bots.stop()
        daemon.wait(START_S)
        self.assertEqual(self.stub.counts("POST /shutdown"), 1)

    def test_a_label_of_the_fleet_drains(self):
        daemon = self.serve_arenas(self.stub.env, free_ports(8))
        self.wait_phase(daemon)
        self.stub.change(lambda state: state["object_meta"]["labels"].update(
            {"raimd/drain": "true"}))
        poll("Shutdown", lambda: self.stub.counts("POST /shutdown") == 1)
        self.stub.allocate("late")
        time.sleep(0.2)
        self.assertIsNone(daemon.process.poll()) # until it is told by a signal
        self.assertEqual(daemon.get_json()["arenas"], [])
        daemon.send(signal.SIGTERM)
        daemon.wait(START_S)

    def test_players_notice_nothing_of_a_spoilt_sidecar(self):
        daemon = self.stage.serve(arena(port=free_port()), env=self.stub.env)
        self.wait_phase(daemon)
        players = Watched(self, daemon)
        resident_kb, grown_kb = daemon.resident_kb(), 0
        for mode in sidecar.MODES:
            self.stub.mode = mode
            self.stub.generation += 1 # so that the next stream is spoilt, too
            time.sleep(1)
            grown_kb = max(grown_kb, daemon.resident_kb() - resident_kb)
        self.stub.mode = "good"
        daemon.poll("it to be well again",
                    lambda: self.agones(daemon)["connected"] and self.agones(daemon)["watching"])
        players.check()
        print(f"memory grew by {grown_kb} kB; {len(self.stub.calls)} calls;"
              f" {self.agones(daemon)}", flush=True)
        self.assertLess(len(self.stub.calls), 400)
        self.assertLess(daemon.log.count("agones lost"), 2 * len(sidecar.MODES))
        daemon.send(signal.SIGTERM)
        daemon.wait(START_S)


class RealTest(AgonesTest):
    """Beside Agones' sdk-server."""

    def setUp(self):
        super().setUp()
        self.program = sidecar.find_sdk_server()
        if self.program is None:
            self.skipTest("skipped: no sdk-server of Agones: ./dev deps --all, or $AGONES_BIN")
        self.file = self.stage.directory / "gameserver.yaml"

    def sdk_server(self, *arguments):
        return self.enterContext(SdkServer(self.stage.directory, self.program, *arguments))

    def write_file(self, state="Scheduled", arenas=(), players=(), allocated="", arena=None,
                   ports=(("default", 7777),)):
        """The file of --local: JSON is YAML. Written at once, so that it is never read in part."""
        annotations = {"agones.dev/last-allocated": allocated} if allocated else {}
        if arena is not None:
            annotations["raimd/arena"] = json.dumps(arena)
        text = json.dumps({
            "apiVersion": "agones.dev/v1", "kind": "GameServer",
            "metadata": {"name": "raimd-real", "annotations": annotations},
            "spec": {"health": {"periodSeconds": 2}},
            "status": {"state": state, "address": "127.0.0.1",
                       "ports": [{"name": name, "port": port} for name, port in ports],
                       "counters": {"arenas": {"count": len(arenas), "capacity": 1000}},
                       "lists": {"arenas": {"capacity": 64, "values": list(arenas)},
                                 "players": {"capacity": 100, "values": list(players)}}}})
        # Never shorter than before: the server reads at every write, and must not see an empty file.
        with open(self.file, "r+" if self.file.exists() else "w", encoding="utf-8") as file:
            file.write(text.ljust(4000))

    def test_its_conformance_with_every_call(self):
        """Every call of the REST API that raimd makes, by its own client."""
        server = self.sdk_server(
            "--test", "ready,allocate,setlabel,setannotation,gameserver,health,shutdown,watch,"
            "getcounter,updatecounter,setcapacitycounter,getlist,updatelist,addlistvalue,"
            "removelistvalue").start()
        meta = server.get()["object_meta"]
        calls = [
            ("GET", "/gameserver", "-"), ("WATCH", "/watch/gameserver", "-"),
            ("POST", "/health", "{}"), ("POST", "/ready", "{}"), ("POST", "/allocate", "{}"),
            ("PUT", "/metadata/label",
             json.dumps({"key": "creation", "value": meta["creation_timestamp"]})),
            ("PUT", "/metadata/annotation", json.dumps({"key": "UID", "value": meta["uid"]})),
            ("GET", "/v1beta1/counters/arenas", "-"),
            ("PATCH", "/v1beta1/counters/arenas", '{"countDiff":"-1"}'),
            ("PATCH", "/v1beta1/counters/arenas", '{"capacity":"8"}'),
            ("GET", "/v1beta1/lists/players", "-"),
            ("PATCH", "/v1beta1/lists/players", '{"values":["Ada","Bob"]}'),
            ("POST", "/v1beta1/lists/players:addValue", '{"value":"Cyd"}'),
            ("POST", "/v1beta1/lists/players:removeValue", '{"value":"Ada"}'),
            ("POST", "/shutdown", "{}")]
        result = subprocess.run([BIN / "agones_call", str(server.port), *sum(calls, ())],
                                capture_output=True, text=True, timeout=30, check=True)
        self.assertEqual(result.stdout.split(), ["200"] * len(calls))
        self.assertEqual(server.stop(), 0, server.log)

    def test_its_conformance_with_a_whole_life(self):
        server = self.sdk_server(
            "--test", "ready,allocate,gameserver,health,shutdown,watch,updatelist").start()
        daemon = self.stage.serve(arena("default"), env=server.env)
        self.assertEqual(daemon.ports, [7777]) # the default GameServer's
        self.wait_phase(daemon)
        bots = self.stage.bots(daemon, 1)
        daemon.wait_pressing(1)
        daemon.poll("Allocated", lambda: self.agones(daemon)["state"] == "Allocated")
        daemon.poll("Health", lambda: "Health Ping Received!" in server.log)
        poll("the players", lambda: len(server.get()["status"]["lists"]["players"]["values"]) == 1)
        bots.stop()
        daemon.send(signal.SIGTERM)
        daemon.wait(START_S)
        self.assertEqual(server.stop(), 0, server.log)

    def test_allocations_by_its_file(self):
        self.write_file()
        server = self.sdk_server("--local", "-f", str(self.file)).start()
        daemon = self.serve_arenas(server.env, free_ports(8), agones_drain=2)
        self.wait_phase(daemon)
        daemon.poll("Ready", lambda: self.agones(daemon)["state"] == "Ready")
        self.write_file("Allocated", ["m-1", "m-2"], allocated="2026-01-01T00:00:00Z",
                        arena={"join_within_s": 2})
        daemon.poll("two arenas", lambda: len(daemon.get_json()["arenas"]) == 2)
        poll("the report", lambda: "m-2" in server.get()["object_meta"]["annotations"].get(
            "agones.dev/sdk-raimd-arenas", ""))
        # Nobody comes, so they end, and give back what they took.
        daemon.poll("their end", lambda: daemon.get_json()["arenas"] == [])
        poll("an empty list", lambda: server.get()["status"]["lists"]["arenas"]["values"] == [])
        poll("a counter of 0",
             lambda: server.get()["status"]["counters"]["arenas"]["count"] == "0")
        self.write_file("Allocated", ["m-3"], allocated="2026-01-01T00:00:09Z")
        daemon.poll("the third", lambda: len(daemon.get_json()["arenas"]) == 1)
        daemon.send(signal.SIGTERM)
        daemon.wait(START_S)
        self.assertIn("Shutdown request has been received!", server.log)

    def test_players_notice_nothing_when_it_is_killed_ten_times(self):
        self.write_file()
        server = self.sdk_server("--local", "-f", str(self.file)).start()
        daemon = self.stage.serve(arena(port=free_port()), env=server.env)
        self.wait_phase(daemon)
        players = Watched(self, daemon)
        for _ in range(10):
            server.stop(kill=True)
            time.sleep(0.3)
            server.start()
            daemon.poll("updates of the new one", lambda: self.agones(daemon)["watching"])
        players.check()
        daemon.send(signal.SIGTERM)
        daemon.wait(START_S)


if __name__ == "__main__":
    main()
