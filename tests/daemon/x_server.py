# SPDX-License-Identifier: MIT
"""An X server of a test's own, without a screen."""

import contextlib
import os
import subprocess


@contextlib.contextmanager
def x_server(screen="1280x1024x24", prefix=()):
    """The name of the display of an Xvfb; `prefix` are the words of what runs it."""
    read, write = os.pipe()
    with subprocess.Popen([*prefix, "Xvfb", "-displayfd", str(write), "-screen", "0", screen,
                           "-nolisten", "tcp"], pass_fds=[write], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with open(read, encoding="ascii") as pipe:
            number = pipe.readline().strip()
        try:
            yield f":{number}"
        finally:
            server.terminate()


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
