#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The manual agrees with the programs: each has the options of its page and no others, and every
page can be read."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import harness
from harness import BIN, ROOT

MAN = ROOT / "docs/man"
PROGRAMS = {"raimd": 8, "raimctl": 1, "raimmap": 1, "raimrec": 1, "raim": 1, "raim-bots": 1}
PAGES = sorted(path.name.removesuffix(".scd") for path in MAN.glob("*.scd"))


def source(page):
    return (MAN / f"{page}.scd").read_text(encoding="utf-8")


def options_of_help(program):
    """The options of the lines that begin with one: {"-c", "--config", ...}."""
    result = subprocess.run([BIN / program, "--help"], text=True, capture_output=True, check=True,
                            timeout=harness.START_S)
    lines = re.findall(r"^ {2,6}(-.*?)(?: {2}|$)", result.stdout, re.MULTILINE)
    return {word for line in lines for word in re.findall(r"(?<!\S)--?[A-Za-z][\w-]*", line)}


def options_of_page(page):
    """The same of the entries of its section OPTIONS."""
    section = re.search(r"^# OPTIONS\n(.*?)^# ", source(page), re.MULTILINE | re.DOTALL)[1]
    entries = re.findall(r"^\*-.*$", section, re.MULTILINE)
    return {word for entry in entries for word in re.findall(r"\*(--?[A-Za-z][\w-]*)\*", entry)}


class OptionsTest(unittest.TestCase):
    def test_pages_have_the_options_of_help_and_no_others(self):
        for program, section in PROGRAMS.items():
            with self.subTest(program):
                if not (BIN / program).exists():
                    self.skipTest(f"skipped: {program} is not built")
                wanted = options_of_help(program)
                self.assertGreaterEqual(len(wanted), 5, wanted)
                self.assertEqual(options_of_page(f"{program}.{section}"), wanted)

    def test_help_describes_what_its_usage_names(self):
        for program in PROGRAMS:
            with self.subTest(program):
                if not (BIN / program).exists():
                    self.skipTest(f"skipped: {program} is not built")
                usage = subprocess.run([BIN / program, "--help"], text=True, capture_output=True,
                                       check=True).stdout.split("\n\n")[0]
                named = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", usage))
                self.assertLessEqual(named, options_of_help(program))


class PagesTest(unittest.TestCase):
    def test_pages_refer_to_pages_that_there_are(self):
        ours = {re.sub(r"(.*)\.(\d)$", r"\1(\2)", page) for page in PAGES}
        for page in PAGES:
            for name, number in re.findall(r"\*([\w.-]+)\*\((\d)\)", source(page)):
                if name.startswith("raim"):
                    self.assertIn(f"{name}({number})", ours, page)

    def test_exit_statuses_are_those_of_help(self):
        result = subprocess.run([BIN / "raimd", "--help"], text=True, capture_output=True,
                                check=True)
        told = re.search(r"^Exit status: (.*)\Z", result.stdout, re.MULTILINE | re.DOTALL)[1]
        listed = re.search(r"^# EXIT STATUS\n(.*?)^# ", source("raimd.8"),
                           re.MULTILINE | re.DOTALL)[1]
        self.assertEqual(set(re.findall(r"^\*(\d+)\*$", listed, re.MULTILINE)),
                         set(re.findall(r"\b\d+\b", told)))

    @unittest.skipUnless(shutil.which("scdoc"), "skipped: no scdoc")
    def test_every_page_is_good_scdoc(self):
        for page in PAGES:
            with self.subTest(page):
                made = subprocess.run(["scdoc"], input=source(page), text=True,
                                      capture_output=True, check=False)
                self.assertEqual((made.returncode, made.stderr), (0, ""))
                name, section = page.rsplit(".", 1)
                self.assertIn(f'.TH "{name}" "{section}"', made.stdout)
                self.check_with_man(made.stdout)

    @unittest.skipUnless(shutil.which("scdoc"), "skipped: no scdoc")
    def test_the_page_of_the_configuration_has_every_key(self):
        page = (BIN.parent / "docs/man/raimd.conf.5").read_text(encoding="utf-8")
        reference = harness.run_raimd("--config-reference").stdout
        keys = re.findall(r"^ *(\w+) = ", reference, re.MULTILINE)
        self.assertGreater(len(keys), 80)
        for key in keys:
            self.assertTrue(f"\n\\fB{key}\\fR:" in page, key)
        self.check_with_man(page)

    def check_with_man(self, text):
        """No warning from man, where there is one."""
        if not shutil.which("man"):
            return
        with tempfile.TemporaryDirectory(prefix="raimd-test-") as directory:
            path = pathlib.Path(directory, "page")
            path.write_text(text, encoding="utf-8")
            shown = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", path], text=True,
                                   capture_output=True, check=False)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))


if __name__ == "__main__":
    harness.main()
