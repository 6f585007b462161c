# SPDX-License-Identifier: MIT
"""Ports of loopback that a test writes into a configuration, and that nobody takes before its
programs do: they lie below those that the kernel gives to clients, and a process has a block of them
to itself until it ends."""

import contextlib
import os
import random
import socket

FIRST, END, BLOCK = 20000, 32000, 240

_blocks = {} # by process, because some of the tests fork


class _Block:
    """An abstract Unix socket with the block's name says that it is taken: a network namespace has
    names of its own as it has ports of its own."""

    def __init__(self):
        for first in random.Random().sample(range(FIRST, END, BLOCK), (END - FIRST) // BLOCK):
            self.name = socket.socket(socket.AF_UNIX)
            with contextlib.suppress(OSError):
                self.name.bind(f"\0raim-test-ports-{first}")
                self.first, self.used = first, 0
                return
            self.name.close()
        raise AssertionError("other tests have all ports")


def _is_free(port):
    with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
        for kind in socket.SOCK_DGRAM, socket.SOCK_STREAM:
            probe = stack.enter_context(socket.socket(socket.AF_INET, kind))
            if kind == socket.SOCK_STREAM:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
        return True
    return False


def free_ports(count):
    """The first of so many ports in a row that are free for UDP and TCP, others each time."""
    if os.getpid() not in _blocks:
        _blocks[os.getpid()] = _Block()
    block = _blocks[os.getpid()]
    for _ in range(2 * BLOCK):
        first = block.used % BLOCK
        block.used += 1
        if first + count > BLOCK:
            continue
        if all(_is_free(block.first + first + i) for i in range(count)):
            block.used += count - 1
            return block.first + first
    raise AssertionError(f"no {count} ports in a row are free")


def free_port():
    return free_ports(1)
