# SPDX-License-Identifier: MIT
"""A client's end of an encrypted connection, made from PROTOCOL.md and the Noise specification
alone: another implementation than the server's, on python3-cryptography and hashlib."""

import hashlib
import hmac
import socket
import struct
import time

try:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError:
    AESGCM = ChaCha20Poly1305 = None

MISSING = None if ChaCha20Poly1305 else "python3-cryptography is not installed"
HEAD = b"\xff\xff\xff\xffRAIM"
CONNECT_REQUEST, COOKIE, INVITE, HANDSHAKE, REJECTED = (
    HEAD + bytes((kind, 2)) for kind in range(1, 6))
# The flags of a COOKIE.
NEEDS_ADMISSION, OFFERED, REQUIRED, ADMITTED, NEEDS_PASSWORD, OFFERS_AESGCM = 1, 2, 4, 8, 16, 32
PASSWORD = 3 # kind of a credential
NUMBER_MASK, EPOCH_BITS = (1 << 62) - 1, 16
AESGCM_BIT = 1 << 31 # of the cookie in INIT


def connect_request(cookie=0, kind=0, credential=b"", size=512):
    """A CONNECT_REQUEST, padded as the document wants it."""
    data = CONNECT_REQUEST + struct.pack("<IBB", cookie, kind, len(credential)) + credential
    return data.ljust(size, b"\0")


class Cookie:
    """What a COOKIE tells."""

    def __init__(self, data):
        assert data.startswith(COOKIE), data
        self.data, self.flags = data, data[10]
        self.number = int.from_bytes(data[11:15], "little")
        end = 16 + data[15]
        self.arena, self.server_key = data[16:end].decode(), data[end:end + 32]
        self.salt = data[end + 32:]
        assert len(self.server_key) == (32 if self.flags & OFFERED else 0), data
        assert len(self.salt) == (16 if self.flags & NEEDS_PASSWORD else 0), data


def hash_of(data):
    return hashlib.blake2b(data).digest()


def hkdf(key, data):
    def mac(one, other):
        return hmac.new(one, other, hashlib.blake2b).digest()
    temporary = mac(key, data)
    first = mac(temporary, b"\1")
    return first, mac(temporary, first + b"\2")


def public_of(secret):
    return secret.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def nonce(cipher, number):
    return bytes(4) + number.to_bytes(8, "big" if cipher is AESGCM else "little")


def encrypt(cipher, key, number, plain, associated=b""):
    return cipher(key).encrypt(nonce(cipher, number), plain, associated)


def decrypt(cipher, key, number, data, associated=b""):
    return cipher(key).decrypt(nonce(cipher, number), data, associated)


def rekey(cipher, key):
    return encrypt(cipher, key, 2**64 - 1, bytes(32))[:32]


class Initiator:
    """Noise_NK_25519_ChaChaPoly_BLAKE2b or Noise_NK_25519_AESGCM_BLAKE2b, the initiator's side."""

    def __init__(self, server_key, prologue, secret=None, cipher=ChaCha20Poly1305):
        self.cipher = cipher
        self.secret = secret or X25519PrivateKey.generate()
        name = b"AESGCM" if cipher is AESGCM else b"ChaChaPoly"
        self.h = self.ck = (b"Noise_NK_25519_" + name + b"_BLAKE2b").ljust(64, b"\0")
        self.mix_hash(prologue)
        self.mix_hash(server_key)
        self.server_key = server_key

    def mix_hash(self, data):
        self.h = hash_of(self.h + data)

    def mix_agreement(self, key):
        shared = self.secret.exchange(X25519PublicKey.from_public_bytes(key))
        self.ck, made = hkdf(self.ck, shared)
        self.k = made[:32]

    def write(self, payload):
        own = public_of(self.secret)
        self.mix_hash(own)
        self.mix_agreement(self.server_key)
        encrypted = encrypt(self.cipher, self.k, 0, payload, self.h)
        self.mix_hash(encrypted)
        return own + encrypted

    def read(self, message):
        self.mix_hash(message[:32])
        self.mix_agreement(message[:32])
        payload = decrypt(self.cipher, self.k, 0, message[32:], self.h)
        self.mix_hash(message[32:])
        return payload

    def split(self):
        return [key[:32] for key in hkdf(self.ck, b"")]


def siphash(key, data):
    """SipHash-2-4 (Aumasson and Bernstein)."""
    mask = 2**64 - 1
    k0, k1 = struct.unpack("<2Q", key)
    v = [k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
         k1 ^ 0x7465646279746573]

    def turn(x, bits):
        return (x << bits | x >> 64 - bits) & mask

    def rounds(count):
        for _ in range(count):
            v[0] = v[0] + v[1] & mask
            v[2] = v[2] + v[3] & mask
            v[1], v[3] = turn(v[1], 13) ^ v[0], turn(v[3], 16) ^ v[2]
            v[0] = turn(v[0], 32)
            v[2] = v[2] + v[1] & mask
            v[0] = v[0] + v[3] & mask
            v[1], v[3] = turn(v[1], 17) ^ v[2], turn(v[3], 21) ^ v[0]
            v[2] = turn(v[2], 32)

    whole = data + bytes(7 - len(data) % 8) + bytes((len(data) & 255,))
    for (word,) in struct.iter_unpack("<Q", whole):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xff
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


class Direction:
    """The keys of one direction, for either end of it."""

    def __init__(self, key, cipher=ChaCha20Poly1305):
        self.cipher = cipher
        self.key, self.epoch, self.number = key, 0, 0
        self.number_key = hashlib.blake2b(b"raim number", key=key).digest()[:16]

    def mask(self, tag):
        return siphash(self.number_key, tag) & NUMBER_MASK

    def key_of(self, number):
        while self.epoch < number >> EPOCH_BITS:
            self.key, self.epoch = rekey(self.cipher, self.key), self.epoch + 1
        return self.key

    def encrypt(self, plain):
        encrypted = encrypt(self.cipher, self.key_of(self.number), self.number, plain)
        header = 1 << 62 | self.number ^ self.mask(encrypted[-16:])
        self.number += 1
        return header.to_bytes(8, "big") + encrypted

    def open(self, data):
        header = int.from_bytes(data[:8], "big")
        assert header >> 62 == 1, data
        number = (header & NUMBER_MASK) ^ self.mask(data[-16:])
        return decrypt(self.cipher, self.key_of(number), number, data[8:])


def prologue_of(cookie):
    return b"raimd secure 1" + cookie


class SecureClient:
    """A socket at an arena's port that asks for a cookie, makes the handshake and sends encrypted
    datagrams. It takes AES-256-GCM if that is offered, and `aesgcm` is not false."""

    def __init__(self, port, source="127.0.0.1", deadline_s=10, server=None, aesgcm=True):
        self.aesgcm = aesgcm
        family = socket.AF_INET6 if ":" in source else socket.AF_INET
        self.sock = socket.socket(family, socket.SOCK_DGRAM)
        self.sock.bind((source, 0))
        self.sock.connect((server or ("::1" if ":" in source else "127.0.0.1"), port))
        self.deadline_s = deadline_s
        self.reason = None # of the RESPONSE
        self.number = self.session = None # that ENet at the server gave
        self.sequence = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def ask(self, data, head, times=20):
        """Sends until something with that head comes, and returns it; None where nothing does."""
        self.sock.settimeout(0.25)
        for _ in range(times):
            self.sock.send(data)
            try:
                while True:
                    answer = self.sock.recv(2048)
                    if answer.startswith(head):
                        return answer
            except (TimeoutError, ConnectionRefusedError):
                pass
        return None

    def fetch_cookie(self):
        data = self.ask(connect_request(), COOKIE)
        self.cookie = Cookie(data) if data is not None else None
        return self.cookie

    def make_init(self, kind=0, credential=b""):
        """An INIT over the last cookie."""
        aesgcm = self.aesgcm and self.cookie.flags & OFFERS_AESGCM
        self.noise = Initiator(self.cookie.server_key, prologue_of(self.cookie.data),
                               cipher=AESGCM if aesgcm else ChaCha20Poly1305)
        payload = bytes((kind, len(credential))) + credential
        number = self.cookie.number | (AESGCM_BIT if aesgcm else 0)
        return HANDSHAKE + number.to_bytes(4, "little") + self.noise.write(payload)

    def take_response(self, answer):
        assert len(answer) == 59, answer
        (self.reason,) = self.noise.read(answer[10:])
        if self.reason == 0:
            self.up, self.down = (Direction(key, self.noise.cipher) for key in self.noise.split())

    def shake_hands(self, kind=0, credential=b"", times=20):
        """Whether the server has answered; the reason of its answer is then kept."""
        if self.fetch_cookie() is None:
            return False
        answer = self.ask(self.make_init(kind, credential), HANDSHAKE, times)
        if answer is not None:
            self.take_response(answer)
        return answer is not None

    def send(self, plain):
        self.sock.send(self.up.encrypt(plain))

    def receive(self, seconds=1.0):
        """The next datagram of ENet's, decrypted; None where none comes."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.sock.settimeout(left)
            try:
                data = self.sock.recv(2048)
            except (TimeoutError, ConnectionRefusedError):
                return None
            if 0x40 <= data[0] < 0x80:
                return self.down.open(data)
        return None

    def connect(self, connection=7):
        """Connects ENet in the session: CONNECT, VERIFY_CONNECT, its acknowledgement. Returns the
        VERIFY_CONNECT, or None."""
        plain = struct.pack(">HHBBHHBBIIIIIIIII", 0x8FFF, 1, 0x82, 0xFF, 1, 0, 0xFF, 0xFF, 1200,
                            32768, 2, 0, 0, 5000, 2, 2, connection)
        plain += struct.pack(">I", self.cookie.number)
        end = time.monotonic() + self.deadline_s
        while time.monotonic() < end:
            self.send(plain)
            verify = self.receive(0.5)
            if verify is None or verify[4] & 15 != 3:
                continue
            self.number, _, self.session = struct.unpack_from(">HBB", verify, 8)
            self.send_commands(struct.pack(">BBHHH", 1, 0xFF, 1, 1,
                                           int.from_bytes(verify[2:4], "big")))
            return verify
        return None

    def send_commands(self, commands):
        self.send(struct.pack(">HH", 0x8000 | self.session << 12 | self.number, 2) + commands)

    def say(self, message):
        """Sends a message reliably on channel 0."""
        self.sequence += 1
        self.send_commands(struct.pack(">BBHH", 0x86, 0, self.sequence, len(message)) + message)

    def disconnect(self):
        self.send_commands(struct.pack(">BBHI", 0x84, 0xFF, 2, 0))
