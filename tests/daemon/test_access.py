#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Access tokens, from raimctl's key to who plays under what name."""

import base64
import calendar
import re
import stat
import subprocess
import time
import unittest

import harness

UNREACHABLE = 69 # exit status of raim-bots without a single connection


def raimctl(*words):
    """The exit status, what was printed, and what was complained of."""
    result = subprocess.run([harness.BIN / "raimctl", *map(str, words)], text=True, check=False,
                            stdin=subprocess.DEVNULL, capture_output=True,
                            timeout=harness.START_S)
    harness.check_sane(result.stderr)
    return result.returncode, result.stdout.strip(), result.stderr


class Access(unittest.TestCase):
    def make_key(self, stage, name="key"):
        path = stage.directory / name
        status, public, _ = raimctl("token", "key", path)
        self.assertEqual(status, 0)
        self.assertRegex(public, r"^[0-9a-f]{64}$")
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        return path, public

    def make_token(self, key, *options, arena="arena"):
        status, token, complaint = raimctl("token", "make", "--key", key, "--arena", arena,
                                           *options)
        self.assertEqual((status, complaint), (0, ""))
        return token

    def bots(self, stage, daemon, *tokens, clients=1, seconds=1):
        words = [word for token in tokens for word in ("--access", token)]
        return stage.bots(daemon, clients, seconds, network=words)

    def admit(self, stage, daemon, *tokens, clients=1):
        """Clients with these tokens are let in, and leave."""
        bots = self.bots(stage, daemon, *tokens, clients=clients, seconds=0)
        daemon.wait_pressing(clients)
        bots.stop()
        self.assertEqual(bots.report()["connected"], clients)
        daemon.wait_players(0)

    def reject(self, stage, daemon, *tokens):
        """These tokens let nobody in; the next count of rejections says so."""
        before = daemon.get_json()["arenas"][0]["rejections"].get("access", 0)
        bots = self.bots(stage, daemon, *tokens)
        bots.expected_status = UNREACHABLE
        bots.wait(harness.START_S)
        daemon.poll("a rejection", lambda: daemon.get_json()["arenas"][0]["rejections"]["access"]
                    == before + 1)
        self.assertEqual(daemon.get_json()["players"]["now"], 0)

    def test_a_token_lets_its_bearer_play_under_its_name_once(self):
        with harness.Stage() as stage:
            (key, old), (new_key, new) = self.make_key(stage), self.make_key(stage, "new")
            daemon = stage.serve(harness.arena(access="token", access_key=f"{old} {new}"))
            token = self.make_token(key, "--name", "Ada L.", "--for", "1h")
            bots = self.bots(stage, daemon, token, seconds=0)
            players = daemon.wait_pressing(1)["arenas"][0]["players"]
            self.assertEqual([player["name"] for player in players], ["Ada L."])
            bots.stop()
            daemon.wait_players(0)
            self.reject(stage, daemon, token)
            self.admit(stage, daemon, self.make_token(new_key))

    def test_other_tokens_let_nobody_in(self):
        with harness.Stage() as stage:
            (key, public), (forger, _) = self.make_key(stage), self.make_key(stage, "forger")
            daemon = stage.serve(harness.arena(access="token", access_key=public))
            self.reject(stage, daemon)
            self.reject(stage, daemon, self.make_token(key, arena="elsewhere"))
            self.reject(stage, daemon, self.make_token(forger))
            token = bytearray(base64.urlsafe_b64decode(self.make_token(key) + "=="))
            token[21:29] = (0).to_bytes(8, "little") # its expiry
            self.reject(stage, daemon,
                        base64.urlsafe_b64encode(token).decode("ascii").rstrip("="))
            self.admit(stage, daemon, self.make_token(key))

    def test_an_open_arena_asks_for_nothing(self):
        with harness.Stage() as stage:
            daemon = stage.serve(harness.arena())
            self.admit(stage, daemon, clients=2)

    def test_raimctl_rejects_what_makes_no_token(self):
        with harness.Stage() as stage:
            key, _ = self.make_key(stage)
            text = key.read_text(encoding="ascii")
            self.assertEqual(raimctl("token", "key", key)[0], 1)
            self.assertEqual(key.read_text(encoding="ascii"), text)
            key.chmod(0o600)
            broken = stage.directory / "broken"
            broken.write_text(text[:-2], encoding="ascii")
            for words in (["--key", broken, "--arena", "a"], ["--key", "/nowhere", "--arena", "a"],
                          ["--key", key, "--arena", "a" * 32], ["--key", key, "--arena", ""],
                          ["--key", key, "--arena", "a", "--name", "n" * 25],
                          ["--key", key, "--arena", "a", "--for", "soon"],
                          ["--key", key, "--arena", "a", "--for", "25h"],
                          ["--key", key, "--arena", "a", "--not-before", "soon"],
                          ["--key", key, "--arena", "a", "--server-key", "00"]):
                status, out, complaint = raimctl("token", "make", *words)
                self.assertEqual((status, out), (1, ""), words)
                self.assertRegex(complaint, "^raimctl: no token: ")
            for words in ([], ["make"], ["make", "--key", key], ["key"], ["open", "x"],
                          ["make", "--json", "--key", key, "--arena", "a"]):
                self.assertEqual(raimctl("token", *words)[0], 64, words)

    def test_raimctl_shows_what_a_token_says(self):
        with harness.Stage() as stage:
            key, public = self.make_key(stage)
            token = self.make_token(key, "--name", "Ada \x1b[2J", "--not-before", "1h",
                                    "--for", "2h", "--server-key", "ab" * 32)
            status, out, _ = raimctl("token", "show", token)
            self.assertEqual(status, 0)
            shown = dict(re.split(r"  +", line, maxsplit=1) for line in out.splitlines())
            times = [time.strptime(shown.pop(word), "%Y-%m-%dT%H:%M:%SZ")
                     for word in ("not before", "expiry")]
            begin, end = map(calendar.timegm, times)
            self.assertEqual(end - begin, 7200)
            self.assertAlmostEqual(begin, time.time() + 3600, delta=60)
            self.assertRegex(shown.pop("nonce"), "^[0-9a-f]{32}$")
            self.assertEqual(shown, {"arena": "arena", "name": r"Ada \x1b[2J",
                                     "key id": public[:16], "server key": "ab" * 32})
            for bad in ("", "x", token[:-4], token + "AAAA", "A" + token[1:]):
                self.assertEqual(raimctl("token", "show", bad)[0], 1, bad)

    def test_a_token_is_not_good_before_its_time(self):
        with harness.Stage() as stage:
            key, public = self.make_key(stage)
            daemon = stage.serve(harness.arena(access="token", access_key=public))
            self.reject(stage, daemon, self.make_token(key, "--not-before", "2m"))
            self.admit(stage, daemon, self.make_token(key, "--not-before", "1s"))

    def test_used_tokens_are_kept_where_a_stop_leaves_them(self):
        with harness.Stage() as stage:
            key, public = self.make_key(stage)
            run, state = stage.directory / "run", stage.directory / "state"
            run.mkdir()
            state.mkdir()
            env = {"RUNTIME_DIRECTORY": str(run), "STATE_DIRECTORY": str(state)}
            tokens = [self.make_token(key) for _ in range(2)]
            for number, token in enumerate(tokens):
                daemon = stage.serve(harness.arena(access="token", access_key=public), env=env)
                self.assertEqual(stat.S_IMODE((run / "arena.tokens").stat().st_mode), 0o600)
                for used in tokens[:number]:
                    self.reject(stage, daemon, used)
                self.admit(stage, daemon, token)
                daemon.stop()
                self.assertEqual(list(run.glob("*.tokens*")), [])
                self.assertEqual([path.name for path in state.glob("*.tokens*")], ["arena.tokens"])
                self.assertEqual(stat.S_IMODE((state / "arena.tokens").stat().st_mode), 0o600)

    def test_where_used_tokens_cannot_be_noted_every_token_is_rejected(self):
        with harness.Stage() as stage:
            key, public = self.make_key(stage)
            daemon = stage.serve(harness.arena(access="token", access_key=public, encryption="off"),
                                 env={"STATE_DIRECTORY": "/nowhere"})
            daemon.poll("word of it", lambda: "access tokens rejected arena=arena: used tokens cannot be stored" in daemon.log)
            self.assertIn('not stored file="/nowhere/arena.tokens": No such file or directory',
                          daemon.log)
            lost = daemon.poll("a count", lambda: daemon.get_json()["lost_state_changes"])
            metric = re.search(r"^raimd_lost_state_changes_total (\d+)$",
                               daemon.ask("/metrics").text, re.M)
            self.assertGreaterEqual(int(metric[1]), lost)
            self.reject(stage, daemon, self.make_token(key))

    def test_a_configuration_without_a_key_is_rejected(self):
        with harness.Stage() as stage:
            path = stage.write_config(harness.config(harness.arena(access="token")))
            result = harness.run_raimd("-t", "-c", path)
            self.assertNotEqual(result.returncode, 0)
            self.assertTrue(re.search(r"access: got \"token\" without an access_key",
                                      result.stderr + result.stdout))


if __name__ == "__main__":
    harness.main()
