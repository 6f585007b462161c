#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A client written from PROTOCOL.md alone: its player runs to the nearest player and shoots at the
one whom a bullet reaches first. It predicts its own player, resumes a lost connection, does not
encrypt, so it joins no arena with a password, and trusts the values of the server. Needs python3-enet.
Usage: proto/example.py HOST PORT [SECONDS]"""
import math
import socket
import struct
import sys
import time
import enet
from collision import Map, Obstacle

HELLO, INPUT, WELCOME, OBSTACLES, ROSTER, EVENTS, SNAPSHOT, GOODBYE = range(1, 9)
DIRECTIONS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]

def write(*fields): # each field is a pair: a value and its number of bits
    bits = "".join(f"{value:0{size}b}" for value, size in reversed(fields))
    return int(bits, 2).to_bytes((len(bits) + 7) // 8, "little")

class Reader: # decodes the bits of a message
    def __init__(self, data):
        self.rest, self.left = int.from_bytes(data, "little"), 8 * len(data)

    def u(self, bits):
        value = self.rest & (1 << bits) - 1
        self.rest, self.left = self.rest >> bits, self.left - bits
        if self.left < 0:
            raise ValueError("ends early")
        return value

    kind = lambda r: SNAPSHOT if r.u(1) else r.u(4)
    s = lambda r, bits: (r.u(bits) ^ 1 << bits - 1) - (1 << bits - 1)
    ranged = lambda r, least, most: least + r.u((most - least).bit_length())
    each = lambda r, item: list(iter(lambda: item() if r.u(1) else None, None))
    count = lambda r: sum(group << 3 * i for i, group in enumerate(r.each(lambda: r.u(3))))
    text = lambda r, most: bytes(r.u(8) for _ in range(r.ranged(0, most))).decode()
    change = lambda r, value, small, medium, whole: value if not r.u(1) else value + r.s(
        small) if not r.u(1) else value + r.s(medium) if not r.u(1) else whole()
    entry = lambda r: {"player": r.u(16), "bot": r.u(1), "score": r.count(), "deaths": r.count(),
                       "name": r.text(24)}
    kill = lambda r: {"player": r.u(16), "victim": r.u(16), "score": r.count(),
                      "deaths": r.count(), "rewind": r.u(6)}
    chat = lambda r: {"by_operator": (by_operator := r.u(1))} | (
        {} if by_operator else {"player": r.u(16)}) | {"text": r.text(120)}
    other = lambda r: {"type": r.u(8), "bytes": [r.u(8) for _ in range(r.ranged(0, 120))]}

    def event(self):
        kind = self.ranged(0, 5)
        read = (self.entry, lambda: {"player": self.u(16), "reason": self.u(8)}, self.kill,
                self.chat, self.phase, self.other)
        return {"kind": kind} | read[kind]()

    def obstacle(self):
        corners = self.ranged(3, 16)
        return {"seams": self.u(corners), "points": [[self.s(20), self.s(20)]
                                                     for _ in range(corners)]}

    def events(self): # the epoch, the number of the first event modulo 2^16, and the events
        epoch, sequence, count = self.u(5), self.u(16), self.ranged(1, 64)
        return epoch, sequence, [self.pad() or (self.event(), self.pad())[0] for _ in range(count)]

    def pad(self): # to the end of the byte
        if self.u(self.left % 8):
            raise ValueError("no padding")

    def phase(self):
        phase = {"phase": self.ranged(0, 2), "round": self.u(16)}
        phase |= {"end_tick": self.u(32)} if self.u(1) else {}
        phase |= {"score_limit": self.count()}
        is_break = phase["phase"] == 1
        return phase | ({"winner": self.u(16), "next_map": self.text(31)} if is_break else {})

    def welcome(self):
        welcome = {"version": self.u(16), "capabilities": self.u(32), "player": self.u(16),
                   "delay_ticks": self.u(16), "token": [self.u(8) for _ in range(16)],
                   "grace_s": self.u(16), "tick": self.u(32), "event_sequence": self.u(32),
                   "epoch": self.u(5), "tick_hz": self.ranged(10, 240),
                   "max_players": self.ranged(1, 1024),
                   "shots": self.ranged(1, 8192), "max_rewind": self.u(6),
                   "view_width": self.u(16), "view_height": self.u(16), "sight": self.u(1),
                   "obstacle_count": self.ranged(0, 4096), "roster_count": self.ranged(0, 1024),
                   "border": [self.s(20) for _ in range(4)]}
        rules = [self.u(64).to_bytes(8, "little") for _ in range(self.u(5))]
        return welcome | {"rules": [struct.unpack("<d", rule)[0] for rule in rules],
                          "arena": self.text(31), "map_name": self.text(31),
                          "phase": self.phase(), "motd": self.text(120)}

class Snapshots: # stores the frames of the last `history` ticks, by tick, as baselines
    def __init__(self, welcome):
        self.newest, self.frames, self.max_rewind = welcome["tick"], {}, welcome["max_rewind"]
        self.epoch, self.has_health = welcome["epoch"], sum(welcome["rules"][11:12]) > 1
        self.slots, self.shots, hz = welcome["max_players"], welcome["shots"], welcome["tick_hz"]
        self.history = max(16, 1 << (hz - 1).bit_length())
        steps = 32 * welcome["rules"][1] / hz
        run, slant = (max(1, math.floor(steps * part + 0.5)) for part in (1, math.sqrt(0.5)))
        self.ways = [(0, 0)] + [(x * (slant if y else run), y * (slant if x else run))
                                for x, y in DIRECTIONS]
        self.ways += [(x * slant, y * slant) for x, y in DIRECTIONS[::2]]

    def read(self, r): # returns None for a snapshot of another WELCOME
        age = r.ranged(0, self.history - 1)
        if not age and r.u(5) != self.epoch:
            return None
        least = self.newest - self.history + 1 # the least possible tick of a delta
        tick = (least + (r.ranged(0, 2 * self.history - 1) - least) % (2 * self.history)) % 2**32 \
            if age else r.u(32)
        base = self.frames[(tick - age) % 2**32] if age else {
            "self": {}, "players": {}, "bullets": {}}
        frame = {"tick": tick, "self": self.read_self(r, age, base["self"]), "players": {}}
        own = frame["self"]["slot"] if frame["self"]["steers"] else None
        for slot, was in base["players"].items():
            self.read_known(r, age, slot, was, own, frame["players"])
        frame["players"] |= r.each(lambda: self.read_new(r, own))
        bullets = frame["bullets"] = base["bullets"].copy()
        for slot in base["bullets"] if base["bullets"] and r.u(1) else ():
            if r.u(1):
                del bullets[slot]
                bullets |= [self.read_bullet(r, frame, slot)] if r.u(1) else []
        bullets |= r.each(lambda: self.read_bullet(r, frame))
        r.u(r.left + 1 if r.left > 7 or r.rest else 0) # fails if the message continues
        frame |= {kind: dict(sorted(frame[kind].items())) for kind in ("players", "bullets")}
        self.frames[tick] = frame
        self.newest = tick if (tick - self.newest) % 2**32 < 2**31 else self.newest
        self.frames.pop((self.newest - self.history) % 2**32, None)
        return frame

    def read_self(self, r, age, base):
        me = base | {"timer": max(0, base["timer"] - age)} if base else {}
        if base and r.u(1):
            return me
        if not (base and r.u(1)):
            me |= {"slot": r.ranged(0, self.slots - 1), "steers": r.u(1)}
        me["alive"] = r.u(1)
        for key, read in (("timer", r.count), ("shots", lambda: r.u(8)), ("hits", lambda: r.u(8)),
                          ("margin", lambda: r.s(6))):
            me[key] = me[key] if base and r.u(1) else read()
        return me

    def read_new(self, r, own):
        return (slot := r.ranged(0, self.slots - 1)), {
            "x": r.s(20), "y": r.s(20), "aim": 0 if slot == own else r.u(10), "way": r.u(4),
            "life": r.u(3), "shield": r.u(1), **{key: r.u(8) for key in self.has_health * ("health",)}}

    def read_known(self, r, age, slot, was, own, players):
        dx, dy = self.ways[was["way"]]
        now = was | {"x": was["x"] + dx * age, "y": was["y"] + dy * age}
        if r.u(1):
            if not r.u(1): # turned
                now["way"], since = r.u(4), r.ranged(1, age)
                for i, key in enumerate("xy"):
                    now[key] += (self.ways[now["way"]][i] - (dx, dy)[i]) * since
            elif not r.u(1): # gone
                return
            else:
                now |= {key: r.change(now[key], 10, 12, lambda: r.s(20)) for key in "xy"}
                now |= {key: r.u(bits) for key, bits in (("way", 4), ("life", 3), ("shield", 1),
                                                         *self.has_health * (("health", 8),)) if r.u(1)}
        now["aim"] = 0 if slot == own else r.change(was["aim"], 7, 8, lambda: r.u(10)) % 1024
        players[slot] = now

    def read_bullet(self, r, frame, slot=None):
        slot = r.ranged(0, self.slots * self.shots - 1) if slot is None else slot
        aim, age = r.u(16), r.u(4) + 1 if r.u(1) else None
        if age is None:
            return slot, {"x": r.s(20), "y": r.s(20), "tick": frame["tick"], "aim": aim}
        rewind, shooter = r.ranged(0, self.max_rewind), frame["players"][slot // self.shots]
        dx, dy = self.ways[shooter["way"]]
        return slot, {"x": shooter["x"] - dx * (age - 1), "y": shooter["y"] - dy * (age - 1),
                       "tick": (frame["tick"] - age - rewind) % 2**32, "aim": aim}

def cookie(host, port): # proves our source address; any of our sockets may request it
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(0.25)
        for _ in range(20):
            asking.sendto(b"\xff\xff\xff\xffRAIM\1\2".ljust(512, b"\0"), (host, port))
            try:
                if (answer := asking.recv(1200))[:10] == b"\xff\xff\xff\xffRAIM\2\2":
                    return struct.unpack_from("<L", answer, 11)[0]
            except TimeoutError:
                pass
        return 0

class Client:
    """`frames`: all decoded snapshots; `errors`: messages that could not be decoded; `predicted`:
    where the own player was last predicted to be, in units, by tick."""
    def __init__(self, host, port):
        self.address, self.welcome, self.patience = enet.Address(host.encode(), port), {}, 0
        self.server = host, port
        self.frames, self.members, self.errors, self.ended = [], {}, 0, None
        self.shots = self.hits = 0

    def send(self, channel, *fields): # reliably on channel 0
        self.peer.send(channel, enet.Packet(write((0, 1), *fields), 1 - channel))

    def play(self, seconds):
        due = start = time.monotonic()
        while due < start + seconds and self.ended is None:
            if time.monotonic() > self.patience: # first connection, or lost: from a new port
                self.host, self.snapshots = enet.Host(None, 1, 2, 0, 0), None
                self.peer = self.host.connect(self.address, 2, cookie(*self.server))
                self.patience = time.monotonic() + 2
            while (event := self.host.service(0)).type != enet.EVENT_TYPE_NONE:
                if event.type == enet.EVENT_TYPE_CONNECT: # version 7, play, a name of 7 bytes
                    token, self.trip = self.welcome.get("token", []), -time.monotonic()
                    self.send(0, (HELLO, 4), (0x4D494152, 32), (7, 16), (0, 32), (0, 1),
                              (token > [], 1), *((byte, 8) for byte in token), (0, 8), (7, 5),
                              *((byte, 8) for byte in b"Example"))
                elif event.type == enet.EVENT_TYPE_RECEIVE:
                    self.patience = time.monotonic() + 1.5
                    self.receive(Reader(event.packet.data))
            if self.snapshots and self.snapshots.frames:
                self.press(self.frames[-1])
            due += 1 / self.welcome.get("tick_hz", 60)
            time.sleep(max(0, due - time.monotonic()))
        self.send(0, (GOODBYE, 4), (1, 8), (0, 7), *(
            (byte, 8) for byte in self.welcome.get("token", bytes(16))))
        self.peer.disconnect_later(1)
        while self.host.service(1000).type == enet.EVENT_TYPE_RECEIVE:
            pass

    def receive(self, r):
        try:
            if (kind := r.kind()) == SNAPSHOT and self.snapshots:
                self.take_frame(self.snapshots.read(r))
            elif kind == EVENTS and self.snapshots:
                epoch, *events = r.events()
                if epoch != self.welcome["epoch"]:
                    return
                self.take_events(*events)
                if r.left and r.kind() == SNAPSHOT:
                    self.take_frame(self.snapshots.read(r))
            elif kind == WELCOME:
                self.trip += time.monotonic() if self.trip < 0 else 0 # only after HELLO
                self.welcome, self.members = r.welcome(), {}
                self.snapshots, self.inputs, now = Snapshots(self.welcome), [], self.welcome["tick"]
                self.tick = now + math.ceil(self.trip * self.welcome["tick_hz"]) + 1
                self.looked, self.next_event = now // 32, self.welcome["event_sequence"]
                self.map = Map([side / 32 for side in self.welcome["border"]], [])
                self.moves, self.predicted, self.counted = {}, {}, None
            elif kind == OBSTACLES:
                self.map.obstacles += [Obstacle([(x / 32, y / 32) for x, y in each["points"]],
                                                each["seams"]) for each in r.each(r.obstacle)]
            elif kind == ROSTER:
                self.members |= {each["player"]: each for each in r.each(r.entry)}
            elif kind == GOODBYE and (reason := r.u(8)) == 13: # restart: connect again soon
                self.snapshots, self.patience = None, time.monotonic() + 0.3
            elif kind == GOODBYE:
                self.ended = reason, r.text(120)
        except (ValueError, KeyError):
            self.errors += 1

    def take_events(self, sequence, events):
        # The roster comes before events count; nothing is removed from it.
        skipped = (self.next_event - sequence) % 2**16
        if len(self.members) < self.welcome["roster_count"] or skipped >= len(events):
            return # they come again, or have come before
        self.next_event += len(events) - skipped
        for each in events[skipped:]:
            kind = each.pop("kind")
            if kind == 4:
                self.take_phase(each)
            elif kind == 0:
                self.members[each["player"]] = each
            elif kind == 2 and each["player"] in self.members:
                self.members[each["player"]]["score"] = each["score"]

    def take_frame(self, frame):
        if not frame:
            return
        self.frames.append(frame)
        counts = {key: frame["self"][key] for key in ("shots", "hits")} # modulo 256
        before, self.counted = self.counted or counts, counts
        self.shots += (counts["shots"] - before["shots"]) % 256
        self.hits += (counts["hits"] - before["hits"]) % 256

    def take_phase(self, phase):
        if phase["round"] != self.welcome["phase"]["round"]:
            for member in self.members.values():
                member |= {"score": 0, "deaths": 0}
        self.welcome["phase"] = phase

    def predict(self, frame):
        """Where the own player is after its input for self.tick; None while it is down."""
        me = frame["players"].get(frame["self"]["slot"])
        if not me or not frame["self"]["steers"]:
            return None
        position, move, rules = (me["x"] / 32, me["y"] / 32), (0, 0), self.welcome["rules"]
        for tick in range(frame["tick"], self.tick + 1):
            move = self.moves.get(tick, move) # the server repeats it where there is none
            if move in DIRECTIONS:
                steps = self.snapshots.ways[1 + DIRECTIONS.index(move)]
                position = self.map.run(position, (steps[0] / 32, steps[1] / 32), rules[0], tick)
            self.predicted[tick + 1] = position
        return position

    def aim(self, eye, frame):
        """The angle of a bullet from eye, launched at frame["tick"], that meets another player."""
        radius, bullet, speed = (self.welcome["rules"][i] for i in (0, 2, 3))
        soonest, angle = self.welcome["rules"][4] * self.welcome["tick_hz"], None # its lifetime
        for slot, it in frame["players"].items():
            dx, dy = (steps / 32 for steps in self.snapshots.ways[it["way"]])
            way, ticks = (it["x"] / 32 - eye[0], it["y"] / 32 - eye[1]), 0
            for _ in range(5): # the time of flight, to where the player will be by then
                to = way[0] + dx * ticks, way[1] + dy * ticks
                ticks = max(0, math.hypot(*to) - radius) * self.welcome["tick_hz"] / speed
            if slot != frame["self"]["slot"] and ticks < soonest and not it["shield"] \
                    and self.map.sweep(eye, to, bullet) > 1:
                soonest, angle = ticks, round(math.atan2(to[1], to[0]) / math.tau * 65536) % 65536
        return angle

    def direction(self, frame):
        """Towards the nearest player, in squares near it; without one to a corner in turn."""
        me, others = frame["players"].get(frame["self"]["slot"]), frame["players"].copy()
        if not me or not frame["self"]["steers"]: # in breaks and pauses
            return 0, 0
        others.pop(frame["self"]["slot"])
        ways = [(it["x"] - me["x"], it["y"] - me["y"]) for it in others.values()]
        if ways:
            x, y = min(ways, key=lambda way: math.hypot(*way))
        else: # halfway from the middle of the arena
            side = self.tick // 150 % 4
            x, y = ((self.welcome["border"][side] / 2 if side % 2 == axis else 0) - me["xy"[axis]]
                    for axis in (0, 1))
        if ways and math.hypot(x, y) < 32 * 250:
            return DIRECTIONS[self.tick // 60 % 4 * 2]
        return DIRECTIONS[round(math.atan2(y, x) / math.tau * 8) % 8]

    def press(self, frame):
        margin, window = frame["self"]["margin"], frame["tick"] // 32
        if window > self.looked + 1 and not 1 <= margin <= 2:
            self.tick, self.looked = self.tick + (1 - margin if margin < 1 else -1), window
        self.tick += 1
        x, y = self.moves.setdefault(self.tick, self.direction(frame))
        self.moves.pop(self.tick - 256, None)
        self.predicted.pop(self.tick - 256, None)
        eye = self.predict(frame)
        aim = self.aim(eye, frame) if eye else None
        age = min(63, max(0, self.tick - frame["tick"]))
        fire = [(0, 1)] if aim is None else [(1, 1), (age, 6)]
        self.inputs = [((x + 1, 2), (y + 1, 2), *fire, (aim or 0, 16)), *self.inputs[:3]]
        head = (self.tick, 32), (1, 1), (frame["tick"] % 2**16, 16), (
            self.next_event % 2**16, 16), (len(self.inputs) - 1, 3)
        self.send(1, (INPUT, 4), *head, *[field for press in self.inputs # 0: not equal
                                          for field in ((0, 1), *press)][1:])

if __name__ == "__main__":
    client = Client(sys.argv[1], int(sys.argv[2]))
    client.play(float(sys.argv[3]) if len(sys.argv) > 3 else 30)
    print(*sorted((each["score"], each["name"]) for each in client.members.values()), sep="\n")
    print(f"shots={client.shots} hits={client.hits}")
    print(f"snapshots={len(client.frames)} errors={client.errors} ended={client.ended}")
