# SPDX-License-Identifier: MIT
"""A server with two arenas, full of bot clients, that dies and is started again at once: shared by
the test of it and the bench."""

import signal
import time

from harness import START_S, arena, config
from ports import free_port

ARENAS = ("east", "west")


class Revival:
    """The arenas, the process that runs them now, and what is known of those who play."""

    def __init__(self, stage, players, grace_s=30, bots=0, directory=None, **keys):
        self.stage = stage
        self.players = players # in each arena
        self.directory = directory or stage.directory / "run"
        self.directory.mkdir(exist_ok=True)
        self.path = stage.write_config(config(*(
            arena(name, port=free_port(), max_players=players, resume_grace=float(grace_s), bots=bots,
                  **keys)
            for name in ARENAS)))
        self.daemon = None

    def start(self):
        """Another process; the one before must have ended. It may still be starting."""
        self.daemon = self.stage.raimd("-c", self.path,
                                       env={"RUNTIME_DIRECTORY": str(self.directory)})
        return self.daemon

    def change(self, was, is_now):
        """Writes something else into the first arena's configuration."""
        text = self.path.read_text(encoding="utf-8")
        assert was in text
        self.path.write_text(text.replace(was, is_now, 1), encoding="utf-8")

    def file(self, name):
        return self.directory / f"{name}.checkpoint"

    def look(self):
        """Everybody by arena and id."""
        found = {}
        for number, name in enumerate(ARENAS):
            answer = self.daemon.get_json(f"/arenas/{name}")
            found[number] = {player["id"]: player for player in answer["players"]}
        return found

    def clients(self):
        return [player for arena in self.look().values() for player in arena.values()
                if not player["bot"]]

    def are_back(self):
        """Whether every client is there, with its connection."""
        clients = self.clients()
        return (len(clients) == self.players * len(ARENAS) and
                not any(player["away"] for player in clients))

    def watch_play(self):
        """A function that tells whether every client has played since now: something that it
        presses has come in time."""
        first = {}
        def all_play():
            served = {(player["name"], player["id"]): player["inputs_due"] - player["inputs_missed"]
                      for player in self.clients() if not player["away"]}
            for who, count in served.items():
                first.setdefault(who, count)
            return self.are_back() and all(first[who] < count for who, count in served.items())
        return all_play

    def wait_playing(self, deadline_s=START_S):
        self.daemon.poll("everybody playing", self.watch_play(), deadline_s)

    def end(self):
        """SIGKILL. Returns when that was."""
        self.daemon.expected_status = -signal.SIGKILL
        self.daemon.send(signal.SIGKILL)
        killed = time.monotonic()
        self.daemon.process.wait()
        return killed

    def kill(self):
        """SIGKILL, and the next process at once. Returns when that was."""
        killed = self.end()
        self.start()
        return killed


def scores(found):
    """Name, score and deaths by arena and id."""
    return {number: {who: (player["name"], player["score"], player["deaths"])
                     for who, player in players.items()} for number, players in found.items()}
