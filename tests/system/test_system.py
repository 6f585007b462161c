#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The Debian package in a booted Debian: installed, played on, killed, stopped, misconfigured,
activated by its socket, upgraded, purged. Each step stands on the one before; ./dev test-system
builds the packages and runs this as root."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from machine import BASE, ROOT, Machine, Unbootable, poll
from tree import NoTree, make_tree, suite_of_this_machine

BIN = pathlib.Path(os.environ.get("RAIM_BIN", ROOT / "build/package/raimd/build/bin")).resolve()
PACKAGES = ROOT / "build/packages"
DIRECTORY = ROOT / "build/system"
STATUS = "http://127.0.0.1:7246/status"
ARENA = "http://127.0.0.1:7246/arenas"
DUEL = f"{ARENA}/duel"
CONFIG = "/etc/raimd/raimd.conf"
SKIPPED = 77
EXIT_CONFIG = 78
WATCHDOG_S = 10 # of the unit
ABORT_S = 5     # for it to end after that
UPGRADE_CLIENTS = 32
UPGRADE_PAUSE_MS = 2000 # then a client would try for the second time
TRY_AGAIN_S = 2         # of clients
SLOW_PAUSE_MS = 500     # a restart is then explained
# What changes by itself, or by dpkg for whatever package.
RESTLESS = ("/var/lib/dpkg/", "/var/log/", "/var/cache/", "/var/tmp/", "/var/lib/systemd/timers",
            "/var/lib/systemd/random-seed")


def package(name):
    return next(PACKAGES.glob(f"{name}_*.deb"))


def depends(deb):
    """The packages that a package needs, versions left aside."""
    field = subprocess.run(["dpkg-deb", "-f", deb, "Depends"], text=True, capture_output=True,
                           check=True).stdout
    return [part.split()[0] for part in field.split(",")]


def make_raimd(layout_change, path):
    """raimd with another layout of checkpoints: its number grows in the source that was packaged."""
    source = BIN.parents[1] / "daemon/arena/checkpoint_file.c"
    good = source.read_text(encoding="utf-8")
    changed, count = re.subn(r"(?<=\bLAYOUT = )\d+", lambda layout: str(
        int(layout[0]) + layout_change), good)
    assert count == 1, source
    source.write_text(changed, encoding="utf-8")
    try:
        subprocess.run(["cmake", "--build", BIN.parent, "--target", "raimd"], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.copyfile(BIN / "raimd", path)
        subprocess.run(["strip", path], check=True)
    finally:
        source.write_text(good, encoding="utf-8")


def make_upgrade(deb, directory, layout_change):
    """The same package as a later version, with another line in each map and another layout of
    checkpoints."""
    tree = directory / f"tree-{layout_change}"
    subprocess.run(["dpkg-deb", "-R", deb, tree], check=True)
    control = tree / "DEBIAN/control"
    text = control.read_text(encoding="utf-8")
    control.write_text(re.sub(r"(?m)^Version: .*", rf"\g<0>+next{layout_change}", text),
                       encoding="utf-8")
    for path in (tree / "usr/share/raimd/maps").iterdir():
        path.write_text(path.read_text(encoding="utf-8") + "# of the next version\n",
                        encoding="utf-8")
    make_raimd(layout_change, tree / "usr/bin/raimd")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-b", tree,
                    directory / f"next{layout_change}.deb"], check=True, stdout=subprocess.DEVNULL)


def make_dying(directory):
    """The package of the next version, whose raimd ends at once."""
    tree = directory / "tree-1"
    control = tree / "DEBIAN/control"
    control.write_text(control.read_text(encoding="utf-8").replace("+next1", "+dying"),
                       encoding="utf-8")
    (tree / "usr/bin/raimd").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-b", tree,
                    directory / "dying.deb"], check=True, stdout=subprocess.DEVNULL)


class Steps:
    """What is done to the machine, in this order."""

    def __init__(self, machine):
        self.machine = machine

    # --- what the steps share ---

    def show(self, name, unit="raimd.service"):
        return self.machine.run("systemctl", "show", "-P", name, unit).strip()

    def systemctl(self, *words, check=True):
        return self.machine.run("systemctl", *words, check=check)

    def journal(self):
        return self.machine.run("journalctl", "-u", "raimd", "-o", "cat", "--no-pager")

    def wait_journal(self, words):
        """Waits until the journal has these words; it may be a moment behind."""
        poll(f"'{words}' in the journal", lambda: words in self.journal())

    def wait_serving(self, deadline_s=10):
        return poll("status", lambda: self.machine.get_json(STATUS), deadline_s)

    def wait_back(self, old_pid, deadline_s):
        """Waits until another process serves; returns the seconds that it took."""
        begin = time.monotonic()
        poll("a new raimd", lambda: self.show("MainPID") not in ("0", old_pid)
             and self.show("ActiveState") == "active", deadline_s)
        self.wait_serving()
        return f"back after {time.monotonic() - begin:.1f} s"

    def bots(self, clients, seconds, *ports):
        """Bots that play so long; 0 seconds: until they get a SIGINT."""
        command = self.machine.near(
            BIN / "raim-bots", "--clients", clients, "--seconds", seconds, "--json",
            *(f"127.0.0.1:{port}" for port in ports or (7246,)))
        return subprocess.Popen(command, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def play(self, clients=4, port=7246):
        """Bots have played a little; returns their report."""
        bots = self.bots(clients, 2, port)
        out, said = bots.communicate(timeout=30)
        assert bots.returncode == 0, said + out
        return json.loads(out)

    def files(self):
        found = self.machine.run("find", "/etc", "/usr", "/var", "/opt", "/srv", "/root", "-xdev")
        return {path for path in found.splitlines() if not path.startswith(RESTLESS)}

    # --- the steps ---

    def install(self):
        self.before = self.files()
        self.machine.run("dpkg", "-i", "/packages/raimd.deb")
        assert self.show("ActiveState") == "active", self.journal()
        assert self.show("UnitFileState") == "enabled"
        status = self.wait_serving()
        assert [arena["name"] for arena in status["arenas"]] == ["duel", "crossfire"], status
        self.systemctl("stop", "raimd")
        assert self.machine.get_json(STATUS) is None
        self.systemctl("start", "raimd")
        self.wait_serving()

    def look_at_the_units(self):
        said = self.machine.run("systemd-analyze", "verify", "raimd.service", "raimd@west.service",
                                "raimd.socket")
        assert said == "", said
        said = self.machine.run("systemd-analyze", "security", "--threshold=11", "raimd.service")
        return said.splitlines()[-1].strip()

    def play_on_it(self):
        bots = self.bots(8, 0)
        poll("eight players", lambda: self.wait_serving()["players"]["now"] == 8)
        poll("a status line", lambda: self.show("StatusText").startswith("8 players"))
        told = self.show("StatusText")
        bots.send_signal(signal.SIGINT)
        _, said = bots.communicate(timeout=30)
        assert bots.returncode == 0, said
        return told

    def read_the_log(self):
        def started(): # installed, and started again
            told = [json.loads(line) for line in self.machine.run(
                "journalctl", "-u", "raimd", "EVENT=arena started", "ARENA=duel", "-o", "json",
                "--no-pager").splitlines()]
            return told if len(told) == 2 else None
        told = poll("two starts in the journal", started)
        for entry in told:
            assert entry["MESSAGE"].startswith("arena started arena=duel "), entry
            assert (entry["PRIORITY"], entry["SYSLOG_IDENTIFIER"]) == ("6", "raimd"), entry
        # Even what is said last belongs to the unit.
        assert self.machine.run("journalctl", "-u", "raimd", "EVENT=stopped", "-o", "cat",
                                "--no-pager") == "stopped\n"
        # Nothing is told twice.
        assert self.journal().count("arena started arena=duel") == 2, self.journal()
        return told[0]["MESSAGE"]

    def rows(self):
        """Who is in the first arena, bots too, by id."""
        return {row["id"]: row for row in self.machine.get_json(DUEL)["players"]}

    def play_through(self, end, deadline_s=10, words="arena restored"):
        """Clients play while the process ends, and then go on as who they were."""
        self.wait_serving()
        poll("nobody from before", lambda: all(row["bot"] for row in self.rows().values()))
        bots = self.bots(4, 0)
        def playing(): # all from one answer: another one may tell of another moment
            rows = self.rows()
            clients = sum(not row["bot"] for row in rows.values())
            points = sum(row["score"] for row in rows.values())
            return rows if clients == 4 and points >= 5 else None
        before, pid = poll("points", playing), self.show("MainPID")
        end()
        told = self.wait_back(pid, deadline_s)
        poll("everybody back", lambda: not any(row["away"] for row in self.rows().values()))
        after = self.rows()
        assert set(after) == set(before), (before, after)
        for who, row in before.items():
            assert after[who]["name"] == row["name"], (row, after[who])
            assert after[who]["score"] >= row["score"], (row, after[who])
        bots.send_signal(signal.SIGINT)
        out, said = bots.communicate(timeout=30)
        report = json.loads(out)
        assert bots.returncode == 0, said + out
        assert [row["end"] for row in report["players"]] == ["left"] * 4, out
        self.wait_journal(f"{words} arena=duel players=4")
        return f"{told}, everybody with name and score"

    def kill_it(self):
        told = self.play_through(lambda: self.systemctl("kill", "-s", "KILL", "raimd"))
        assert self.show("NRestarts") == "1"
        return told

    def restart_it(self):
        return self.play_through(lambda: self.systemctl("restart", "raimd"))

    def crash_it_in_a_loop(self):
        def settled():
            state = self.show("ActiveState")
            return state if state in ("active", "failed") else None
        kills = 0
        while poll("it up or given up", settled) == "active":
            kills += 1
            assert kills < 60, self.journal()
            self.systemctl("kill", "-s", "KILL", "raimd", check=False)
        assert kills > 1
        self.wait_journal("Start request repeated too quickly")
        self.wait_journal("checkpoint set aside arena=duel")
        self.systemctl("reset-failed", "raimd")
        self.systemctl("start", "raimd")
        self.wait_serving()
        self.play()
        return f"failed after {kills} signals"

    def freeze_it(self):
        told = self.play_through(lambda: self.systemctl("kill", "-s", "STOP", "raimd"),
                                 WATCHDOG_S + ABORT_S + 10)
        self.wait_journal("Watchdog timeout")
        return told

    def misconfigure_it(self):
        good = self.machine.run("cat", CONFIG)
        line = good[:good.index("port = 7247;")].count("\n") + 1
        self.machine.write(CONFIG, good.replace("port = 7247;", "port = 72470;"))
        self.systemctl("restart", "raimd", check=False)
        poll("failure", lambda: self.show("ActiveState") == "failed")
        assert self.show("ExecMainStatus") == str(EXIT_CONFIG), self.show("ExecMainStatus")
        told = f"raimd.conf:{line}: arenas[1].port: got 72470"
        self.wait_journal(told)
        time.sleep(1) # many times RestartSec
        assert self.show("ActiveState") == "failed"
        assert self.show("NRestarts") == "0"
        self.machine.write(CONFIG, good)
        self.systemctl("start", "raimd")
        self.wait_serving()
        return told

    def reload_it(self):
        pid, good = self.show("MainPID"), self.machine.run("cat", CONFIG)
        bots = self.bots(4, 0)
        poll("four players", lambda: self.wait_serving()["players"]["now"] == 4)

        self.machine.write(CONFIG, good.replace("bots = 4;", "bots = four;"))
        said = self.systemctl("reload", "raimd", check=False)
        assert "Job for raimd.service failed" in said, said
        line = good[:good.index("bots = 4;")].count("\n") + 1
        mistake = f"raimd.conf:{line}: got a syntax error at or before this: bots = four;"
        self.wait_journal(mistake)
        assert self.wait_serving()["players"]["bots"] == 4 + 8

        for bots_wanted in (3, 4):
            self.machine.write(CONFIG, good.replace("bots = 4;", f"bots = {bots_wanted};"))
            self.systemctl("reload", "raimd")
            poll("other bots",
                 lambda n=bots_wanted: self.wait_serving()["players"]["bots"] == n + 8)
        assert self.show("MainPID") == pid
        assert self.show("ActiveState") == "active"
        bots.send_signal(signal.SIGINT)
        out, said = bots.communicate(timeout=30)
        assert [row["end"] for row in json.loads(out)["players"]] == ["left"] * 4, said + out
        return mistake

    def let_a_group_order(self):
        drop_in = "/etc/systemd/system/raimd.service.d/operators.conf"
        good = self.machine.run("cat", CONFIG)
        socket = "/run/raimctl/control.sock"
        ask = ["setpriv", "--reuid=1000", "--regid=1000", "raimctl", "-s", socket, "status"]
        self.machine.run("groupadd", "--system", "raimctl")
        self.machine.run("install", "-D", "-m", "644", "/usr/share/doc/raimd/operators.conf",
                         drop_in)
        self.machine.write(CONFIG, good.replace('socket = "";', f'socket = "{socket}";'))
        self.systemctl("daemon-reload")
        self.systemctl("restart", "raimd")
        group = self.machine.run("getent", "group", "raimctl").split(":")[2]
        told = self.machine.run(*ask[:3], "--groups", group, *ask[3:])
        assert told.startswith("raimd "), told
        rejected = self.machine.run(*ask[:3], "--clear-groups", *ask[3:], check=False)
        assert "Permission denied" in rejected, rejected
        self.machine.write(CONFIG, good)
        self.machine.run("rm", "-r", "/etc/systemd/system/raimd.service.d", "/run/raimctl")
        self.machine.run("groupdel", "raimctl")
        self.systemctl("daemon-reload")
        self.systemctl("restart", "raimd")
        return told.splitlines()[0]

    def bind_a_privileged_port(self):
        drop_in = "/etc/systemd/system/raimd.service.d/privileged-ports.conf"
        good = self.machine.run("cat", CONFIG)
        self.machine.write(CONFIG, good.replace('"127.0.0.1:7246"', '"127.0.0.1:80"'))
        self.systemctl("restart", "raimd", check=False)
        self.wait_journal("cannot bind tcp 127.0.0.1:80: Permission denied; a port below 1024")
        self.systemctl("stop", "raimd")
        self.machine.run("install", "-D", "-m", "644", "/usr/share/doc/raimd/privileged-ports.conf",
                         drop_in)
        self.systemctl("daemon-reload")
        self.systemctl("reset-failed", "raimd", check=False)
        self.systemctl("start", "raimd")
        poll("a status", lambda: self.machine.get_json(STATUS.replace("7246", "80")))
        self.machine.write(CONFIG, good)
        self.machine.run("rm", "-r", "/etc/systemd/system/raimd.service.d")
        self.systemctl("daemon-reload")
        self.systemctl("restart", "raimd")
        self.wait_serving()

    def find_player(self, name, count):
        """The id of a client in duel by its name, once as many as `count` play; None before."""
        rows = json.loads(self.machine.run("raimctl", "players", "duel", "--json"))["players"]
        ids = {row["name"]: row["id"] for row in rows if not row["bot"]}
        return ids.get(name) if len(ids) == count else None

    def order_it(self):
        # Players of an earlier step are kept for as long as they may resume.
        poll("nobody", lambda: self.wait_serving()["players"]["now"] == 0, 60)
        bots = self.bots(4, 0)
        player = poll("bot-1 among four", lambda: self.find_player("bot-1", 4))
        self.machine.run("raimctl", "arena", "map", "duel", "maps/duel.conf") # cuts the round short
        def result(): # those of rounds that a restart ended stand before it
            told = json.loads(self.machine.run("raimctl", "results", "--json"))["results"]
            return any((row["arena"], row["ended"]) == ("duel", "changed") for row in told)
        poll("the round's result", result)
        assert "EVENT" in self.machine.run("journalctl", "-u", "raimd", "EVENT=round_ended",
                                           "ARENA=duel", "-o", "json", "-n", "1")
        self.machine.run("raimctl", "leaderboard")
        self.machine.run("test", "-s", "/var/lib/raimd/results.db")
        poll("bot-1 among four", lambda: self.find_player("bot-1", 4))
        self.machine.run("raimctl", "say", "good evening")
        self.machine.run("raimctl", "kick", "duel", player, "enough for today")
        poll("three players", lambda: self.wait_serving()["players"]["now"] == 3)
        self.machine.run("raimctl", "ban", "127.0.0.0/8", "--for", "1h", "--yes",
                         "come back tomorrow")
        poll("nobody", lambda: self.wait_serving()["players"]["now"] == 0)
        bots.send_signal(signal.SIGINT)
        bots.communicate(timeout=30)
        self.systemctl("restart", "raimd")
        self.wait_serving()
        told = self.machine.run("raimctl", "bans")
        assert "127.0.0.0/8" in told and "come back tomorrow" in told, told
        self.machine.run("raimctl", "unban", "127.0.0.0/8")
        self.play()
        self.wait_journal(" via=raimctl command=kick")
        return "said, kicked, banned, restarted, still banned, unbanned"

    def activate_it_by_a_datagram(self):
        self.systemctl("stop", "raimd")
        self.systemctl("enable", "--now", "raimd.socket")
        assert self.show("ActiveState") == "inactive"
        self.play()
        assert self.show("ActiveState") == "active"
        inode = self.socket_inode()
        pid = self.show("MainPID")
        self.systemctl("kill", "-s", "KILL", "raimd")
        self.wait_back(pid, 10)
        assert self.socket_inode() == inode
        self.play()
        assert "socket unused" not in self.journal()
        return f"socket {inode} outlived a SIGKILL"

    def socket_inode(self):
        said = self.machine.run("ss", "-uaneH", "sport", "=", ":7246")
        return re.search(r"\bino:(\d+)", said)[1]

    def run_an_instance(self):
        good = self.machine.run("cat", CONFIG)
        other = good.replace("7246", "7346").replace("7247", "7347")
        self.machine.write("/etc/raimd/west.conf", other)
        self.systemctl("enable", "--now", "raimd@west")
        poll("an instance",
             lambda: self.machine.get_json(STATUS.replace("7246", "7346")))
        self.play(port=7346)
        user, other = (self.machine.run("stat", "-c", "%u", f"/var/lib/{name}/.").strip()
                       for name in ("raimd", "raimd@west"))
        assert user != other, (user, other)
        return f"users {user} and {other}"

    def run_it_in_real_time(self):
        drop_in = "/etc/systemd/system/raimd.service.d/realtime.conf"
        self.machine.run("install", "-D", "-m", "644", "/usr/share/doc/raimd/realtime.conf",
                         drop_in)
        self.systemctl("daemon-reload")
        self.systemctl("restart", "raimd")
        said = self.machine.run("chrt", "-a", "-p", self.show("MainPID"))
        policies = set(re.findall(r"scheduling policy: (\w+)", said))
        assert policies == {"SCHED_RR"}, said
        self.play()
        self.machine.run("rm", "-r", "/etc/systemd/system/raimd.service.d")
        self.systemctl("daemon-reload")
        self.systemctl("restart", "raimd")
        # Without it only the thread that answers steps back behind those that tick.
        said = self.machine.run("chrt", "-a", "-p", self.show("MainPID"))
        policies = set(re.findall(r"scheduling policy: (\w+)", said))
        assert policies == {"SCHED_BATCH", "SCHED_OTHER"}, said
        return f"{said.count('policy')} threads"

    def keep_maps(self):
        """Makes a map of an installed one, another one, and deletes a third."""
        for name in ("duel", "mine", "ruins"):
            self.machine.run("install", "-m", "644", "/usr/share/raimd/maps/duel.conf",
                             f"/etc/raimd/maps/{name}.conf")
        self.machine.run("sed", "-i", "1i # the operator's", "/etc/raimd/maps/duel.conf")
        self.machine.run("rm", "/etc/raimd/maps/ruins.conf")
        self.machine.run("raimctl", "arena", "map", "duel", "maps/mine.conf")

    def find_maps_kept(self):
        assert self.machine.run("ls", "/etc/raimd/maps").split() == ["duel.conf", "mine.conf"]
        maps = [self.machine.run("cat", f"{directory}/raimd/maps/duel.conf")
                for directory in ("/etc", "/usr/share")]
        assert maps[0].startswith("# the operator's\n") and "next version" not in maps[0], maps
        assert maps[1].endswith("# of the next version\n"), maps
        for name in ("duel", "mine", "ruins"): # the last one as it is installed
            self.machine.run("raimctl", "arena", "map", "duel", f"maps/{name}.conf")

    def upgrade_it(self):
        mine = self.machine.run("cat", CONFIG).replace("bots = 4;", "bots = 5;")
        self.machine.write(CONFIG, mine)
        self.systemctl("reload", "raimd")
        poll("another bot", lambda: self.wait_serving()["players"]["bots"] == 5 + 8)
        self.keep_maps()
        west = self.show("MainPID", "raimd@west")
        told = self.play_through(lambda: self.machine.run("dpkg", "-i", "/packages/next1.deb"),
                                 words="arena continued")
        assert self.machine.run("cat", CONFIG) == mine
        self.find_maps_kept()
        assert self.wait_serving()["players"]["bots"] == 5 + 8
        assert self.show("MainPID", "raimd@west") not in ("0", west)
        self.systemctl("stop", "raimd.socket", "raimd")
        self.machine.run("dpkg", "-i", "/packages/next1.deb")
        assert self.show("ActiveState") == "inactive" # who has stopped it finds it stopped
        return told

    def scores(self):
        """Name and score of all clients by arena and id; none while one is away."""
        found = {}
        for arena in self.wait_serving()["arenas"]:
            rows = self.machine.get_json(f"{ARENA}/{arena['name']}")["players"]
            if any(row["away"] for row in rows):
                return {}
            found |= {(arena["name"], row["id"]): (row["name"], row["score"])
                      for row in rows if not row["bot"]}
        return found

    def explain(self, name, begin_s):
        """The steps of the last restart, in ms since it was ordered, by the journal. The whole
        journal since then goes into a file."""
        since = ("journalctl", "--no-pager", "--since", f"@{begin_s:.6f}")
        with open(DIRECTORY / "upgrades.log", "a", encoding="utf-8") as log:
            print(f"# {name}", self.machine.run(*since, "-o", "short-precise"), file=log)
        rows = [json.loads(line) for line in self.machine.run(
            *since, "-u", "raimd.service", "-o", "json").splitlines()]
        told = [(int(row.get("_SOURCE_REALTIME_TIMESTAMP", row["__REALTIME_TIMESTAMP"])) / 1000,
                 row["_PID"], str(row["MESSAGE"])) for row in rows]
        pid = self.show("MainPID")
        steps = {"dpkg": begin_s * 1000}
        for at, who, message in told:
            for step, words in (("stop", "Stopping "), ("raimd stops", "stopping signal="),
                                ("raimd has stopped", "stopped"), ("gone", "Stopped "),
                                ("start", "Starting "), ("ready", "Started ")):
                if message.startswith(words):
                    steps[step] = at
            if who == pid:
                steps.setdefault("first line", at)
            if found := re.match(r"arena (?:restored|continued) arena=duel .*age_ms=(\d+)", message):
                steps |= {"taken over": at, "last tick": at - int(found[1])}
        order = steps.get("stop", steps["dpkg"])
        return f"{name}: " + ", ".join(f"{step} {at - order:.0f}" for step, at in
                                       sorted(steps.items(), key=lambda each: each[1]))

    def upgrade_under_players(self, *packages):
        """Upgrades and ways back, with systemd's sockets, while clients play on. Returns the bots'
        report."""
        bots = self.bots(UPGRADE_CLIENTS, 0, 7246, 7247)
        def playing():
            found = self.scores()
            return found if len(found) == UPGRADE_CLIENTS else None
        poll("everybody", playing)
        self.explained = []
        for name in packages:
            time.sleep(TRY_AGAIN_S) # otherwise clients wait until then
            poll("points", lambda: sum(score for _, score in self.scores().values()) >= 8, 30)
            pid, before = self.show("MainPID"), poll("everybody", playing)
            begin_s = time.time()
            self.machine.run("dpkg", "-i", f"/packages/{name}.deb")
            if name == "dying":
                units = ("raimd.service", "raimd.socket", "raimd@west.service")
                poll("systemd gives up", lambda: all(
                    self.show("ActiveState", unit) == "failed" for unit in units), 30)
                self.machine.run("dpkg", "-i", "/packages/next1.deb")
                for unit in units:
                    poll(f"{unit} again", lambda name=unit: self.show("ActiveState", name) == "active")
            self.wait_back(pid, 10)
            after = poll("everybody back", playing)
            self.explained.append(self.explain(name, begin_s))
            assert set(after) == set(before), (before, after)
            for who, (player, score) in before.items():
                assert after[who][0] == player and after[who][1] >= score, (before, after)
        bots.send_signal(signal.SIGINT)
        out, said = bots.communicate(timeout=30)
        report = json.loads(out)
        assert bots.returncode == 0 and report["disconnected"] == 0, said + out
        return report

    def upgrade_it_to_other_layouts(self):
        self.systemctl("enable", "--now", "raimd.socket")
        self.systemctl("start", "raimd")
        self.wait_serving()
        names = ("next2", "next1", "raimd", "next1", "next2") # both ways, and twice in a row
        report = self.upgrade_under_players(*names)
        assert report["resumes"] >= len(names) * UPGRADE_CLIENTS, report # a busy machine adds some
        assert self.journal().count("arena continued arena=duel players=16") >= len(names)
        assert report["pause_p50_ms"] < UPGRADE_PAUSE_MS, (report, self.explained)
        if report["pause_p50_ms"] > SLOW_PAUSE_MS:
            print(*self.explained, sep="\n", flush=True)
        return (f"{len(names)} times {UPGRADE_CLIENTS} players: paused for"
                f" {report['pause_p50_ms']:.0f} ms (p50), {report['pause_p99_ms']:.0f} ms (p99)")

    def come_back_from_one_that_dies(self):
        """After systemd has given up, and refuses another start."""
        report = self.upgrade_under_players("dying")
        assert report["resumes"] >= UPGRADE_CLIENTS, report
        self.systemctl("disable", "--now", "raimd.socket")
        return "everybody with the score"

    def purge_it(self):
        self.systemctl("start", "raimd")
        self.machine.run("dpkg", "-r", "raimd")
        assert self.machine.get_json(STATUS) is None
        assert "bots = 5;" in self.machine.run("cat", CONFIG)
        self.machine.run("rm", "-r", "/etc/raimd/west.conf", "/etc/raimd/maps/duel.conf",
                         "/etc/raimd/maps/mine.conf") # ours, not the package's
        self.machine.run("dpkg", "--purge", "raimd")
        left = self.files() - self.before
        assert not left, left
        running = self.machine.run("find", "/run", "-name", "*raimd*")
        assert running == "", running
        units = self.systemctl("list-units", "--all", "--no-legend", "raimd*")
        assert units == "", units


STEPS = [Steps.install, Steps.look_at_the_units, Steps.play_on_it, Steps.read_the_log,
         Steps.kill_it, Steps.restart_it, Steps.freeze_it, Steps.crash_it_in_a_loop,
         Steps.misconfigure_it, Steps.reload_it, Steps.order_it, Steps.let_a_group_order,
         Steps.bind_a_privileged_port,
         Steps.activate_it_by_a_datagram, Steps.run_an_instance, Steps.run_it_in_real_time,
         Steps.upgrade_it, Steps.upgrade_it_to_other_layouts, Steps.come_back_from_one_that_dies,
         Steps.purge_it]


def main():
    begin = time.monotonic()
    deb = package("raimd")
    with tempfile.TemporaryDirectory(prefix="raimd-system-") as name:
        shared = pathlib.Path(name)
        (shared / "raimd.deb").write_bytes(deb.read_bytes())
        for layout_change in (1, 2):
            make_upgrade(deb, shared, layout_change)
        make_dying(shared)
        try:
            tree = make_tree(DIRECTORY, suite_of_this_machine(), {*BASE, *depends(deb)})
            machine = Machine(tree, shared, DIRECTORY / "machine.log").__enter__()
        except (NoTree, Unbootable) as error:
            print(f"skipped: {error}", file=sys.stderr)
            sys.exit(SKIPPED)
        try:
            steps = Steps(machine)
            for step in STEPS:
                since = time.monotonic()
                told = step(steps)
                print(f"{step.__name__:28} {time.monotonic() - since:5.1f} s  {told or ''}",
                      flush=True)
        finally:
            machine.__exit__()
    print(f"test-system: {len(STEPS)} steps passed in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
