#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes tests/compat/VERSION anew, which tests/daemon/test_compat.py starts every later raimd on:
what a raimd of this version leaves behind after a round and a half of real clients, and what is
needed to play as a client of it. Once the version is released, its folder stays as it is."""

import gzip
import json
import pathlib
import re
import shutil
import signal
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/compat"
sys.path[:0] = [str(ROOT / "tests/daemon"), str(ROOT / "tests/rules")]

import arenas_api
import format_versions
import harness
from harness import Stage, arena
from ports import free_ports
from test_access import raimctl
from test_ban_list import ListServer
from test_results import EASY

ROUND_S = 30
PORTS = 5 # of three arenas, and two on demand
POINTS = 3 # that the clients of each arena have at least


def add_bytes(path, data):
    """Writes a file; one that is mostly zeros is packed."""
    if path.suffix != ".raimrec" and b"\0" in data:
        path, data = path.with_name(path.name + ".gz"), gzip.compress(data, mtime=0)
    path.write_bytes(data)


def write_client(path):
    """The client and the reader of recordings of this version, as one program."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in (("__main__.py", HERE / "client.py"),
                             *((f"{part}.py", ROOT / f"proto/{part}.py")
                               for part in ("example", "collision", "recording"))):
            archive.writestr(zipfile.ZipInfo(name), source.read_bytes(), zipfile.ZIP_DEFLATED)


class Play:
    """A raimd, and who plays on it."""

    def __init__(self, stage, folder, url):
        self.stage, self.folder = stage, folder
        self.first = free_ports(PORTS)
        self.state, self.run = stage.directory / "state", stage.directory / "run"
        for directory in (self.state, self.run):
            directory.mkdir()
        self.socket = self.run / "control.sock"
        self.key = stage.directory / "key"
        access = self.ask("token", "key", self.key, socket=False)
        (folder / "maps").mkdir()
        shutil.copy(ROOT / "config/maps/duel.conf", folder / "maps")
        keys = {"map": "maps/duel.conf", "max_players": 4, "resume_grace": 600, "sight": False,
                "spectator_delay": 0, "round_time": ROUND_S, "break_time": 0.5, "rules": EASY}
        quiet = {**keys, "recording": "none"}
        text = arenas_api.config(
            arenas_api.template(**quiet), first=self.first + 3, count=2,
            arenas=(arena("east", port=self.first, bots=2, **keys),
                    arena("west", port=self.first + 1, bots=2, **quiet),
                    arena("guild", port=self.first + 2, access="token", access_key=access, **quiet)),
            bans_list=url, recordings_days=0)
        (folder / "raimd.conf").write_text("# SPDX-License-Identifier: MIT\n" + text)
        self.daemon = stage.raimd("-c", folder / "raimd.conf",
                                  env={"STATE_DIRECTORY": str(self.state),
                                       "RUNTIME_DIRECTORY": str(self.run)}).wait_started()
        self.daemon.poll("the control socket", self.socket.exists)
        self.api = arenas_api.Api.unix(self.socket)

    def ask(self, *words, socket=True):
        status, out, complaint = raimctl(*(("-s", self.socket) if socket else ()), *words)
        if status != 0:
            sys.exit(f"raimctl {words}: {complaint}")
        return out

    def begin(self):
        """The commands of an operator and a matchmaker; and the clients."""
        self.ask("ban", "192.0.2.0/24", "--yes", "for the test")
        self.made = self.api.make("match-1")
        make = ("token", "make", "--key", self.key, "--arena", "guild", "--name")
        self.tokens = [self.ask(*make, name, socket=False) for name in ("Ada", "Bob")]
        bots = [self.stage.bots(self.daemon, 1, ports=[self.first]),
                self.stage.bots(self.daemon, 2, ports=[self.first + 1]),
                self.stage.bots(self.daemon, 1, ports=[self.made["port"]]),
                self.stage.bots(self.daemon, 1, ports=[self.first + 2],
                                network=["--access", self.tokens[0]])]
        self.clients = [*bots, self.stage._start(harness.Program, [
            "/usr/bin/python3", self.folder / "client.pyz", "127.0.0.1", self.first,
            harness.LIFE_S], None)]
        for client in self.clients:
            client.expected_status = -signal.SIGKILL
        self.daemon.wait_pressing(6)

    def players(self):
        """Name and score of every client, by arena and id."""
        return {name: {str(row["id"]): [row["name"], row["score"]]
                       for row in self.daemon.get_json(f"/arenas/{name}")["players"]
                       if not row["bot"]} for name in self.names}

    def play(self):
        """A round that ends, and one that is still played, with points, when all stand still."""
        self.names = ["east", "west", "guild", self.made["name"]]
        lines = self.state / "results.jsonl"
        self.daemon.poll("the results of a round", lambda: lines.exists() and
                         lines.read_text().count("\n") >= 4, 2 * ROUND_S)
        # In the break before it, the first round's points stand.
        self.daemon.poll("the second round", lambda: all(
            (row := self.daemon.get_json(f"/arenas/{name}")["round"])["number"] == 2
            and row["phase"] == "play" for name in self.names))
        self.daemon.poll("points", lambda: all(
            sum(score for _, score in self.players()[name].values()) >= POINTS
            for name in ("east", "west")), ROUND_S)
        answer = self.api.command("arena-clip", arena="east", seconds=5)
        if "recording" not in answer.json:
            sys.exit(f"no clip: {answer.json}")
        self.clip = answer.json["recording"]
        self.daemon.poll("the clip", (self.state / "recordings" / self.clip).exists)
        for client in self.clients:
            client.send(signal.SIGSTOP)
        time.sleep(2) # longer than keys are held and bullets fly
        known = self.players()
        if any(self.daemon.get_json(f"/arenas/{name}")["round"]["number"] != 2
               for name in self.names):
            sys.exit("the second round is over: try again")
        return known

    def end(self, url_port):
        """Ends the server, then its clients; what test_compat.py is to find again."""
        players = self.play()
        events = [json.loads(line)["id"] for line in self.daemon.ask("/events.jsonl").text.split("\n")
                  if line]
        with self.api.events(after=0) as stream:
            first, kind, _ = stream.next()
        self.daemon.stop()
        for client in self.clients:
            client.kill()
        saved = json.loads((self.run / "east.match").read_text())
        return {"players": players, "on_demand": self.made["name"], "events": events,
                "arena_event": [first, kind],
                "token": {row["name"]: row["token"] for row in saved["players"]}["Example"],
                "spent": self.tokens[0], "unspent": self.tokens[1],
                "ports": [*range(self.first, self.first + PORTS), url_port],
                "time_s": int(time.time()), "boottime_s": int(time.clock_gettime(
                    time.CLOCK_BOOTTIME)) + 1, "boot_id": pathlib.Path(
                        "/proc/sys/kernel/random/boot_id").read_text()}


def main():
    version = re.search(r"project\(\S+ VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    if f"## {version}, not released yet" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        sys.exit(f"{version} is released: its folder stays as it is")
    with Stage() as stage, ListServer() as banned:
        folder = stage.directory / version
        folder.mkdir()
        write_client(folder / "client.pyz")
        play = Play(stage, folder, banned.url)
        play.begin()
        (folder / "known.json").write_text(json.dumps(play.end(banned.port), indent=1) + "\n")
        for name, source in (("state", play.state), ("run", play.run)):
            for path in sorted(source.rglob("*")):
                if path.is_file() and not path.name.endswith("-shm"):
                    target = folder / name / path.relative_to(source)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    add_bytes(target, path.read_bytes())
        shutil.copy(ROOT / "proto/vectors.json", folder)
        (folder / "formats").write_text("".join(f"{name} {number} {digest}\n" for name, (number, digest)
                                                in format_versions.today().items()))
        shutil.rmtree(HERE / version, ignore_errors=True)
        shutil.copytree(folder, HERE / version)


if __name__ == "__main__":
    main()
