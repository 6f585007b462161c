#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Source RCON: Valve's protocol as its description has it, a client of Debian, and strangers."""

import contextlib
import re
import socket
import struct
import subprocess
import time
import unittest

import harness
from harness import BIN, START_S, Stage, arena

try:
    from rcon.source import Client
except ImportError:
    Client = None

AUTH, COMMAND, AUTH_RESPONSE, RESPONSE = 3, 2, 2, 0
PASSWORD = "correct horse"


class Connection:
    """A connection that speaks packets."""

    def __init__(self, address, source="127.0.0.1"):
        self.socket = socket.create_connection(address, START_S, (source, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, number, kind, body):
        body = body.encode() + b"\0\0"
        self.socket.sendall(struct.pack("<iii", len(body) + 8, number, kind) + body)

    def read(self, size):
        data = b""
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def receive(self):
        size, = struct.unpack("<i", self.read(4))
        data = self.read(size)
        assert 10 <= size <= 4096 and data.endswith(b"\0\0"), (size, data)
        return (*struct.unpack("<ii", data[:8]), data[8:-2].decode())

    def is_ended(self):
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True

    def login(self, password=PASSWORD):
        self.send(7, AUTH, password)
        return self.receive()[:2] == (7, AUTH_RESPONSE)

    def ask(self, text):
        """The answer, whose end an empty packet of the server's type finds."""
        self.send(8, COMMAND, text)
        self.send(9, RESPONSE, "")
        answer = ""
        while True:
            number, kind, part = self.receive()
            assert kind == RESPONSE
            if number == 9:
                return answer
            answer += part


class RconTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.line = subprocess.run([BIN / "raimctl", "password"], input=PASSWORD + "\n", check=True,
                                  capture_output=True, text=True, timeout=START_S).stdout.strip()

    def setUp(self):
        self.stage = self.enterContext(Stage())

    def serve(self, *arenas):
        self.daemon = self.stage.serve(*(arenas or (arena("duel", bots=2),)),
                                       rcon_listen="127.0.0.1:0", rcon_password=self.line)
        port = self.daemon.poll("RCON", lambda: re.search(
            r"rcon started address=127.0.0.1:(\d+)", self.daemon.log))[1]
        self.address = "127.0.0.1", int(port)

    def open(self, **more):
        return self.enterContext(Connection(self.address, **more))

    def test_orders_and_their_answers(self):
        self.serve()
        rcon = self.open()
        self.assertTrue(rcon.login())
        self.assertEqual(rcon.ask("say hello"), "done\n")
        self.assertIn('command given by=127.0.0.1 via=rcon command=say arena=duel text="hello"',
                      self.daemon.log)
        self.daemon.poll("the bots", lambda: "Bot 2" in rcon.ask("list"))
        self.assertRegex(rcon.ask("status"), r'hostname: duel\n[\s\S]*map     : crossfire\n'
                         r'players : 0 humans, 2 bots \(64 max\)\n[\s\S]*# 1024 "Bot 1" BOT active')
        self.assertEqual(rcon.ask("ban 192.0.2.1 1h spam"), "done\n")
        self.assertEqual(rcon.ask("unban 192.0.2.1"), "done\n")
        self.assertIn("no such ban", rcon.ask("unban 192.0.2.1"))
        for line, told in (("dance", "no such command"), ("kick", "want: kick PLAYER [REASON]"),
                           ("kick Bob", 'no player "Bob"'), ("pause now", "want: pause"),
                           ("@six pause", "no such arena"), ("vote cancel", "no vote is running"),
                           ("vote later", "no such command"), ("map /none", "No such file"),
                           ("ban 192.0.2.1/8", "no player"), ("drain x", "want 1 to"),
                           ("", "no such command"), ("help", "kick PLAYER [REASON]")):
            self.assertIn(told, rcon.ask(line), line)
        self.assertEqual(rcon.ask("say a\nb\x01c"), "done\n") # of one line
        self.assertIn('text="a b c"', self.daemon.log)

    def test_an_arena_is_named_where_several_run(self):
        self.serve(arena("one"), arena("two"))
        rcon = self.open()
        self.assertTrue(rcon.login())
        self.assertIn("begin with @ARENA", rcon.ask("pause"))
        self.assertEqual(rcon.ask("@two pause"), "done\n")
        self.assertEqual(rcon.ask("say to all"), "done\n")
        self.assertIn("command=arena-pause arena=two", self.daemon.log)

    def test_a_long_answer_comes_in_parts(self):
        self.serve(arena("duel", bots=200, max_players=200))
        rcon = self.open()
        self.assertTrue(rcon.login())
        self.daemon.poll("all bots", lambda: "Bot 200" in rcon.ask("list"))
        self.assertGreater(len(rcon.ask("status")), 4096)

    @unittest.skipUnless(Client, "skipped: python3-rcon is not installed")
    def test_a_client_of_debian(self):
        self.serve()
        with Client(*self.address, passwd=PASSWORD, timeout=START_S) as client:
            self.assertEqual(client.run("say", "hello"), "done\n")
            self.assertIn("hostname: duel", client.run("status"))
        with self.assertRaises(Exception) as raised:
            with Client(*self.address, passwd="wrong", timeout=START_S):
                pass
        self.assertEqual(type(raised.exception).__name__, "WrongPassword")

    def test_strangers_are_rejected(self):
        self.serve()
        for _ in range(2): # of one connection
            rcon = self.open()
            begin = time.monotonic()
            rcon.send(5, AUTH, "wrong")
            self.assertEqual(rcon.receive()[:2], (-1, AUTH_RESPONSE))
            self.assertGreater(time.monotonic() - begin, 0.9)
        rcon = self.open()
        rcon.send(5, COMMAND, "say hello")
        self.assertTrue(rcon.is_ended())
        for garbage in (b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 64, struct.pack("<i", 4097),
                        struct.pack("<i", 9), struct.pack("<iii", 10, 1, AUTH) + b"ab"):
            rcon = self.open()
            rcon.socket.sendall(garbage)
            self.assertTrue(rcon.is_ended(), garbage)
        self.assertTrue(self.open().login())
        for _ in range(3): # the third to the fifth wrong password
            rcon = self.open()
            rcon.send(5, AUTH, "wrong")
            self.assertEqual(rcon.receive()[0], -1)
            rcon.socket.close()
        self.assertIn("too many: this address is rejected for a minute", self.daemon.log)
        self.assertTrue(self.open().is_ended())
        self.assertTrue(self.open(source="127.0.0.2").login()) # another address

    def test_an_address_has_five_guesses_however_many_connections(self):
        self.serve()
        guessers = [self.open(source="127.0.0.3") for _ in range(4)]
        for _ in range(4):
            for guesser in guessers:
                with contextlib.suppress(ConnectionError):
                    guesser.send(5, AUTH, "wrong")
            for guesser in guessers:
                with contextlib.suppress(ConnectionError, EOFError):
                    self.assertEqual(guesser.receive()[:2], (-1, AUTH_RESPONSE))
        self.assertEqual(self.daemon.log.count("rcon rejected address=127.0.0.3"), 5)
        self.assertTrue(self.open(source="127.0.0.2").login())

    def test_connections_are_few_and_strangers_make_room(self):
        self.serve()
        held = [self.open(source=f"127.0.0.{2 + i // 4}") for i in range(8)]
        self.assertTrue(self.open(source="127.0.0.2").is_ended()) # the fifth of its address
        rcon = self.open(source="127.0.0.9")
        self.assertTrue(rcon.login())
        self.assertTrue(held[0].is_ended()) # the oldest
        self.assertEqual(rcon.ask("say hello"), "done\n")

    def test_what_is_remote_must_be_wanted(self):
        path = self.stage.write_config(harness.config(arena(), rcon_listen="0.0.0.0:0",
                                                      rcon_password=self.line))
        self.assertIn("want an address of 127.0.0.0/8 or [::1], or remote",
                      harness.run_raimd("-t", "-c", path).stderr)


if __name__ == "__main__":
    harness.main()
