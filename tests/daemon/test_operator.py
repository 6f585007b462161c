#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What an operator does to a raimd, rightly and wrongly: options, configurations, ports, signals,
the service manager, the journal."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest

import harness
from harness import BIN, ROOT, START_S, STOP_S, Daemon, Stage, arena, config, poll, run_raimd
from stalls import Stalls

EXIT_FAILURE, EXIT_USAGE, EXIT_CONFIG = 1, 64, 78


class OptionsTest(unittest.TestCase):
    def test_help_and_version_go_to_standard_output(self):
        for options, words in ((["-h"], "Usage: raimd"), (["--help"], "--check-config"),
                               (["-V"], "raimd 0."), (["--version"], "raimd 0.")):
            with self.subTest(options):
                result = run_raimd(*options)
                self.assertEqual(result.returncode, 0)
                self.assertIn(words, result.stdout)
                self.assertEqual(result.stderr, "")

    def test_bad_usage_exits_64_and_says_what(self):
        for options, words in ((["--nonsense"], "--nonsense"), (["-x"], "'x'"),
                               (["-c"], "requires an argument"), (["here"], "'here'")):
            with self.subTest(options):
                result = run_raimd(*options)
                self.assertEqual(result.returncode, EXIT_USAGE)
                self.assertIn(words, result.stderr)
                self.assertIn("--help", result.stderr)
                self.assertEqual(result.stdout, "")

    def test_the_shipped_configuration_and_the_demo_are_good(self):
        for options in (["-c", ROOT / "config/raimd.conf"], ["--demo"]):
            with self.subTest(options):
                result = run_raimd("-t", *options)
                self.assertEqual(result.returncode, 0)
                self.assertIn("good, 2 arenas", result.stdout)
                self.assertEqual(result.stderr, "")

    def test_a_file_adds_keys_to_the_demo(self):
        with Stage() as stage:
            path = stage.write_config('http = { page = "https://a.example/"; };\n', "more.conf")
            result = run_raimd("--demo", "-c", path, "-T")
            self.assertIn(f'http.page = "https://a.example/"; # {path}:1', result.stdout)
            self.assertEqual(result.stderr, "")


class ConfigTest(unittest.TestCase):
    """Whatever is wrong is told with file and line; nothing starts."""

    def setUp(self):
        self.stage = self.enterContext(Stage())

    def rejected(self, path, *expected, prefix=()):
        """Each expectation is the beginning of a line and the words that follow in it."""
        for options, end in (([], "not started"), (["-t"], "configuration rejected")):
            result = run_raimd("-c", path, *options, prefix=prefix)
            self.assertEqual(result.returncode, EXIT_CONFIG, result.stderr)
            self.assertNotIn("started name=", result.stderr)
            self.assertIn(f"raimd: {end}: see the mistakes above", result.stderr)
            for place, *words in expected:
                lines = [line for line in result.stderr.splitlines() if line.startswith(place)]
                self.assertTrue(any(all(word in line for word in words) for line in lines),
                                f"no line '{place} ... {words}' in:\n{result.stderr}")
            # One line each and the last one: no mistake is told twice, none causes another.
            self.assertEqual(len(result.stderr.splitlines()), len(expected) + 1, result.stderr)

    def rejected_text(self, text, *expected):
        """The same, of a configuration that begins with a line of its own."""
        path = self.stage.write_config(text)
        self.rejected(path, *((f"{path}:{line}:", *words) for line, *words in expected))

    def test_unknown_key(self):
        self.rejected_text("# a comment\nworker = 2;\narenas = (" + arena() + ");\n",
                          (2, "worker", "unknown key", 'did you mean "workers"?'))

    def test_wrong_type(self):
        self.rejected_text(config(arena(max_players="many")), (4, "max_players", '"many"'))
        self.rejected_text(config(arena(bots=2.5)), (4, "bots", "2.5", "integer"))

    def test_number_out_of_range(self):
        self.rejected_text(config(arena(tick_hz=241)), (4, "tick_hz", "241", "from 10 to 240"))
        self.rejected_text(config(arena(port=65536)), (4, "port", "65536", "65535"))
        self.rejected_text(config(arena(), workers=-1), (1, "workers", "-1"))

    def test_several_mistakes_at_once(self):
        rules = "rules = {\n player_sped = 1;\n bullet_speed = 1e9;\n};"
        self.rejected_text(
            'http = { listen = 7246; };\nworkers = "two";\narenas = (' + arena("A B")[:-1] + rules + "});\n",
            (1, "http.listen", "7246"), (2, "workers", '"two"'), (3, "name", '"A B"'),
            (4, "player_sped", '"player_speed"'), (5, "bullet_speed", "1000000000"))

    def test_syntax(self):
        self.rejected_text("workers = 1;\narenas = (;\n", (2, "syntax error"))

    def test_same_name_or_port_twice(self):
        self.rejected_text(config(arena("twin", port=7000), arena("twin", port=7000)),
                          (5, "name", '"twin"'), (5, "127.0.0.1:7000"))

    def test_missing_map(self):
        missing = self.stage.directory / "missing.conf"
        self.rejected_text(config(arena(map="missing.conf")),
                          (4, "map", str(missing), "No such file"))

    def test_wrong_map(self):
        path = self.stage.write_config('name = "odd";\nborder = (0, 0, 500, 500);\n'
                                       "obstacles = ( ((0, 0), (9, 9), (18, 18)) );\n"
                                       "spawns = ( (100, 100) );\n", "odd.conf")
        config_path = self.stage.write_config(config(arena(map=str(path))))
        self.rejected(config_path, (f"{path}:3:", "obstacles"))

    def test_missing_configuration(self):
        path = self.stage.directory / "missing.conf"
        self.rejected(path, (str(path), "No such file"))

    def test_directory_in_place_of_a_file(self):
        path = self.stage.directory
        self.rejected(path, (str(path), "directory"))
        self.rejected_text(config(arena(map=str(path))), (4, "map", str(path), "directory"))

    def test_file_that_must_not_be_read(self):
        path = self.stage.write_config(config(arena()))
        path.chmod(0)
        prefix = []
        if os.geteuid() == 0:
            # Root reads what it likes but for these two capabilities.
            prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
            if not shutil.which("setpriv") or subprocess.run([*prefix, "true"]).returncode != 0:
                self.skipTest("skipped: runs as root and cannot do without root's privileges")
        self.rejected(path, (str(path), "Permission denied"), prefix=prefix)


class PortTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())

    def fails(self, text, words):
        path = self.stage.write_config(text)
        begin = time.monotonic()
        result = run_raimd("-c", path)
        self.assertLess(time.monotonic() - begin, 5) # it waits for nothing
        self.assertEqual(result.returncode, EXIT_FAILURE, result.stderr)
        self.assertIn(words, result.stderr)
        self.assertIn("Address already in use", result.stderr)

    def test_ports_of_another_instance(self):
        first = self.stage.serve(arena())
        udp, tcp = first.ports[0], first.status_address[1]
        self.fails(config(arena(port=udp)), f"127.0.0.1:{udp}")
        # The first arena is fine and must not live on when the second fails.
        self.fails(config(arena("fine"), arena("taken", port=udp)), f"127.0.0.1:{udp}")
        self.fails(config(arena(), status=f"127.0.0.1:{tcp}"), f"127.0.0.1:{tcp}")
        self.assertEqual(first.get_json()["arenas"][0]["port"], udp)

    def test_a_restart_gets_its_ports_at_once(self):
        first = self.stage.serve(arena())
        first.get_json()
        udp, tcp = first.ports[0], first.status_address[1]
        first.stop(deadline_s=STOP_S)
        second = self.stage.serve(arena(port=udp), status=f"127.0.0.1:{tcp}")
        self.assertEqual(second.get_json()["arenas"][0]["port"], udp)

    def test_status_can_be_off(self):
        path = self.stage.write_config(config(arena(), status="off"))
        daemon = self.stage.raimd("-c", path)
        daemon.poll("an arena", lambda: "arena started" in daemon.log)
        self.assertNotIn("status started", daemon.log)


class SignalTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())

    def test_end_within_a_second_and_every_client_is_told(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                daemon = self.stage.serve(arena("one"), arena("two"))
                bots = self.stage.bots(daemon, 8)
                daemon.wait_pressing(8)
                took_s = daemon.stop(number, deadline_s=STOP_S)
                print(f"{number.name}: ended after {took_s * 1000:.0f} ms", flush=True)
                self.assertIn(f"stopping signal={number.name[3:]}", daemon.log)
                bots.send(signal.SIGINT)
                report = bots.report()
                self.assertEqual([row["end"] for row in report["players"]], ["shutdown"] * 8)
                self.assertTrue(all(row["text"] for row in report["players"]))
                self.assertEqual(report["decode_errors"], 0)

    def test_end_does_not_wait_for_a_client_that_has_gone_silent(self):
        daemon = self.stage.serve(arena())
        bots = self.stage.bots(daemon, 2)
        daemon.wait_pressing(2)
        bots.send(signal.SIGSTOP)
        try:
            daemon.stop(deadline_s=STOP_S)
        finally:
            bots.send(signal.SIGCONT)

    def test_hangup_is_logged_and_play_goes_on(self):
        daemon = self.stage.serve(arena())
        bots = self.stage.bots(daemon, 4)
        tick = daemon.wait_pressing(4)["arenas"][0]["tick"]
        for count in (1, 2):
            daemon.send(signal.SIGHUP)
            daemon.poll(f"{count} log lines 'signal=HUP'",
                        lambda: daemon.log.count("signal=HUP") == count)
        daemon.poll("a second of ticks", lambda: daemon.get_json()["arenas"][0]["tick"] > tick + 60)
        bots.send(signal.SIGINT)
        report = bots.report()
        self.assertEqual(report["disconnected"], 0)
        self.assertEqual({row["end"] for row in report["players"]}, {"left"})


class Manager:
    """The service manager's end of NOTIFY_SOCKET."""

    def __init__(self, path):
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.messages = [] # (seconds, text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def listen(self, seconds=0.0):
        """Takes what comes within the time, and what has come."""
        end = time.monotonic() + seconds
        while True:
            self.socket.settimeout(max(end - time.monotonic(), 0))
            try:
                text = self.socket.recv(4096).decode("utf-8")
            except (TimeoutError, BlockingIOError):
                return self
            self.messages += [(time.monotonic(), line) for line in text.splitlines()]

    def heard(self, word):
        """When a message came."""
        return [when for when, text in self.listen().messages if text == word]

    def wait_for(self, word, deadline_s=START_S):
        return poll(word, lambda: self.heard(word), deadline_s)


class ServiceManagerTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.manager = self.enterContext(Manager(self.stage.directory / "notify"))
        self.env = {"NOTIFY_SOCKET": str(self.manager.path)}

    def test_ready_status_and_stopping(self):
        daemon = self.stage.serve(arena(bots=3), env=self.env)
        self.manager.wait_for("READY=1")
        self.manager.wait_for("STATUS=0 players, 3 bots")
        self.assertEqual(self.manager.messages[0][1], "READY=1")
        self.assertTrue(daemon.get_json()["arenas"])
        self.stage.bots(daemon, 8)
        daemon.wait_pressing(8)
        self.manager.wait_for("STATUS=8 players, 3 bots")
        self.assertFalse(self.manager.heard("STOPPING=1"))
        self.assertFalse(self.manager.heard("WATCHDOG=1")) # nobody asked for it
        daemon.stop(deadline_s=STOP_S)
        self.manager.wait_for("STOPPING=1")
        self.manager.wait_for("STATUS=")

    def test_not_ready_when_it_cannot_start(self):
        first = self.stage.serve(arena())
        path = self.stage.write_config(config(arena(port=first.ports[0])))
        self.assertEqual(run_raimd("-c", path, env=self.env).returncode, EXIT_FAILURE)
        self.assertEqual(self.manager.listen().messages, [])

    def test_watchdog_is_fed_twice_in_its_limit(self):
        limit_s = 0.4
        self.env["WATCHDOG_USEC"] = str(int(limit_s * 1e6))
        # As the manager does: only the process that it started is meant.
        daemon = self.stage.serve(arena(), env=self.env,
                                  prefix=["sh", "-c", 'WATCHDOG_PID=$$ exec "$@"', "sh"])
        ready = self.manager.wait_for("READY=1")[0]
        self.stage.bots(daemon, 8)
        # Of both who feeds and who listens to it.
        stalls = Stalls(daemon.pid, os.getpid())
        while len(fed := self.manager.listen(limit_s / 2).heard("WATCHDOG=1")) < 10:
            self.assertLess(len(self.manager.messages), 1000)
            self.assertIsNone(daemon.process.poll())
        excused = stalls.seconds()
        gaps = [after - before for before, after in zip([ready, *fed], fed)]
        print(f"watchdog: fed {len(fed)} times, largest gap {max(gaps):.3f} s of {limit_s} s,"
              f" stalled for {excused:.3f} s")
        self.assertLess(max(gaps), limit_s + excused)
        self.assertGreater(sum(gaps) / len(gaps), limit_s / 2 * 0.9)
        daemon.wait_pressing(8)

    def test_watchdog_of_another_process_is_left_alone(self):
        self.env |= {"WATCHDOG_USEC": "100000", "WATCHDOG_PID": str(os.getpid())}
        self.stage.serve(arena(), env=self.env)
        self.manager.wait_for("READY=1")
        self.assertFalse(self.manager.listen(0.5).heard("WATCHDOG=1"))


# What the service manager sets when standard error is the journal, and what is left of it when
# somebody has redirected standard error since.
TO_JOURNAL = ["sh", "-c", 'JOURNAL_STREAM=$(stat -L -c %d:%i /dev/stderr) exec "$@"', "sh"]
REDIRECTED = ["sh", "-c", 'JOURNAL_STREAM=$(stat -L -c %d:%i /dev/stdout) exec "$@"', "sh"]


class JournalTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())

    def test_lines_begin_with_their_priority_in_the_journal(self):
        daemon = self.stage.serve(arena(), prefix=TO_JOURNAL)
        daemon.stop()
        lines = daemon.log.splitlines()
        self.assertGreaterEqual(len(lines), 4)
        for line in lines:
            self.assertRegex(line, r"^<6>[a-z]") # the journal knows the time

    def test_errors_have_their_own_priority(self):
        port = self.stage.serve(arena()).ports[0]
        path = self.stage.write_config(config(arena(port=port)))
        result = run_raimd("-c", path, prefix=TO_JOURNAL)
        self.assertRegex(result.stderr, rf"(?m)^<3>.*127\.0\.0\.1:{port}")

    def test_lines_begin_with_the_time_elsewhere(self):
        daemon = self.stage.serve(arena(), prefix=REDIRECTED)
        daemon.stop()
        for line in daemon.log.splitlines():
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info [a-z]")


# A mount namespace in which $1 is the directory of the journal's socket; standard error is the
# descriptor $2, a stream socket.
IN_JOURNAL = ["unshare", "--map-root-user", "--mount", "sh", "-c",
              "mount --bind \"$1\" /mnt && mount -t tmpfs none /run && "
              "mkdir -p /run/systemd/journal && mount --bind /mnt /run/systemd/journal && "
              "shift && eval \"exec 2>&$1\" && shift && "
              'JOURNAL_STREAM=$(stat -L -c %d:%i /dev/stderr) exec "$@"', "sh"]


class JournalDaemon(Daemon):
    """A raimd whose log goes to a journal that the test holds."""

    def hold(self, receiver, stream):
        self.receiver, self.stream = receiver, stream
        self.entries, self.plain = [], ""
        return self

    @property
    def log(self):
        with contextlib.suppress(BlockingIOError):
            while True:
                entry = self.receiver.recv(65536, socket.MSG_DONTWAIT).decode("utf-8")
                self.entries.append(dict(line.split("=", 1) for line in entry.splitlines()))
        with contextlib.suppress(BlockingIOError):
            self.plain += self.stream.recv(65536, socket.MSG_DONTWAIT).decode("utf-8")
        return "".join(f"{entry['MESSAGE']}\n" for entry in self.entries) + self.plain


class JournalFieldsTest(unittest.TestCase):
    def setUp(self):
        if subprocess.run(["unshare", "--map-root-user", "--mount", "true"], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no mount namespaces here")
        receiver = self.enterContext(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        stream, error = map(self.enterContext, socket.socketpair())
        error.set_inheritable(True)
        self.stage = self.enterContext(Stage())
        directory = self.stage.directory / "journal"
        directory.mkdir()
        receiver.bind(str(directory / "socket"))
        path = self.stage.write_config(config(
            arena("one"), arena("two", bots=1), control_socket=str(self.stage.directory / "control")))
        self.daemon = self.stage._start( # pylint: disable=protected-access
            JournalDaemon, [*IN_JOURNAL, directory, error.fileno(), BIN / "raimd",
                            "-c", path], None, True).hold(receiver, stream)
        self.daemon.wait_started()
        self.daemon.poll("the control socket", lambda: "control started" in self.daemon.log)

    def control(self, command, **fields):
        body = json.dumps(fields)
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as client:
            client.connect(str(self.stage.directory / "control"))
            client.sendall(f"POST /v1/commands/{command} HTTP/1.1\r\nHost: x\r\n"
                           "Connection: close\r\n"
                           f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
            client.settimeout(START_S)
            return client.recv(4096).split(b" ")[1].decode()

    def test_lines_about_an_arena_have_its_name_as_a_field(self):
        daemon = self.daemon
        self.assertEqual(self.control("arena-pause", arena="one"), "200")
        self.assertEqual(self.control("mute", arena="two", player=7), "409")
        self.assertEqual(self.control("arena-remove", arena="two"), "200")
        daemon.stop() # by the sandbox, no line was lost
        daemon.log # pylint: disable=pointless-statement
        self.assertEqual(daemon.plain, "")
        self.assertEqual([(each.get("EVENT"), each.get("ARENA")) for each in daemon.entries
                          if "ARENA" in each and each["EVENT"] != "arena ended"], # or not yet
                         [("arena started", "one"), ("arena started", "two"),
                          ("command given", "one"), ("command given", "two")])
        for each in daemon.entries:
            priority = "5" if each.get("EVENT") == "command given" else "6" # which no level hides
            self.assertEqual((each["PRIORITY"], each["SYSLOG_IDENTIFIER"]), (priority, "raimd"))
            named = re.search(r"\barena=(\w+)", each["MESSAGE"])
            self.assertEqual(each.get("ARENA"), named and named[1], each)

    def test_no_line_names_an_arena_without_the_field(self):
        for path in (ROOT / "daemon").rglob("*.c"):
            plain = re.findall(r'\blog_(?:info|warning|error)\(\s*("[^;]*)',
                               path.read_text(encoding="utf-8"))
            self.assertEqual([line for line in plain
                              if re.search(r'\barena=%|^"arena .*\bname=%', line)], [], path)

    def test_journal_that_nobody_reads_stops_nothing(self):
        for _ in range(300):
            self.assertEqual(self.control("log-level", level="info"), "200")
        self.assertTrue(self.daemon.ticks())
        self.assertIn(" via=api command=log-level", self.daemon.log)


if __name__ == "__main__":
    harness.main()
