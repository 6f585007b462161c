#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Admins in the game: logins by password and by key, levels, orders, and who learns of them."""

import queue
import signal
import subprocess
import threading
import time
import unittest

import harness
from harness import BIN, START_S, Stage, arena


class Typist:
    """A player who types."""

    def __init__(self, port, name, key=None):
        words = [BIN / "typist", "127.0.0.1", port, name, *([key] if key else [])]
        self.process = subprocess.Popen([str(word) for word in words], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.lines, self.seen = queue.Queue(), []
        threading.Thread(target=self.read, daemon=True).start()
        self.wait("playing")

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def wait(self, *parts):
        """The next line that has one of these parts."""
        while True:
            try:
                line = self.lines.get(timeout=START_S)
            except queue.Empty:
                raise AssertionError(f"no {parts} after {self.seen}") from None
            self.seen.append(line)
            if any(part in line for part in parts):
                return line

    def type(self, text, answer=None):
        """Returns the line of the answer. What came too soon is typed again, as the server asks."""
        too_soon = "too many commands: wait a second"
        line = too_soon
        while too_soon in line:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
            if not answer:
                return None
            line = self.wait(answer, too_soon)
            if too_soon in line:
                time.sleep(1)
        return line

    def leave(self):
        self.process.stdin.close()
        self.process.wait(START_S)
        harness.check_sane(self.process.stderr.read())
        self.process.stdout.close()
        self.process.stderr.close()


def raimctl(*words, text=None):
    return subprocess.run([BIN / "raimctl", *map(str, words)], input=text, check=True,
                          capture_output=True, text=True, timeout=START_S).stdout.strip()


class AdminsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.line = raimctl("password", text="correct horse\n")

    def setUp(self):
        self.stage = self.enterContext(Stage())

    def write(self, admins):
        text = harness.config(arena("duel", encryption="offered")) + f"admins = {admins};\n"
        self.path = self.stage.write_config(text)

    def serve(self):
        keyfile = self.stage.directory / "bob.key"
        public = raimctl("token", "key", keyfile)
        self.admins = (f'( {{ name = "ada"; level = "moderate"; password = "{self.line}"; }}, '
                       f'{{ name = "bob"; level = "operate"; key = "{public}"; }}, '
                       f'{{ name = "hal"; level = "help"; password = "{self.line}"; }} )')
        self.write(self.admins)
        self.daemon = self.stage.raimd("-c", self.path).wait_started()
        return self.daemon.ports[0], keyfile

    def player(self, *words):
        typist = Typist(*words)
        self.addCleanup(typist.leave)
        return typist

    def test_a_password_and_what_its_level_may_do(self):
        port, _ = self.serve()
        ada, eve = self.player(port, "Ada"), self.player(port, "Eve Adams")
        self.assertIn("/admin", ada.type("/help", "notice: /admin"))
        ada.type("/admin kick Eve", "log in first")
        ada.type("/admin login ada wrong", "wrong name, password or key")
        ada.type("/admin login ada correct horse", "level moderate")
        ada.type("/admin list", "Eve Adams")
        ada.type("/admin reload", 'needs the level operate')
        ada.type("/admin kick nobody", 'no player "nobody"')
        ada.type("/admin say be nice", "notice: done")
        eve.wait("operator: be nice")
        ada.type('/admin kick "eve adams" no insults', "done")
        eve.wait("ended kicked: no insults")
        log = self.daemon.log
        self.assertIn("command given by=ada via=game command=login arena=duel player=", log)
        self.assertRegex(log, r'command given by=ada via=game command=kick arena=duel player=\d+ '
                              r'reason="no insults"')
        self.assertNotIn("horse", log)
        self.assertFalse([line for line in eve.seen if "horse" in line or "/admin" in line])
        ada.type("/admin logout", "you are logged out")
        ada.type("/admin list", "log in first")

    def test_a_key_signs_a_challenge_of_this_server(self):
        port, key = self.serve()
        bob, eve = self.player(port, "Bob", key), self.player(port, "Eve")
        bob.type("/admin login bob", "level operate")
        bob.type("/admin log level info", "done")
        for _ in range(2):  # the second challenge replaces the first
            eve.type("/admin login bob", "needs a password, or an admin's key")
        eve.type("/admin login bob secret", "wrong name, password or key")
        eve.type("/admin sign AAAA", "wrong name, password or key")
        eve.type("/admin sign AAAA", "no challenge")
        eve.type("/admin list", "log in first")

    def test_wrong_passwords_are_bounded(self):
        port, _ = self.serve()
        eve = self.player(port, "Eve")
        for word in ("a", "b", "c"):
            eve.type(f"/admin login ada {word}", "wrong name")
        eve.type("/admin login ada correct horse", "too many wrong logins")
        self.assertIn("\nraimd_logins_denied_total 4\n", self.daemon.ask("/metrics").text)
        self.daemon.poll("the warning", lambda: "admin rejected arena=duel" in self.daemon.log
                         and "for 5 minutes" in self.daemon.log)

    def test_nothing_is_sent_or_verified_in_plain_text(self):
        self.daemon = self.stage.serve(arena("duel", encryption="off"))
        eve = self.player(self.daemon.ports[0], "Eve")
        eve.type("/admin login ada correct horse", "not sent: this connection is not encrypted")

    def test_a_reload_takes_admins_away(self):
        port, _ = self.serve()
        hal = self.player(port, "Hal")
        hal.type("/admin login hal correct horse", "level help")
        self.write(self.admins.replace('"hal"', '"hans"'))
        self.daemon.send(signal.SIGHUP)
        self.daemon.poll("the reload", lambda: "configuration reloaded" in self.daemon.log)
        hal.type("/admin list", "you are logged out")


if __name__ == "__main__":
    harness.main()
