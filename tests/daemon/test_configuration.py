#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What an operator learns of a configuration: its mistakes for machines and for the journal, its
values with their sources, every key there is, and what a changed file would change."""

import json
import shutil
import signal
import unittest

import harness
from harness import ROOT, Stage, arena, config, run_raimd
from test_operator import Manager

EXIT_FAILURE, EXIT_USAGE, EXIT_CONFIG = 1, 64, 78
# What the service manager sets when standard error is the journal.
TO_JOURNAL = ["sh", "-c", 'JOURNAL_STREAM=$(stat -L -c %d:%i /dev/stderr) exec "$@"', "sh"]


class ConfigurationTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())

    def test_mistakes_as_json(self):
        path = self.stage.write_config(config(arena("A B", bots=2.5), workers=3000000000))
        result = run_raimd("-t", "--json", "-c", path)
        self.assertEqual((result.returncode, result.stderr), (EXIT_CONFIG, ""))
        mistakes = json.loads(result.stdout)
        self.assertEqual([(each["file"], each["line"], each["key"]) for each in mistakes],
                         [(str(path), 1, "workers"), (str(path), 4, "arenas[0].name"),
                          (str(path), 4, "arenas[0].bots")])
        self.assertEqual(mistakes[0]["message"], "got 3000000000, want an integer from 0 to 256")
        self.assertEqual({tuple(each) for each in mistakes}, {("file", "line", "key", "message")})

    def test_json_and_text_tell_the_same(self):
        path = self.stage.write_config('http = { listen = 7; };\narenas = ( { name = "a"; }, 17 );\n')
        mistakes = json.loads(run_raimd("-t", "--json", "-c", path).stdout)
        lines = run_raimd("-t", "-c", path).stderr.splitlines()
        self.assertEqual([":".join([each["file"], str(each["line"])]) + f": {each['key']}: "
                          + each["message"] for each in mistakes], lines[:-1])
        self.assertEqual(len(mistakes), 3)

    def test_json_of_a_good_configuration_is_empty(self):
        for options in (["-c", ROOT / "config/raimd.conf"], ["--demo"]):
            result = run_raimd("-t", "--json", *options)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(json.loads(result.stdout), [])

    def test_json_of_a_file_that_is_not_there(self):
        path = self.stage.directory / "missing.conf"
        result = run_raimd("-t", "--json", "-c", path)
        self.assertEqual(result.returncode, EXIT_CONFIG)
        self.assertEqual(json.loads(result.stdout),
                         [{"file": str(path), "line": None, "key": None,
                           "message": f'cannot read "{path}": No such file or directory'}])

    def test_usage(self):
        for options in (["--json"], ["-T", "--json"]):
            with self.subTest(options):
                result = run_raimd(*options)
                self.assertEqual((result.returncode, result.stdout), (EXIT_USAGE, ""))
                self.assertIn("raimd: --", result.stderr)

    def test_values_and_their_sources(self):
        path = self.stage.write_config(config(arena(bots=3)))
        for options in (["-T"], ["--print-config"]):
            result = run_raimd(*options, "-c", path)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            lines = result.stdout.splitlines()
            self.assertIn(f"workers = 0; # {path}:1", lines)
            self.assertIn(f"arenas[0].bots = 3; # {path}:4", lines)
            self.assertIn("arenas[0].tick_hz = 60; # default", lines)
            self.assertIn("arenas[0].rules.bullet_speed = 900; # default", lines)

    def test_values_of_a_bad_configuration_are_not_told(self):
        path = self.stage.write_config(config(arena(bots=-3)))
        result = run_raimd("-T", "-c", path)
        self.assertEqual((result.returncode, result.stdout), (EXIT_CONFIG, ""))
        self.assertIn("arenas[0].bots: got -3", result.stderr)

    def test_the_configuration_of_every_key_is_good_beside_the_maps(self):
        shutil.copytree(ROOT / "config/maps", self.stage.directory / "maps")
        dumped = run_raimd("--config-reference")
        self.assertEqual((dumped.returncode, dumped.stderr), (0, ""))
        path = self.stage.write_config(dumped.stdout)
        result = run_raimd("-t", "-c", path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        told = run_raimd("-T", "-c", path).stdout
        self.assertNotIn("# default", told)

    def test_mistakes_have_their_priority_in_the_journal(self):
        path = self.stage.write_config(config(arena(bots=-3)))
        for options, end in (([], "not started"), (["-t"], "configuration rejected")):
            result = run_raimd("-c", path, *options, prefix=TO_JOURNAL)
            self.assertEqual(result.returncode, EXIT_CONFIG)
            self.assertEqual(
                result.stderr.splitlines(),
                [f"<3>{path}:4: arenas[0].bots: got -3, want an integer from 0 to 200",
                 f"<3>raimd: {end}: see the mistakes above"])


    def test_output_that_cannot_be_written_fails(self):
        for options in (["--config-reference"], ["-T"], ["-t"]):
            result = run_raimd("-c", ROOT / "config/raimd.conf", *options,
                               prefix=["sh", "-c", 'exec "$@" >/dev/full', "sh"])
            self.assertEqual(result.returncode, EXIT_FAILURE)
            self.assertIn("No space left", result.stderr)


class HangupTest(unittest.TestCase):
    """SIGHUP tells what has changed; what it changes is tested in test_reload.py."""

    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.path = self.stage.write_config(config(arena(bots=2)))
        self.daemon = self.stage.raimd("-c", self.path).wait_started()

    def hang_up(self, text, *expected):
        self.stage.write_config(text)
        self.daemon.send(signal.SIGHUP)
        for words in expected:
            self.daemon.poll(f"'{words}'", lambda words=words: words in self.daemon.log)

    def test_nothing_changed(self):
        self.hang_up(config(arena(bots=2)), "configuration reloaded applied=0 restart=0")

    def test_changes_are_told(self):
        self.hang_up(config(arena(bots=3, tick_hz=30)),
                     f"info configuration applied: {self.path}:4: arenas[0].bots: 2 -> 3",
                     f"warning configuration needs a restart: {self.path}:4: arenas[0].tick_hz: "
                     "60 -> 30", "configuration reloaded applied=1 restart=1")

    def test_mistakes_are_told_and_leave_all_as_it_is(self):
        self.hang_up(config(arena(bots=-3, tick_hz=1)),
                     f"error configuration mistake: {self.path}:4: arenas[0].bots: got -3",
                     "arenas[0].tick_hz: got 1", "configuration rejected mistakes=2")
        self.hang_up(config(arena(bots=2)), "configuration reloaded applied=0 restart=0")


class ServiceManagerTest(unittest.TestCase):
    def test_a_reload_begins_and_ends(self):
        stage = self.enterContext(Stage())
        manager = self.enterContext(Manager(stage.directory / "notify"))
        daemon = stage.serve(arena(), env={"NOTIFY_SOCKET": str(manager.path)})
        manager.wait_for("READY=1")
        daemon.send(signal.SIGHUP)
        harness.poll("a second READY=1", lambda: len(manager.heard("READY=1")) == 2)
        words = [text for _, text in manager.messages if not text.startswith("STATUS=")]
        self.assertEqual(words[:2], ["READY=1", "RELOADING=1"])
        self.assertRegex(words[2], r"^MONOTONIC_USEC=\d+$")
        self.assertEqual(words[3], "READY=1")


if __name__ == "__main__":
    harness.main()
