#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Clients of IPv6 and IPv4 on one arena: they play, are banned, ask and are answered alike."""

import ctypes
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

import harness
import arenas_api
from harness import Stage, arena, poll
from ports import free_ports
from secure_client import COOKIE, MISSING, Cookie, SecureClient, connect_request
from test_control import Operator
from test_network import Nat
from test_queries import Asker

ADDRESSES = "127.0.0.1", "::1"
EF = 46 << 2


def has_cookie(port, source, server=None):
    """Whether a connect request from an address is answered with a cookie, and not a rejection."""
    with SecureClient(port, source, server=server) as client:
        answer = client.ask(connect_request(), b"\xff\xff\xff\xffRAIM", times=4)
        return answer is not None and answer.startswith(COOKIE)


@unittest.skipUnless(harness.HAS_IPV6, "skipped: this machine has no IPv6")
class DualStackTest(Operator):
    """An arena at "::"."""

    def setUp(self):
        super().setUp()
        self.daemon = self.serve(arena(address="::", encryption="offered"))
        self.port = self.daemon.ports[0]
        self.ipv6 = Nat(self.port, "::1") # for clients that know IPv4 alone
        self.addCleanup(self.ipv6.close)

    def wait_bans_arrive(self, players):
        """Waits until so many play, and those who do not have heard why."""
        self.daemon.wait_players(players)
        time.sleep(0.3)

    def addresses(self):
        return sorted(row["address"] for row in self.players("arena"))

    def test_clients_of_both_families_play_in_one_arena(self):
        clients = [self.stage.bots(self.daemon, 3, seed=seed, ports=[port])
                   for seed, port in enumerate((self.port, self.ipv6.port))]
        self.daemon.wait_pressing(6)
        self.assertEqual(self.addresses(), ["127.0.0.1"] * 3 + ["::1"] * 3)
        for each in clients:
            each.send(signal.SIGINT)
            report = each.report()
            self.assertEqual((report["connected"], report["decode_errors"]), (3, 0))
            self.assertEqual({row["end"] for row in report["players"]}, {"left"})

    def test_a_ban_is_of_its_family(self):
        old, new = (self.stage.bots(self.daemon, 2, seed=seed, ports=[port])
                    for seed, port in enumerate((self.port, self.ipv6.port)))
        self.daemon.wait_pressing(4)
        self.ctl("ban", "::/64", "--yes", "six")
        self.wait_bans_arrive(2)
        self.assertEqual(self.ends(new), [("banned", "six")] * 2)
        self.assertEqual(self.addresses(), ["127.0.0.1"] * 2)
        self.assertEqual([has_cookie(self.port, source) for source in ADDRESSES], [True, False])
        self.ctl("unban", "::/64")
        self.ctl("ban", "127.0.0.0/8", "--yes", "four")
        self.wait_bans_arrive(0)
        self.assertEqual(self.ends(old), [("banned", "four")] * 2)
        self.assertEqual([has_cookie(self.port, source) for source in ADDRESSES], [False, True])
        mapped = "::ffff:127.0.0.1"
        self.assertFalse(has_cookie(self.port, mapped, mapped))

    def test_an_address_of_ipv6_is_banned_with_its_64(self):
        self.ctl("ban", "2001:db8:1:2:3:4:5:6")
        self.ctl("ban", "2001:db9::/32", "--for", "1h")
        self.ctl("ban", "2001:db9::1/32", status=1)
        self.ctl("ban", "fe80::1%lo", status=1)
        self.assertEqual([ban["address"] for ban in json.loads(self.ctl("bans", "--json"))["bans"]],
                         ["2001:db8:1:2::/64", "2001:db9::/32"])
        self.ctl("unban", "2001:db8:1:2::7")

    def test_queries_are_answered_over_both(self):
        answers = []
        for address in ADDRESSES:
            with Asker(self.port, address) as asker:
                answers.append((asker.info(), asker.rules(), asker.players()))
        self.assertEqual(*answers)
        self.assertEqual(answers[0][0]["map"], "crossfire")

    def test_a_cookie_is_of_its_address(self):
        """Of the whole address: a client that has one of ::1 cannot connect from 127.0.0.1."""
        with SecureClient(self.port, "::1") as six, SecureClient(self.port, "127.0.0.1") as four:
            numbers = {Cookie(each.ask(connect_request(), COOKIE)).number for each in (six, four)}
        self.assertEqual(len(numbers), 2)

    @unittest.skipIf(MISSING, f"skipped: {MISSING}")
    def test_an_encrypted_connection_is_made_over_ipv6(self):
        with SecureClient(self.port, "::1") as client:
            self.assertTrue(client.shake_hands())
            self.assertEqual(client.reason, 0)
            self.assertIsNotNone(client.connect())


@unittest.skipUnless(harness.HAS_IPV6, "skipped: this machine has no IPv6")
class ClassTest(unittest.TestCase):
    """Datagrams are marked with the key dscp."""

    def test_answers_have_the_class_of_the_key(self):
        with Stage() as stage:
            daemon = stage.serve(arena("ef", address="::"), arena("none", address="::", dscp="CS0"))
            for port, wanted in zip(daemon.ports, (EF, 0)):
                self.assertEqual([self.class_of(port, address) for address in ADDRESSES],
                                 [wanted] * 2)
            path = stage.directory / "raimd-0.conf"
            path.write_text(path.read_text().replace('"CS0"', '"AF41"'))
            daemon.send(signal.SIGHUP)
            poll("another class", lambda: self.class_of(daemon.ports[1], "::1") == 34 << 2)

    @staticmethod
    def class_of(port, address):
        family, level, option, kind = (
            (socket.AF_INET6, socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, socket.IPV6_TCLASS)
            if ":" in address else
            (socket.AF_INET, socket.IPPROTO_IP, 13, socket.IP_TOS)) # IP_RECVTOS
        with socket.socket(family, socket.SOCK_DGRAM) as client:
            client.settimeout(harness.START_S)
            client.setsockopt(level, option, 1)
            client.sendto(connect_request(), (address, port))
            items = client.recvmsg(2048, 64)[1]
        (value,) = (data for at, of, data in items if (at, of) == (level, kind))
        return value[0]


class AddressTest(unittest.TestCase):
    """What else takes an address."""

    @unittest.skipUnless(harness.HAS_IPV6, "skipped: this machine has no IPv6")
    def test_the_status_is_served_over_ipv6(self):
        with Stage() as stage:
            daemon = stage.serve(arena(address="[::1]"), status="[::1]:0")
            self.assertEqual(daemon.status_address[0], "::1")
            self.assertEqual(len(daemon.get_json()["arenas"]), 1)
            self.assertIn("arena started arena=arena address=::1 port=", daemon.log)
            self.assertTrue(has_cookie(daemon.ports[0], "::1"))

    @unittest.skipUnless(harness.HAS_IPV6, "skipped: this machine has no IPv6")
    def test_arenas_are_made_over_ipv6(self):
        """Their sockets are made in the sandbox."""
        first = free_ports(2)
        with Stage() as stage, socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as taken:
            taken.bind(("::1", first))
            text = arenas_api.config(arenas_api.template(address="::"), first=first, count=2,
                                status="[::1]:0", control_listen="[::1]:0")
            daemon = stage.raimd("-c", stage.write_config(text)).wait_started()
            daemon.poll("the control", lambda: "control started url=http://[::1]:" in daemon.log)
            port = re.search(r"control started url=http://\[::1\]:(\d+)/v1", daemon.log)[1]
            api = arenas_api.Api.tcp(int(port), address="::1")
            arena = api.make("x")
            self.assertEqual((arena["address"], arena["port"]), ("::", first + 1))
            self.assertEqual([has_cookie(arena["port"], source) for source in ADDRESSES],
                             [True, True])

    def test_mistakes_are_told_with_their_line(self):
        with Stage() as stage:
            for wrong in "1.2.3", "[::1", "::1]", ":::", "fe80::1", "::ffff:1.2.3.4", "localhost":
                path = stage.write_config(harness.config(arena(address=wrong)))
                result = harness.run_raimd("-t", "-c", path)
                self.assertEqual(result.returncode, 78, result.stderr)
                self.assertIn(f'raimd.conf:4: arenas[0].address: got "{wrong}", want an IPv4 or '
                              'IPv6 address', result.stderr)
            path = stage.write_config(harness.config(arena("a", port=7, address="::"),
                                                     arena("b", port=7)))
            self.assertIn("apart from", harness.run_raimd("-t", "-c", path).stderr)
            path = stage.write_config(harness.config(arena("a"), on_demand_address="2001:db8::1",
                                                     control_listen="[::1]:0"))
            self.assertEqual(harness.run_raimd("-t", "-c", path).returncode, 0)

    def test_a_machine_without_ipv6_serves_ipv4(self):
        """As where the kernel has no IPv6: a filter of system calls says so to raimd."""
        with Stage() as stage:
            daemon = stage.serve(arena(address="::"), prefix=[sys.executable, __file__, "--no-ipv6"])
            self.assertRegex(daemon.log, r'warning socket port=0: this machine has no IPv6, "::" is '
                                         r"0\.0\.0\.0 here")
            self.assertTrue(has_cookie(daemon.ports[0], "127.0.0.1"))


def run_without_ipv6(words):
    """Replaces this process by a program that cannot make sockets of IPv6 (seccomp)."""
    arch, number = (0xC000003E, 41) if struct.calcsize("P") == 8 and \
        subprocess.check_output(["uname", "-m"]) == b"x86_64\n" else (0xC00000B7, 198)
    rules = [(0x20, 0, 0, 4), (0x15, 0, 5, arch),  # another architecture: all is allowed
             (0x20, 0, 0, 0), (0x15, 0, 3, number), # socket
             (0x20, 0, 0, 16), (0x15, 0, 1, socket.AF_INET6),
             (0x06, 0, 0, 0x00050000 | 97),         # EAFNOSUPPORT
             (0x06, 0, 0, 0x7FFF0000)]
    program = b"".join(struct.pack("HBBI", *rule) for rule in rules)
    code = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rules),
                                                     ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, filter_mode = 38, 22, 2
    assert libc.prctl(no_new_privileges, 1, 0, 0, 0) == 0
    assert libc.prctl(set_seccomp, filter_mode, header, 0, 0) == 0, ctypes.get_errno()

    os.execv(words[0], words)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--no-ipv6"]:
        run_without_ipv6(sys.argv[2:])
    harness.main()
