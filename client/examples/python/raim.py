#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A player in Python on libraimclient, through ctypes: plays until it has hit somebody.

raim.py [HOST[:PORT]] with `raimd --demo` running. RAIM_LIBRARY is the path of libraimclient, if the
system's loader does not find it. The link's own thread receives and sends.
"""

import contextlib
import ctypes
import math
import os
import sys
import time
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int8, c_size_t, c_uint16, c_uint32
from ctypes import c_uint64, c_uint8, c_void_p

CLIENT_PLAYING, CLIENT_ENDED = 2, 4
MAX_PLAYERS = 1024
PATIENCE_S = 60


# The structs of the headers of which this program uses members; C_NAME is their name in C.

class Vec2(ctypes.Structure):
    C_NAME = "raim_vec2"
    _fields_ = [("x", c_double), ("y", c_double)]


class Def(ctypes.Structure):
    C_NAME = "struct raim_client_def"
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("watch", c_bool),
                ("target", c_uint16), ("connect_timeout_s", c_double), ("access", c_void_p),
                ("access_size", c_uint32), ("server_key", c_void_p),
                ("require_encryption", c_bool), ("password", c_char_p), ("admin_key", c_void_p),
                ("small_datagrams", c_bool)]


class Input(ctypes.Structure):
    C_NAME = "raim_input"
    _fields_ = [("move_x", c_int8), ("move_y", c_int8), ("fire", c_uint8), ("rewind", c_uint8),
                ("aim", c_uint16)]


class Player(ctypes.Structure):
    C_NAME = "struct raim_client_player"
    _fields_ = [("slot", c_uint32), ("position", Vec2), ("velocity", Vec2), ("aim", c_uint16),
                ("life", c_uint8), ("shielded", c_bool), ("health", c_uint8)]


class Rules(ctypes.Structure):
    C_NAME = "raim_rules"
    _fields_ = [(name, c_double) for name in (
        "player_radius", "player_speed", "bullet_radius", "bullet_speed", "bullet_lifetime",
        "fire_cooldown", "respawn_delay", "spawn_protection", "pellets", "spread", "bounces",
        "health", "damage", "regeneration")]


class Stats(ctypes.Structure):
    C_NAME = "struct raim_client_stats"
    _fields_ = [("snapshots", c_uint64), ("decode_errors", c_uint64), ("events", c_uint64),
                ("events_ahead", c_uint64), ("events_repeated", c_uint64), ("shots", c_uint64),
                ("hits", c_uint64), ("kills", c_uint64), ("deaths", c_uint64),
                ("kills_seen", c_uint64), ("largest_snapshot", c_size_t), ("resumes", c_uint64),
                ("entries", c_uint64), ("rounds", c_uint64), ("other_epoch", c_uint64)]


class End(ctypes.Structure):
    C_NAME = "struct raim_client_end"
    _fields_ = [("reason", c_uint32), ("text", ctypes.c_char * 121)]


# Result and arguments of each function.
FUNCTIONS = {
    "raim_angle_of": (c_uint16, Vec2),
    "raim_client_can_draw": (c_bool, c_void_p),
    "raim_client_get_end": (End, c_void_p),
    "raim_client_eye": (Vec2, c_void_p),
    "raim_client_init_def": (None, POINTER(Def), c_size_t),
    "raim_client_interpolate": (None, c_void_p, c_uint64),
    "raim_client_interpolated_players": (c_uint32, c_void_p, POINTER(Player), c_uint32),
    "raim_client_map": (c_void_p, c_void_p),
    "raim_client_own_slot": (c_uint32, c_void_p),
    "raim_client_reason_name": (c_char_p, c_uint32),
    "raim_client_rules": (POINTER(Rules), c_void_p),
    "raim_client_get_state": (ctypes.c_int, c_void_p),
    "raim_client_get_stats": (POINTER(Stats), c_void_p),
    "raim_link_client": (c_void_p, c_void_p),
    "raim_link_close": (None, c_void_p),
    "raim_link_lock": (None, c_void_p),
    "raim_link_now_us": (c_uint64,),
    "raim_link_open": (c_void_p, c_char_p, c_uint16, POINTER(Def)),
    "raim_link_read_address": (c_bool, c_char_p, ctypes.c_char * 256, POINTER(c_uint16)),
    "raim_link_server_key": (c_bool, c_void_p, c_uint8 * 32),
    "raim_link_set_input": (None, c_void_p, POINTER(Input)),
    "raim_link_start_thread": (c_bool, c_void_p),
    "raim_link_unlock": (None, c_void_p),
    "raim_map_sees": (c_bool, c_void_p, Vec2, Vec2),
}


def load():
    library = ctypes.CDLL(os.environ.get("RAIM_LIBRARY", "libraimclient.so.1"))
    for name, (result, *arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def choose(raim, client, turn):
    """The input that runs at the nearest player in sight and fires ahead of its run."""
    players = (Player * MAX_PLAYERS)()
    count = raim.raim_client_interpolated_players(client, players, MAX_PLAYERS)
    eye, own = raim.raim_client_eye(client), raim.raim_client_own_slot(client)
    arena, rules = raim.raim_client_map(client), raim.raim_client_rules(client)[0]
    side = 1 if turn % 60 < 30 else -1
    chosen, nearest = Input(move_x=side, move_y=1 if turn % 90 < 45 else -1), math.inf
    for one in players[:count]:
        x, y = one.position.x - eye.x, one.position.y - eye.y
        distance = math.hypot(x, y)
        if (one.slot != own and distance < nearest
                and raim.raim_map_sees(arena, eye, one.position)):
            nearest = distance
            flight_s = min(0.3, distance / rules.bullet_speed)
            aim = raim.raim_angle_of(Vec2(x + one.velocity.x * flight_s,
                                          y + one.velocity.y * flight_s))
            chosen = Input((x - side * y > 0) - (x - side * y < 0),
                           (y + side * x > 0) - (y + side * x < 0), 1, 0, aim)
    return chosen


@contextlib.contextmanager
def locked(raim, link):
    """The client of a link with a thread may be used only so."""
    raim.raim_link_lock(link)
    try:
        yield raim.raim_link_client(link)
    finally:
        raim.raim_link_unlock(link)


def play(raim, link):
    """Plays until a hit, the end, or for PATIENCE_S; returns shots, hits and why it ended."""
    end, turn = time.monotonic() + PATIENCE_S, 0
    while True:
        wanted = None
        with locked(raim, link) as client:
            stats, state = raim.raim_client_get_stats(client)[0], raim.raim_client_get_state(client)
            if stats.hits > 0 or state == CLIENT_ENDED or time.monotonic() > end:
                reason = raim.raim_client_get_end(client).reason
                return stats.shots, stats.hits, raim.raim_client_reason_name(reason).decode()
            if state == CLIENT_PLAYING:
                raim.raim_client_interpolate(client, raim.raim_link_now_us())
                if raim.raim_client_can_draw(client):
                    wanted = choose(raim, client, turn)
        if wanted is not None:
            raim.raim_link_set_input(link, byref(wanted))
        turn += 1
        time.sleep(1 / 60)


def main(arguments):
    raim = load()
    host, port = (ctypes.c_char * 256)(*b"127.0.0.1"), c_uint16(7246)
    if arguments and not raim.raim_link_read_address(arguments[0].encode(), host, byref(port)):
        sys.exit(f"not an address: {arguments[0]}")
    wanted = Def()
    raim.raim_client_init_def(byref(wanted), ctypes.sizeof(wanted))
    wanted.name = b"Python"
    link = raim.raim_link_open(host.value, port, byref(wanted))
    if link is None or not raim.raim_link_start_thread(link):
        sys.exit("no memory, no random numbers or no thread")
    shots, hits, reason = play(raim, link)
    is_encrypted = raim.raim_link_server_key(link, (c_uint8 * 32)())
    print(f"{reason}: {shots} shots, {hits} hits; encrypted: {is_encrypted}")
    raim.raim_link_close(link)
    return 0 if hits > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
