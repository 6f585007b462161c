# SPDX-License-Identifier: MIT
"""An X server of a test's own, without a screen."""

import contextlib
import os
import socket
import struct
import subprocess


@contextlib.contextmanager
def x_server(screen="1280x1024x24", prefix=(), pixels=None):
    """The name of the display of an Xvfb; `prefix` are the words of what runs it. With `pixels`, a
    directory, read_screen(pixels) tells what it shows."""
    # A server that ends may remove the socket of another one that has just taken its number.
    for _ in range(5):
        with _xvfb(screen, prefix, pixels) as display:
            if _is_reachable(display):
                yield display
                return
    raise AssertionError("no X server can be reached")


@contextlib.contextmanager
def _xvfb(screen, prefix, pixels):
    read, write = os.pipe()
    # Without -noreset it begins anew after its last client, as xdotool is while a game starts, and
    # turns that game away.
    with subprocess.Popen([*prefix, "Xvfb", "-displayfd", str(write), "-screen", "0", screen,
                           "-nolisten", "tcp", "-noreset",
                           *(["-fbdir", str(pixels)] if pixels else [])],
                          pass_fds=[write], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with open(read, encoding="ascii") as pipe:
            number = pipe.readline().strip()
        try:
            yield f":{number}"
        finally:
            server.terminate()


def _is_reachable(display):
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(f"/tmp/.X11-unix/X{display[1:]}") == 0


def xdo(display, *words):
    """What xdotool prints."""
    return subprocess.run(["xdotool", *map(str, words)], text=True, check=True,
                          capture_output=True, timeout=60,
                          env={**os.environ, "DISPLAY": display}).stdout


def find_window(display, name):
    """The number of the window with this name; None where there is none yet."""
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", f"^{name}$"], text=True,
                           check=False, capture_output=True,
                           env={**os.environ, "DISPLAY": display})
    return found.stdout.split()[0] if found.stdout else None


class Screen:
    """The pixels of a screen: screen[x, y] is its red, green and blue."""

    def __init__(self, xwd):
        head = struct.unpack(">25I", xwd[:100])
        self.width, self.height, self.stride = head[4], head[5], head[12]
        self.pixels = xwd[head[0] + 12 * head[19]:]

    def __getitem__(self, place):
        offset = place[1] * self.stride + 4 * place[0]
        blue, green, red = self.pixels[offset:offset + 3]
        return red, green, blue

    def part(self, left, top, right, bottom):
        """The bytes of a box; right and bottom are outside of it."""
        return b"".join(self.pixels[y * self.stride + 4 * left:y * self.stride + 4 * right]
                        for y in range(top, bottom))


def read_screen(pixels):
    """What an Xvfb shows whose pixels are in this directory (-fbdir, as an xwd file)."""
    return Screen((pixels / "Xvfb_screen0").read_bytes())
