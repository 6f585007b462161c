#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Votes in a real daemon, by clients with addresses of their own: what they do, what is reported of
them, and what the operator may do about them."""

import contextlib
import json
import socket
import subprocess
import unittest

import harness
from harness import BIN, START_S, Stage, arena, config
from secure_client import connect_request

try:
    import voter
    from voter import Voter, pump_until
except ImportError:
    voter = None

DUEL, RUINS = (str(harness.ROOT / f"config/maps/{name}.conf") for name in ("duel", "ruins"))
REJECTED = 5 # a connectionless answer
VOTES = {"newcomer_delay": 0, "call_delay": 1}


@unittest.skipUnless(voter, "skipped: python3-enet is not installed")
class VotesTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.state, self.run_directory = (self.stage.directory / name for name in ("state", "run"))
        for directory in (self.state, self.run_directory):
            directory.mkdir()
        self.voters = []

    def serve(self, *arenas, **keys):
        arenas = arenas or ("pit",)
        env = {"STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(self.run_directory)}
        keys = {"map": DUEL, "address_validation": False, "votes": VOTES} | keys
        path = self.stage.write_config(config(*(arena(name, **keys) for name in arenas)))
        self.daemon = self.stage.raimd("-c", path, env=env).wait_started()

    def join(self, number, name, arena_index=0, **keys):
        each = Voter(self.daemon.ports[arena_index], number, name, **keys)
        self.voters.append(each)
        self.until("welcome", lambda: each.welcomes or each.ended)
        return each

    def until(self, what, ready):
        return pump_until(self.voters, what, ready)

    def raimctl(self, *words):
        result = subprocess.run(
            [BIN / "raimctl", "-s", self.run_directory / "control.sock", *words], text=True,
            check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=START_S)
        harness.check_sane(result.stderr)
        return result

    def outcome(self, each):
        """The outcome of the next vote that ends."""
        count = len(each.of_kind(voter.ENDED))
        return lambda: each.of_kind(voter.ENDED)[count:] and \
            each.of_kind(voter.ENDED)[count]["outcome"]

    def pass_vote(self, caller, others, *arguments, **keys):
        ended = self.outcome(caller)
        begun = len(others[0].of_kind(voter.BEGAN))
        caller.call(*arguments, **keys)
        self.until("a vote", lambda: len(others[0].of_kind(voter.BEGAN)) > begun or
                   caller.of_kind(voter.REJECTED))
        self.assertEqual(caller.of_kind(voter.REJECTED), [])
        for each in others:
            each.cast(voter.YES)
        self.assertEqual(self.until("the end of the vote", ended), voter.PASSED)

    def rejection(self, source):
        """The REJECTED that answers a connect request from this address."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.bind((source, 0))
            asking.settimeout(0.2)

            def ask():
                asking.sendto(connect_request(), ("127.0.0.1", self.daemon.ports[0]))
                with contextlib.suppress(TimeoutError):
                    answer = asking.recv(2048)
                    return answer if answer[8] == REJECTED else None
            return harness.poll("a rejection", ask)

    def votes_reported(self):
        journal = (self.state / "server.events").read_text(encoding="utf-8")
        events = [json.loads(line[line.index("{"):]) for line in journal.splitlines()
                  if '"kind":"vote"' in line]
        return [(event["vote"], event["outcome"]) for event in events]

    def test_who_is_voted_off_leaves_and_stays_away(self):
        self.serve()
        ada, bob, eve = (self.join(number, name) for number, name in
                         ((2, "Ada"), (3, "Bob"), (4, "Eve")))
        self.pass_vote(ada, [bob], voter.KICK, player=eve.player, reason="spam")
        self.assertEqual(self.until("goodbye", lambda: eve.ended), (10, "voted off: spam"))
        self.assertIn("Vote /yes or /no: Ada wants to kick Eve (spam)", ada.chat)
        self.until("the outcome", lambda: "Vote passed: kick Eve" in ada.chat)
        self.daemon.poll("a ban", lambda: "127.0.0.4" in self.raimctl("bans").stdout)
        self.assertIn("voted off: spam", self.raimctl("bans").stdout)
        self.assertIn(b"voted off: spam", self.rejection("127.0.0.4"))
        self.assertEqual(self.raimctl("unban", "127.0.0.4").returncode, 0)
        self.assertTrue(self.join(4, "Eve").welcomes)
        self.assertEqual(self.votes_reported(), [("kick", "called"), ("kick", "passed")])
        self.assertRegex(self.daemon.log, r"vote passed arena=pit kind=kick caller=\d+ target=\d+ "
                                          r"yes=2 no=0 electors=2")

    def test_who_leaves_before_the_result_is_banned_nevertheless(self):
        self.serve()
        ada, bob, eve = (self.join(number, name) for number, name in
                         ((2, "Ada"), (3, "Bob"), (4, "Eve")))
        ada.call(voter.KICK, player=eve.player)
        self.until("a vote", lambda: bob.of_kind(voter.BEGAN))
        eve.leave()
        self.voters.remove(eve)
        self.until("her absence", lambda: [row["away"] for row in self.daemon.get_json()["arenas"][0][
            "players"]] == [False, False, True])
        bob.cast(voter.YES)
        self.until("a ban", lambda: "127.0.0.4" in self.raimctl("bans").stdout)

    def test_a_school_behind_one_address_votes_one_off_and_plays_on(self):
        self.serve()
        pupils = [self.join(2, f"Pupil {letter}") for letter in "ABCDEFG"]
        self.pass_vote(pupils[0], pupils[1:4], voter.KICK, player=pupils[6].player, reason="spam")
        self.assertEqual(self.until("goodbye", lambda: pupils[6].ended), (10, "voted off: spam"))
        self.daemon.poll("no ban", lambda: "vote without ban arena=pit: other players share the address" in self.daemon.log)
        self.assertNotIn("127.0.0.2", self.raimctl("bans").stdout)
        again = self.join(2, "Pupil G")
        self.assertEqual(self.until("a rejection", lambda: again.ended),
                         (10, "voted off: join again in 5 minutes"))
        self.assertTrue(self.join(2, "Pupil H").welcomes)
        self.assertFalse([each.name for each in pupils[:6] if each.ended])

    def test_a_ban_by_vote_spares_who_plays_from_the_address_in_another_arena(self):
        self.serve("pit", "den")
        ada, bob, eve = (self.join(number, name) for number, name in
                         ((2, "Ada"), (3, "Bob"), (4, "Eve")))
        brother = self.join(4, "Brother", arena_index=1)
        self.daemon.poll("the brother in the status", lambda: self.daemon.get_json()["arenas"][1]
                         ["players"])
        self.pass_vote(ada, [bob], voter.KICK, player=eve.player)
        self.until("goodbye", lambda: eve.ended)
        self.daemon.poll("no ban", lambda: "vote without ban arena=pit: other players share the address" in self.daemon.log)
        self.assertNotIn("127.0.0.4", self.raimctl("bans").stdout)
        again = self.join(4, "Eve")
        self.assertEqual(self.until("a rejection", lambda: again.ended),
                         (10, "voted off: join again in 5 minutes"))
        self.assertIsNone(brother.ended)

    def test_one_address_decides_nothing_alone(self):
        self.serve()
        ada, bob, eve = (self.join(number, name) for number, name in
                         ((2, "Ada"), (3, "Bob"), (4, "Eve")))
        siblings = [self.join(2, f"Ada {i}") for i in range(4)]
        ada.call(voter.KICK, player=eve.player)
        self.until("a vote", lambda: all(each.of_kind(voter.BEGAN) for each in siblings))
        for each in siblings:
            each.cast(voter.YES)
        eve.cast(voter.NO) # does not count: it is about her
        bob.cast(voter.NO)
        tally = lambda: bob.of_kind(voter.TALLY) and bob.of_kind(voter.TALLY)[-1]
        self.until("a tally", lambda: tally() and tally()["no"] == 1)
        self.assertEqual({key: tally()[key] for key in ("yes", "no", "electors", "needed")},
                         {"yes": 2, "no": 1, "electors": 3, "needed": 2})
        vote = lambda: self.daemon.get_json()["arenas"][0]["vote"]
        self.until("the status of it", lambda: [vote()[key] for key in (
            "kind", "caller", "target", "yes", "no")] == ["kick", "Ada", "Eve", 2, 1])
        self.assertRegex(self.raimctl("vote", "list").stdout, r"pit +kick +Eve +Ada +2 +1 +2 ")
        self.assertEqual(self.raimctl("vote", "cancel", "pit").returncode, 0)
        self.until("the end", lambda: bob.of_kind(voter.ENDED))
        self.assertEqual(bob.of_kind(voter.ENDED)[0]["outcome"], voter.CANCELLED)
        rejected = self.raimctl("vote", "cancel", "pit")
        self.assertEqual((rejected.returncode, rejected.stderr),
                         (1, "raimctl: rejected: no vote is running\n"))

    def test_maps_and_more_time_are_voted_for(self):
        self.serve(rotation=[RUINS], round_time=600)
        ada, bob = self.join(2, "Ada"), self.join(3, "Bob")
        offer = self.until("an offer", lambda: bob.of_kind(voter.OFFER))[0]
        self.assertEqual(offer["maps"], ["duel", "ruins"])
        end = ada.phase["end_tick"]
        self.pass_vote(ada, [bob], voter.EXTEND, minutes=10)
        self.until("more time", lambda: ada.phase["end_tick"] != end)
        self.assertEqual(ada.phase["end_tick"] - end, 10 * 60 * 60)
        harness.poll("another call", lambda: self.try_map(ada))
        bob.cast(voter.YES)
        self.until("another map", lambda: len(ada.welcomes) > 1)
        self.assertEqual(ada.welcomes[-1]["map_name"], "ruins")
        self.until("a second offer", lambda: len(bob.of_kind(voter.OFFER)) > 1)
        self.assertEqual(bob.of_kind(voter.OFFER)[-1]["maps"], ["duel", "ruins"])

    def try_map(self, caller):
        begun = len(caller.of_kind(voter.BEGAN))
        caller.call(voter.MAP, text="ruins")
        answers = len(caller.of_kind(voter.REJECTED))
        self.until("an answer", lambda: len(caller.of_kind(voter.BEGAN)) > begun or
                   len(caller.of_kind(voter.REJECTED)) > answers)
        return len(caller.of_kind(voter.BEGAN)) > begun

    def test_the_chat_serves_clients_without_votes(self):
        self.serve()
        ada, bob = self.join(2, "Ada", capabilities=0), self.join(3, "Bob")
        cid = self.join(4, "Cid")
        ada.say("/vote kick Bo spam")
        self.until("a vote", lambda: bob.of_kind(voter.BEGAN))
        self.assertEqual(bob.of_kind(voter.BEGAN)[0]["reason"], "spam")
        self.until("words of it", lambda: "Vote /yes or /no: Ada wants to kick Bob (spam)" in ada.chat)
        cid.say("/no")
        self.until("the end", lambda: bob.of_kind(voter.ENDED))
        self.assertEqual(bob.of_kind(voter.ENDED)[0]["outcome"], voter.FAILED)
        self.assertEqual(ada.reports, [])
        bob.say("/vote")
        self.until("a line", lambda: bob.notices)
        self.assertIn("kinds: kick mute restart spectate pause", bob.notices[0])

    def test_a_recording_with_votes_verifies(self):
        self.serve(break_time=0.2, bots=2)
        ada, bob, eve = (self.join(number, name) for number, name in
                         ((2, "Ada"), (3, "Bob"), (4, "Eve")))
        self.pass_vote(ada, [bob], voter.PAUSE)
        self.until("a pause", lambda: ada.phase["phase"] == 2)
        self.pass_vote(bob, [ada], voter.PAUSE)
        self.until("its end", lambda: ada.phase["phase"] == 0)
        self.pass_vote(eve, [bob], voter.RESTART)
        self.until("round 2", lambda: ada.phase["round"] == 2 and ada.phase["phase"] == 0)
        harness.poll("a kick", lambda: self.try_kick(bob, eve))
        ada.cast(voter.YES)
        self.until("goodbye", lambda: eve.ended)
        self.daemon.stop()
        files = sorted((self.state / "recordings").glob("*.raimrec"))
        self.assertTrue(files)
        for path in files:
            result = harness.run_raimrec("verify", path)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def try_kick(self, caller, target):
        begun = len(caller.of_kind(voter.BEGAN))
        answers = len(caller.of_kind(voter.REJECTED))
        caller.call(voter.KICK, player=target.player)
        self.until("an answer", lambda: len(caller.of_kind(voter.BEGAN)) > begun or
                   len(caller.of_kind(voter.REJECTED)) > answers)
        return len(caller.of_kind(voter.BEGAN)) > begun

    def test_the_operator_forces_a_result(self):
        self.serve()
        ada, bob = self.join(2, "Ada"), self.join(3, "Bob")
        ada.call(voter.PAUSE)
        self.until("a vote", lambda: bob.of_kind(voter.BEGAN))
        self.assertEqual(self.raimctl("vote", "pass", "pit").returncode, 0)
        self.until("a pause", lambda: bob.phase["phase"] == 2)
        self.assertIn("Vote passed by the operator: pause the match", bob.chat)
        self.assertEqual(self.raimctl("vote", "pass", "pit", "maybe").returncode, 64)


if __name__ == "__main__":
    unittest.main()
