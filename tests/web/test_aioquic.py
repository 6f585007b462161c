#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A client by others at raim-web: aioquic, a QUIC and HTTP/3 in Python that shares no code with it."""

import asyncio
import os
import pathlib
import random
import ssl
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/daemon"), str(ROOT / "build/tools/aioquic")]
# pylint: disable=wrong-import-position
import harness
from web_stage import Scene

try:
    from aioquic.asyncio import QuicConnectionProtocol, connect
    from aioquic.h3.connection import H3_ALPN, H3Connection
    from aioquic.h3.events import DatagramReceived, HeadersReceived
    from aioquic.quic.configuration import QuicConfiguration
    from aioquic.quic.events import ConnectionTerminated
except ImportError:
    print("SKIPPED: no aioquic in build/tools: ./dev test --all fetches it")
    raise SystemExit(harness.SKIPPED) from None
if not (harness.BIN / "raim-web").exists():
    print("SKIPPED: no raim-web here")
    raise SystemExit(harness.SKIPPED)

COOKIE_REQUEST = b"\xff\xff\xff\xffRAIM\1\2".ljust(512, b"\0")
SEED = int(os.environ.get("RAIM_SEED") or time.time_ns() & 0xffffffff)


class Client(QuicConnectionProtocol):
    """A connection, with events that can be waited for."""

    def __init__(self, *arguments, **keys):
        super().__init__(*arguments, **keys)
        self.quic = self._quic
        self.http = H3Connection(self.quic, enable_webtransport=True)
        self.events = asyncio.Queue()
        self.has_ended = False

    def quic_event_received(self, event):
        self.has_ended |= isinstance(event, ConnectionTerminated)
        for each in self.http.handle_event(event):
            self.events.put_nowait(each)

    async def event(self, kind):
        """The next of a kind."""
        while not isinstance(event := await asyncio.wait_for(self.events.get(), harness.START_S), kind):
            pass
        return event

    def ask(self, path, method=b"CONNECT"):
        """Sends a request; returns its stream."""
        stream = self.quic.get_next_available_stream_id()
        protocol = [(b":protocol", b"webtransport")] if method == b"CONNECT" else []
        self.http.send_headers(stream, [
            (b":method", method), *protocol, (b":scheme", b"https"), (b":authority", b"127.0.0.1"),
            (b":path", path.encode()), (b"origin", b"http://127.0.0.1")])
        self.transmit()
        return stream

    async def status(self):
        return dict((await self.event(HeadersReceived)).headers)[b":status"]

    async def open(self, scene):
        """Opens a session for the arena; returns its stream."""
        stream = self.ask(f"/arena/{scene.target}")
        assert await self.status() == b"200"
        return stream

    async def ask_cookie(self, stream):
        """Asks the arena until it answers, which it does some times a second."""
        end = time.monotonic() + harness.START_S
        while time.monotonic() < end:
            self.http.send_datagram(stream, COOKIE_REQUEST)
            self.transmit()
            try:
                return await asyncio.wait_for(self.event(DatagramReceived), 0.25)
            except TimeoutError:
                pass
        raise AssertionError("no cookie")


def reach(scene):
    """A connection to the gateway of a scene."""
    configuration = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN,
                                      verify_mode=ssl.CERT_NONE, max_datagram_frame_size=65536)
    return connect("127.0.0.1", scene.web_port, configuration=configuration, create_protocol=Client)


def stream_of(client, data, is_unidirectional=False, has_end=False):
    """Sends bytes by a new stream."""
    stream = client.quic.get_next_available_stream_id(is_unidirectional=is_unidirectional)
    client.quic.send_stream_data(stream, data, has_end)
    client.transmit()


# What no browser sends, on a connection; with `stream` that of its session.
GARBAGE = {
    "bytes as a request": lambda client, stream, chance: stream_of(client, chance.randbytes(900)),
    "bytes as another stream": lambda client, stream, chance: stream_of(
        client, chance.randbytes(900), True),
    "a second control stream": lambda client, stream, chance: stream_of(client, b"\0\4\0", True),
    "a frame that is too long": lambda client, stream, chance: stream_of(
        client, b"\1\xbf\xff\xff\xff" + chance.randbytes(600)),
    "headers by a damaged QPACK": lambda client, stream, chance: stream_of(
        client, b"\1\x40\x80" + chance.randbytes(128), False, True),
    "a request for a page": lambda client, stream, chance: client.ask("/index.html", b"GET"),
    "a second session": lambda client, stream, chance: client.ask("/arena/127.0.0.1:1"),
    "bytes as capsules": lambda client, stream, chance: client.quic.send_stream_data(
        stream, chance.randbytes(900)),
    "datagrams of no session": lambda client, stream, chance: [
        client.quic.send_datagram_frame(datagram) for datagram in
        (b"", b"\xff", b"\x40", b"\1hello", b"\xc0" + bytes(7), chance.randbytes(1000))],
    "many streams": lambda client, stream, chance: [
        client.quic.send_stream_data(client.quic.get_next_available_stream_id() + 4 * number, b"\1")
        for number in range(200)],
}


class AioquicTest(unittest.TestCase):

    def run_client(self, play):
        """Runs a coroutine of a scene and a connection."""
        with Scene() as scene:
            async def run():
                async with reach(scene) as client:
                    await play(scene, client)
            asyncio.run(run())
            harness.poll("no connection", lambda: scene.gateway.status()["connections"] == 0)

    def test_datagrams_go_both_ways(self):
        async def play(scene, client):
            stream = await client.open(scene)
            answer = await client.ask_cookie(stream)
            self.assertEqual(answer.stream_id, stream)
            self.assertEqual(answer.data[:10], b"\xff\xff\xff\xffRAIM\2\2")
        self.run_client(play)

    def test_other_paths_are_not_found(self):
        async def play(_, client):
            client.ask("/arena/127.0.0.1:1")
            self.assertEqual(await client.status(), b"404")
        self.run_client(play)

    def test_garbage_harms_nobody_else(self):
        print(f"RAIM_SEED={SEED}", flush=True)
        chance = random.Random(SEED)

        async def play(scene, bystander):
            own = await bystander.open(scene)
            for name, send in GARBAGE.items():
                with self.subTest(name):
                    async with reach(scene) as client:
                        stream = await client.open(scene)
                        before = scene.gateway.status()["packets_in"]
                        send(client, stream, chance)
                        client.transmit()
                        scene.gateway.wait_count("packets_in", before + 1)
                        await bystander.ask_cookie(own)
                    self.assertFalse(bystander.has_ended)
            self.assertEqual(scene.gateway.status()["handshakes"], 1 + len(GARBAGE))
        self.run_client(play)


if __name__ == "__main__":
    harness.main()
