#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Passwords: the line that raimctl makes of one, and the arenas that it locks."""

import base64
import os
import pty
import re
import signal
import subprocess
import unittest

import harness
import secure_client
from harness import BIN, START_S, Stage, arena, config, poll, run_raimd
from secure_client import PASSWORD, SecureClient, connect_request

LINE = re.compile(r"raim1\$[\w-]{22}\$[\w-]{43}")
EXIT_REJECTED, EXIT_UNREACHABLE, EXIT_CONFIG = 1, 69, 78
REASON = 17
# The password "correct horse", and its key as argon2(1) of the reference implementation derives it.
LOCK = "raim1$MDEyMzQ1Njc4OWFiY2RlZg$Ry5hq-gOA2F_tfU-sacL9QCaiuELMemdH61UeqZp0JM"
KEY = bytes.fromhex("5e5200462044d270c5ecfb1fb9b9c497bfa48f661c229469141c9d2c3bb10e02")


def make_line(password):
    """What raimctl prints for a password from a pipe."""
    result = subprocess.run([BIN / "raimctl", "password"], input=password + "\n", text=True,
                            capture_output=True, check=True, timeout=START_S)
    return result.stdout.strip()


class Terminal:
    """A raimctl password on a terminal of its own."""

    def __init__(self):
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen([BIN / "raimctl", "password"], stdin=theirs,
                                        stdout=subprocess.PIPE, stderr=theirs,
                                        preexec_fn=os.setsid)
        os.close(theirs)
        self.shown = ""

    def answer(self, prompt, line):
        """Waits for a prompt, then types a line."""
        while not self.shown.endswith(prompt):
            self.shown += os.read(self.ours, 1024).decode()
        os.write(self.ours, line.encode() + b"\n")

    def end(self):
        """The exit status, what it printed, and what the terminal has shown."""
        out = self.process.communicate(timeout=START_S)[0].decode()
        try:
            while more := os.read(self.ours, 1024):
                self.shown += more.decode()
        except OSError: # its other end is closed
            pass
        os.close(self.ours)
        return self.process.returncode, out, self.shown


class LineTest(unittest.TestCase):
    def test_a_pipe_is_asked_once_and_every_line_has_its_own_salt(self):
        one, other = make_line("swordfish"), make_line("swordfish")
        self.assertRegex(one, f"^{LINE.pattern}$")
        self.assertRegex(other, f"^{LINE.pattern}$")
        self.assertNotEqual(one.split("$")[1], other.split("$")[1])

    def test_a_terminal_is_asked_twice_and_shows_nothing(self):
        terminal = Terminal()
        terminal.answer("Password: ", "swordfish")
        terminal.answer("The same again: ", "swordfish")
        status, out, shown = terminal.end()
        self.assertEqual(status, 0)
        self.assertRegex(out, f"^{LINE.pattern}\n$")
        self.assertNotIn("fish", shown)

    def test_two_different_passwords_make_no_line(self):
        terminal = Terminal()
        terminal.answer("Password: ", "swordfish")
        terminal.answer("The same again: ", "swordfisch")
        status, out, shown = terminal.end()
        self.assertEqual((status, out), (EXIT_REJECTED, ""))
        self.assertIn("the two were not the same", shown)

    def test_what_is_no_password_is_rejected_with_words(self):
        for typed, words in (("", "at least one byte"), ("\n", "at least one byte"),
                             ("x" * 129 + "\n", "at most 128 bytes"),
                             ("a\tb\n", "control characters")):
            with self.subTest(typed):
                result = subprocess.run([BIN / "raimctl", "password"], input=typed, text=True,
                                        capture_output=True, check=False, timeout=START_S)
                self.assertEqual((result.returncode, result.stdout), (EXIT_REJECTED, ""))
                self.assertIn(words, result.stderr)


class ArenaTest(unittest.TestCase):
    """Real arenas, real clients."""

    def setUp(self):
        self.stage = self.enterContext(Stage())

    def bots(self, daemon, password=None, clients=1, seconds=0):
        words = ["--require-encryption"]
        if password is not None:
            path = self.stage.directory / "password"
            path.write_text(password + "\n", encoding="utf-8")
            words += ["--password-file", path]
        return self.stage.bots(daemon, clients, seconds, network=words)

    def rejected(self, daemon):
        return daemon.get_json()["arenas"][0]["rejections"]["password"]

    def turned_away(self, daemon, password=None):
        """A client with this password is told why it may not play, and does not try again."""
        before = self.rejected(daemon)
        bots = self.bots(daemon, password)
        bots.expected_status = EXIT_UNREACHABLE
        bots.wait(START_S)
        poll("its count", lambda: self.rejected(daemon) == before + 1)
        self.assertIn('"password"', bots.out)
        self.assertEqual(daemon.get_json()["players"]["now"], 0)

    def test_only_who_knows_the_password_plays(self):
        daemon = self.stage.serve(arena(password=make_line("swordfish")))
        self.assertTrue(daemon.get_json()["arenas"][0]["locked"])
        self.turned_away(daemon)
        self.turned_away(daemon, "Swordfish")
        bots = self.bots(daemon, "swordfish", clients=16)
        daemon.wait_pressing(16)
        bots.stop()
        self.assertEqual(bots.report()["connected"], 16)
        self.assertNotIn("swordfish", daemon.log)

    def test_a_reload_changes_the_password_for_new_clients(self):
        path = self.stage.write_config(config(arena(password=make_line("old"))))
        daemon = self.stage.raimd("-c", path).wait_started()
        inside = self.bots(daemon, "old")
        daemon.wait_players(1)
        self.stage.write_config(config(arena(password=make_line("new"))))
        daemon.send(signal.SIGHUP)
        daemon.poll("the reload", lambda: "password" in daemon.log)
        before = self.rejected(daemon)
        late = self.bots(daemon, "old")
        late.expected_status = EXIT_UNREACHABLE
        late.wait(START_S)
        poll("its count", lambda: self.rejected(daemon) == before + 1)
        fresh = self.bots(daemon, "new")
        daemon.wait_players(2)
        fresh.stop()
        inside.stop()

    def test_a_password_without_encryption_is_rejected_with_its_line(self):
        path = self.stage.write_config(config(arena(password=LOCK, encryption="off")))
        result = run_raimd("-t", "-c", path)
        self.assertEqual(result.returncode, EXIT_CONFIG)
        self.assertRegex(result.stderr, r"raimd\.conf:\d+: arenas\[0\]\.password: got a password "
                                        "without encryption")

    def test_the_configuration_is_printed_with_its_line_alone(self):
        path = self.stage.write_config(config(arena(password=make_line("swordfish"))))
        result = run_raimd("-t", "-c", path)
        self.assertNotIn("swordfish", result.stdout + result.stderr)
        path = self.stage.write_config(config(arena(password="swordfish")))
        result = run_raimd("-t", "-c", path)
        self.assertEqual(result.returncode, EXIT_CONFIG)
        self.assertNotIn("swordfish", result.stdout + result.stderr)


@unittest.skipIf(secure_client.MISSING, secure_client.MISSING)
class LiarTest(unittest.TestCase):
    """Clients that send what no honest one does, written from PROTOCOL.md alone."""

    def setUp(self):
        self.stage = self.enterContext(Stage())

    def reason(self, daemon, key, kind=PASSWORD, times=20):
        """The reason of the answer to an INIT with this credential; None: there is no answer."""
        with SecureClient(daemon.ports[0]) as client:
            return client.reason if client.shake_hands(kind, key, times) else None

    def test_only_the_key_of_the_password_opens(self):
        daemon = self.stage.serve(arena(password=LOCK))
        self.assertEqual(self.reason(daemon, KEY), 0)
        self.assertEqual(self.reason(daemon, b"", kind=0), REASON)
        verifier = base64.urlsafe_b64decode(LOCK.split("$")[2] + "=")
        for wrong in (bytes(32), KEY[:-1] + b"\0", verifier, b"correct horse".ljust(32, b"\0")):
            self.assertEqual(self.reason(daemon, wrong), REASON)
        for size in (0, 31, 33, 255): # no credential of this protocol
            self.assertIsNone(self.reason(daemon, bytes(size), times=1))
        self.assertEqual(self.reason(daemon, KEY, kind=1), REASON) # as an access token
        self.assertEqual(self.reason(daemon, KEY[:16], kind=2), REASON) # as a session's token

    def test_over_plain_text_it_is_rejected_unseen(self):
        daemon = self.stage.serve(arena(password=LOCK))
        with SecureClient(daemon.ports[0]) as client:
            cookie = client.fetch_cookie()
            self.assertEqual(cookie.salt, b"0123456789abcdef")
            answer = client.ask(connect_request(cookie.number, PASSWORD, KEY),
                                secure_client.REJECTED)
            self.assertEqual(answer[10], REASON)
            self.assertIn(b"encrypted connection", answer[11:])

    def test_an_address_that_guesses_has_to_wait(self):
        daemon = self.stage.serve(arena(password=LOCK, limits={"loopback": True}))
        for _ in range(10):
            self.assertEqual(self.reason(daemon, bytes(32)), REASON)
        self.assertEqual(self.reason(daemon, KEY), REASON)
        with SecureClient(daemon.ports[0], source="127.0.0.2") as other:
            self.assertTrue(other.shake_hands(PASSWORD, KEY))
            self.assertEqual(other.reason, 0)


if __name__ == "__main__":
    harness.main()
