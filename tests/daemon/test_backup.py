#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A backup of the state directory, made while raimd runs, and what a restored one brings back."""

import contextlib
import fcntl
import os
import pathlib
import resource
import signal
import sqlite3
import stat
import subprocess
import time
import unittest

import harness
from harness import Stage


def stop_at_the_first_large_file():
    """The signal that this limit causes ends a program like any other."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL) # Python ignores it
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, 1 << 19))


@contextlib.contextmanager
def open_locked(path):
    descriptor = os.open(path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield
    os.close(descriptor)


class BackupTest(unittest.TestCase):

    def raimctl(self, *words, status=0):
        result = subprocess.run([harness.BIN / "raimctl", *map(str, words)], text=True, check=False,
                                stdin=subprocess.DEVNULL, capture_output=True,
                                timeout=harness.START_S)
        harness.check_sane(result.stderr)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stderr if status else result.stdout

    def begin(self, stage):
        self.state = stage.directory / "state"
        self.copy = stage.directory / "copy"
        run = stage.directory / "run"
        for path in (self.state, run):
            path.mkdir(exist_ok=True)
        self.env = {"STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(run)}
        self.socket = run / "control.sock"
        return self.serve(stage)

    def serve(self, stage):
        # A round that ends soon is a result.
        return stage.serve(harness.arena(bots=4, score_limit=1), env=self.env)

    def ban(self, address):
        self.raimctl("-s", self.socket, "ban", address)

    def backup(self, **wanted):
        return self.raimctl("backup", self.copy, "--state", self.state, **wanted)

    def restore(self, *words, **wanted):
        return self.raimctl("restore", self.copy, "--state", self.state, *words, **wanted)

    def rounds(self, path):
        database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        (count,), = database.execute("SELECT count(*) FROM rounds")
        database.close()
        return count

    def test_what_a_backup_has_comes_back(self):
        with Stage() as stage:
            daemon = self.begin(stage)
            bots = stage.bots(daemon, 1)
            self.ban("192.0.2.1")
            daemon.poll("a result in the database", lambda:
                        " arena " in self.raimctl("-s", self.socket, "results"))
            (self.state / "recordings").mkdir(exist_ok=True)
            (self.state / "link").symlink_to("/etc/passwd")
            os.mkfifo(self.state / "pipe")
            self.assertIn("server.key", self.backup())
            names = {path.name for path in self.copy.iterdir()}
            self.assertLessEqual({"bans", "server.key", "server.events", "results.jsonl",
                                  "results.db"}, names)
            self.assertFalse(names & {"recordings", "link", "pipe", "results.db-wal"})
            self.assertEqual(stat.S_IMODE(self.copy.stat().st_mode), 0o700)
            for path in self.copy.iterdir():
                self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600, path)
            self.assertGreaterEqual(self.rounds(self.copy / "results.db"), 1)
            key = (self.state / "server.key").read_bytes()

            self.assertIn("is there already", self.backup(status=1))
            self.assertIn("stop it first", self.restore("--yes", status=1))
            self.ban("192.0.2.2")
            bots.stop()
            daemon.stop()
            (self.state / "server.key").write_text("lost")
            before = {path.name: path.stat().st_mtime for path in self.state.iterdir()
                      if path.is_file()}
            self.assertIn("give --yes", self.restore(status=1))
            self.assertEqual(before, {path.name: path.stat().st_mtime
                                      for path in self.state.iterdir() if path.is_file()})
            self.restore("--yes")
            self.assertEqual((self.state / "server.key").read_bytes(), key)
            self.assertTrue((self.state / "recordings").is_dir())
            daemon = self.serve(stage)
            listed = self.raimctl("-s", self.socket, "bans")
            self.assertIn("192.0.2.1", listed)
            self.assertNotIn("192.0.2.2", listed)
            self.assertIn(" arena ", self.raimctl("-s", self.socket, "results"))
            self.assertEqual(daemon.get_json()["unread_state_lines"], 0)

    def test_it_is_whole_while_events_and_results_are_written(self):
        with Stage() as stage:
            daemon = self.begin(stage)
            stage.bots(daemon, 4)
            end = time.monotonic() + 3 # the time is what is tried
            count = 0
            while time.monotonic() < end:
                self.ban(f"192.0.2.{count % 250}")
                # A busy disk may store it after the answer.
                daemon.poll("the ban on the disk", lambda: (self.state / "bans").read_text()
                            .count("192.0.2.") == count + 1)
                self.backup()
                lines = (self.copy / "bans").read_text().splitlines()
                self.assertEqual(len([line for line in lines if "192.0.2." in line]), count + 1)
                database = sqlite3.connect(f"file:{self.copy}/results.db?mode=ro", uri=True)
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
                database.close()
                for path in self.copy.iterdir():
                    path.unlink()
                self.copy.rmdir()
                count += 1

    def test_one_of_a_stopped_raimd_has_the_log_of_results(self):
        with Stage() as stage:
            daemon = self.begin(stage)
            stage.bots(daemon, 1)
            daemon.poll("a result in the database", lambda:
                        " arena " in self.raimctl("-s", self.socket, "results"))
            daemon.stop()
            self.assertTrue((self.state / "results.db-wal").exists())
            self.backup()
            self.assertGreaterEqual(self.rounds(self.copy / "results.db"), 1)
            if os.geteuid() == 0: # raimd's own user has the directory
                os.chown(self.state, 65534, 65534)
            self.restore() # nothing has changed since
            for path in filter(pathlib.Path.is_file, self.state.iterdir()):
                self.assertEqual((path.stat().st_uid, path.stat().st_mode & 0o077),
                                 (self.state.stat().st_uid, 0), path)

    def test_what_is_no_backup_is_rejected(self):
        with Stage() as stage:
            self.begin(stage).stop()
            self.copy.mkdir()
            self.assertIn("is no backup", self.restore("--yes", status=1))
            (self.copy / "raimd.backup").write_text("raimd-backup 2\nmade_ns 1\n")
            self.assertIn("newer raimctl", self.restore("--yes", status=1))
            self.copy = self.state / "nowhere" / "copy"
            self.assertIn("No such file", self.backup(status=1))
            self.assertFalse((self.state / "restored").exists())

    def test_an_interrupted_one_is_removed_by_the_next(self):
        with Stage() as stage:
            self.begin(stage).stop()
            left = stage.directory / "copy.new"
            (self.state / "zzz").write_bytes(bytes(1 << 20))
            command = [harness.BIN / "raimctl", "backup", self.copy, "--state", self.state]
            with subprocess.Popen(command, preexec_fn=stop_at_the_first_large_file) as process:
                process.wait(harness.START_S)
                self.assertEqual(process.returncode, -signal.SIGXFSZ)
            self.assertTrue((left / "server.key").exists())
            self.assertIn("is no backup", self.raimctl("restore", left, "--state", self.state,
                                                       "--yes", status=1))
            with open_locked(left):
                self.assertIn("copy.new: File exists", self.backup(status=1))
            self.assertTrue((left / "server.key").exists())
            self.backup()
            self.assertFalse(left.exists())
            self.assertIn("raimd-backup 1\nmade_ns ", (self.copy / "raimd.backup").read_text())

    def test_a_directory_of_another_kind_is_left_alone(self):
        with Stage() as stage:
            self.begin(stage).stop()
            left = stage.directory / "copy.new"
            left.mkdir()
            (left / "letter").write_text("to somebody")
            self.assertIn("copy.new: File exists", self.backup(status=1))
            self.assertEqual((left / "letter").read_text(), "to somebody")

    def test_where_it_fails_nothing_is_left(self):
        with Stage() as stage:
            self.begin(stage).stop()
            (self.state / "results.db-wal").unlink()
            (self.state / "results.db").write_bytes(b"not a database" * 1000)
            self.assertIn("results.db", self.backup(status=1))
            self.assertEqual(list(stage.directory.glob("copy*")), [])


if __name__ == "__main__":
    harness.main()
