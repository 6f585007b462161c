#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The units, judged by systemd's own tools, and sockets passed as systemd passes them. The units at
work, in a booted Debian: tests/system."""

import re
import shutil
import socket
import subprocess
import unittest

import harness
from harness import BIN, ROOT, Stage, arena, config
from ports import free_port
from secure_client import COOKIE, SecureClient, connect_request

UNITS = ROOT / "systemd"
MAX_EXPOSED = 11 # tenths

# What systemd does before it executes a service with sockets: they are the descriptors from 3 on,
# and the environment says how many and for which process. The words before "--" are descriptors.
PASS = ["python3", "-c", """
import fcntl, os, sys
split = sys.argv.index("--")
# Out of the way first, for they may stand where they are to go.
copies = [fcntl.fcntl(int(word), fcntl.F_DUPFD, 50) for word in sys.argv[1:split]]
for place, copy in enumerate(copies):
    os.dup2(copy, 3 + place)
    os.close(copy)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(copies)))
os.execv(sys.argv[split + 1], sys.argv[split + 1:])
"""]


def analyze(*words):
    return subprocess.run(["systemd-analyze", *map(str, words)], text=True, check=False,
                          capture_output=True, timeout=harness.LIFE_S)


@unittest.skipUnless(shutil.which("systemd-analyze"), "skipped: no systemd-analyze")
class UnitsTest(unittest.TestCase):
    def setUp(self):
        # The units name /usr/bin/raimd and raim-web, which need not be here.
        self.directory = self.enterContext(Stage()).directory
        for unit in UNITS.glob("raim*.s*"):
            text = unit.read_text(encoding="utf-8").replace("/usr/bin/raimd", str(BIN / "raimd"))
            text = text.replace("/usr/bin/raim-web", str(BIN / "raimd"))
            (self.directory / unit.name).write_text(text, encoding="utf-8")
        drop_in = self.directory / "raimd.service.d"
        drop_in.mkdir()
        for name in ("event-hook.conf", "operators.conf", "realtime.conf"):
            shutil.copy(UNITS / name, drop_in)

    def test_verify_has_nothing_to_say(self):
        for name in ("raimd.service", "raimd@west.service", "raimd.socket", "raim-web.service"):
            with self.subTest(name):
                if "@" in name:
                    (self.directory / name).symlink_to("raimd@.service")
                # Its exit status is 0 even for keys that it does not know.
                result = analyze("verify", self.directory / name)
                self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))

    def test_exposure_is_low(self):
        for name in ("raimd.service", "raimd@.service", "raim-web.service"):
            with self.subTest(name):
                result = analyze("security", "--offline=true", f"--threshold={MAX_EXPOSED}",
                                 "--no-pager", self.directory / name)
                print(result.stdout.splitlines()[-1])
                self.assertEqual(result.returncode, 0, result.stdout)

    def test_an_instance_differs_by_its_name_alone(self):
        one, many = ((UNITS / name).read_text(encoding="utf-8")
                     for name in ("raimd.service", "raimd@.service"))
        user = re.search(r"(?m)^# Each instance its own.*\nUser=raimd-%i\n", many)[0]
        self.assertEqual(one, many.replace(", instance %i", "").replace("raimd@%i", "raimd")
                         .replace("raimd@NAME", "raimd").replace("/%i.conf", "/raimd.conf")
                         .replace(user, ""))


def bound(kind=socket.SOCK_DGRAM, family=socket.AF_INET, address="127.0.0.1"):
    opened = socket.socket(family, kind)
    opened.bind((address, 0))
    return opened


class PassedSocketsTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())

    def serve(self, sockets, *arenas):
        for each in sockets:
            self.addCleanup(each.close)
            each.set_inheritable(True)
        descriptors = [str(each.fileno()) for each in sockets]
        return self.stage.serve(*arenas, prefix=[*PASS, *descriptors, "--"], inherit=True)

    def test_arenas_play_on_the_sockets_passed(self):
        sockets = [bound(), bound()]
        ports = [each.getsockname()[1] for each in sockets]
        # In another order, and with one that it binds itself. The ports are taken: only who uses
        # the sockets passed can serve there.
        daemon = self.serve(sockets, arena("b", port=ports[1]), arena("own"),
                            arena("a", port=ports[0]))
        self.assertEqual([daemon.ports[0], daemon.ports[2]], [ports[1], ports[0]])
        self.stage.bots(daemon, 9, seconds=2).report()
        self.assertNotIn("warning socket", daemon.log)
        joined = daemon.get_json()["arenas"]
        self.assertTrue(all(each["packets_in"] > 50 for each in joined), joined)

    def test_a_datagram_that_waits_is_answered(self):
        one = bound()
        client = self.enterContext(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        client.sendto(b"hello", one.getsockname()) # rejected, but counted
        daemon = self.serve([one], arena(port=one.getsockname()[1]))
        daemon.poll("the datagram", lambda: daemon.get_json()["arenas"][0]["packets_in"] == 1)

    def test_a_socket_that_no_arena_wants_is_told(self):
        other_address = bound(address="127.0.0.2")
        port = other_address.getsockname()[1]
        daemon = self.serve([other_address], arena(port=port))
        self.assertRegex(daemon.log, rf"warning socket unused address=127\.0\.0\.2 port={port}: ")
        self.assertEqual(daemon.ports, [port])

    @unittest.skipUnless(harness.HAS_IPV6, "skipped: this machine has no IPv6")
    def test_sockets_of_ipv6_are_passed(self):
        """As ListenDatagram=[::1]:PORT and [::]:PORT make them, the latter with BindIPv6Only= of
        either kind."""
        both, alone = (socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) for _ in range(2))
        both.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        alone.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        for each in both, alone:
            each.bind(("::", 0))
        sockets = [bound(family=socket.AF_INET6, address="::1"), both, alone]
        ports = [each.getsockname()[1] for each in sockets]
        daemon = self.serve(sockets, arena("one", address="[::1]", port=ports[0]),
                            arena("both", address="::", port=ports[1]),
                            arena("alone", address="::", port=ports[2]))
        self.assertEqual(daemon.ports, ports)
        self.assertNotIn("warning socket", daemon.log)
        answered = []
        for source in "::1", "127.0.0.1":
            for port in ports:
                with SecureClient(port, source) as client:
                    answered.append(client.ask(connect_request(), COOKIE, times=2) is not None)
        self.assertEqual(answered, [True, True, True, False, True, False])

    def test_what_is_no_udp_socket_is_left_alone(self):
        sockets = [bound(socket.SOCK_STREAM), bound()]
        daemon = self.serve(sockets, arena(port=sockets[1].getsockname()[1]))
        self.assertEqual(re.findall(r"warning socket ignored descriptor=(\d)", daemon.log), ["3"])

    @unittest.skipUnless(shutil.which("systemd-socket-activate"), "skipped: no such tool")
    def test_the_first_datagram_starts_it(self):
        port = free_port()
        path = self.stage.write_config(config(arena(port=port)))
        daemon = self.stage.raimd("-c", path, prefix=["systemd-socket-activate", "-d", "-l",
                                                      f"127.0.0.1:{port}"])
        daemon.poll("the activator", lambda: "Listening on" in daemon.log)
        self.assertNotIn("arena started", daemon.log)
        bots = self.stage.bots(daemon, 2, ports=[port])
        daemon.wait_started().wait_pressing(2)
        bots.stop()


if __name__ == "__main__":
    harness.main()
