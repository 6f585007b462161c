# SPDX-License-Identifier: MIT
"""Rows of the table of faults: networks that lose, repeat, mix up, spoil and move."""

import json
import os
import struct
import subprocess
import time

from row import Skipped, arena_of, count_lost, end_bots, expect, harness, row, ticks_go_on
from stranger import DISCONNECT, ON_ALL, Peer, acknowledge_command, datagram, send_spoofed


class Relay:
    """A fault_relay before a port of a daemon."""

    def __init__(self, daemon, index=0):
        self.process = subprocess.Popen(
            [harness.BIN / "fault_relay", str(daemon.ports[index]), "1"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def tell(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def end(self):
        """What it did."""
        words, _ = self.process.communicate(timeout=harness.START_S)
        return json.loads(words)


def humans(daemon):
    return {player["id"]: player for player in arena_of(daemon)["players"] if not player["bot"]}


def wait_playing(daemon, players, playing, deadline_s=40):
    """Waits until the inputs of all these players come in time, or of none: the newest rows."""
    earlier = {}

    def seen():
        nonlocal earlier
        now = humans(daemon)
        before, earlier = earlier, now
        time.sleep(0.5)
        if now.keys() != players or before.keys() != players:
            return None
        for id, player in now.items():
            due = player["inputs_due"] - before[id]["inputs_due"]
            missed = player["inputs_missed"] - before[id]["inputs_missed"]
            if (due > 0 and not player["away"] and missed < due / 2) != playing:
                return None
        return now
    return daemon.poll(f"players that {'play' if playing else 'do not'}", seen, deadline_s)


@row(4, "spoofed DISCONNECT at an encrypted player", "stays")
def spoofed_disconnect(trial):
    trial.need_key("encryption")
    trial.need_root()
    daemon = trial.stage.serve(harness.arena(max_players=4, encryption="required"))
    count = 0
    with Relay(daemon) as relay:
        bots = trial.bots(daemon, 1, ports=[relay.port])
        # The address that the daemon knows is a socket of the relay; /proc names its port.
        ports = [port for port in udp_ports(relay.process.pid) if port != relay.port]
        for _ in range(trial.often(20, 2)):
            for port in ports:
                for number in range(8):
                    for session in range(4):
                        for command in (DISCONNECT | 0x40, DISCONNECT | 0x80):
                            data = datagram(struct.pack("!BBHI", command, ON_ALL, 2, 0), number,
                                            session)
                            send_spoofed(data, ("127.0.0.1", port), ("127.0.0.1", daemon.ports[0]))
                            count += 1
        ticks_go_on(daemon, 120)
        lost, report = count_lost(bots)
    return count, expect(lost == 0 and report["connected"] == 1,
                         f"{report['connected']} player, {lost} times lost")


def udp_ports(pid):
    """The local ports of the UDP sockets of a process."""
    inodes = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        link = os.readlink(f"/proc/{pid}/fd/{name}")
        if link.startswith("socket:["):
            inodes.add(link[8:-1])
    with open(f"/proc/{pid}/net/udp", encoding="ascii") as table:
        rows = [line.split() for line in table][1:]
    return [int(words[1].split(":")[1], 16) for words in rows if words[9] in inodes]


@row(7, "mutated captures of real sessions", "no crash, no leak, under ASan")
def mutated_captures(trial):
    wanted = trial.often(1000000, 20000)
    with trial.sanitized_build():
        if not trial.is_sanitized():
            raise Skipped("no build with sanitizers: RAIM_ASAN_BIN names none")
        trial.live_long(700)
        # In plain text: a changed byte of an encrypted datagram gets no further than its tag.
        daemon = trial.stage.serve(harness.arena(max_players=64, bots=4, encryption="off"))
        with Relay(daemon) as relay:
            bots = trial.stage.bots(daemon, 12, ports=[relay.port])
            daemon.wait_players(12)
            before = arena_of(daemon)["packets_in"]
            relay.tell(f"mutate {trial.often(24, 10)}")

            def arrived():
                return arena_of(daemon)["packets_in"] - before
            daemon.poll(f"{wanted} datagrams", lambda: arrived() >= wanted, 600)
            relay.tell("mutate 0")
            ticks_go_on(daemon, 60)
            came = arrived()
            # Who was thrown out by what their address said comes back, or is told why not.
            bots.stop()
            report = bots.report()
        daemon.stop() # says what leaked, too
    return came, expect(True, f"no report, {report['resumes']} times a player was resumed")


@row(9, "clients that never ack, ack slowly, ack nonsense", "capped, dropped with a reason")
def bad_acknowledgements(trial):
    daemon = trial.stage.serve(harness.arena(max_players=8, bots=24))
    port, validates = daemon.ports[0], trial.has("address_validation")
    bots = trial.bots(daemon, 1)
    before_kb = daemon.resident_kb()
    names = ("never", "slowly", "nonsense")
    never, slowly, nonsense = (Peer(port, address_validation=validates).connect(name)
                               for name in names)
    daemon.wait_players(4)
    begin, acknowledged = time.monotonic(), 0
    seconds = trial.often(30, 1.5)
    dropped = {}
    while (passed := time.monotonic() - begin) < seconds and len(dropped) < 2:
        never.serve(0.01, acknowledges=False)
        slowly.serve(0.01, acknowledges=passed - acknowledged > 1)
        if passed - acknowledged > 1:
            acknowledged = passed
        nonsense.serve(0.01, acknowledges=False)
        for sequence in range(0, 65536, 4099):
            nonsense.send_commands(acknowledge_command(sequence % 3, sequence, 0))
        here = {row["name"] for row in arena_of(daemon)["players"] if not row["away"]}
        for name in ("never", "nonsense"):
            if name not in here:
                dropped.setdefault(name, passed)
    grown_kb = daemon.resident_kb() - before_kb
    report = end_bots(bots)
    for peer in (never, slowly, nonsense):
        peer.socket.close()
    seen = ", ".join(f"{name} after {passed:.0f} s" for name, passed in dropped.items())
    good = report["disconnected"] == 0 and (trial.short or len(dropped) == 2)
    good = good and (trial.is_sanitized() or grown_kb < 2048)
    return 3, expect(good, f"dropped: {seen or 'nobody yet'}; {grown_kb} kB more")


@row(12, "loss of 5 and 20 %, reordering, duplication", "no reliable event lost or repeated")
def loss(trial):
    seen, good = [], True
    for percent in trial.often((5, 20), (20,)):
        daemon = trial.stage.serve(harness.arena(max_players=8, bots=12))
        with Relay(daemon) as relay:
            # Where a fifth is lost, one of a hundred is not let in within ten seconds and gives up;
            # so everybody is in before.
            bots = trial.bots(daemon, 8, ports=[relay.port])
            relay.tell(f"loss {percent}", "twice 5", "late 10")
            time.sleep(trial.often(30, 2)) # it is a while of play that is judged
            report = end_bots(bots)
            did = relay.end()
        seen.append(f"{percent} %: {report['events']} events; ignored {report['events_ahead']} early,"
                    f" {report['events_repeated']} repeated")
        good = (good and report["events"] > 0 and report["decode_errors"] == 0
                and did["lost"] > 0 and did["doubled"] > 0 and did["delayed"] > 0)
    return 8 * len(seen), expect(good, "; ".join(seen))


@row(13, "partition of 3 and of 40 s", "play goes on; clean timeout, resumed within the grace time")
def partition(trial):
    daemon = trial.stage.serve(harness.arena(max_players=4, bots=8, resume_grace=60))
    with Relay(daemon) as relay:
        bots = trial.bots(daemon, 2, ports=[relay.port])
        before = humans(daemon)

        def cut(seconds):
            relay.tell("cut")
            time.sleep(seconds)
            during = humans(daemon)
            relay.tell("mend")
            begin = time.monotonic()
            after = wait_playing(daemon, before.keys(), True)
            kept = all(after[id]["score"] >= row["score"] for id, row in before.items())
            return during, kept, time.monotonic() - begin

        during, kept, _ = cut(3)
        stayed = not any(row["away"] for row in during.values())
        good, seen = kept and stayed, f"3 s: {'nobody away' if stayed else 'away'}"
        if not trial.short:
            during, kept, back_s = cut(40)
            timed_out = all(row["away"] for row in during.values())
            good = good and kept and timed_out
            seen += (f"; 40 s: {'all away' if timed_out else 'not away'}, the same players back in"
                     f" {back_s:.1f} s")
        ticks_go_on(daemon, 60)
        report = end_bots(bots)
    good = good and report["disconnected"] == 0
    return trial.often(2, 1), expect(good, f"{seen}, {report['resumes']} resumes")


@row(14, "source port changes mid-play", "same player")
def rebinding(trial):
    daemon = trial.stage.serve(harness.arena(max_players=4, bots=8))
    changes = trial.often(5, 1)
    with Relay(daemon) as relay:
        bots = trial.bots(daemon, 2, ports=[relay.port])
        before = humans(daemon)
        for _ in range(changes):
            relay.tell("rebind")
            wait_playing(daemon, before.keys(), False)
            wait_playing(daemon, before.keys(), True)
        after = humans(daemon)
        report = end_bots(bots)
    same = {id: row["name"] for id, row in before.items()} == {
        id: row["name"] for id, row in after.items()}
    return changes, expect(same and report["disconnected"] == 0,
                           f"{'same' if same else 'other'} players, {report['resumes']} resumes")
