#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sealed arenas over real sockets: who plays there, what the network sees, and what somebody who
can send from a player's own address achieves."""

import hashlib
import pathlib
import random
import re
import select
import signal
import socket
import stat
import struct
import subprocess
import threading
import time
import unittest

import harness

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError:
    ChaCha20Poly1305 = None

UNREACHABLE = 69 # exit status of raim-bots without a single connection
HEAD = b"\xff\xff\xff\xffRAIM"
SEALED_HEAD, TICKET_HEAD = HEAD + b"\x04\x01", HEAD + b"\x02\x01"


class Wire(threading.Thread):
    """Somebody between clients and an arena, who sees every datagram and may add some. To each
    client it is the server, and to the server each client is a port of its own."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.server = "127.0.0.1", port
        self.front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.front.bind(("127.0.0.1", 0))
        self.port = self.front.getsockname()[1]
        self.backs = {} # by client
        self.up, self.down = [], []
        self.change = lambda datagram, up: [datagram]
        self.ending = False
        self.start()

    def run(self):
        while not self.ending:
            ready, _, _ = select.select([self.front, *self.backs.values()], [], [], 0.05)
            for sock in ready:
                datagram, sender = sock.recvfrom(4096)
                if sock is self.front:
                    if sender not in self.backs:
                        self.backs[sender] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    self.up.append(datagram)
                    for out in self.change(datagram, True):
                        self.backs[sender].sendto(out, self.server)
                else:
                    client = next(key for key, back in self.backs.items() if back is sock)
                    self.down.append(datagram)
                    for out in self.change(datagram, False):
                        self.front.sendto(out, client)

    def end(self):
        self.ending = True
        self.join()
        for sock in (self.front, *self.backs.values()):
            sock.close()


class Stranger:
    """A client's end of a sealed connection, made from PROTOCOL.md alone."""

    def __init__(self, port):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.settimeout(harness.START_S)
        self.sock.connect(("127.0.0.1", port))
        self.sock.send((HEAD + b"\x01\x01").ljust(512, b"\0"))
        told = self.sock.recv(2048)
        assert told.startswith(TICKET_HEAD) and told[10] & 2 and len(told) == 79, told
        self.ticket, self.identity, self.ephemeral = told[11:15], told[15:47], told[47:79]
        secret = X25519PrivateKey.generate()
        self.own = secret.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        shared = b"".join(secret.exchange(X25519PublicKey.from_public_bytes(key))
                          for key in (self.ephemeral, self.identity))
        self.opening, self.chain = self.keys(
            b"raim sealed arena 1".ljust(32, b"\0"),
            shared + self.own + self.ephemeral + self.identity + self.ticket)
        self.sent = 0

    @staticmethod
    def keys(key, data):
        digest = hashlib.blake2b(data, key=key).digest()
        return digest[:32], digest[32:]

    def seal(self, key, plain):
        number = self.sent.to_bytes(8, "big")
        self.sent += 1
        return number + ChaCha20Poly1305(key).encrypt(bytes(4) + number, plain, None)

    @staticmethod
    def unseal(key, datagram):
        return ChaCha20Poly1305(key).decrypt(bytes(4) + datagram[:8], datagram[8:], None)

    def connect(self, identity=7):
        """ENet's answer to a CONNECT with the ticket."""
        plain = struct.pack(">HHBBHHBBIIIIIIIII", 0x8FFF, 1, 0x82, 0xFF, 1, 0, 0xFF, 0xFF, 1200,
                            32768, 2, 0, 0, 5000, 2, 2, identity)
        plain += self.ticket[::-1]
        assert len(plain) == 52
        self.sock.send(SEALED_HEAD + self.ticket + self.ephemeral[:4] + self.own
                       + self.seal(self.opening, plain))
        answer = self.sock.recv(2048)
        assert answer.startswith(SEALED_HEAD), answer
        self.up, self.down = self.keys(self.chain, answer[10:26])
        return self.unseal(self.down, answer[26:])


class Sealed(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(harness.Stage())

    def serve(self, env=None, **keys):
        return self.stage.serve(harness.arena(sealed=True, **keys), env=env)

    def wire(self, daemon):
        wire = Wire(daemon.ports[0])
        self.addCleanup(wire.end)
        return wire

    def refused(self, daemon, reason):
        return daemon.get_json()["arenas"][0]["refused"][reason]

    def check(self, report, clients):
        self.assertEqual(report["connected"], clients)
        self.assertEqual(report["disconnected"], 0)
        self.assertEqual(report["decode_errors"], 0)
        self.assertEqual(report["events_lost"], 0)

    def test_clients_play_and_nothing_can_be_read(self):
        daemon = self.serve(bots=4)
        wire = self.wire(daemon)
        bots = self.stage.bots(daemon, 8, 3, ports=[wire.port])
        self.check(bots.report(), 8)
        self.assertEqual(self.refused(daemon, "unsealed"), 0)
        plain = (b"bot-", b"Bot ", b"crossfire")
        for datagram in wire.up + wire.down:
            self.assertLessEqual(len(datagram), 1224)
            self.assertFalse(any(word in datagram for word in plain))
            self.assertTrue(datagram.startswith(HEAD) or datagram[0] < 0x40)
        self.assertGreater(len(wire.down), 100)

    def test_what_is_added_changed_or_repeated_on_the_way_does_nothing(self):
        daemon = self.serve()
        wire = self.wire(daemon)
        chance = random.Random(1)

        def meddle(datagram, up):
            if datagram.startswith((HEAD + b"\x01", TICKET_HEAD)):
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
        bots = self.stage.bots(daemon, 4, 3, ports=[wire.port])
        self.check(bots.report(), 4)
        for reason in ("unsealed", "forged", "replayed"):
            self.assertGreater(self.refused(daemon, reason), 10, reason)

    def test_a_plain_client_is_not_heard(self):
        daemon = self.serve()
        wire = self.wire(daemon)

        def unseal(datagram, up):
            # What a client takes for an arena that is not sealed.
            if not up and datagram.startswith(TICKET_HEAD):
                datagram = TICKET_HEAD + b"\0" + datagram[11:15]
            return [datagram]

        wire.change = unseal
        bots = self.stage.bots(daemon, 1, 2, ports=[wire.port])
        bots.expected_status = UNREACHABLE
        bots.wait(harness.START_S)
        self.assertGreater(self.refused(daemon, "unsealed"), 0)

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
            keys.append(re.search(r"identity started key=([0-9a-f]{64})", daemon.log)[1])
            bots = self.stage.bots(daemon, 1, 1, network=["--access", token(keys[0])])
            self.check(bots.report(), 1)
            bots = self.stage.bots(daemon, 1, 1, network=["--access", token("55" * 32)])
            bots.expected_status = UNREACHABLE
            bots.wait(harness.START_S)
            daemon.stop()
        self.assertEqual(keys[0], keys[1])
        path = pathlib.Path(state, "identity.key")
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertNotIn(keys[0], path.read_text(encoding="ascii"))
        self.assertEqual([path.name], [file.name for file in state.iterdir()])
        # Where the file holds something else there is no start, rather than another server.
        path.write_text("damaged\n", encoding="ascii")
        config = self.stage.write_config(harness.config(harness.arena(sealed=True)))
        result = harness.run_raimd("-c", config, env=env)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("identity.key", result.stderr)

    @unittest.skipIf(ChaCha20Poly1305 is None, "python3-cryptography is not installed")
    def test_the_document_is_enough_to_come_in(self):
        daemon = self.serve()
        stranger = Stranger(daemon.ports[0])
        self.addCleanup(stranger.sock.close)
        verify = stranger.connect()
        # VERIFY_CONNECT, with the MTU that the server wants.
        command = verify[4:]
        self.assertEqual(command[0] & 0x0F, 3)
        self.assertEqual(int.from_bytes(command[8:12], "big"), 1200)
        with self.assertRaises(InvalidTag):
            stranger.unseal(stranger.up, verify.ljust(40))
        # Its acknowledgement ends the answers: a PING is acknowledged without one before it.
        peer = int.from_bytes(command[4:6], "big")
        acknowledge = struct.pack(">BBHHH", 1, 0xFF, 1, 1, int.from_bytes(verify[2:4], "big"))
        ping = struct.pack(">BBH", 0x85, 0xFF, 2)
        session = verify[0] & 0x30
        stranger.sock.send(stranger.seal(
            stranger.up, struct.pack(">HH", 0x8000 | session << 8 | peer, 2) + acknowledge + ping))
        while (datagram := stranger.sock.recv(2048)).startswith(SEALED_HEAD):
            pass
        self.assertLess(datagram[0], 0x40)
        stranger.unseal(stranger.down, datagram)

    @unittest.skipIf(ChaCha20Poly1305 is None, "python3-cryptography is not installed")
    def test_who_begins_is_not_told_of_another_who_began_from_there_before(self):
        daemon = self.serve()
        other, stranger = Stranger(daemon.ports[0]), Stranger(daemon.ports[0])
        own = stranger.sock
        self.addCleanup(other.sock.close)
        self.addCleanup(own.close)
        stranger.sock = other.sock # whoever sends from a client's own address comes before it
        other.connect(identity=8)
        # Other openings from there are not heard for a second; ENet repeats its answer all the time.
        poll_end = time.monotonic() + harness.START_S
        verify = None
        while verify is None and time.monotonic() < poll_end:
            try:
                verify = stranger.connect()
            except InvalidTag:
                continue
        told = [verify]
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            datagram = stranger.sock.recv(2048)
            if datagram.startswith(SEALED_HEAD):
                told.append(stranger.unseal(stranger.down, datagram[26:]))
        self.assertGreater(len(told), 1)
        self.assertEqual({plain[-4:] for plain in told}, {(7).to_bytes(4, "big")})

    def test_without_a_state_directory_the_key_is_of_this_start(self):
        daemon = self.serve({"STATE_DIRECTORY": ""})
        self.assertIn("identity is of this start alone", daemon.log)
        self.check(self.stage.bots(daemon, 2, 1).report(), 2)

    def test_play_goes_on_over_a_bad_network(self):
        daemon = self.serve()
        report = self.stage.bots(daemon, 4, 4, network=["--latency", "60", "--jitter", "20",
                                                        "--loss", "5"]).report()
        self.assertEqual(report["connected"], 4)
        self.assertEqual(report["events_lost"], 0)

    def test_sealed_and_plain_arenas_stand_side_by_side(self):
        daemon = self.stage.serve(harness.arena("one", sealed=True), harness.arena("two"))
        bots = self.stage.bots(daemon, 6)
        daemon.wait_players(6)
        bots.stop(signal.SIGINT)
        daemon.wait_players(0)


if __name__ == "__main__":
    harness.main()
