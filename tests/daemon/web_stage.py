# SPDX-License-Identifier: MIT
"""A raimd, a raim-web before it, and clients that speak WebTransport (tests/web/carrier.c): shared
by the tests of the gateway and its bench."""

import http.client
import json
import re

import harness
from gateway import KEY
from harness import BIN, START_S, Program, Stage, arena
from ports import free_port

PAGE = b"<!doctype html><title>raim</title><script type=module src=/main.js></script>\n" * 20


class Gateway(Program):
    """A raim-web that has started."""

    def wait_started(self):
        self.poll("a log line 'gateway started'",
                  lambda: re.search(r"gateway started \S+ port=\d+", self.log))
        self.port = int(re.search(r"gateway started \S+ port=(\d+)", self.log)[1])
        return self

    def ask(self, path, **headers):
        """An answer, with its body read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_S)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            answer.body = answer.read()
            return answer
        finally:
            connection.close()

    def status(self):
        return json.loads(self.ask("/status.json").body)

    def wait_count(self, key, least):
        return self.poll(f"{key} of {least}", lambda: (now := self.status())[key] >= least and now)


class Carrier(Program):
    """Carries datagrams to a gateway, see tests/web/carrier.c."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.poll("a line 'ready'", lambda: "ready" in self.out)


class Scene(Stage):
    """A raimd with one arena, a gateway before it, and a carrier before that."""

    def __init__(self, players=64, network=(), keys=None, **limits):
        self.players, self.network, self.limits = players, network, limits
        self.keys = keys or {} # of the arena

    def __enter__(self):
        super().__enter__()
        self.page = self.directory / "page"
        self.page.mkdir()
        (self.page / "index.html").write_bytes(PAGE)
        self.state = self.directory / "state"
        self.state.mkdir()
        self.key_file = self.directory / "gateway.key"
        self.key_file.touch(0o600)
        self.key_file.write_text(KEY.hex(), encoding="ascii")
        self.port, self.web_port, self.carrier_port = free_port(), free_port(), free_port()
        self.control = self.directory / "control.sock"
        self.daemon = self.serve(arena(
            port=self.port, max_players=self.players,
            limits={"connections_per_address": self.players}, **self.keys),
            gateway_key_file=str(self.key_file), control_socket=str(self.control))
        self.gateway = self.start_gateway()
        return self

    @property
    def target(self):
        return f"127.0.0.1:{self.port}"

    def start_gateway(self, target=None, **keys):
        keys = {"listen": f"127.0.0.1:{self.web_port}", "page": str(self.page),
                "gateway_key_file": str(self.key_file), **keys}
        if self.limits:
            keys["limits"] = self.limits
        text = "".join(f"{key} = {harness.value(it)};\n" for key, it in keys.items())
        path = self.write_config(text + f'targets = ( "{target or self.target}" );\n', "raim-web.conf")
        return self._start(Gateway, [BIN / "raim-web", "-c", path],
                           {"STATE_DIRECTORY": str(self.state)}).wait_started()

    def carry(self, target=None, port=None, own=None, idle_s=None):
        """A carrier at a port, from an own address; it offers such an idle time-out."""
        network = list(self.network)
        if own is not None or idle_s is not None:
            network = [*(network or (0, 0)), own or "127.0.0.1"]
        if idle_s is not None:
            network.append(idle_s)
        to = self.port if target == "udp" else self.web_port
        return self._start(Carrier, [BIN / "carrier", port or self.carrier_port, to,
                                     target or self.target, *network], None)
