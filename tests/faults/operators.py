# SPDX-License-Identifier: MIT
"""Rows of the table of faults: strangers at the doors of operators."""

import contextlib
import re
import socket
import struct
import subprocess
import time

from row import expect, harness, row

PASSWORD, AUTH, COMMAND = "correct horse", 3, 2


def packet(kind, body):
    data = body.encode() + b"\0\0"
    return struct.pack("<iii", len(data) + 8, 7, kind) + data


def connect(address, source):
    connection = socket.create_connection(address, harness.START_S, (source, 0))
    connection.settimeout(harness.START_S)
    return connection


def ask(connection, kind, body):
    """The id and body of the answer; None where the connection ends."""
    try:
        connection.sendall(packet(kind, body))
        size, = struct.unpack("<i", connection.recv(4, socket.MSG_WAITALL))
        data = connection.recv(size, socket.MSG_WAITALL)
        return struct.unpack("<i", data[:4])[0], data[8:-2].decode()
    except (OSError, struct.error):
        return None


def attack(address, source, number, silent):
    """One of the things that strangers do; silent connections stay open."""
    connection = connect(address, source)
    with contextlib.suppress(OSError):
        if number % 4 == 0:
            connection.sendall(packet(AUTH, f"guess {number}"))
        elif number % 4 == 1:
            connection.sendall(b"\xff" * 5000)
        elif number % 4 == 2:
            connection.sendall(packet(AUTH, "x" * 400)[:20]) # never the rest
        else:
            connection.sendall(packet(COMMAND, "drain"))
    silent.append(connection)


@row(60, "RCON: guesses, halves of packets, garbage and silence from 200 addresses",
     "nothing ordered; every order of the operator beside them is answered, and every login")
def rcon_strangers(trial):
    trial.need_key("rcon")
    line = subprocess.run([harness.BIN / "raimctl", "password"], input=PASSWORD + "\n", text=True,
                          capture_output=True, check=True, timeout=harness.START_S).stdout.strip()
    daemon = trial.stage.serve(harness.arena(), rcon_listen="127.0.0.1:0", rcon_password=line)
    port = daemon.poll("RCON", lambda: re.search(r"rcon started address=\S+:(\d+)", daemon.log))[1]
    address = "127.0.0.1", int(port)
    bots = trial.stage.bots(daemon, 8)
    daemon.wait_pressing(8)
    before = daemon.get_json()["arenas"][0]
    with contextlib.ExitStack() as stack:
        operator = stack.enter_context(connect(address, "127.0.0.9"))
        first = ask(operator, AUTH, PASSWORD)
        silent, tried, answers, logins = [], 0, [], []
        end = time.monotonic() + trial.often(20, 3)
        while time.monotonic() < end:
            attack(address, f"127.{1 + tried % 200}.8.1", tried, silent)
            tried += 1
            if tried % 40 == 0: # from where the operator has logged in before
                with connect(address, "127.0.0.9") as again:
                    logins.append(ask(again, AUTH, PASSWORD) == (7, ""))
            if tried % 20 == 0:
                answers.append(ask(operator, COMMAND, "say still here"))
                for connection in silent[:-16]:
                    connection.close()
                del silent[:-16]
        for connection in silent:
            connection.close()
    after = daemon.get_json()["arenas"][0]
    bots.stop(2)
    ticks = after["tick"] - before["tick"]
    late = (after["late_ticks"] - before["late_ticks"]) / max(ticks, 1)
    seen = (f"{tried} strangers, {len(answers)} orders answered, {sum(logins)} of {len(logins)} logins,"
            f" {late:.1%} of {ticks} ticks late, "
            f"{daemon.log.count('rcon rejected')} guesses verified")
    return tried, expect(first == (7, "") and answers
                         and all(answer == (7, "done\n") for answer in answers)
                         and logins and all(logins)
                         and daemon.log.count("command given by=127.0.0.9 via=rcon") == len(answers)
                         and daemon.log.count("command given by=") == len(answers)
                         and len(after["players"]) == 8, seen)
