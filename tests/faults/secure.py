# SPDX-License-Identifier: MIT
"""Rows of the table of faults: encrypted sessions, credentials, and whoever is on the path."""

import contextlib
import itertools
import signal
import socket
import subprocess
import threading
import time

import secure_client
from ports import free_port
from row import Skipped, arena_of, end_bots, expect, harness, raimctl, row, ticks_go_on
from secure_client import SecureClient
from stalls import Stalls
from stranger import connect_command, datagram
from wire import Wire

HEAD = b"\xff\xff\xff\xffRAIM"
LIMITED = "limits = { loopback = true; }; }"


def is_kind(data, kind):
    """Whether a datagram without a connection is of a kind, whatever its form."""
    return data[:8] == HEAD and data[8] == kind


def requires_encryption():
    """The value of `encryption` with which an arena takes encrypted datagrams alone."""
    return "required" if '"required"' in harness.run_raimd("--config-reference").stdout else True


class Squatters:
    """One stranger at many addresses, each in a network of its own: handshakes, some of them with
    an ENet connection that it ends at once, from the next address and port again and again; and a
    datagram now and then for every session that it ever began."""

    def __init__(self, port):
        self.port = port
        self.begun = self.rejected = 0
        self.clients = []
        self.ended = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def end(self):
        self.ended = True
        self.thread.join()
        for client in self.clients:
            client.sock.close()

    def _run(self):
        for number in itertools.count(1):
            if self.ended:
                return
            client = SecureClient(self.port, f"127.{1 + number // 250 % 250}.{number % 250}.1")
            self.clients.append(client)
            if not client.shake_hands(times=1):
                self.rejected += 1
            elif client.reason == 0:
                self.begun += 1
                if number % 8 == 0 and client.connect() is not None:
                    client.disconnect()
            for held in self.clients[-200:] if number % 50 == 0 else ():
                if hasattr(held, "up"):
                    held.send(bytes(8))


@row(28, "sessions begun, confirmed, left, kept by a datagram now and then",
     "newcomers and who resumes get in")
def squatted_sessions(trial):
    trial.need_key("encryption")
    if secure_client.MISSING:
        raise Skipped(secure_client.MISSING)
    text = harness.arena(max_players=16, encryption=requires_encryption()).removesuffix("}")
    daemon = trial.stage.serve(text + LIMITED)
    with Wire(daemon.ports[0]) as wire:
        players = trial.bots(daemon, 4, ports=[wire.port])
        squatters = Squatters(daemon.ports[0])
        try:
            time.sleep(trial.often(15, 3))
            wire.change = lambda data, up: [] # cut; then they come back from other ports
            time.sleep(3)
            wire.change = lambda data, up: [data]
            newcomers = trial.stage.bots(daemon, 4)
            daemon.poll("everybody", lambda: sum(not player["away"] for player
                                                 in arena_of(daemon)["players"]) == 8, 30)
            # Each comes back from a port of its own, and then has to be welcomed.
            harness.poll("returns", lambda: len(wire.backs) >= 8)
            ticks_go_on(daemon, 240)
        finally:
            squatters.end()
        new, old = end_bots(newcomers), end_bots(players)
    seen = (f"{squatters.begun} sessions begun, {squatters.rejected} rejected; {new['connected']} of 4"
            f" newcomers in, {old['resumes']} resumed of 4, {old['disconnected']} lost")
    return squatters.begun, expect(
        squatters.begun > 0 and new["connected"] == 4 and old["disconnected"] == 0
        and old["resumes"] >= 4, seen)


class Crowd:
    """Strangers at many addresses who ask for cookies and connect ENet with what they get."""

    def __init__(self, port, addresses, rounds):
        self.connected = set() # addresses that ENet at the server has answered
        self.sent = 0
        sockets = {}
        for address in addresses:
            sockets[address] = sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.bind((address, 0))
            sock.connect(("127.0.0.1", port))
            sock.setblocking(False)
        connect_requests = [(HEAD + bytes((1, form))).ljust(512, b"\0") for form in (1, 2)]
        cookies = {}
        for _ in range(rounds):
            for address, sock in sockets.items():
                cookie = cookies.get(address)
                for data in (connect_requests if cookie is None else
                             [datagram(connect_command(cookie)), *connect_requests]):
                    sock.send(data)
                    self.sent += 1
            time.sleep(0.1)
            for address, sock in sockets.items():
                while True:
                    try:
                        data = sock.recv(2048)
                    except BlockingIOError:
                        break
                    if is_kind(data, 2):
                        cookies[address] = int.from_bytes(data[11:15], "little")
                    elif data[:1] != b"\xff" and len(data) > 8 and data[4] & 15 == 3:
                        self.connected.add(address)
        self.sockets = sockets

    def close(self):
        for sock in self.sockets.values():
            sock.close()


@row(29, "strangers without an access token, and banned addresses, connect",
     "no connection for them, every token holder in")
def uninvited(trial):
    trial.need_key("access")
    holders = trial.often(45, 10)
    key, state = trial.stage.directory / "key", trial.stage.directory / "state"
    control = trial.stage.directory / "control.sock"
    state.mkdir()
    public = raimctl("token", "key", key)
    env = {"STATE_DIRECTORY": str(state), "RUNTIME_DIRECTORY": str(trial.stage.directory)}
    daemon = trial.stage.serve(
        harness.arena("guarded", max_players=holders, max_spectators=0, access="token",
                      access_key=public),
        harness.arena("open", max_players=8), env=env)
    daemon.poll("the control socket", lambda: "control started" in daemon.log)
    raimctl("-s", control, "ban", "127.99.0.0/16", "--for", "1h", "row 29")
    strangers = Crowd(daemon.ports[0], [f"127.{1 + i // 250}.{i % 250}.9" for i in range(200)],
                      trial.often(20, 5))
    banned = Crowd(daemon.ports[1], [f"127.99.{i}.9" for i in range(100)], trial.often(20, 5))
    words = [word for _ in range(holders) for word in (
        "--access", raimctl("token", "make", "--key", key, "--arena", "guarded", "--for", "10m"))]
    try:
        bots = trial.stage.bots(daemon, holders, trial.often(10, 3), network=words,
                                ports=daemon.ports[:1])
        joined = bots.report(60)["connected"]
    finally:
        strangers.close()
        banned.close()
    seen = (f"{len(strangers.connected)} strangers and {len(banned.connected)} banned addresses"
            f" connected, {joined} of {holders} token holders in")
    return strangers.sent + banned.sent, expect(
        not strangers.connected and not banned.connected and joined == holders, seen)


@row(30, "a session cut, then answered in plain text by somebody on the path",
     "no plain text, no token; resumes when the server answers")
def downgrade(trial):
    trial.need_key("encryption")
    daemon = trial.stage.serve(harness.arena(max_players=4, encryption=requires_encryption()))
    plain, connect_requests, cut = [], 0, False

    def answer(data, up):
        """As an arena that offers no encryption: a cookie of either form, and nothing else."""
        nonlocal connect_requests
        if not cut or not up:
            return [data] if not cut else []
        if is_kind(data, 1):
            connect_requests += 1
            name = b"" if data[9] == 1 else b"\5arena"
            wire.inject(HEAD + bytes((2, data[9], 0)) + (7).to_bytes(4, "little") + name)
        elif data[:1] != b"\xff" and not (data[0] < 0x80 and (data[0] >= 0x40 or len(data) > 60)):
            plain.append(data) # ENet's, as it is
        return []

    with Wire(daemon.ports[0]) as wire:
        wire.change = answer
        bots = trial.bots(daemon, 1, ports=[wire.port])
        rounds = trial.often(5, 1)
        for _ in range(rounds):
            cut, before = True, connect_requests
            harness.poll("connect requests", lambda: connect_requests > before + 3)
            cut = False
            resumed = arena_of(daemon)["bytes_in"]
            daemon.poll("its return", lambda: arena_of(daemon)["bytes_in"] > resumed + 2000)
        report = end_bots(bots)
    return connect_requests, expect(
        not plain and report["disconnected"] == 0 and report["resumes"] >= rounds,
        f"{len(plain)} datagrams in plain text, {report['resumes']} times resumed,"
        f" {report['disconnected']} lost")


@row(31, "INVITEs of a restart, repeated in turns", "one return for the restart")
def repeated_invites(trial):
    runtime = trial.stage.directory / "run"
    runtime.mkdir()
    ports = free_port(), free_port()
    path = trial.stage.write_config(harness.config(
        harness.arena(port=ports[0], max_players=4), status=f"127.0.0.1:{ports[1]}"))
    env = {"RUNTIME_DIRECTORY": str(runtime), "STATE_DIRECTORY": str(runtime)}
    daemon = trial.stage.raimd("-c", path, env=env).wait_started()
    with Wire(ports[0]) as wire:
        # Whoever is on the path withholds them, and has several.
        wire.change = lambda data, up: [] if is_kind(data, 3) else [data]
        bots = trial.bots(daemon, 1, ports=[wire.port])
        for _ in range(2): # a checkpoint with where it plays
            before = (runtime / "arena.checkpoint").read_bytes()
            daemon.poll("a checkpoint", lambda before=before:
                        (runtime / "arena.checkpoint").read_bytes() != before)
        # Nor does it return by itself, as it does when a restart takes long.
        wire.change = lambda data, up: [] if up or is_kind(data, 3) else [data]
        daemon.expected_status = -signal.SIGKILL
        daemon.send(signal.SIGKILL)
        daemon.process.wait(harness.START_S)
        daemon = trial.stage.raimd("-c", path, env=env).wait_started()
        harness.poll("INVITEs", lambda: len([x for x in wire.down if is_kind(x, 3)]) > 2)
        wire.change = lambda data, up: [] if is_kind(data, 3) else [data]
        daemon.poll("its return", lambda: any(not player["away"]
                                              for player in arena_of(daemon)["players"]))
        time.sleep(2.5) # until the server invites no more
        invites = list(dict.fromkeys(x for x in wire.down if is_kind(x, 3)))
        clients = set(wire.backs)
        sent = 0
        end = time.monotonic() + trial.often(8, 3)
        while time.monotonic() < end:
            wire.inject(invites[sent % min(2, len(invites))])
            sent += 1
            time.sleep(0.25)
        forced = len(set(wire.backs) - clients)
        report = end_bots(bots)
    return sent, expect(forced <= 1 and report["disconnected"] == 0,
                        f"{len(invites)} different INVITEs, {forced} returns forced, "
                        f"{report['disconnected']} lost")


@row(58, "wrong passwords from many addresses", "no slot for them, every player plays on; who knows"
     " the password comes in")
def guesses(trial):
    trial.need_key("password")
    if secure_client.MISSING:
        raise Skipped(secure_client.MISSING)
    lock = subprocess.run([harness.BIN / "raimctl", "password"], input="swordfish\n", text=True,
                          capture_output=True, check=True, timeout=harness.START_S).stdout.strip()
    path = trial.stage.directory / "password"
    path.write_text("swordfish\n", encoding="utf-8")
    daemon = trial.stage.serve(harness.arena(password=lock, max_players=16,
                                             limits={"loopback": True}))
    bots = trial.bots(daemon, 8, network=("--password-file", path))
    before, asked, answers = arena_of(daemon), 0, []
    end = time.monotonic() + trial.often(20, 3)
    while time.monotonic() < end:
        # Eight of an address, which has ten: one that shares the players' bucket leaves them some.
        with SecureClient(daemon.ports[0], f"127.{1 + asked // 8 % 250}.7.1") as client:
            if client.shake_hands(secure_client.PASSWORD, asked.to_bytes(32, "little"), times=2):
                answers.append(client.reason)
        asked += 1
    after = arena_of(daemon)
    late = trial.stage.bots(daemon, 1, network=("--password-file", path))
    daemon.wait_pressing(9)
    reports = [end_bots(each) for each in (late, bots)]
    ticks = after["tick"] - before["tick"]
    late_share = (after["late_ticks"] - before["late_ticks"]) / max(ticks, 1)
    seen = (f"{len(answers)} answers, {sorted(set(answers))}, counted"
            f" {after['rejections']['password'] - before['rejections']['password']};"
            f" {sum(report['disconnected'] for report in reports)} players lost;"
            f" {late_share:.1%} of {ticks} ticks late")
    return asked, expect(set(answers) == {17} and len(after["players"]) == 8
                         and all(report["disconnected"] == 0 for report in reports), seen)


class Flood:
    """One INIT with a valid cookie and a wrong tag from each of these addresses, repeated so many
    times a second in all, or with 0 as fast as the machine can send."""

    def __init__(self, port, addresses, rate):
        lines = []
        for address in addresses:
            with SecureClient(port, address) as client:
                assert client.fetch_cookie() is not None, address
                init = client.make_init()
                lines.append(f"{address} {(init[:-1] + bytes((init[-1] ^ 1,))).hex()}\n")
        self.process = subprocess.Popen([harness.BIN / "fault_flood", str(port), str(rate)],
                                        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdin.write("".join(lines) + "\n")
        self.process.stdin.flush()
        self.begun = time.monotonic()

    def end(self):
        """How many it has sent, and in how many seconds."""
        words, _ = self.process.communicate(timeout=harness.START_S)
        return int(words), time.monotonic() - self.begun


def playing(daemon):
    """The ids of the players who are there."""
    return {player["id"] for player in arena_of(daemon)["players"] if not player["away"]}


@row(65, "handshakes with a valid cookie and a wrong tag from 64 networks, while players return",
     "every player is back from the address that he had within 20 s")
def failing_handshakes(trial):
    trial.need_key("encryption")
    if secure_client.MISSING:
        raise Skipped(secure_client.MISSING)
    count = trial.often(6, 2)
    daemon = trial.stage.serve(harness.arena(max_players=32, encryption=requires_encryption(),
                                             limits={"loopback": True}))
    with contextlib.ExitStack() as stack:
        wires = [stack.enter_context(Wire(daemon.ports[0])) for _ in range(3 * count)]
        for number, wire in enumerate(wires):
            wire.source = f"127.{100 + number}.0.1"
        ports = [wire.port for wire in wires]
        bots = [trial.stage.bots(daemon, count, ports=ports[:count])]
        daemon.wait_pressing(count)
        staying = playing(daemon)
        bots.append(trial.stage.bots(daemon, count, ports=ports[count:2 * count]))
        daemon.wait_pressing(2 * count)
        moving = playing(daemon) - staying
        for wire in wires:
            wire.change = lambda data, up: []
        daemon.poll("nobody", lambda: not playing(daemon))
        flood = Flood(daemon.ports[0], [f"127.{10 + number}.0.1" for number in range(64)],
                      trial.often(0, 20000))
        before = arena_of(daemon)["rejections"]
        try:
            for number, wire in enumerate(wires):
                if number >= count:
                    wire.source = f"127.{200 + number}.0.1"
                wire.change = lambda data, up: [data]
            bots.append(trial.stage.bots(daemon, count, ports=ports[2 * count:]))
            begin, stalls = time.monotonic(), Stalls(daemon.pid, *(each.pid for each in bots))
            seconds = {} # by player, from the first status that has them
            while len(seconds) < 3 * count and (now := time.monotonic() - begin) < harness.LIFE_S / 2:
                if now - stalls.seconds() > 20:
                    break
                for player in playing(daemon) - seconds.keys():
                    seconds[player] = now
                time.sleep(0.05)
        finally:
            sent, flooded_s = flood.end()
        after = arena_of(daemon)["rejections"]
        for each in bots:
            end_bots(each)
    groups = ([seconds[id] for id in seconds if id in staying],
              [seconds[id] for id in seconds if id in moving],
              [seconds[id] for id in seconds if id not in staying | moving])
    checked, unseen = (after.get(key, 0) - before.get(key, 0) for key in ("forged", "handshakes"))
    seen = ", ".join(f"{len(group)} of {count} {what} within {max(group, default=0):.1f} s"
                     for group, what in zip(groups, ("back", "back from another address",
                                                     "newcomers in")))
    seen += f"; {sent / flooded_s:.0f} a second sent, {checked} checked, {unseen} rejected unseen"
    # At its full speed a flood also fills the socket's buffer, which delays newcomers most.
    return sent, expect(checked > 0 and unseen > 0 and len(groups[0]) == count
                        and (not trial.short or len(groups[2]) == count), seen)
