#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Encrypted arenas over real sockets: who plays there, what the network sees, and what somebody who
can send from a player's own address achieves."""

import ctypes
import json
import pathlib
import random
import re
import signal
import socket
import stat
import struct
import subprocess
import time
import unittest

import harness
import secure_client
from secure_client import (AESGCM_BIT, CONNECT_REQUEST, COOKIE, HANDSHAKE, HEAD, OFFERS_AESGCM,
                           REJECTED, REQUIRED, SecureClient, connect_request)
from wire import Wire

UNREACHABLE = 69 # exit status of raim-bots without a single connection
ACCESS = 14 # a reason
# Whether libsodium has AES-256-GCM here.
HAS_AESGCM = bool(ctypes.CDLL("libsodium.so.23").sodium_init() >= 0
                  and ctypes.CDLL("libsodium.so.23").crypto_aead_aes256gcm_is_available())


def has_word(datagram, word):
    """Whether a datagram has a word in it; the fields of messages begin at any bit."""
    number = int.from_bytes(datagram, "little")
    return any(word in (number >> shift).to_bytes(len(datagram), "little") for shift in range(8))


@unittest.skipIf(secure_client.MISSING, secure_client.MISSING)
class HandshakeVectorTest(unittest.TestCase):
    """datagrams.json: the handshake with fixed keys, as another implementation makes it."""

    def test_the_handshakes_are_as_told(self):
        vectors = json.loads((harness.ROOT / "proto/datagrams.json").read_text(encoding="utf-8"))
        handshakes = [vector for vector in vectors if vector["kind"] == "handshake"]
        self.assertEqual([told["value"]["aesgcm"] for told in handshakes], [0, 1])
        for told in handshakes:
            with self.subTest(told["name"]):
                self.check(told)

    def check(self, told):
        value, init = told["value"], bytes.fromhex(told["hex"])
        cookie = secure_client.Cookie(bytes.fromhex(value["cookie"]))
        self.assertEqual(cookie.server_key.hex(), value["server_key"])
        secret = secure_client.X25519PrivateKey.from_private_bytes(
            bytes.fromhex(value["client_ephemeral_secret"]))
        cipher = secure_client.AESGCM if value["aesgcm"] else secure_client.ChaCha20Poly1305
        noise = secure_client.Initiator(cookie.server_key, secure_client.prologue_of(cookie.data),
                                        secret, cipher)
        credential = bytes.fromhex(value["credential"])
        payload = bytes((value["credential_kind"], len(credential))) + credential
        number = cookie.number | (AESGCM_BIT if value["aesgcm"] else 0)
        self.assertEqual(HANDSHAKE + number.to_bytes(4, "little") + noise.write(payload), init)
        self.assertEqual(list(noise.read(bytes.fromhex(value["response"])[10:])), [value["reason"]])
        self.assertEqual(noise.h.hex(), value["handshake_hash"])
        for name, key in zip(("up", "down"), noise.split()):
            self.assertEqual(key.hex(), value[f"{name}_key"])
            direction = secure_client.Direction(key, cipher)
            self.assertEqual(direction.number_key.hex(), value[f"{name}_number_key"])
            for datagram in value[name]:
                self.assertEqual(direction.open(bytes.fromhex(datagram["hex"])).hex(),
                                 datagram["plain"])


class Encrypted(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(harness.Stage())

    def serve(self, env=None, encryption="required", **keys):
        return self.stage.serve(harness.arena(encryption=encryption, **keys), env=env)

    def wire(self, daemon):
        wire = Wire(daemon.ports[0])
        self.addCleanup(wire.end)
        return wire

    def rejected(self, daemon, reason):
        return daemon.get_json()["arenas"][0]["rejections"][reason]

    def wait_rejected(self, daemon, reason, more_than=0):
        daemon.poll(f"a count of {reason}", lambda: self.rejected(daemon, reason) > more_than)

    def play(self, daemon, clients, network=(), ports=None, **more):
        """The report of clients that were in the game for a second."""
        bots = self.stage.bots(daemon, clients, network=network, ports=ports, **more)
        tick = daemon.wait_pressing(clients)["arenas"][0]["tick"]
        daemon.poll("a second of ticks",
                    lambda: daemon.get_json()["arenas"][0]["tick"] > tick + harness.TICK_HZ)
        bots.stop()
        report = bots.report()
        daemon.wait_players(0)
        return report

    def check(self, report, clients):
        self.assertEqual(report["connected"], clients)
        self.assertEqual(report["disconnected"], 0)
        self.assertEqual(report["decode_errors"], 0)
        self.assertEqual(report["events_ahead"], 0)

    def test_clients_play_and_nothing_can_be_read(self):
        daemon = self.serve(bots=4)
        wire = self.wire(daemon)
        self.check(self.play(daemon, 8, ports=[wire.port]), 8)
        self.assertEqual(self.rejected(daemon, "unencrypted"), 0)
        plain = (b"bot-", b"Bot ", b"crossfire")
        for datagram in wire.up + wire.down:
            self.assertLessEqual(len(datagram), 1224)
            self.assertFalse(any(has_word(datagram, word) for word in plain))
            self.assertTrue(datagram.startswith(HEAD) or 0x40 <= datagram[0] < 0x80)
        self.assertGreater(len(wire.down), 100)

    def test_ends_without_aes_play_with_those_that_have_it(self):
        without = {"LD_PRELOAD": str(harness.BIN / "fault_processor.so"),
                   "ASAN_OPTIONS": "verify_asan_link_order=0"}
        for server, client in ((None, None), (without, None), (None, without)):
            with self.subTest(server=server, client=client):
                daemon = self.serve(server)
                wire = self.wire(daemon)
                self.check(self.play(daemon, 2, ports=[wire.port], env=client), 2)
                offers = any(data[10] & OFFERS_AESGCM for data in wire.down if data.startswith(COOKIE))
                self.assertEqual(offers, server is None and HAS_AESGCM)
                chosen = any(data[13] & 128 for data in wire.up if data.startswith(HANDSHAKE))
                self.assertEqual(chosen, server is client and HAS_AESGCM)
                if server is not None: # it does not read who chooses AES in spite of that
                    stranger = self.enterContext(SecureClient(daemon.ports[0]))
                    stranger.fetch_cookie().flags |= OFFERS_AESGCM
                    self.assertIsNone(stranger.ask(stranger.make_init(), HANDSHAKE, 2))
                daemon.stop()

    @unittest.skipUnless(harness.HAS_IPV6, "skipped: this machine has no IPv6")
    def test_clients_play_over_ipv6(self):
        daemon = self.serve(bots=4)
        wire = Wire(daemon.ports[0], "::1")
        self.addCleanup(wire.end)
        known = self.stage.directory / "known"
        report = self.play(daemon, 4, ("--known-servers", known, "--require-encryption"),
                           [wire.port], host="[::1]")
        self.check(report, 4)
        self.assertRegex(known.read_text(), rf"^\[::1\]:{wire.port} [0-9a-f]{{64}}\n$")

    def test_what_is_added_changed_or_repeated_on_the_way_does_nothing(self):
        daemon = self.serve()
        wire = self.wire(daemon)
        chance = random.Random(1)

        def meddle(datagram, up):
            if datagram.startswith((CONNECT_REQUEST, COOKIE, HANDSHAKE)):
                return [datagram]
            peer = chance.randrange(4)
            goodbye = struct.pack(">HHBBHI", 0x8000 | peer, 7, 0x84, 0xFF, 1, 0)
            rude = struct.pack(">HBBHI", peer, 0x44, 0xFF, 1, 0)
            changed = bytearray(datagram)
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
            old = chance.choice((wire.up if up else wire.down)[-100:])
            parts = [goodbye, rude, bytes(changed), datagram, datagram, old,
                     chance.randbytes(chance.randrange(200))]
            chance.shuffle(parts)
            return parts

        wire.change = meddle
        bots = self.stage.bots(daemon, 4, ports=[wire.port])
        daemon.wait_pressing(4)
        for reason in ("unencrypted", "forged", "replayed"):
            self.wait_rejected(daemon, reason, 10)
        bots.stop()
        self.check(bots.report(), 4)

    def test_a_plain_client_is_not_heard(self):
        daemon = self.serve()
        wire = self.wire(daemon)

        def decrypt(datagram, up):
            # What a client that knows no better takes for an arena without encryption.
            if not up and datagram.startswith(COOKIE):
                datagram = COOKIE + b"\0" + datagram[11:-32]
            return [datagram]

        wire.change = decrypt
        bots = self.stage.bots(daemon, 1, 2, ports=[wire.port])
        bots.expected_status = UNREACHABLE
        bots.wait(harness.START_S)
        self.wait_rejected(daemon, "unencrypted")
        careful = self.stage.bots(daemon, 1, 2, ports=[wire.port], network=["--require-encryption"])
        careful.expected_status = UNREACHABLE
        before = len(wire.up)
        careful.wait(harness.START_S)
        self.assertTrue(all(datagram.startswith(CONNECT_REQUEST) for datagram in wire.up[before:]))

    def test_who_changes_the_offer_breaks_the_handshake(self):
        daemon = self.serve(encryption="offered")
        for flag in (REQUIRED, OFFERS_AESGCM):
            wire = self.wire(daemon)

            def change(datagram, up, flag=flag):
                if not up and datagram.startswith(COOKIE):
                    datagram = COOKIE + bytes((datagram[10] ^ flag,)) + datagram[11:]
                return [datagram]

            wire.change = change
            before = self.rejected(daemon, "forged")
            bots = self.stage.bots(daemon, 1, 2, ports=[wire.port])
            bots.expected_status = UNREACHABLE
            bots.wait(harness.START_S)
            self.wait_rejected(daemon, "forged", before)

    def test_where_it_is_offered_our_clients_take_it_and_others_play_too(self):
        daemon = self.serve(encryption="offered")
        wire = self.wire(daemon)
        bots = self.stage.bots(daemon, 4, 0, ports=[wire.port])
        daemon.wait_pressing(4)
        cookie = harness.request_cookie(daemon.ports[0])
        self.assertLess(cookie, 1 << 31)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plain:
            plain.settimeout(harness.START_S)
            plain.connect(("127.0.0.1", daemon.ports[0]))
            plain.send(struct.pack(">HHBBHHBBIIIIIIIII", 0x8FFF, 1, 0x82, 0xFF, 1, 0, 0xFF, 0xFF,
                                   1200, 32768, 2, 0, 0, 5000, 2, 2, 7)
                       + struct.pack(">I", cookie))
            self.assertEqual(plain.recv(2048)[4] & 15, 3) # VERIFY_CONNECT
        bots.stop()
        self.check(bots.report(), 4)
        self.assertTrue(all(datagram.startswith(HEAD) or 0x40 <= datagram[0] < 0x80
                            for datagram in wire.up + wire.down))

    def test_off_answers_no_handshake(self):
        daemon = self.serve(encryption="off")
        wire = self.wire(daemon)
        self.check(self.play(daemon, 2, ports=[wire.port]), 2)
        self.assertTrue(any(has_word(datagram, b"bot-1") for datagram in wire.up))
        self.assertFalse(any(0x40 <= datagram[0] < 0x80 for datagram in wire.up + wire.down))

    def test_the_key_stays_and_a_token_tells_it(self):
        state = self.stage.directory / "state"
        state.mkdir()
        env = {"STATE_DIRECTORY": str(state)}
        key_file = self.stage.directory / "signer"
        public = subprocess.run([harness.BIN / "raimctl", "token", "key", key_file], check=True,
                                capture_output=True, text=True).stdout.strip()

        def token(server_key):
            return subprocess.run([harness.BIN / "raimctl", "token", "make", "--key", key_file,
                                   "--arena", "arena", "--server-key", server_key], check=True,
                                  capture_output=True, text=True).stdout.strip()

        keys = []
        for _ in range(2):
            daemon = self.serve(env, access="token", access_key=public)
            keys.append(re.search(r"server key loaded key=([0-9a-f]{64})", daemon.log)[1])
            self.check(self.play(daemon, 1, ["--access", token(keys[0])]), 1)
            bots = self.stage.bots(daemon, 1, 1, network=["--access", token("55" * 32)])
            bots.expected_status = UNREACHABLE
            bots.wait(harness.START_S)
            daemon.stop()
        self.assertEqual(keys[0], keys[1])
        path = pathlib.Path(state, "server.key")
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertNotIn(keys[0], path.read_text(encoding="ascii"))
        self.assertEqual(sorted(file.name for file in state.iterdir()
                                if file.is_file() and not file.name.startswith("results.")),
                         ["arena.tokens", "server.events", path.name])
        # Where the file holds something else there is no start, rather than another server.
        path.write_text("damaged\n", encoding="ascii")
        config = self.stage.write_config(harness.config(harness.arena(encryption="required")))
        result = harness.run_raimd("-c", config, env=env)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("server.key", result.stderr)

    @unittest.skipIf(secure_client.MISSING, secure_client.MISSING)
    def test_the_document_is_enough_to_come_in(self):
        daemon = self.serve()
        for aesgcm in (False, True): # where the processor has it, otherwise as without
            with self.subTest(aesgcm=aesgcm):
                self.come_in(daemon, aesgcm)

    def come_in(self, daemon, aesgcm):
        stranger = self.enterContext(SecureClient(daemon.ports[0], aesgcm=aesgcm))
        self.assertTrue(stranger.shake_hands())
        self.assertEqual(stranger.noise.cipher is secure_client.AESGCM, aesgcm and HAS_AESGCM)
        self.assertEqual((stranger.reason, stranger.cookie.arena), (0, "arena"))
        # VERIFY_CONNECT, with the MTU that the server wants.
        command = stranger.connect()[4:]
        self.assertEqual(command[0] & 0x0F, 3)
        self.assertEqual(int.from_bytes(command[8:12], "big"), 1200)
        # A PING is acknowledged.
        stranger.send_commands(struct.pack(">BBH", 0x85, 0xFF, 2))
        harness.poll("an acknowledgement", lambda: (plain := stranger.receive()) is not None
                     and any(plain[at] & 15 == 1 for at in (2, 4)))
        # Numbers may jump: the key of the next epoch is the server's, too.
        stranger.up.number = 1 << 16
        stranger.send_commands(struct.pack(">BBH", 0x85, 0xFF, 3))
        harness.poll("an acknowledgement", lambda: (plain := stranger.receive()) is not None
                     and any(plain[at] & 15 == 1 for at in (2, 4)))

    @unittest.skipIf(secure_client.MISSING, secure_client.MISSING)
    def test_a_repeated_init_is_answered_with_the_same_bytes(self):
        daemon = self.serve()
        stranger = self.enterContext(SecureClient(daemon.ports[0]))
        stranger.fetch_cookie()
        init = stranger.make_init()
        first, second = stranger.ask(init, HANDSHAKE), stranger.ask(init, HANDSHAKE)
        self.assertEqual(first, second)
        stranger.take_response(second)
        self.assertIsNotNone(stranger.connect())

    @unittest.skipIf(secure_client.MISSING, secure_client.MISSING)
    def test_no_handshake_without_a_good_cookie_and_credential(self):
        key_file = self.stage.directory / "signer"
        public = subprocess.run([harness.BIN / "raimctl", "token", "key", key_file], check=True,
                                capture_output=True, text=True).stdout.strip()
        daemon = self.serve(encryption="offered", access="token", access_key=public)
        stranger = self.enterContext(SecureClient(daemon.ports[0]))
        cookie = stranger.fetch_cookie()
        self.assertEqual(cookie.flags & ~OFFERS_AESGCM,
                         secure_client.NEEDS_ADMISSION | secure_client.OFFERED)
        self.assertIsNone(stranger.ask(stranger.make_init()[:10] + bytes(4)
                                       + stranger.make_init()[14:], HANDSHAKE, 2))
        for kind, credential in ((0, b""), (1, b"nothing"), (2, bytes(16))):
            self.assertTrue(stranger.shake_hands(kind, credential))
            self.assertEqual(stranger.reason, ACCESS)
        # The same in plain: a cookie that is not admitted connects nobody.
        rejected = stranger.ask(connect_request(cookie.number), REJECTED)
        self.assertEqual(rejected[10], ACCESS)
        self.assertLess(len(rejected), 512)
        daemon.poll("their count", lambda: self.rejected(daemon, "access") >= 4)

    @unittest.skipIf(secure_client.MISSING, secure_client.MISSING)
    def test_who_begins_is_not_disturbed_by_another_who_sends_from_there(self):
        daemon = self.serve()
        stranger = self.enterContext(SecureClient(daemon.ports[0]))
        self.assertTrue(stranger.shake_hands())
        self.assertIsNotNone(stranger.connect())
        own = stranger.noise, stranger.up, stranger.down
        # From its very port, with a cookie as good as its own.
        begin = time.monotonic()
        while time.monotonic() < begin + 2:
            stranger.sock.send(stranger.make_init())
            time.sleep(0.1)
        stranger.noise, stranger.up, stranger.down = own
        stranger.send_commands(struct.pack(">BBH", 0x85, 0xFF, 2))
        harness.poll("an answer", lambda: stranger.receive() is not None)
        daemon.poll("their count", lambda: self.rejected(daemon, "sessions") > 3)

    def test_without_a_state_directory_the_key_is_of_this_start(self):
        daemon = self.serve({"STATE_DIRECTORY": ""})
        self.assertIn("server key is not stored", daemon.log)
        self.check(self.play(daemon, 2), 2)

    def test_play_goes_on_over_a_bad_network(self):
        daemon = self.serve()
        report = self.play(daemon, 4, ["--latency", "60", "--jitter", "20", "--loss", "5"])
        self.assertEqual(report["connected"], 4)
        self.assertEqual(report["events_ahead"], 0)

    def test_encrypted_and_plain_arenas_run_side_by_side(self):
        daemon = self.stage.serve(harness.arena("one", encryption="required"),
                                  harness.arena("two", encryption="off"))
        bots = self.stage.bots(daemon, 6)
        daemon.wait_pressing(6)
        bots.stop(signal.SIGINT)
        daemon.wait_players(0)


if __name__ == "__main__":
    harness.main()
