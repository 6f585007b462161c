#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Completion in real shells: bash has every command and option of --help, and zsh and fish offer
what bash offers."""

import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import harness
import test_manual
from harness import BIN, ROOT, START_S

PROGRAMS = ("raimd", "raimctl", "raimmap", "raimrec", "raim", "raim-bots")
LINES = ("raimctl ", "raimctl arena ", "raimctl log level ", "raimctl leaderboard --period ",
         "raimctl ban 192.0.2.1 --", "raimd --d", "raimrec ", "raim-bots --l")
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "TERM": "dumb"}
# What compadd was given, and matched.
SPY = """PS1=; unsetopt zle_bracketed_paste; fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D
compadd() { local -a all; builtin compadd -A all "$@"; print -rl -- BEGIN $all END >$TTY }
print RE''ADY
"""


def install(directory):
    """Puts the files of all programs there, as they are installed, in one directory."""
    for program in PROGRAMS:
        script = program.removesuffix("-bots")
        shutil.copy(ROOT / f"tools/completions/{script}.bash", directory / program)
        for template, name in (("zsh.in", f"_{program}"), ("fish.in", f"{program}.fish")):
            text = (ROOT / "tools/completions" / template).read_text(encoding="utf-8")
            for key, value in (("program", program), ("function", f"_{script}"),
                               ("scripts", str(directory))):
                text = text.replace(f"@{key}@", value)
            (directory / name).write_text(text, encoding="utf-8")


def commands():
    """The rows of raimctl's help, whatever the width of a terminal: words and options of each."""
    text = subprocess.run([BIN / "raimctl", "--help"], text=True, capture_output=True, check=True,
                          env={**ENVIRONMENT, "ARGP_HELP_FMT": "rmargin=2000,opt-doc-col=1000"},
                          timeout=START_S).stdout
    for synopsis in re.findall(r"^  ([a-z].*?)  ", text, re.MULTILINE):
        yield re.match(r"[a-z-]+( [a-z-]+)?", synopsis)[0].split(), re.findall(r"--[a-z-]+", synopsis)


@unittest.skipUnless(shutil.which("bash"), "no bash")
class CompletionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.directory = pathlib.Path(cls.temporary.name)
        install(cls.directory)

    def run_shell(self, *words):
        return subprocess.run(words, text=True, capture_output=True, check=True, env=ENVIRONMENT,
                              cwd=self.directory, timeout=START_S).stdout

    def bash(self, line):
        program, *words = line.split(" ")
        return set(self.run_shell(
            "bash", "-c", 'source "./$1"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));'
            '"_${1%-bots}" "$1"; printf "%s\\n" "${COMPREPLY[@]}"', "bash", program,
            *words).split())

    def fish(self, line):
        program = line.partition(" ")[0]
        said = self.run_shell("fish", "--no-config", "-c",
                              f"source {program}.fish; complete --do-complete '{line}'")
        return {offer.partition("\t")[0] for offer in said.splitlines()}

    def zsh(self, line):
        """What an interactive zsh offers at a tab on a terminal."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvpe("zsh", ["zsh", "-f", "-i"], ENVIRONMENT)
        try:
            os.write(terminal, (SPY % self.directory).encode())
            self.read(terminal, "READY\r\n")
            os.write(terminal, f"{line}\t".encode())
            said = self.read(terminal, "END\r\n")
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(terminal)
        return set(said.partition("BEGIN")[2].partition("END")[0].split())

    def read(self, terminal, until):
        said, deadline = "", time.monotonic() + START_S
        while until not in said:
            self.assertLess(time.monotonic(), deadline, said)
            if select.select([terminal], [], [], 0.1)[0]:
                said += os.read(terminal, 65536).decode(errors="replace")
        return said

    def test_bash_has_every_command_with_its_options(self):
        rows = list(commands())
        self.assertGreater(len(rows), 30)
        for words, options in rows:
            *before, last = words
            self.assertIn(last, self.bash(" ".join(["raimctl", *before, ""])))
            if options:
                self.assertLessEqual(set(options), self.bash(" ".join(["raimctl", *words, "--"])),
                                     words)

    def test_bash_has_every_option_of_the_other_programs(self):
        for program in ("raimd", "raim", "raim-bots"):
            if (BIN / program).exists():
                wanted = {option for option in test_manual.options_of_help(program)
                          if option.startswith("--")}
                self.assertEqual(self.bash(f"{program} --"), wanted)

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_offers_what_bash_offers(self):
        for line in LINES:
            with self.subTest(line):
                self.assertEqual(self.fish(line), self.bash(line))
                self.assertNotEqual(self.fish(line), set())

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_offers_what_bash_offers(self):
        for line in LINES:
            with self.subTest(line):
                self.assertEqual(self.zsh(line), self.bash(line))


if __name__ == "__main__":
    harness.main()
