#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What Wireshark shows with proto/raim.lua: the vectors as the document says, a whole session of a
real raimd with real clients without a complaint, and damaged datagrams as such."""

import json
import os
import random
import select
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

import harness
from harness import ROOT, Stage, arena

CLIENTS = 3
SECONDS = 5
# What Wireshark shows of each vector; a change is reviewed as one of the dissector's.
SHOWN = ROOT / "tests/golden/dissector.json"
BLESSES = "RAIM_BLESS" in os.environ # ./dev bless
PORT = 7246 # what raim.lua looks at unless it is told otherwise
SEED = 4
DAMAGED = 4000

INPUT, WELCOME, OBSTACLES, ROSTER, EVENTS, SNAPSHOT, GOODBYE = map(str, range(2, 9))
SEND_RELIABLE, SEND_UNRELIABLE = 6, 7
RELIABLE, SENT_TIME = 0x80, 0x8000


def has_tshark():
    if shutil.which("tshark") is None:
        return False
    version = subprocess.run(["tshark", "--version"], capture_output=True, text=True, check=True)
    return "with Lua" in version.stdout


TSHARK = has_tshark()


# --- captures ---

def frame(payload, source, target):
    """An Ethernet frame around a datagram on loopback, with checksums that nobody looks at."""
    udp = struct.pack("!HHHH", source, target, 8 + len(payload), 0) + payload
    host = bytes((127, 0, 0, 1))
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, socket.IPPROTO_UDP, 0)
    return bytes(12) + b"\x08\x00" + ip + host + host + udp


def write_pcap(path, datagrams):
    """`datagrams` are (seconds, payload, source port, target port)."""
    with open(path, "wb") as file:
        file.write(struct.pack("!IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for seconds, payload, source, target in datagrams:
            data = frame(payload, source, target)
            file.write(struct.pack("!IIII", int(seconds), int(seconds % 1 * 1e6), len(data),
                                   len(data)) + data)


def enet_datagram(message, is_reliable):
    """A datagram of ENet's that carries one message."""
    if is_reliable:
        command = struct.pack("!BBHH", SEND_RELIABLE | RELIABLE, 0, 1, len(message))
    else:
        command = struct.pack("!BBHHH", SEND_UNRELIABLE, 1, 1, 1, len(message))
    return struct.pack("!HH", SENT_TIME, 1) + command + message


class Packet:
    """What tshark shows of a datagram: the values of each field, wherever they are in the tree."""

    def __init__(self, layers):
        self.fields = {}
        self._collect(layers)

    def _collect(self, node):
        for key, value in node.items():
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, dict):
                    self._collect(each)
                else:
                    self.fields.setdefault(key, []).append(each)

    def __getitem__(self, name):
        return self.fields.get(name, [])

    @property
    def kinds(self):
        return self["raim.kind"]

    @property
    def ports(self):
        return self["udp.srcport"] + self["udp.dstport"]


class Capture:
    """A capture file that tshark reads with raim.lua, and with nobody's own preferences."""

    def __init__(self, datagrams):
        self.datagrams = datagrams

    def tshark(self, *arguments):
        with tempfile.TemporaryDirectory(prefix="raimd-test-") as home:
            path = os.path.join(home, "capture.pcap")
            write_pcap(path, self.datagrams)
            result = subprocess.run(
                ["tshark", "-n", "-r", path, "-X", f"lua_script:{ROOT / 'proto/raim.lua'}",
                 *arguments], env={**os.environ, "HOME": home, "XDG_CONFIG_HOME": home},
                capture_output=True, text=True, timeout=100, check=False)
        if result.returncode != 0 or "Lua" in result.stderr:
            raise AssertionError(f"tshark ends with {result.returncode}: {result.stderr}")
        return result.stdout

    def read(self, *arguments):
        """Every datagram as a Packet."""
        shown = json.loads(self.tshark("-T", "json", "--no-duplicate-keys", *arguments))
        return [Packet(packet["_source"]["layers"]) for packet in shown]

    def count(self, display_filter, *arguments):
        return len(self.tshark("-Y", display_filter, *arguments).splitlines())


MALFORMED = "raim.malformed or raim_enet.malformed or raim_connectionless.malformed"
# Wireshark's own word for malformed goes with ours; alone it means that reading was broken off.
LUA_ERROR = f"_ws.lua.error or (_ws.malformed and not ({MALFORMED}))"


# --- vectors ---

VECTORS = json.loads((ROOT / "proto/vectors.json").read_text(encoding="utf-8"))


def told_payload(told, message=None):
    """ENet's datagram with a message of a vector or a session, or with another one in its place."""
    message = bytes.fromhex(told["hex"]) if message is None else message
    return enet_datagram(message, told["channel"] == 0)


def told_datagram(told, payload=None, port=PORT):
    ports = (50000, port) if told["from"] == "client" else (port, 50000)
    return 0, told_payload(told) if payload is None else payload, *ports


def vector_session(port=PORT):
    """The vectors as a session of one client."""
    return [told_datagram(vector, port=port) for vector in VECTORS]


@unittest.skipUnless(TSHARK, "skipped: no tshark with Lua is installed")
class VectorsTest(unittest.TestCase):
    """The document's examples, one a datagram."""

    def test_every_vector_is_shown(self):
        packets = dict(zip((vector["name"] for vector in VECTORS),
                           Capture(vector_session()).read()))
        shown = {name: {key: values for key, values in packet.fields.items()
                        if key.startswith("raim.")} for name, packet in packets.items()}
        if BLESSES:
            lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(fields)}"
                              for name, fields in shown.items())
            SHOWN.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
        expected = json.loads(SHOWN.read_text(encoding="utf-8"))
        self.assertEqual(shown.keys(), expected.keys())
        for name, fields in expected.items():
            self.assertEqual(shown[name], fields, f"{name}; if it is intended, ./dev bless")
            self.assertEqual(len(packets[name].kinds), 1, name)
        self.assertGreater(int(packets["snapshot delta"]["raim.unread_bits"][0]), 100)
        self.assertEqual(Capture(vector_session()).count(f"{MALFORMED} or {LUA_ERROR}"), 0)

    def test_a_whole_session_is_read(self):
        told = json.loads((ROOT / "proto/session.json").read_text(encoding="utf-8"))["session"]
        capture = Capture([told_datagram(each) for each in told])
        self.assertEqual(capture.count(f"{MALFORMED} or {LUA_ERROR}"), 0)
        self.assertEqual(capture.count("raim.kind"), len(told))

    def test_what_only_later_versions_send_is_shown_as_such(self):
        later = enet_datagram(bytes((15 << 1, 0xFF)), True)
        capture = Capture([(0, later, PORT, 50000), (0, later, 50000, PORT)])
        self.assertEqual(capture.count("raim.kind == 15 and raim.unread_bits == 11"), 2)
        self.assertEqual(capture.count(f"{MALFORMED} or {LUA_ERROR}"), 0)

    def test_other_ports_are_read_on_demand(self):
        capture = Capture(vector_session(port=9999))
        self.assertEqual(capture.count("raim"), 0)
        self.assertEqual(capture.count("raim", "-d", "udp.port==9999,raim_enet"),
                         len(capture.datagrams))
        self.assertEqual(capture.count("raim", "-o", "raim_enet.ports:7246,9990-9999"),
                         len(capture.datagrams))

    def test_a_snapshot_without_its_welcome_says_so(self):
        capture = Capture([told_datagram(vector) for vector in VECTORS
                           if vector["name"] != "welcome"])
        self.assertEqual(capture.count("raim.kind == 7 and raim.unread_bits"), 2)
        self.assertEqual(capture.tshark("-V").count("only WELCOME, which the capture lacks"), 2)
        self.assertEqual(capture.count(f"{MALFORMED} or {LUA_ERROR}"), 0)

    def test_what_ends_early_or_goes_on_is_shown_as_such(self):
        session, wrong = vector_session(), []
        for vector in VECTORS:
            # ENet's header alone is a datagram, with the sent time or without.
            payload, message = told_payload(vector), bytes.fromhex(vector["hex"])
            wrong += [told_datagram(vector, payload[:size]) for size in range(3, len(payload))
                      if size != 4]
            if vector["name"] != "snapshot delta": # where it ends only its baseline tells
                wrong += [told_datagram(vector, told_payload(vector, message[:size]))
                          for size in range(len(message))]
                wrong.append(told_datagram(vector, told_payload(vector, message + b"\0")))
        capture = Capture(session + wrong)
        self.assertEqual(capture.count(MALFORMED), len(wrong))
        self.assertEqual(capture.count(LUA_ERROR), 0)

    def test_no_damage_leads_to_an_error_of_lua(self):
        print(f"seed {SEED}", flush=True)
        chance = random.Random(SEED)
        session, damaged = vector_session(), []
        for _ in range(DAMAGED):
            _, payload, *ports = chance.choice(session)
            data = bytearray(payload[:chance.randint(1, 2 * len(payload))])
            for _ in range(chance.randint(1, 4)):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            damaged.append((0, bytes(data), *ports))
            damaged.append((0, chance.randbytes(chance.randrange(100)), *ports))
        capture = Capture(session + damaged)
        self.assertEqual(capture.count(LUA_ERROR), 0)
        self.assertGreater(capture.count(MALFORMED), DAMAGED)


@unittest.skipUnless(TSHARK, "skipped: no tshark with Lua is installed")
class ConnectRequestsTest(unittest.TestCase):
    """Datagrams without a connection, made by hand."""

    CLIENT, SERVER = (40000, PORT), (PORT, 40000) # from where to where

    @staticmethod
    def head(kind, rest=b"", form=2):
        return b"\xff\xff\xff\xffRAIM" + bytes((kind, form)) + rest

    def read(self, *datagrams):
        """`datagrams` are pairs of CLIENT or SERVER and a payload."""
        return Capture([(0, payload, *way) for way, payload in datagrams]).read()

    def expect(self, packet, expected):
        self.assertEqual({f"raim_connectionless.{name}": packet[f"raim_connectionless.{name}"] for name in expected},
                         {f"raim_connectionless.{name}": values for name, values in expected.items()})
        self.assertEqual(packet["raim_connectionless.malformed"], [])

    def test_connect_request_cookie_invite_and_rejected_are_shown(self):
        connect_request, shown, plain, encrypting, locked, invite, rejected, announcement = self.read(
            (self.CLIENT, self.head(1).ljust(512, b"\0")),
            (self.CLIENT, self.head(1, b"\7\0\0\0\1\3abc").ljust(512, b"\0")),
            (self.SERVER, self.head(2, bytes((1, 0x0D, 0x0C, 0x0B, 0x0A)) + b"\4duel")),
            (self.SERVER, self.head(2, bytes((38, 1, 0, 0, 0)) + b"\1a" + b"k" * 32)),
            (self.SERVER, self.head(2, bytes((19, 1, 0, 0, 0)) + b"\1a" + b"k" * 32 + b"s" * 16)),
            (self.SERVER, self.head(3, b"n" * 8 + b"p" * 8)),
            (self.SERVER, self.head(5, b"\x0cspam")),
            (self.CLIENT, self.head(6, struct.pack("<Q", 9) + bytes(15) + b"\1" + b"\7\0"
                                    + bytes(15) + b"\2" + b"\x08\0" + b"t" * 16)))
        self.expect(connect_request, {"kind": ["1"], "form": ["2"], "cookie": ["0"],
                                      "credential": []})
        self.expect(shown, {"cookie": ["7"], "credential_kind": ["1"],
                            "credential": [b"abc".hex(":")]})
        self.expect(plain, {"kind": ["2"], "needs_admission": ["1"], "offers_encryption": ["0"],
                            "cookie": [str(0x0A0B0C0D)], "arena": ["duel"], "server_key": []})
        self.expect(encrypting, {"needs_admission": ["0"], "offers_encryption": ["1"],
                                 "requires_encryption": ["1"], "admitted": ["0"], "cookie": ["1"],
                                 "offers_aesgcm": ["1"],
                                 "server_key": [":".join(["6b"] * 32)]})
        self.expect(locked, {"needs_password": ["1"], "admitted": ["0"], "offers_aesgcm": ["0"],
                             "server_key": [":".join(["6b"] * 32)],
                             "salt": [":".join(["73"] * 16)]})
        self.expect(invite, {"kind": ["3"], "nonce": [":".join(["6e"] * 8)],
                             "proof": [":".join(["70"] * 8)]})
        self.expect(rejected, {"kind": ["5"], "reason": ["12"], "text": ["spam"]})
        self.expect(announcement, {"kind": ["6"], "time": ["9"], "gateway": ["::1"],
                                   "gateway_port": ["7"], "player": ["::2"], "player_port": ["8"],
                                   "tag": [":".join(["74"] * 16)]})

    def test_handshakes_and_what_is_encrypted_are_shown_as_such(self):
        header, tag = b"\x40" + bytes(6) + b"\5", b"t" * 16
        init, other, response, encrypted = self.read(
            (self.CLIENT, self.head(4, bytes((7, 0, 0, 0)) + b"e" * 32 + b"p" * 2 + tag)),
            (self.CLIENT, self.head(4, bytes((7, 0, 0, 128)) + b"e" * 32 + b"p" * 2 + tag)),
            (self.SERVER, self.head(4, b"e" * 32 + b"p" + tag)),
            (self.SERVER, header + b"s" * 20 + tag))
        self.expect(other, {"cookie": ["7"], "aesgcm": ["1"]})
        self.expect(init, {"cookie": ["7"], "aesgcm": ["0"], "ephemeral": [":".join(["65"] * 32)],
                           "payload": ["70:70"], "tag": [":".join(["74"] * 16)]})
        self.expect(response, {"cookie": [], "aesgcm": [], "ephemeral": [":".join(["65"] * 32)],
                               "payload": ["70"]})
        self.expect(encrypted, {"kind": [], "header": [str((1 << 62) + 5)],
                                "encrypted": [":".join(["73"] * 20)]})

    def test_what_is_none_of_them_is_malformed(self):
        wrong = [self.head(1).ljust(511, b"\0"), self.head(1).ljust(511, b"\0") + b"x",
                 self.head(1, b"\0\0\0\0\4").ljust(512, b"\0"),
                 self.head(6), self.head(7), self.head(0), self.head(2), self.head(2, bytes(6) + b"\1"),
                 self.head(2, b"\2\1\0\0\0\1a" + bytes(31)), self.head(3, bytes(15)),
                 self.head(3, bytes(17)), self.head(4, bytes(40)), self.head(5),
                 self.head(3, bytes(16), form=1), b"\x40" + bytes(23)]
        capture = Capture([(0, payload, *self.CLIENT) for payload in wrong])
        self.assertEqual(capture.count("raim_connectionless.malformed"), len(wrong))
        self.assertEqual(capture.count(LUA_ERROR), 0)

    def test_no_damage_leads_to_an_error_of_lua(self):
        print(f"seed {SEED}", flush=True)
        chance = random.Random(SEED)
        whole = [self.head(1).ljust(512, b"\0"), self.head(2, b"\2\1\0\0\0\1a" + bytes(32)),
                 self.head(3, bytes(16)), self.head(4, bytes(90)), self.head(5, b"\1x"),
                 b"\x40" + bytes(60)]
        damaged = []
        for _ in range(1000):
            data = bytearray(chance.choice(whole)[:chance.randint(1, 512)])
            data[chance.randrange(min(len(data), 20))] ^= 1 << chance.randrange(8)
            damaged.append((0, bytes(data), *chance.choice((self.CLIENT, self.SERVER))))
        self.assertEqual(Capture(damaged).count(LUA_ERROR), 0)

    def test_queries_are_somebody_elses(self):
        self.assertEqual(self.read((self.CLIENT, b"\xff\xff\xff\xffTSource Engine Query\0"))[0]
                         ["raim_connectionless.malformed"], [])


# --- a session ---

class Relay(threading.Thread):
    """Passes datagrams between clients and an arena, and keeps them. `ports` is where it listens,
    as a daemon has it."""

    def __init__(self, arena_port):
        super().__init__(daemon=True)
        self.arena = "127.0.0.1", arena_port
        self.front = self._socket()
        self.ports = [self.front.getsockname()[1]]
        self.datagrams = [] # as write_pcap() takes them
        self._stopping = threading.Event()

    @staticmethod
    def _socket():
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind(("127.0.0.1", 0))
        return made

    def run(self):
        clients, backs = {}, {} # the arena's side by client, and back
        while not self._stopping.is_set():
            for ready in select.select([self.front, *backs], [], [], 0.05)[0]:
                try:
                    payload, address = ready.recvfrom(4096)
                except ConnectionError: # whom we wrote to has gone
                    continue
                if ready is self.front:
                    if address not in clients:
                        clients[address] = self._socket()
                        backs[clients[address]] = address
                    clients[address].sendto(payload, self.arena)
                    self.datagrams.append((time.time(), payload, address[1], PORT))
                else:
                    self.front.sendto(payload, backs[ready])
                    self.datagrams.append((time.time(), payload, PORT, backs[ready][1]))
        for each in (self.front, *backs):
            each.close()

    def stop(self):
        self._stopping.set()
        self.join()


@unittest.skipUnless(TSHARK, "skipped: no tshark with Lua is installed")
class SessionTest(unittest.TestCase):
    """What clients and a raimd say to each other, from the first datagram to the last."""

    @classmethod
    def setUpClass(cls):
        stage = cls.enterClassContext(Stage())
        daemon = stage.serve(arena("pit", bots=4, encryption="off"))
        relay = Relay(daemon.ports[0])
        relay.start()
        cls.addClassCleanup(relay.stop)
        cls.report = stage.bots(relay, CLIENTS, SECONDS).report(SECONDS + harness.START_S)
        daemon.wait_players(0)
        relay.stop()
        cls.capture = Capture(relay.datagrams)
        cls.packets = cls.capture.read()
        cls.names = {row["name"] for row in cls.report["players"]}

    def packets_with(self, kind):
        return [packet for packet in self.packets if kind in packet.kinds]

    def snapshots(self):
        """By the client's port: the ticks and the ages of the baselines."""
        told = {}
        for packet in self.packets_with(SNAPSHOT):
            told.setdefault(packet["udp.dstport"][0], []).extend(
                zip(map(int, packet["raim.tick"]), map(int, packet["raim.snapshot.baseline_age"])))
        return told

    def test_everything_is_read(self):
        self.assertEqual(self.report["connected"], CLIENTS)
        self.assertEqual(self.report["decode_errors"], 0)
        self.assertEqual(self.capture.count("raim_enet or raim_connectionless"),
                         len(self.capture.datagrams))
        self.assertEqual(self.capture.count(f"{MALFORMED} or {LUA_ERROR}"), 0)

    def test_each_connection_begins_with_a_connect_request(self):
        connect_requests, cookies = (
            [packet for packet in self.packets if packet["raim_connectionless.kind"] == [kind]]
            for kind in ("1", "2"))
        self.assertEqual({packet["udp.srcport"][0] for packet in connect_requests},
                         {packet["udp.dstport"][0] for packet in cookies})
        given = {packet["raim_connectionless.cookie"][0] for packet in cookies}
        connects = [packet for packet in self.packets if "2" in packet["raim_enet.command"]]
        self.assertGreaterEqual(len(connects), CLIENTS)
        for packet in connects:
            self.assertIn(packet["raim_enet.data"][0], given)

    def test_clients_are_welcomed_by_name(self):
        hellos = self.packets_with("1")
        self.assertEqual({packet["raim.name"][0] for packet in hellos}, self.names)
        welcomed = {packet["udp.dstport"][0] for packet in self.packets_with(WELCOME)}
        self.assertEqual(len(welcomed), CLIENTS)
        for packet in self.packets_with(WELCOME):
            self.assertEqual(packet["raim.welcome.map_name"], ["crossfire"])
        rostered = {name for packet in self.packets_with(ROSTER) for name in packet["raim.name"]}
        joined = {name for packet in self.packets_with(EVENTS) for name in packet["raim.name"]}
        self.assertLessEqual(self.names, rostered | joined)
        self.assertTrue(self.packets_with(OBSTACLES))

    def test_snapshots_come_with_rising_ticks(self):
        told = self.snapshots()
        self.assertEqual(len(told), CLIENTS)
        for snapshots in told.values():
            ticks = [tick for tick, _ in snapshots]
            self.assertGreater(len(ticks), 10)
            self.assertEqual(ticks, sorted(set(ticks)))
            # What a delta changes was told before, so both its tick and its age were read right.
            for index, (tick, age) in enumerate(snapshots):
                if age > 0:
                    self.assertIn(tick - age, ticks[:index])
            self.assertGreater(sum(age > 0 for _, age in snapshots), len(snapshots) / 2)
        self.assertGreaterEqual(sum(map(len, told.values())), self.report["snapshots"])

    def test_inputs_acknowledge_what_was_told(self):
        told = self.snapshots()
        acknowledged = 0
        for packet in self.packets_with(INPUT):
            ticks = {tick % 2**16 for tick, _ in told[packet["udp.srcport"][0]]}
            self.assertLessEqual(set(map(int, packet["raim.input.snapshot"])), ticks)
            acknowledged += len(packet["raim.input.snapshot"])
        self.assertGreater(acknowledged, CLIENTS * SECONDS * harness.TICK_HZ / 4)

    def test_clients_say_goodbye(self):
        said = {packet["udp.srcport"][0]: packet["raim.reason"]
                for packet in self.packets_with(GOODBYE)}
        self.assertEqual(list(said.values()), [["1"]] * CLIENTS)

    def test_an_encrypted_session_is_all_encrypted(self):
        stage = self.enterContext(Stage())
        daemon = stage.serve(arena("pit", encryption="required"))
        relay = Relay(daemon.ports[0])
        relay.start()
        self.addCleanup(relay.stop)
        report = stage.bots(relay, 1, 3).report(3 + harness.START_S)
        self.assertEqual(report["connected"], 1)
        daemon.wait_players(0)
        relay.stop()
        capture = Capture(relay.datagrams)
        self.assertEqual(capture.count("raim_connectionless"), len(relay.datagrams))
        self.assertGreater(capture.count("raim_connectionless.header and "
                                         "not raim_connectionless.kind"), 60)
        self.assertEqual(capture.count(f"raim_enet or {MALFORMED} or {LUA_ERROR}"), 0)


if __name__ == "__main__":
    harness.main()
