# SPDX-License-Identifier: MIT
"""A row of the table of faults: a state directory that stalls, as a hung network disk does."""

import contextlib
import json
import signal
import socket
import subprocess
import threading
import time

import arenas_api
from ports import free_port, free_ports
from process import command, service_manager
from row import Skipped, arena_of, expect, harness, raimctl, row

WATCHDOG_S = 1.0
BIG = "beside-20260102T000000Z-r1.raimrec"


class StallingDisk:
    """An ext4 in a file, which freezes and thaws; takes root and a loop device, or is skipped."""

    def __init__(self, stage):
        self.path, self.image = stage.directory / "disk", stage.directory / "disk.img"

    def __enter__(self):
        self.path.mkdir()
        with open(self.image, "wb") as image:
            image.truncate(64 << 20)
        try:
            for words in (["mkfs.ext4", "-q", self.image],
                          ["mount", "-o", "loop", self.image, self.path]):
                subprocess.run(words, check=True, stdin=subprocess.DEVNULL, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Skipped("a stalling disk: an ext4 cannot be mounted here") from error
        return self

    def freeze(self):
        subprocess.run(["fsfreeze", "-f", self.path], check=True)

    def thaw(self):
        subprocess.run(["fsfreeze", "-u", self.path], check=False, capture_output=True)

    def __exit__(self, *_):
        self.thaw()
        subprocess.run(["umount", "-l", self.path], check=True)


class Pulse:
    """Asks for the status all the time, and measures what the machine itself stalls meanwhile."""

    def __init__(self, daemon):
        self.daemon, self.slowest_s, self.stall_s, self.ends = daemon, 0, 0, False
        self.threads = [threading.Thread(target=each) for each in (self._ask, self._tick)]

    def _ask(self):
        while not self.ends:
            begin, before = time.monotonic(), self.stall_s
            self.daemon.ask()
            self.slowest_s = max(self.slowest_s, time.monotonic() - begin - self.stall_s + before)
            time.sleep(0.01)

    def _tick(self):
        while not self.ends:
            begin = time.monotonic()
            time.sleep(0.005)
            self.stall_s += max(time.monotonic() - begin - 0.01, 0)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        for thread in self.threads:
            thread.join()


class Server:
    """A raimd whose state lies on such a disk."""

    def __init__(self, trial, disk, env, fed):
        self.fed = fed
        self.disk, self.run = disk, trial.stage.directory / "run"
        self.run.mkdir()
        recordings = disk.path / "recordings"
        recordings.mkdir(mode=0o700)
        (recordings / BIG).write_bytes(bytes(1 << 20))
        self.stage, self.port, self.guarded = trial.stage, free_port(), free_port()
        self.key = trial.stage.directory / "key"
        self.public = raimctl("token", "key", self.key)
        self.env = {"STATE_DIRECTORY": str(disk.path), "RUNTIME_DIRECTORY": str(self.run), **env}
        self.first, self.status = free_ports(4), free_port()
        self.path = self.write("beside", tokens=["guarded"])
        self.start()
        self.api = arenas_api.Api.unix(self.run / "control.sock")

    def write(self, *names, tokens=()):
        """`tokens` names the arenas that need access tokens; the first keeps its port."""
        arenas = [harness.arena(name, max_players=8, recording="all",
                                port=self.port if name == "beside" else 0) for name in names]
        arenas += [harness.arena(name, max_players=8, access="token", access_key=self.public,
                                 port=0 if number else self.guarded)
                   for number, name in enumerate(tokens)]
        return self.stage.write_config(
            arenas_api.config(arenas_api.template(max_players=8), first=self.first, count=4, arenas=arenas,
                         workers=1, status=f"127.0.0.1:{self.status}", recordings_days=0), "stalls.conf")

    def start(self):
        self.daemon = self.stage.raimd("-c", self.path, env=self.env).wait_started()
        self.daemon.poll("the control", lambda: "control started socket" in self.daemon.log)
        return self.daemon

    def command(self, name, **fields):
        """An answer's status and text, and how long it took."""
        begin = time.monotonic()
        status, text = command(self.run / "control.sock", name, **fields)
        took = time.monotonic() - begin
        self.fed() # or the manager's queue is full, for which the daemon waits
        return status, text, took

    def is_port_open(self):
        with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
            try:
                probe.bind(("127.0.0.1", self.port))
            except OSError:
                return True
        return False


def give_commands(trial, server):
    """Commands while the disk stalls: how long the answers took, and those that wait for the store."""
    daemon = server.daemon
    joined = trial.stage.bots(daemon, 2, ports=[server.port])
    daemon.wait_pressing(4)
    took = {}
    status, text, took["say"] = server.command("say", text="hello")
    expect(status == 200, f"say: {status} {text}")
    status, text, ban_s = server.command("ban", address="192.0.2.1")
    expect(status == 200 and json.loads(text)["stored"] is False, f"ban: {status} {text}")
    begin = time.monotonic()
    arena = server.api.make("wanted", ends="never")
    took["arena"] = time.monotonic() - begin
    joined_arena = trial.stage.bots(daemon, 1, ports=[arena["port"]])
    daemon.wait_pressing(5)
    status, text, _ = server.command("recording-keep", recording=BIG)
    expect(status == 504, f"recording keep: {status} {text}")
    server.write("beside", "added", tokens=["guarded"])
    status, text, took["reload"] = server.command("reload")
    expect(status == 200, f"reload: {status} {text}")
    stored = {"ban": ban_s}
    server.write("beside", "added", tokens=["renamed"])
    status, text, stored["rename"] = server.command("reload")
    expect(status == 200 and "renamed" in text, f"rename: {status} {text}")
    daemon.poll("the new name", lambda: "renamed" in (
        arena["name"] for arena in daemon.get_json()["arenas"]))
    server.write("beside", "added", tokens=["renamed", "fresh"])
    status, text, stored["arena add"] = server.command("arena-add", arena="fresh")
    expect(status == 200, f"arena add: {status} {text}")
    status, text, took["arena remove"] = server.command("arena-remove", arena="fresh")
    expect(status == 200, f"arena remove: {status} {text}")
    begin = time.monotonic()
    answer = daemon.ask(f"/recordings/{BIG}")
    took["download"] = time.monotonic() - begin
    expect(answer.status == 200, f"download: {answer.status}")
    daemon.poll("a word of it", lambda: "state directory does not respond" in daemon.log)
    return (joined, joined_arena), took, stored


@row(66, "the state directory stalls: join, say, ban, arena on demand, reload, arena with tokens"
     " renamed, added and removed, recording kept, download, SIGTERM",
     "all answered, ticks in time, watchdog fed; players told and ports closed within 1 s")
def stalling_disk(trial):
    trial.need_root()
    with StallingDisk(trial.stage) as disk, service_manager(WATCHDOG_S) as (env, fed):
        server = Server(trial, disk, env, fed)
        daemon = server.daemon
        players = trial.bots(daemon, 2, ports=[server.port])
        daemon.poll("the recording", lambda: daemon.ask(f"/recordings/{BIG}").status == 200)
        skipped, late = (arena_of(daemon)[key] for key in ("skipped_ticks", "late_ticks"))
        disk.freeze()
        try:
            fed()
            with Pulse(daemon) as pulse:
                joined, took, stored = give_commands(trial, server)
                begin = time.monotonic()
                while time.monotonic() < begin + trial.often(10, 2):
                    harness.poll("watchdog's food", fed, 2 * WATCHDOG_S)
            skipped = arena_of(daemon)["skipped_ticks"] - skipped
            late = arena_of(daemon)["late_ticks"] - late
            begin = time.monotonic()
            daemon.send(signal.SIGTERM)
            harness.poll("the ports closed", lambda: not server.is_port_open())
            closed_s = time.monotonic() - begin
            checkpoints = {path: path.read_bytes() for path in server.run.glob("*.checkpoint")}
            expect(checkpoints, "no checkpoints")
            expect(daemon.process.poll() is None, "it did not wait for the disk")
        finally:
            disk.thaw()
        daemon.wait(harness.START_S)
        expect(all(path.read_bytes() == text for path, text in checkpoints.items()),
               "a checkpoint changed after its players had left")
        life = server.start()
        life.wait_pressing(5)
        expect("192.0.2.1" in (disk.path / "bans").read_text("ascii"), "the ban is lost")
        expect(server.api.arena("wanted") is not None, "the arena on demand is lost")
        for bots in (players, *joined):
            bots.stop()
        lost = sum(bots.report()["disconnected"] for bots in (players, *joined))
        life.stop()
    slowest, stored_slowest = max(took, key=took.get), max(stored, key=stored.get)
    good = (lost == 0 and skipped <= 60 * pulse.stall_s and pulse.slowest_s < 1
            and took[slowest] < 1 and stored[stored_slowest] < 1.5 and closed_s < 1.5 + pulse.stall_s)
    return 11, expect(good, f"slowest answer {took[slowest]:.2f} s ({slowest}),"
                            f" stored {stored[stored_slowest]:.2f} s ({stored_slowest}),"
                            f" status {pulse.slowest_s:.2f} s; {late} late, {skipped} skipped ticks,"
                            f" the machine's own stalls {pulse.stall_s:.2f} s;"
                            f" ports closed after {closed_s:.2f} s; {lost} lost")
