#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Passwords: the line that raimctl makes of one."""

import os
import pty
import re
import subprocess
import unittest

import harness
from harness import BIN, START_S

LINE = re.compile(r"raim1\$[\w-]{22}\$[\w-]{43}")
EXIT_REFUSED = 1


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
        self.assertEqual((status, out), (EXIT_REFUSED, ""))
        self.assertIn("the two were not the same", shown)

    def test_what_is_no_password_is_refused_with_words(self):
        for typed, words in (("", "at least one byte"), ("\n", "at least one byte"),
                             ("x" * 129 + "\n", "at most 128 bytes"),
                             ("a\tb\n", "control characters")):
            with self.subTest(typed):
                result = subprocess.run([BIN / "raimctl", "password"], input=typed, text=True,
                                        capture_output=True, check=False, timeout=START_S)
                self.assertEqual((result.returncode, result.stdout), (EXIT_REFUSED, ""))
                self.assertIn(words, result.stderr)


if __name__ == "__main__":
    harness.main()
