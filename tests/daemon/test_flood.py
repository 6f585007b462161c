#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Garbage comes to an arena faster than anything else does, and those who play do not notice."""

import random
import signal
import socket
import struct
import time
import unittest

import harness
from harness import Pace, Stage, arena
from test_hostile import (FLOOD_PER_S, FLOOD_S, RELIABLE, SENT_TIME, connect_command,
                          datagram, fragment_command)

# A sanitizer's own memory grows as well, from GCC 14 on by some 5 MB.
IS_SANITIZED = b"__asan_init" in (harness.BIN / "raimd").read_bytes()
MAX_GROWTH_KB = 16384 if IS_SANITIZED else 4096
# A sanitizer would keep freed memory for much longer than the test lasts.
NO_QUARANTINE = {"ASAN_OPTIONS": "quarantine_size_mb=1:thread_local_quarantine_size_kb=64"}


def random_datagram(chance):
    """Garbage of one kind or another."""
    kind = chance.randrange(8)
    if kind == 0:
        return chance.randbytes(chance.randrange(1300))
    if kind == 1:
        return b"\xff\xff" + chance.randbytes(chance.randrange(64))
    if kind == 2:
        return datagram(connect_command())[:chance.randrange(52)]
    if kind == 3:
        return datagram(fragment_command(), peer=chance.randrange(16))
    if kind == 4:
        return bytes(chance.choice((0, 1201, 4097, 9000)))
    # Commands that may be whole, for peers that may play, from an address that is not theirs.
    commands = b"".join(
        struct.pack("!BBH", chance.choice((0, RELIABLE, 0x40)) | chance.randrange(13),
                    chance.choice((0, 1, 0xFF)), chance.randrange(1 << 16))
        + chance.randbytes(chance.choice((0, 2, 4, 4, 8, 44)))
        for _ in range(chance.randrange(1, 5)))
    flags = chance.choice((0, SENT_TIME, SENT_TIME, SENT_TIME | chance.randrange(4) << 12))
    return datagram(commands, chance.randrange(16), flags)


class FloodTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.daemon = self.stage.serve(arena(), env=NO_QUARANTINE)
        self.target = ("127.0.0.1", self.daemon.ports[0])

    def rejected(self):
        return self.daemon.get_json()["arenas"][0]["rejections"]

    def test_players_do_not_notice_a_flood_of_garbage(self):
        chance = random.Random(1)
        senders = [self.enterContext(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                   for _ in range(16)]
        # Making garbage takes longer than sending it.
        garbage = [random_datagram(chance) for _ in range(2000)]
        sent = 0

        def flood(pace, seconds):
            nonlocal sent
            begin, first = time.monotonic(), sent
            while (now := time.monotonic()) < begin + seconds:
                while sent - first < (now - begin) * FLOOD_PER_S:
                    senders[sent % len(senders)].sendto(garbage[sent % len(garbage)], self.target)
                    sent += 1
                if not pace.samples or now > pace.samples[-1][0] + 0.2:
                    pace.sample()
                time.sleep(0.002)

        bots = self.stage.bots(self.daemon, 8)
        self.daemon.wait_pressing(8)
        flood(Pace(self.daemon), 1) # what memory it takes at all
        resident_kb = self.daemon.resident_kb()
        before, pace = self.rejected(), Pace(self.daemon)
        flood(pace, FLOOD_S)
        growth_kb = self.daemon.resident_kb() - resident_kb
        print(f"{sent} datagrams, resident {resident_kb} kB and {growth_kb} kB more", flush=True)

        pace.check(tolerance=0.03)
        after = self.rejected()
        for reason in ("malformed", "connectionless", "fragment", "compressed", "oversize"):
            self.assertGreater(after[reason], before[reason], reason)
        self.assertLess(growth_kb, MAX_GROWTH_KB)
        self.assertEqual(pace.samples[-1][1]["players"]["now"], 8)
        bots.send(signal.SIGINT)
        report = bots.report()
        self.assertEqual(report["disconnected"], 0)
        self.assertEqual(report["decode_errors"], 0)
        self.assertEqual(report["events_ahead"], 0)
        self.assertEqual({row["end"] for row in report["players"]}, {"left"})


if __name__ == "__main__":
    harness.main()
