#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a hostile or broken client sends to a raimd: it is rejected and counted. What a flood of it
does to those who play fairly is tried in test_flood.py."""

import itertools
import random
import signal
import socket
import struct
import threading
import time
import unittest

try:
    import enet
except ImportError:
    enet = None

import harness
from harness import Stage, arena, poll

FLOOD_S = 3 if harness.SLOW else 5
FLOOD_PER_S = 1000 if harness.SLOW else 4000


# --- datagrams in the shape of ENet's ---

SENT_TIME, COMPRESSED, NO_PEER = 0x8000, 0x4000, 0x0FFF
ACKNOWLEDGE, CONNECT, DISCONNECT, PING, SEND_FRAGMENT = 1, 2, 4, 5, 8
RELIABLE = 0x80


def datagram(commands, peer=NO_PEER, flags=SENT_TIME):
    """A datagram: peer and flags, the sent time, and commands."""
    return struct.pack("!HH", peer | flags, 1) + commands


def connect_command(cookie=1, connection=1):
    """As a client that knows its manners begins."""
    return struct.pack("!BBHHBBIIIIIIIIII", CONNECT | RELIABLE, 0xFF, 1, 0, 0xFF, 0xFF, 1200, 32768,
                       2, 0, 0, 5000, 2, 2, connection, cookie)


def fragment_command():
    """The first of 2^20 fragments, for which a server had better not set memory aside."""
    return struct.pack("!BBHHHIIII", SEND_FRAGMENT | RELIABLE, 0, 1, 1, 8, 1 << 20, 0, 1 << 30,
                       0) + bytes(8)


def crafted():
    """Datagrams and the reason for which each of them is rejected."""
    connect = datagram(connect_command())
    yield b"", "malformed"
    yield b"\x00", "malformed"
    yield b"\xff", "malformed"
    yield bytes(512), "malformed"
    for size in range(4, len(connect), 5):
        yield connect[:size], "malformed"
    yield connect + datagram(connect_command())[4:], "malformed"
    yield datagram(connect_command(), peer=0), "malformed"
    yield datagram(struct.pack("!BBHHH", ACKNOWLEDGE, 0xFF, 1, 1, 1)), "malformed"
    yield b"\xff\xff\xff\xffgetstatus\n", "connectionless"
    yield b"\xff\xff", "connectionless"
    connect_request = b"\xff\xff\xff\xffRAIM\1\2"
    yield connect_request.ljust(511, b"\0"), "connectionless"
    yield connect_request.ljust(511, b"\0") + b"\1", "connectionless"
    yield connect, "cookie"
    yield datagram(33 * struct.pack("!BBH", PING | RELIABLE, 0xFF, 1), peer=0), "commands"
    yield datagram(fragment_command(), peer=0), "fragment"
    yield datagram(fragment_command(), peer=1), "fragment"
    yield datagram(bytes(64), peer=0, flags=SENT_TIME | COMPRESSED), "compressed"
    yield b"\x00" * 1201, "oversize"
    yield connect + bytes(4097 - len(connect)), "oversize"
    yield bytes(65507), "oversize"


class DatagramTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.daemon = self.stage.serve(arena())
        self.target = ("127.0.0.1", self.daemon.ports[0])

    def socket(self):
        return self.enterContext(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))

    def rejected(self):
        return self.daemon.get_json()["arenas"][0]["rejections"]

    def test_each_datagram_is_rejected_by_its_reason(self):
        sender = self.socket()
        expected = self.rejected()
        for data, reason in crafted():
            sender.sendto(data, self.target)
            expected[reason] += 1
            self.daemon.poll(f"count of {data[:60]} ({len(data)} bytes) as {reason}",
                             lambda: self.rejected() == expected)
        # Nothing of it deserved an answer.
        sender.setblocking(False)
        self.assertRaises(BlockingIOError, sender.recv, 1)


def dropped(port):
    """How many datagrams to this port the kernel had no room for: many where raimd may not enlarge
    its buffer."""
    with open("/proc/net/udp", encoding="ascii") as lines:
        rows = [line.split() for line in lines]
    return sum(int(row[12]) for row in rows if row[1].endswith(f":{port:04X}"))


class CookieTest(unittest.TestCase):
    """Nobody who has not proven its address takes a place, gets an answer that is larger than the
    question, or keeps others out."""

    def serve(self, *arenas):
        self.daemon = self.enterContext(Stage()).serve(*arenas)
        self.target = ("127.0.0.1", self.daemon.ports[0])

    def socket(self, address="127.0.0.1"):
        sender = self.enterContext(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        sender.bind((address, 0))
        return sender

    def status(self):
        return self.daemon.get_json()["arenas"][0]

    def rejected(self, reason):
        return self.status()["rejections"][reason]

    def wait_rejected(self, reason, count):
        self.daemon.poll(f"{count} rejections for {reason}", lambda: self.rejected(reason) >= count)

    def flood(self, per_s, datagrams, count=None):
        """A thread that sends datagrams(i), which are (socket, bytes): so many, or until the test
        ends."""
        ended = threading.Event()
        def send():
            begin = time.monotonic()
            for i in itertools.count() if count is None else range(count):
                sender, data = datagrams(i)
                sender.sendto(data, self.target)
                if i % 64 == 0:
                    time.sleep(max(0, begin + i / per_s - time.monotonic()))
                if ended.is_set():
                    return
        thread = threading.Thread(target=send)
        self.addCleanup(thread.join)
        self.addCleanup(ended.set)
        thread.start()
        return thread

    def join(self):
        """Plays fairly; returns the seconds that it took to get in."""
        begin = time.monotonic()
        liar = Liar(self.daemon.ports[0])
        liar.say(hello())
        liar.wait(WELCOME)
        return time.monotonic() - begin

    def test_spoofed_connects_take_no_place_and_get_no_answer(self):
        self.serve(arena(max_players=1))
        chance = random.Random(1)
        senders = [self.socket(f"127.{chance.randrange(256)}.{chance.randrange(256)}.{last}")
                   for last in range(1, 200)]
        count = FLOOD_PER_S * FLOOD_S if harness.SLOW else 50000
        def connect(i):
            command = connect_command(chance.getrandbits(32), chance.getrandbits(32))
            return senders[i % len(senders)], datagram(command)
        # And as if whoever is spoofed had acknowledged what it was sent.
        ack = datagram(struct.pack("!BBHHH", ACKNOWLEDGE, 0xFF, 0, 1, 1), peer=0)
        flood = self.flood(
            4 * FLOOD_PER_S,
            lambda i: connect(i) if i % 10 else (senders[i % len(senders)], ack), count)
        self.wait_rejected("cookie", 1000)
        self.assertEqual(self.status()["bytes_out"], 0)
        took_s = self.join() if enet else 0
        flood.join()
        connects = count - count // 10
        self.daemon.poll(f"word of all {connects} CONNECTs", lambda: self.rejected("cookie")
                         + dropped(self.target[1]) >= connects)
        status = self.status()
        rejected = status["rejections"]["cookie"]
        print(f"{connects} spoofed CONNECTs, rejected {rejected}, dropped by the kernel "
              f"{dropped(self.target[1])}, an honest client in after {took_s:.3f} s", flush=True)
        self.assertLessEqual(rejected, connects)
        self.assertEqual(status["rejections"]["silent"], 0)

    def test_a_cookie_is_worth_nothing_elsewhere(self):
        self.serve(arena("here"), arena("there"))
        here, there = self.daemon.ports
        sender = self.socket()
        cookies = {"foreign": harness.request_cookie(there),
                   "forged": harness.request_cookie(here) ^ 1 << 31,
                   "another's": harness.request_cookie(here, self.socket("127.0.0.2")), "none": 0}
        for count, (name, cookie) in enumerate(cookies.items(), 1):
            with self.subTest(name):
                sender.sendto(datagram(connect_command(cookie)), self.target)
                self.daemon.poll("rejection", lambda: self.rejected("cookie") == count)
        sender.sendto(datagram(connect_command(harness.request_cookie(here))), self.target)
        sender.settimeout(harness.START_S)
        self.assertTrue(sender.recv(1200)) # ENet's VERIFY_CONNECT
        self.assertEqual(self.rejected("cookie"), len(cookies))

    def test_connect_requests_are_answered_with_less(self):
        self.serve(arena())
        for _ in range(20):
            harness.request_cookie(self.daemon.ports[0])
        self.daemon.poll("count of connect requests", lambda: self.status()["bytes_in"] >= 20 * 512)
        status = self.status()
        self.assertLess(status["bytes_out"], status["bytes_in"] / 6)

    def test_without_address_validation_no_cookie_is_needed(self):
        self.serve(arena(address_validation=False))
        sender = self.socket()
        sender.sendto(datagram(connect_command(0)), self.target)
        sender.settimeout(harness.START_S)
        self.assertTrue(sender.recv(1200))

    @unittest.skipUnless(enet, "skipped: python3-enet is not installed")
    def test_a_neighbour_of_who_connects_all_the_time_gets_in(self):
        self.serve(arena(limits={"loopback": True}))
        senders = [self.socket() for _ in range(500)]
        cookie = harness.request_cookie(self.daemon.ports[0])
        self.flood(1000, lambda i: (
            senders[i % len(senders)], datagram(connect_command(cookie, i % 2**32))))
        self.wait_rejected("connect_rate", 200)
        took_s = self.join()
        print(f"a neighbour in after {took_s:.3f} s, rejected {self.rejected('connect_rate')} for "
              f"connect_rate, {self.rejected('connections')} for connections", flush=True)


    @unittest.skipUnless(enet, "skipped: python3-enet is not installed")
    def test_who_comes_and_goes_does_not_fill_an_arena(self):
        self.serve(arena(max_players=4))
        for _ in range(8):
            visitor = Liar(self.daemon.ports[0])
            visitor.say(hello())
            visitor.wait(WELCOME)
            # As if lost: its player waits for it, once the server believes it, after a second.
            visitor.peer.disconnect_now(0)
            self.daemon.poll("player that is away", lambda player=visitor.session[0]: any(
                row["id"] == player and row["away"] for row in self.status()["players"]))
        self.daemon.poll("players that are away", lambda: self.status()["away"] == 4)
        self.assertEqual(self.rejected("full"), 0)


class FullArenaTest(unittest.TestCase):
    def test_the_rest_is_told_that_it_is_full_and_the_others_play_on(self):
        stage = self.enterContext(Stage())
        daemon = stage.serve(arena(max_players=4, bots=1))
        bots = stage.bots(daemon, 8)
        daemon.wait_pressing(4)
        daemon.poll("rejections",
                    lambda: daemon.get_json()["arenas"][0]["rejections"]["full"] == 4)
        tick = daemon.get_json()["arenas"][0]["tick"]
        daemon.poll("ticks", lambda: daemon.get_json()["arenas"][0]["tick"] > tick + 60)
        status = daemon.get_json()
        self.assertEqual(status["players"], {"now": 4, "bots": 1, "spectators": 0, "max": 4})
        bots.send(signal.SIGINT)
        report = bots.report()
        self.assertEqual((report["connected"], report["rejected"], report["disconnected"]),
                         (4, 4, 0))
        rejected = [row for row in report["players"] if row["end"] == "full"]
        self.assertEqual(len(rejected), 4)
        self.assertTrue(all(row["text"] for row in rejected), rejected)
        self.assertEqual(sum(row["end"] == "left" for row in report["players"]), 4)
        # A place that is left can be taken.
        daemon.wait_players(0)
        stage.bots(daemon, 4)
        daemon.wait_pressing(4)


# --- clients that speak ENet but not our language ---

HELLO, INPUT, WELCOME, SNAPSHOT, GOODBYE, CHAT, CHAT_REJECTED = 1, 2, 3, 7, 8, 9, 10
VERSION = 7
LEFT = 1
REASONS = {"version": 4, "name": 6, "silent": 7, "malformed": 8, "resumed": 9, "channels": 16}
SILENCE_S = 5 # that a connection may last without a hello


def pack(*fields):
    """A message of (value, bits), the first bit in the lowest bit of the first byte."""
    number = at = 0
    for value, bits in fields:
        number |= value << at
        at += bits
    return number.to_bytes((at + 7) // 8, "little")


def begin(kind):
    """The fields that a message begins with; SNAPSHOT is a single 1."""
    return [(1, 1)] if kind == SNAPSHOT else [(0, 1), (kind, 4)]


def kind_of(message):
    bits = int.from_bytes(message, "little")
    return SNAPSHOT if bits & 1 else bits >> 1 & 15


def hello(version=VERSION, name=b"liar", magic=b"RAIM", token=None, capabilities=0):
    """A HELLO with any bytes for a name, and, to resume a session, its token."""
    resume = [(0, 1)] if token is None else [(1, 1), *((byte, 8) for byte in token)]
    return pack(*begin(HELLO), (int.from_bytes(magic, "little"), 32), (version, 16),
                (capabilities, 32), (0, 1), *resume, (0, 8), (len(name), 5),
                *((byte, 8) for byte in name))


def chat(text):
    return pack(*begin(CHAT), (len(text), 7), *((byte, 8) for byte in text))


def read_session(welcome):
    """The player's id and the token of a WELCOME."""
    bits = int.from_bytes(welcome, "little") >> 5
    return bits >> 48 & 0xFFFF, (bits >> 80 & (1 << 128) - 1).to_bytes(16, "little")


def read_goodbye(message):
    """The reason and the text of a GOODBYE, or None for another message."""
    if kind_of(message) != GOODBYE:
        return None
    bits = int.from_bytes(message, "little") >> 5
    length = bits >> 8 & 127
    return bits & 255, (bits >> 15).to_bytes(len(message), "little")[:length].decode("utf-8")


class Liar:
    """A connection of somebody else's ENet on which anything can be said."""

    def __init__(self, port, channels=2):
        self.host = enet.Host(None, 1, channels, 0, 0)
        address = enet.Address(b"127.0.0.1", port)
        self.peer = self.host.connect(address, channels, harness.request_cookie(port))
        self.connected = False
        self.ended = None # ENet's disconnect data
        self.kinds = set() # of messages that came
        self.goodbye = None
        self.session = None # the player's id and the token
        poll("connection", self.service_until(lambda: self.connected))

    def service_until(self, ready):
        """ready, asked after the socket was served."""
        def serve_and_ask():
            while (event := self.host.service(0)).type != enet.EVENT_TYPE_NONE:
                if event.type == enet.EVENT_TYPE_CONNECT:
                    self.connected = True
                elif event.type == enet.EVENT_TYPE_DISCONNECT:
                    self.ended = event.data
                else:
                    self.kinds.add(kind_of(event.packet.data))
                    self.goodbye = self.goodbye or read_goodbye(event.packet.data)
                    if kind_of(event.packet.data) == WELCOME:
                        self.session = read_session(event.packet.data)
            return ready()
        return serve_and_ask

    def say(self, message, reliable=True):
        flags = enet.PACKET_FLAG_RELIABLE if reliable else 0
        self.peer.send(0 if reliable else 1, enet.Packet(message, flags))
        self.host.flush()

    def wait(self, kind):
        """Waits for a message."""
        poll(f"message {kind}", self.service_until(lambda: kind in self.kinds))

    def leave(self):
        """Ends the session, too."""
        _, token = self.session or (0, bytes(16))
        self.say(pack(*begin(GOODBYE), (LEFT, 8), (0, 7), *((byte, 8) for byte in token)))
        self.wait_end()

    def wait_end(self, deadline_s=harness.START_S):
        """The goodbye, after the server has closed the connection."""
        poll("end", self.service_until(lambda: self.ended is not None), deadline_s)
        return self.goodbye


@unittest.skipUnless(enet, "skipped: python3-enet is not installed")
class LiarTest(unittest.TestCase):
    """Two bots play; whatever the liar does, they play on."""

    def setUp(self):
        stage = self.enterContext(Stage())
        self.daemon = stage.serve(arena())
        self.bots = stage.bots(self.daemon, 2)
        self.daemon.wait_pressing(2)

    def tearDown(self):
        self.bots.send(signal.SIGINT)
        report = self.bots.report()
        self.assertEqual((report["disconnected"], report["decode_errors"]), (0, 0))

    def liar(self):
        return Liar(self.daemon.ports[0])

    def rejected(self):
        counts = self.daemon.get_json()["arenas"][0]["rejections"]
        counts.pop("input_late") # a busy machine holds up the others, too
        return counts

    def check_rejection(self, message, reason, deadline_s=harness.START_S):
        """A message instead of a proper hello, None for none, ends with a reason and a text."""
        before = self.rejected()
        liar = self.liar()
        if message is not None:
            liar.say(message)
        code, text = liar.wait_end(deadline_s) or (None, None)
        self.assertEqual(code, REASONS[reason], text)
        self.assertGreater(len(text), 10)
        self.assertEqual(liar.ended, code)
        self.assertEqual(liar.kinds, {GOODBYE})
        self.daemon.poll(f"count of {reason}",
                         lambda: self.rejected() == {**before, reason: before[reason] + 1})
        self.assertEqual(self.daemon.get_json()["players"]["now"], 2)
        return text

    def test_another_version(self):
        for version in (0, VERSION - 1, VERSION + 1, 0xFFFF):
            with self.subTest(version):
                print(self.check_rejection(hello(version), "version"), flush=True)
        # What follows the version in a later protocol is not ours to read.
        self.check_rejection(hello(VERSION + 1) + bytes(range(200)), "version")

    def test_one_channel_is_too_few(self):
        """Snapshots would never reach such a client."""
        liar = Liar(self.daemon.ports[0], channels=1)
        liar.say(hello())
        code, text = liar.wait_end() or (None, None)
        self.assertEqual((code, liar.ended, liar.kinds), (REASONS["channels"],) * 2 + ({GOODBYE},))
        self.assertIn("two channels", text)
        self.assertEqual(self.daemon.get_json()["players"]["now"], 2)

    def test_a_sender_is_told_why_its_chat_is_rejected(self):
        liar = self.liar()
        liar.say(hello())
        liar.wait(WELCOME)
        liar.say(chat(b"\xff"))
        liar.wait(CHAT_REJECTED)
        liar.leave()

    def test_what_a_later_client_may_send_is_ignored(self):
        before, liar = self.rejected(), self.liar()
        liar.say(hello(capabilities=0xFFFFFFFF))
        liar.wait(WELCOME)
        for kind in (11, 12, 15):
            for reliable in (True, False):
                liar.say(pack(*begin(kind), (0x123456, 24)), reliable)
        liar.say(chat(b"\xff")) # behind them all
        liar.wait(CHAT_REJECTED)
        expected = {**before, "chat": before["chat"] + 1, "unexpected": before["unexpected"] + 6}
        self.daemon.poll("counts", lambda: self.rejected() == expected)
        liar.leave()

    def test_a_name_of_garbage_bytes(self):
        for name in (b"\xff\xfe\xfd", b"\xc0\xaf", b"ab\x80", b"\xed\xa0\x80", b"\x01\x02\x1b",
                     b"   ", b"", b"\xe2\x80\x8b"):
            with self.subTest(name):
                text = self.check_rejection(hello(name=name), "name")
        print(text, flush=True)

    def test_a_hello_that_cannot_be_read(self):
        for message in (hello(magic=b"QUAK"), hello()[:-1], hello() + b"\0", hello(name=b"a\0b"),
                        pack(*begin(HELLO)), hello(name=bytes(25))):
            with self.subTest(message):
                self.check_rejection(message, "malformed")

    def test_no_hello_at_all(self):
        self.check_rejection(None, "silent", SILENCE_S + harness.START_S)

    def test_a_name_is_cleaned(self):
        liar = self.liar()
        liar.say(hello(name="\u202e \x1b[2J\u00c4nne \n".encode()))
        liar.wait(WELCOME)
        self.daemon.wait_players(3)
        names = [player["name"] for player in self.daemon.get_json()["arenas"][0]["players"]]
        self.assertIn("[2J\u00c4nne", names)
        liar.leave()
        self.daemon.wait_players(2)

    def test_garbage_from_a_player_is_counted_and_forgiven(self):
        chance = random.Random(1)
        liar = self.liar()
        liar.say(hello())
        liar.wait(SNAPSHOT)
        liar.say(hello())
        self.daemon.poll("count of a second hello", lambda: self.rejected()["unexpected"] == 1)
        liar.say(pack(*begin(INPUT), (0, 32), (1, 1), (0x7FFF, 16), (0, 16), (0, 3), (0, 21)),
                 reliable=False)
        self.daemon.poll("count of an ack of the future", lambda: self.rejected()["ack"] == 1)
        for count in range(1, 300):
            kind = chance.choice((0, INPUT, INPUT, SNAPSHOT, 15))
            liar.say(pack(*begin(kind), (chance.randrange(8), 3))
                     + chance.randbytes(chance.randrange(60)), reliable=count % 2 == 0)
            liar.service_until(lambda: True)()
        self.daemon.poll("count of much garbage", lambda: self.rejected()["malformed"] > 30)
        self.daemon.poll("count of unknown kinds", lambda: self.rejected()["unexpected"] > 30)
        self.assertEqual(self.daemon.get_json()["players"]["now"], 3)
        self.assertIsNone(liar.ended)
        liar.leave()
        self.daemon.wait_players(2)

    def test_a_lost_player_comes_back_by_its_token_alone(self):
        def arena_status():
            return self.daemon.get_json()["arenas"][0]
        liar = self.liar()
        liar.say(hello())
        liar.wait(WELCOME)
        player, token = liar.session
        liar.peer.disconnect_now(0)
        self.daemon.poll("player that is away", lambda: arena_status()["away"] == 1)
        shown = {row["id"]: row for row in arena_status()["players"]}[player]
        self.assertEqual((shown["name"], shown["away"], shown["ping_ms"]), ("liar", True, 0))
        # A guess is a fresh join, even if it is wrong by one bit only.
        guesser = self.liar()
        guesser.say(hello(token=bytes([token[0] ^ 1]) + token[1:]))
        guesser.wait(WELCOME)
        self.assertNotEqual(guesser.session[0], player)
        self.assertNotEqual(guesser.session[1], token)
        self.daemon.wait_players(4)
        self.assertEqual(arena_status()["away"], 1)
        guesser.leave()
        # The token itself gives the player back, also while somebody still has it.
        first = self.liar()
        first.say(hello(token=token))
        first.wait(SNAPSHOT)
        second = self.liar()
        second.say(hello(token=token))
        second.wait(SNAPSHOT)
        self.assertEqual([first.session, second.session], [(player, token)] * 2)
        self.assertEqual(first.wait_end()[0], REASONS["resumed"])
        self.daemon.wait_players(3)
        self.assertEqual(arena_status()["away"], 0)
        second.leave()
        self.daemon.wait_players(2)

    def test_a_flood_of_chat_is_rejected_and_counted(self):
        liar = self.liar()
        liar.say(hello())
        liar.wait(SNAPSHOT)
        for _ in range(100):
            liar.say(chat(b"buy"))
        self.daemon.poll("count of much chat", lambda: self.rejected()["chat"] >= 90)
        for text in (b" ", b"\xff\xfe", b"\xe2\x80\x8b"):
            before = self.rejected()["chat"]
            liar.say(chat(text))
            self.daemon.poll(f"count of {text}", lambda: self.rejected()["chat"] == before + 1)
        liar.say(chat(b"cut")[:-1])
        self.daemon.poll("count of chat cut short", lambda: self.rejected()["malformed"] == 1)
        self.assertIsNone(liar.ended)
        liar.leave()
        self.daemon.wait_players(2)


if __name__ == "__main__":
    harness.main()
