#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads a recording by RECORDING.md alone, without simulating: its head, its index, and with
`zstd` the records of its data frames.

recording.py FILE prints a summary as JSON; `--records` adds what the records tell, which has to
agree with the index: kills, joins, leaves, and how the players stand in the end. Exits with 77 where
`zstd` is missing.
"""

import argparse
import collections
import json
import shutil
import struct
import subprocess
import sys

SKIPPABLE = 0x184D2A50
KINDS = ("", "KEYFRAME", "NAME", "JOIN", "LEAVE", "AWAY", "BACK", "CLEAR_BULLETS",
         "BEGIN_ROUND", "STEP", "SKIP", "HOLD_POSITIONS", "KILL", "PHASE", "CHAT", "RTT", "SENT", "DIGEST", "END")
CHAPTERS = ("round", "round_end", "kill", "join", "leave")
# The sizes of a world's parts, and where a player has points, deaths and its id.
WORLD, PLAYER, BULLET, SAMPLE = 152, 64, 48, 24
PLAYER_SCORE, PLAYER_ID = 32, 48
SLOTS = 1024


class Bytes:
    """A reader of little-endian values."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, count):
        if count > len(self.data) - self.at:
            raise ValueError(f"cut short at byte {self.at}")
        self.at += count
        return self.data[self.at - count:self.at]

    def read(self, form):
        """A value of a form of `struct`, or a tuple of several."""
        values = struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))
        return values if len(values) > 1 else values[0]

    def text(self):
        return self.take(self.read("B")).decode("utf-8")

    def number(self):
        value = shift = 0
        while True:
            byte = self.read("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value


def skippable(data, at):
    """The contents of a skippable frame, and the offset after it."""
    magic, size = struct.unpack_from("<II", data, at)
    if magic != SKIPPABLE:
        raise ValueError(f"no skippable frame at byte {at}")
    return data[at + 8:at + 8 + size], at + 8 + size


def read_head(data):
    contents, end = skippable(data, 0)
    head = Bytes(contents)
    if head.take(8) != b"RAIMREC\0":
        raise ValueError("no recording")
    form, layout, *sizes, first_tick, start = head.read("HH4HIq")
    if form != 1:
        raise ValueError(f"a recording of format {form}")
    if sizes != [WORLD, PLAYER, BULLET, SAMPLE]:
        raise ValueError("a recording of other worlds")
    result = {"format": form, "layout": layout, "first_tick": first_tick, "start_unix_ms": start,
              "version": head.text(), "arena": head.text()}
    names = ("tick_hz", "slots", "most_rewind", "view_width", "view_height", "sight")
    result.update(zip(names, head.read("5HB")))
    result["rules"] = [head.read("d") for _ in range(head.read("B"))]
    head.read("Q")
    result["map"] = head.text()
    result["border"] = head.read("4i")
    result["obstacles"] = [[head.read("ii") for _ in range(head.read("B"))]
                           for _ in range(head.read("H"))]
    result["spawns"] = [head.read("ii") for _ in range(head.read("H"))]
    head.read("Q")
    if head.at != len(contents):
        raise ValueError("bytes after the head")
    return result, end


def read_index(data):
    """The index, or None where there is none."""
    if data[-8:] != b"RAIMEND\0":
        return None
    contents, end = skippable(data, len(data) - struct.unpack_from("<I", data, len(data) - 12)[0])
    if end != len(data):
        raise ValueError("the index is not the last frame")
    index = Bytes(contents)
    ticks, first_round, clients, bots = index.read("IIHH")
    result = {"ticks": ticks, "round": first_round, "clients": clients, "bots": bots,
              "winner": index.text(), "end": index.read("Q")}
    result["frames"] = [index.read("QI") for _ in range(index.read("I"))]
    result["chapters"] = []
    for _ in range(index.read("I")):
        tick, kind, player, victim, number = index.read("IBHHH")
        result["chapters"].append((tick, CHAPTERS[kind], player, victim, number))
    result["players"] = []
    for _ in range(index.read("I")):
        row = dict(zip(("id", "bot", "points", "deaths", "joined", "left"), index.read("HBIIII")))
        result["players"].append({**row, "name": index.text()})
    return result


def world_bytes(head):
    """The size of a world, and so of a keyframe."""
    def ticks_of(seconds):
        return int(seconds * head["tick_hz"] + 0.5)
    lifetime, cooldown = ticks_of(head["rules"][4]), max(ticks_of(head["rules"][5]), 1)
    pellets = int(head["rules"][8])
    shots = pellets * min(-(-lifetime // cooldown), 8192 // head["slots"] // pellets)
    samples = 0 if head["most_rewind"] == 0 else 1 << (head["most_rewind"] - 1).bit_length()
    return WORLD + head["slots"] * (PLAYER + shots * BULLET + samples * SAMPLE), shots


class Replay:
    """What the records of all data frames tell."""

    def __init__(self, head):
        self.head = head
        self.world_size, self.shots = world_bytes(head)
        self.counts = collections.Counter()
        self.steps = 0
        self.players = {}  # by id: [points, deaths] of who is there
        self.inputs = {}   # by slot: [aim, keys, rewind, traffic]

    def frame(self, contents):
        self.inputs = {}
        data = Bytes(contents)
        while data.at < len(contents):
            kind = KINDS[data.read("B")]
            self.counts[kind] += 1
            getattr(self, kind.lower(), lambda _: None)(data)

    def keyframe(self, data):
        world = data.take(self.world_size)
        players = {}
        for slot in range(self.head["slots"]):
            at = WORLD + slot * PLAYER
            name = struct.unpack_from("<H", world, at + PLAYER_ID)[0]
            if name:
                players[name] = list(struct.unpack_from("<II", world, at + PLAYER_SCORE))
        if self.steps and players != self.players:
            raise ValueError(f"the points differ from the keyframe's in tick {self.steps}")
        self.players = players

    def name(self, data):
        data.read("HB")
        data.text()

    def join(self, data):
        self.players[data.read("HB")[0]] = [0, 0]
        data.text()

    def leave(self, data):
        del self.players[data.read("HB")[0]]

    def away(self, data):
        data.read("H")

    back = away

    def begin_round(self, _):
        self.players = {name: [0, 0] for name in self.players}

    def step(self, data):
        self.steps += 1
        slot = -1
        while head := data.read("B"):
            slot += head >> 4 or data.number()
            row = self.inputs.setdefault(slot, [0, 4, 0, 0])
            if head & 1:
                turn = data.number()
                row[0] = (row[0] + (turn >> 1 ^ -(turn & 1))) % 65536
            for bit, column in ((2, 1), (4, 2), (8, 3)):
                if head & bit:
                    row[column] = data.read("B")
        if slot >= self.head["slots"]:
            raise ValueError(f"an input of slot {slot}")

    def skip(self, _):
        self.steps += 1

    def kill(self, data):
        killer, victim = data.read("HH")
        self.players[killer][0] += 1
        self.players[victim][1] += 1

    def phase(self, data):
        data.read("BB")
        for _ in range(4):
            data.number()
        data.text()

    def chat(self, data):
        data.read("H")
        data.text()

    def rtt(self, data):
        data.number()
        data.number()

    def sent(self, data):
        data.number()
        head = data.number()
        if head == 1:
            slots = self.head["slots"]
            data.take(8 * (-(-slots // 64) + -(-slots * self.shots // 64)))
            return
        for _ in range(head // 2):
            data.number()

    def digest(self, data):
        data.read("Q")


def check(index, replay):
    """Raises where the index tells something else than the records."""
    kinds = collections.Counter(kind for _, kind, *_ in index["chapters"])
    told = (index["ticks"], kinds["kill"], kinds["join"], kinds["leave"])
    counts = replay.counts
    found = (replay.steps, counts["KILL"], counts["JOIN"], counts["LEAVE"])
    if told != found:
        raise ValueError(f"the index tells of {told}, the records of {found}")
    for player in index["players"]:
        stands = [player["points"], player["deaths"]]
        if player["left"] == 0xFFFFFFFF and replay.players[player["id"]] != stands:
            raise ValueError(f"{player['name']} stands otherwise than the index tells")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", action="store_true")
    parser.add_argument("file")
    options = parser.parse_args()
    with open(options.file, "rb") as file:
        data = file.read()
    head, _ = read_head(data)
    index = read_index(data)
    result = {"head": head, "index": index}
    if options.records:
        if shutil.which("zstd") is None:
            return 77
        replay = Replay(head)
        ends = [offset for offset, _ in index["frames"][1:]] + [index["end"]]
        for (begin, _), end in zip(index["frames"], ends):
            frame = subprocess.run(["zstd", "-dc"], input=data[begin:end], check=True,
                                   stdout=subprocess.PIPE, timeout=60).stdout
            replay.frame(frame)
        check(index, replay)
        result["records"] = replay.counts
        result["inputs"] = replay.inputs
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
