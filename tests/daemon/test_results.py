#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Results of rounds, of a real raimd with real clients: the line of results.jsonl, the event, the
journal, the leaderboard and raimctl agree; what was written survives a SIGKILL; a full disk costs
results and nothing else."""

import contextlib
import http.client
import json
import os
import re
import signal
import sqlite3
import threading
import unittest

import browser
import harness
from harness import ROOT, Stage, arena
from ports import free_port
from test_access import raimctl
from test_full_disk import can_fill

try:
    import jsonschema
except ImportError:
    jsonschema = None

EASY = {"player_radius": 24.0, "respawn_delay": 0.3, "spawn_protection": 0.0}
FIGHT_S = 40 # until clients have fought, on a busy machine
DUEL = str(ROOT / "config/maps/duel.conf")


def schema(name):
    return json.loads((ROOT / f"daemon/results/{name}.schema.json").read_text(encoding="ascii"))


def easy_arena(name="duel", **keys):
    """An arena in which somebody is soon hit."""
    text = arena(name, **{"map": DUEL, "sight": False, "break_time": 0.5, **keys})
    return f"{text[:-1]} rules = {harness.value(EASY)}; }}"


class Events(threading.Thread):
    """Reads a stream of events until it ends."""

    def __init__(self, daemon):
        super().__init__(daemon=True)
        self.connection = http.client.HTTPConnection(*daemon.status_address, timeout=harness.LIFE_S)
        self.connection.request("GET", "/events")
        self.answer = self.connection.getresponse()
        self.events = []
        self.start()

    def run(self):
        kind = None
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
            while line := self.answer.readline().decode("utf-8"):
                if line.startswith("event: "):
                    kind = line[7:].strip()
                elif line.startswith("data: "):
                    self.events.append((kind, json.loads(line[6:])))


class Results(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.state, self.run_directory = (self.stage.directory / name for name in ("state", "run"))
        for directory in (self.state, self.run_directory):
            directory.mkdir()
        self.env = {"STATE_DIRECTORY": str(self.state),
                    "RUNTIME_DIRECTORY": str(self.run_directory)}

    def serve(self, *arenas, **keys):
        return self.stage.serve(*arenas, env=self.env, **keys)

    def raimctl(self, *words, status=0):
        code, out, complaint = raimctl("-s", self.run_directory / "control.sock", *words)
        self.assertEqual(code, status, complaint)
        return out

    def lines(self):
        """The whole lines of results.jsonl."""
        with contextlib.suppress(FileNotFoundError):
            text = (self.state / "results.jsonl").read_text(encoding="utf-8")
            return [json.loads(line) for line in text.split("\n")[:-1]]
        return []

    def leaderboard(self, daemon, query=""):
        answer = daemon.get_json(f"/leaderboard{query}")
        if jsonschema is not None:
            jsonschema.validate(answer, schema("leaderboard"))
        return answer["players"]

    def sums(self, lines):
        """What the leaderboard has to say about these lines: by (name, verified)."""
        sums = {}
        for line in {(line["arena"], line["start"]): line for line in lines}.values():
            seen = set()
            for player in line["players"]:
                if player["bot"] or not player["shots"] + player["deaths"] + player["score"]:
                    continue
                key = player["subject"] or player["name"], player["verified"]
                row = sums.setdefault(key, {"rounds": 0, "wins": 0, "score": 0, "deaths": 0,
                                            "shots": 0, "hits": 0})
                for count in ("score", "deaths", "shots", "hits"):
                    row[count] += player[count]
                row["rounds"] += key not in seen
                row["wins"] += player["id"] == line["winner"] and not player["left"]
                seen.add(key)
        return sums

    def wait_agreement(self, daemon, query=""):
        """Waits until the leaderboard says what the lines say; answers are kept for two seconds."""
        def agree():
            lines = self.lines()
            shown = {(row["name"], row["verified"]):
                     {key: row[key] for key in ("rounds", "wins", "score", "deaths", "shots", "hits")}
                     for row in self.leaderboard(daemon, query)}
            return shown and shown == self.sums(lines) == self.sums(self.lines())
        daemon.poll("a leaderboard as the lines are", agree)


class RoundTest(Results):
    def test_line_event_journal_leaderboard_and_raimctl_agree(self):
        daemon = self.serve(easy_arena(score_limit=1, round_time=60.0, bots=2))
        events = Events(daemon)
        self.addCleanup(events.connection.close)
        self.stage.bots(daemon, 3)
        daemon.poll("two rounds", lambda: len(self.lines()) >= 2, FIGHT_S)
        self.raimctl("arena", "pause", "duel") # so that no further round ends
        def rounds():
            return [event for event in events.events if event[0] == "round_ended"]
        daemon.poll("as many events as lines", lambda: len(rounds()) == len(self.lines()))
        lines = self.lines()
        if jsonschema is not None:
            for name in ("results", "leaderboard"):
                jsonschema.Draft202012Validator.check_schema(schema(name))
            for line in lines:
                jsonschema.validate(line, schema("results"))
        for (_, event), line in zip(rounds(), lines):
            self.assertEqual({**event, **line}, event) # the event has the members of the line
        for number, line in enumerate(lines, 1):
            self.assertEqual((line["arena"], line["round"], line["ended"]),
                             ("duel", number, "score"))
            self.assertEqual(len(line["players"]), 5)
            score = sum(player["score"] for player in line["players"])
            self.assertEqual(score, sum(player["deaths"] for player in line["players"]))
            for player in line["players"]:
                self.assertGreaterEqual(player["hits"], player["score"])
                self.assertGreaterEqual(player["shots"], player["hits"])
                self.assertEqual(player["ping_ms"] is None, player["bot"])
                self.assertLess(player["shots"], line["length_s"] / 0.25 + 2) # of the round alone
            best = [p["id"] for p in line["players"] if p["score"] == line["players"][0]["score"]]
            self.assertEqual(line["winner"], best[0] if len(best) == 1 else None)
            self.assertRegex(daemon.log, rf"round_ended arena=duel round={number} map=\S+ "
                                         rf"ended=score .*winner={line['winner'] or ''} ")
        recordings = {line["recording"] for line in lines}
        self.assertEqual(len(recordings), len(lines))
        for name in recordings:
            daemon.poll("the recording " + name, (self.state / "recordings" / name).exists)
        if self.sums(lines): # otherwise bots alone have fired
            self.wait_agreement(daemon)
            self.wait_agreement(daemon, "?period=day&arena=duel&map=" + lines[0]["map"])
        self.assertEqual(self.leaderboard(daemon, "?arena=other"), [])
        self.assertEqual(daemon.get_json()["results"], {"written": len(lines), "lost": 0})
        shown = json.loads(self.raimctl("results", "--json"))["results"]
        self.assertEqual(shown, lines)
        self.assertEqual(json.loads(self.raimctl("results", "--json", "--since", "1d", "--limit",
                                                 "2", "--arena", "duel"))["results"], lines[-2:])
        self.assertEqual(json.loads(self.raimctl("results", "--json", "--since", "2999-01-01"))
                         ["results"], [])
        self.assertEqual(len(self.raimctl("results").splitlines()), 1 + len(lines))
        rows = self.leaderboard(daemon)
        table = self.raimctl("leaderboard", "--period", "week").splitlines()
        self.assertEqual(len(table), 1 + len(rows))
        for words in (["results", "--since", "x"], ["leaderboard", "--since", "1d"]):
            self.raimctl(*words, status=64)
        self.raimctl("leaderboard", "--period", "x", status=1)

    def test_a_sigkill_loses_nothing_that_was_written(self):
        daemon = self.serve(easy_arena(score_limit=1, round_time=60.0, break_time=0.1))
        bots = self.stage.bots(daemon, 4)
        daemon.poll("some rounds", lambda: len(self.lines()) >= 2, FIGHT_S)
        written = self.lines()
        daemon.expected_status = -signal.SIGKILL
        daemon.stop(signal.SIGKILL)
        bots.expected_status = -signal.SIGKILL
        bots.kill()
        torn = '{"schema":1,"arena":"torn'
        with open(self.state / "results.jsonl", "a", encoding="ascii") as file:
            file.write(torn)
        (self.state / "results.db").unlink() # is made anew
        for name in ("results.db-wal", "results.db-shm"):
            (self.state / name).unlink(missing_ok=True)
        daemon = self.serve(easy_arena(score_limit=1, round_time=60.0))
        self.wait_agreement(daemon)
        self.assertIn("results imported rounds=", daemon.log)
        self.stage.bots(daemon, 4)
        daemon.wait_pressing(8) # with those who are away
        rounds = len(self.lines())
        daemon.poll("another round", lambda: len(self.lines()) > rounds, FIGHT_S)
        self.assertNotIn(torn, (self.state / "results.jsonl").read_text(encoding="utf-8"))
        self.assertEqual(self.lines()[:len(written)], written)
        with contextlib.closing(sqlite3.connect(
                f"file:{self.state}/results.db?mode=ro", uri=True)) as database:
            self.assertEqual(database.execute("PRAGMA journal_mode").fetchone(), ("wal",))

    def test_a_round_that_goes_on_in_the_next_process_counts_once(self):
        port = free_port()
        keys = {"round_time": 600.0, "port": port}
        daemon = self.serve(easy_arena(**keys))
        self.stage.bots(daemon, 3)
        daemon.poll("a point", lambda: any(
            player["score"] for player in daemon.get_json()["arenas"][0]["players"]), FIGHT_S)
        daemon.stop()
        self.assertEqual([line["ended"] for line in self.lines()], ["shutdown"])
        self.assertIsNone(self.lines()[0]["winner"])
        daemon = self.serve(easy_arena(**keys))
        daemon.wait_pressing(3)
        self.raimctl("arena", "map", "duel", DUEL)
        daemon.poll("the second line", lambda: len(self.lines()) == 2)
        first, second = self.lines()
        self.assertEqual((second["ended"], second["round"]), ("changed", 1))
        self.assertEqual(second["start"], first["start"])
        self.assertGreater(second["length_s"], first["length_s"])
        for player in first["players"]:
            now = next(other for other in second["players"] if other["id"] == player["id"])
            self.assertGreaterEqual(now["score"], player["score"])
            self.assertGreaterEqual(now["shots"], player["shots"])
        self.wait_agreement(daemon)
        self.assertEqual({row["rounds"] for row in self.leaderboard(daemon)}, {1})

    def test_who_left_is_in_the_result_and_bots_alone_make_none(self):
        daemon = self.serve(easy_arena(round_time=600.0), easy_arena("bots", bots=4, round_time=1.0))
        stays = self.stage.bots(daemon, 5, ports=daemon.ports[:1])
        daemon.wait_players(5)
        before = {player["id"] for player in daemon.get_json()["arenas"][0]["players"]}
        leaves = self.stage.bots(daemon, 1, ports=daemon.ports[:1], seed=7)
        leaver, = {player["id"] for player in daemon.wait_players(6)["arenas"][0]["players"]} - before
        def left():
            players = daemon.get_json()["arenas"][0]["players"]
            return len(players) == 6 and any(p["deaths"] + p["score"] for p in players
                                             if p["id"] == leaver)
        daemon.poll("a fight", left, FIGHT_S)
        leaves.stop(signal.SIGINT)
        daemon.wait_players(5)
        self.raimctl("arena", "map", "duel", DUEL)
        daemon.poll("a line", self.lines)
        line, = self.lines()
        self.assertEqual(sorted(player["left"] for player in line["players"]), [False] * 5 + [True])
        self.assertEqual(sum(player["score"] for player in line["players"]),
                         sum(player["deaths"] for player in line["players"]))
        self.assertNotIn("round_ended arena=bots", daemon.log)
        self.wait_agreement(daemon)
        stays.stop(signal.SIGINT)

    def test_a_bot_that_made_room_is_in_the_result(self):
        daemon = self.serve(easy_arena(round_time=600.0, bots=6, bot_fill=True))
        self.stage.bots(daemon, 2)
        def bots():
            return [p for p in daemon.get_json()["arenas"][0]["players"] if p["bot"]]
        daemon.poll("each bot's fight", lambda: len(found := bots()) == 4 and
                    all(p["deaths"] + p["score"] for p in found), FIGHT_S)
        self.stage.bots(daemon, 4, seed=7)
        daemon.poll("clients alone", lambda: not bots())
        self.raimctl("arena", "map", "duel", DUEL)
        line, = daemon.poll("a line", self.lines)
        self.assertEqual(sum(player["bot"] and player["left"] for player in line["players"]), 4)
        self.assertEqual(sum(player["score"] for player in line["players"]),
                         sum(player["deaths"] for player in line["players"]))

    def test_a_subject_is_verified_and_a_name_is_not(self):
        key = self.stage.directory / "key"
        _, public, _ = raimctl("token", "key", key)
        daemon = self.serve(
            easy_arena("east", access="token", access_key=public, score_limit=1, round_time=60.0),
            easy_arena("west", score_limit=1, round_time=60.0))
        tokens = [raimctl("token", "make", "--key", key, "--arena", "east", "--name", name)[1]
                  for name in ("Ada", "bot-1")]
        self.stage.bots(daemon, 2, ports=daemon.ports[:1],
                        network=[word for token in tokens for word in ("--access", token)])
        self.stage.bots(daemon, 2, ports=daemon.ports[1:])
        daemon.poll("rounds of both", lambda:
                    len({line["arena"] for line in self.lines()}) == 2, FIGHT_S)
        def rows():
            found = {(row["name"], row["verified"]) for row in self.leaderboard(daemon)}
            return found if len(found) == 4 else None
        self.assertEqual(daemon.poll("four players", rows, FIGHT_S),
                         {("Ada", True), ("bot-1", True), ("bot-1", False), ("bot-2", False)})
        self.raimctl("arena", "pause", "east")
        self.raimctl("arena", "pause", "west")
        self.wait_agreement(daemon)

    def test_results_can_be_off_and_need_no_directory(self):
        daemon = self.serve(easy_arena(), results_enabled=False)
        self.assertEqual(daemon.ask("/leaderboard").status, 404)
        self.raimctl("results", status=1)
        daemon.stop()
        self.assertEqual(list(self.state.glob("results*")), [])
        daemon = self.stage.serve(easy_arena(score_limit=1, round_time=60.0))
        self.stage.bots(daemon, 3)
        daemon.poll("a leaderboard", lambda: self.leaderboard(daemon), FIGHT_S)
        self.assertIn("results are kept in memory only", daemon.log)


class HostileTest(Results):
    def test_bad_queries_are_rejected(self):
        daemon = self.serve(easy_arena())
        for query in ("period=x", "period=", "limit=0", "limit=101", "limit=1e1", "limit=-1",
                      "arena=", "arena=A", "arena=" + "a" * 32, "map=%FF", "map=" + "m" * 32,
                      "map=%1b", "arena=%27%20OR%201=1"):
            self.assertEqual(daemon.ask(f"/leaderboard?{query}").status, 400, query)
        self.assertEqual(self.leaderboard(daemon, "?unknown=1&map=%C3%A9&limit=100"), [])
        self.assertEqual(daemon.ask("/leaderboard", "POST").status, 405)
        self.assertEqual(daemon.ask("/results").status, 404) # the operator's alone
        with daemon.connect() as connection:
            connection.request("GET", "/events", headers={"Last-Event-ID": "x"})
            self.assertEqual(connection.getresponse().status, 400)
        for key, want in (("since", "a time in seconds since 1970"), ("after", "the id of an event")):
            answer = daemon.ask(f"/events.jsonl?{key}=abc")
            self.assertEqual((answer.status, json.loads(answer.text)["error"]),
                             (400, f"{key}: want {want}"))

    def test_streams_and_queries_are_bounded(self):
        daemon = self.serve(easy_arena())
        with contextlib.ExitStack() as stack:
            seen = []
            for _ in range(20):
                connection = stack.enter_context(daemon.connect())
                connection.request("GET", "/events")
                seen.append(connection.getresponse().status)
            self.assertEqual(seen, 16 * [200] + 4 * [503])
            # Different queries at once: each is answered or rejected within its time.
            for limit in range(1, 61):
                connection = stack.enter_context(daemon.connect())
                connection.request("GET", f"/leaderboard?limit={limit}")
                seen.append(connection)
            found = {connection.getresponse().status for connection in seen[20:]}
            self.assertLessEqual(found, {200, 503})
            self.assertIn(200, found)
        daemon.poll("an answer afterwards", lambda: daemon.ask("/leaderboard").status == 200)
        # Clients that go away while their query waits.
        for limit in range(1, 40):
            with daemon.connect() as connection:
                connection.request("GET", f"/leaderboard?limit={limit}&period=day")
        daemon.poll("an answer afterwards", lambda: daemon.ask("/leaderboard").status == 200)
        daemon.stop()


class DashboardTest(Results):
    @unittest.skipIf(browser.CHROMIUM is None, browser.WITHOUT)
    def test_names_are_text_in_the_dashboard(self):
        hostile = "<b id=evil>x</b>"
        players = [{"id": 1024 + i, "name": name, "verified": i == 0,
                    "subject": name if i == 0 else None, "bot": False, "left": False,
                    "score": 2 - i, "deaths": 1, "shots": 4, "hits": 2, "ping_ms": 9}
                   for i, name in enumerate(("Ann", hostile))]
        line = {"schema": 1, "arena": "duel", "template": None, "map": "duel", "round": 1,
                "start": "2026-01-31T18:00:00.000Z", "end": "2026-01-31T18:05:00.000Z",
                "length_s": 300.0, "ended": "clock", "winner": 1024, "players": players,
                "omitted": 0, "rules": {"tick_hz": 60, "round_time": 300.0, "score_limit": 0,
                                        "sight": True}, "recording": None}
        if jsonschema is not None:
            jsonschema.validate(line, schema("results"))
        (self.state / "results.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
        daemon = self.serve(easy_arena())
        self.wait_agreement(daemon)
        self.assertIn(hostile, self.raimctl("leaderboard"))
        cells = "[...document.querySelectorAll('#leaders td')].map(cell => cell.textContent).join()"
        with browser.Browser() as page:
            page.open("http://{}:{}/".format(*daemon.status_address))
            harness.poll("the leaderboard", lambda: page.evaluate(cells) ==
                         f"Ann,2,1,1,{hostile},1,0,1", FIGHT_S)
            self.assertTrue(page.evaluate("document.getElementById('evil') === null"))
            self.assertEqual(page.evaluate(
                "document.querySelectorAll('#leaders .unverified').length"), 1)
            self.assertEqual(page.said, [])


class FullDiskTest(Results):
    def setUp(self):
        super().setUp()
        if not can_fill(self.state):
            self.skipTest("skipped: to mount a tmpfs takes root")

    def test_a_full_disk_is_told_of_once_and_space_makes_it_good(self):
        # A tmpfs that a file fills, which is removed later.
        mount = ["unshare", "-m", "sh", "-ec", """
mount -t tmpfs -o size=1m full "$1"; shift
exec "$@"
""", "mount", self.state]
        daemon = self.stage.serve( # without recordings, which would free space now and then
            easy_arena(score_limit=1, round_time=60.0, recording="none"), env=self.env,
            prefix=mount)
        inside = f"/proc/{daemon.pid}/root{self.state}"
        self.stage.bots(daemon, 4)
        daemon.poll("a result", lambda: daemon.get_json()["results"]["written"] >= 1, FIGHT_S)
        with contextlib.suppress(OSError), open(f"{inside}/all-there-is", "wb", 0) as file:
            while True:
                file.write(bytes(4096))
        daemon.poll("two lost results", lambda: daemon.get_json()["results"]["lost"] >= 2, FIGHT_S)
        self.assertEqual(len(re.findall("results not written: .*No space left", daemon.log)), 1)
        self.assertLessEqual(len(re.findall("results database failed", daemon.log)), 1)
        written = daemon.get_json()["results"]["written"]
        os.unlink(f"{inside}/all-there-is")
        daemon.poll("results again", lambda:
                    daemon.get_json()["results"]["written"] > written, FIGHT_S)
        self.assertIn("results written again", daemon.log)
        with open(f"{inside}/results.jsonl", encoding="utf-8") as file:
            lines = [json.loads(line) for line in file.read().split("\n")[:-1]]
        self.assertGreater(len(lines), 1)


if __name__ == "__main__":
    harness.main()
