# SPDX-License-Identifier: MIT
"""A minimal Debian, booted by systemd-nspawn on a tree that mmdebstrap made. What happens in it is
gone when it ends; it shares neither network nor processes with the machine around it."""

import json
import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/daemon"))

from harness import poll  # pylint: disable=wrong-import-position

BOOT_S = 30
BASE = ["systemd", "systemd-sysv", "dbus", "iproute2"]


class Unbootable(Exception):
    """Why this machine cannot boot another one."""


class Machine:
    """Booted when entered, powered off when left. `shared` is its /packages, read-only."""

    def __init__(self, tree, shared, log):
        self.command = ["systemd-nspawn", "--quiet", "-D", tree, "--volatile=overlay", "--boot",
                        "--register=no", "--keep-unit", "--link-journal=no", "--private-network",
                        "--console=read-only", "--machine=raimd-test",
                        f"--bind-ro={shared}:/packages"]
        self.log = log

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, start_new_session=True)
        try:
            poll("booted machine", self._is_up, BOOT_S)
        except AssertionError as error:
            self.__exit__()
            said = self.log.read_text(encoding="utf-8", errors="replace")[-2000:]
            raise Unbootable(f"{error}\n{said}") from None
        return self

    def __exit__(self, *_):
        # To nspawn the first TERM means an orderly end, to which it gives all the time it wants.
        self.process.terminate()
        try:
            self.process.wait(BOOT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _is_up(self):
        if self.process.poll() is not None:
            raise AssertionError("systemd-nspawn has ended")
        pid = self.process.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        if not children:
            return False
        self.leader = children.split()[0] # not init yet, the first times
        return self.run("systemctl", "is-system-running", check=False).strip() in (
            "running", "degraded")

    def run(self, *words, check=True):
        """What a command in the machine says."""
        result = subprocess.run(["nsenter", "-t", self.leader, "-a", "--", *map(str, words)],
                                text=True, stdin=subprocess.DEVNULL, capture_output=True,
                                check=False, timeout=60)
        if check and result.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, words))}: {result.returncode}\n"
                                 f"{result.stdout}{result.stderr}")
        return result.stdout + result.stderr

    def near(self, *words):
        """The command that runs a program of this side on the machine's network."""
        return ["nsenter", "-t", self.leader, "-n", "--", *map(str, words)]

    def write(self, path, text):
        subprocess.run(["nsenter", "-t", self.leader, "-a", "--", "sh", "-c",
                        'mkdir -p "$(dirname "$1")" && cat > "$1"', "sh", path],
                       input=text, text=True, check=True)

    def get_json(self, url):
        """What the machine answers there; None if it does not answer."""
        asked = subprocess.run(
            self.near("/usr/bin/python3", "-c", "import sys, urllib.request as r;"
                      "print(r.urlopen(sys.argv[1], timeout=5).read().decode())", url),
            text=True, capture_output=True, check=False)
        return json.loads(asked.stdout) if asked.returncode == 0 else None
