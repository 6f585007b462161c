#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Starts in odd surroundings: standard streams that are closed, or that nobody reads, a service
manager that does not read, small limits. The game goes on in each."""

import contextlib
import fcntl
import os
import pathlib
import re
import signal
import socket
import unittest

import harness
from harness import Stage, arena, config
from ports import free_port

CLOSED = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"]


def fill(pipe):
    """Until not one byte more finds room."""
    os.set_blocking(pipe, False)
    for size in (4096, 1):
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(pipe, bytes(size))
    os.set_blocking(pipe, True)


class StartTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())

    def start(self, env=None, prefix=(), **keys):
        """A daemon whose log may be nowhere: its status has a port that is known."""
        port = free_port()
        path = self.stage.write_config(config(arena("one", bots=2), status=f"127.0.0.1:{port}",
                                              **keys))
        daemon = self.stage.raimd("-c", path, env=env, prefix=prefix)
        daemon.status_address = "127.0.0.1", port
        daemon.poll("status", lambda: self.answers(daemon))
        return daemon

    @staticmethod
    def answers(daemon):
        with contextlib.suppress(OSError):
            return daemon.get_json()
        return None

    def assert_ticks(self, daemon):
        begin = daemon.get_json()["arenas"][0]["tick"]
        daemon.poll("ticks", lambda: daemon.get_json()["arenas"][0]["tick"] >= begin + 30)

    def test_streams_that_are_closed_become_no_sockets(self):
        daemon = self.start(prefix=CLOSED, core_dumps=True) # which lets anybody look
        for stream in (0, 1, 2):
            link = os.readlink(f"/proc/{daemon.pid}/fd/{stream}")
            self.assertEqual(link, "/dev/null")
        daemon.send(signal.SIGHUP) # which logs
        self.assert_ticks(daemon)

    def test_a_log_that_nobody_reads_stops_nothing(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        # The harness's own pipe to the daemon's standard error: /proc leads through another.
        daemon = self.start(prefix=["sh", "-c", f'exec "$@" 2>/proc/{os.getpid()}/fd/{writer}',
                                    "sh"])
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
        fill(writer)
        for _ in range(3):
            daemon.send(signal.SIGHUP)
            self.assert_ticks(daemon)
        self.assertTrue(daemon.ticks())
        os.read(reader, 1 << 20)
        daemon.send(signal.SIGHUP)
        os.set_blocking(reader, False)
        log = b""
        def told():
            nonlocal log
            with contextlib.suppress(BlockingIOError):
                log += os.read(reader, 1 << 20)
            return re.search(rb"warning log lost lines=[1-9]\d*: nobody read the log\n", log)
        daemon.poll("word of what was lost", told)

    def test_a_manager_that_does_not_read_stops_nothing(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            path = str(self.stage.directory / "notify")
            manager.bind(path)
            # Fed every 10 ms, the queue of the socket is full at once.
            daemon = self.start(env={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "20000"})
            for _ in range(3):
                self.assert_ticks(daemon)
            # Who reads again is told again.
            manager.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    manager.recv(4096)
            manager.setblocking(True)
            manager.settimeout(harness.START_S)
            self.assertIn(b"WATCHDOG=1", manager.recv(4096))

    def test_a_limit_on_files_costs_the_checkpoint_alone(self):
        runtime = pathlib.Path(self.stage.directory, "run")
        runtime.mkdir()
        daemon = self.start(env={"RUNTIME_DIRECTORY": str(runtime)},
                            prefix=["prlimit", "--fsize=16384"])
        daemon.poll("word of it", lambda: "checkpoint failed arena=one: cannot write" in daemon.log)
        self.assertIn("File too large", daemon.log)
        self.assert_ticks(daemon)

    def test_a_state_directory_has_one_daemon(self):
        directory = self.stage.directory / "state"
        directory.mkdir(mode=0o700)
        env = {"STATE_DIRECTORY": str(directory)}
        first = self.start(env=env)
        self.assertIn("matches are kept in memory only: $RUNTIME_DIRECTORY is not set", first.log)
        path = self.stage.write_config(config(arena("two")), "two.conf")
        second = harness.run_raimd("-c", path, env=env)
        self.assertEqual(second.returncode, 1, second.stderr)
        self.assertIn("another raimd uses the state directory", second.stderr)
        self.assert_ticks(first)
        first.kill() # which gives the directory back
        first.expected_status = -signal.SIGKILL
        self.assert_ticks(self.start(env=env))

    def test_too_few_descriptors_end_the_start_with_a_word(self):
        path = self.stage.write_config(config(arena("one")))
        for count in range(5, 9):
            result = harness.run_raimd("-c", path, prefix=["prlimit", f"--nofile={count}:{count}"])
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertRegex(result.stderr, "Too many open files|descriptors")


if __name__ == "__main__":
    harness.main()
