#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The OCI image of ./dev image in a container: read-only, without root, capabilities and network
of the machine; a client joins, the health check answers, SIGTERM ends it.

podman runs it, or bubblewrap where podman cannot; as root. Exits 77 where neither can.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/daemon"))

import harness # pylint: disable=wrong-import-position
from harness import poll # pylint: disable=wrong-import-position

IMAGE = ROOT / "build/image"
STATUS = "http://127.0.0.1:7246/status"
USER = "65532"
STOP_S = 2


class NoContainer(Exception):
    """Why a runtime cannot run the image here."""


def call(*words, check=True):
    """A finished command; its output is text."""
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True,
                          check=False, timeout=120)
    if check and done.returncode != 0:
        raise NoContainer(f"{words[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done


def blob(descriptor):
    return IMAGE / "oci/blobs/sha256" / descriptor["digest"].removeprefix("sha256:")


def read_image():
    """The image's manifest and configuration."""
    index = json.loads((IMAGE / "oci/index.json").read_text(encoding="utf-8"))
    manifest = json.loads(blob(index["manifests"][0]).read_text(encoding="utf-8"))
    return manifest, json.loads(blob(manifest["config"]).read_text(encoding="utf-8"))["config"]


class Podman:
    """The image as podman runs it, with files of its own below `directory`."""

    def __init__(self, directory):
        self.podman = ["podman", "--root", directory / "storage", "--runroot", directory / "run",
                       "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs"]
        if shutil.which("podman") is None:
            raise NoContainer("no podman here")
        loaded = call(*self.podman, "load", "-i", IMAGE / "raimd.oci.tar").stdout
        image = loaded.split()[-1]
        # A machine that is itself a container may allow neither raising limits nor cgroups v2.
        options = ["--read-only", "--cap-drop=all", "--network=none",
                   "--security-opt=no-new-privileges", "--ulimit=nofile=1024:1024",
                   "--ulimit=nproc=1024:1024"]
        failures = []
        for runtime in ("crun", "runc"):
            with contextlib.suppress(NoContainer):
                self.name = call(*self.podman, "--runtime", runtime, "run", "-d", *options,
                                 image).stdout.strip()
                self.podman += ["--runtime", runtime]
                break
            failures.append(runtime)
        else:
            raise NoContainer(f"podman runs no container with {' or '.join(failures)}")
        self.label = "podman " + self.podman[-1]
        self.pid = call(*self.podman, "inspect", "-f", "{{.State.Pid}}", self.name).stdout.strip()

    def run(self, *words):
        return call(*self.podman, "exec", self.name, *words, check=False)

    def exit_status(self):
        return int(call(*self.podman, "wait", self.name).stdout)

    def close(self):
        call(*self.podman, "rm", "-f", self.name, check=False)


class Bubblewrap:
    """The image's file system as bubblewrap runs it: what is in it, without podman."""

    def __init__(self, directory):
        if shutil.which("bwrap") is None:
            raise NoContainer("no bwrap here")
        manifest, config = read_image()
        tree = directory / "tree"
        with tarfile.open(blob(manifest["layers"][0])) as layer:
            layer.extractall(tree)
        read_end, write_end = os.pipe()
        tmpfs = [word for volume in config["Volumes"] for word in ("--tmpfs", volume)]
        env = [word for pair in config["Env"] for word in ("--setenv", *pair.split("=", 1))]
        self.process = subprocess.Popen(
            ["bwrap", "--unshare-all", "--as-pid-1", "--uid", USER, "--gid", USER,
             "--cap-drop", "ALL", "--ro-bind", tree, "/", "--proc", "/proc", "--dev", "/dev",
             *tmpfs, "--clearenv", *env, "--info-fd", str(write_end), *config["Entrypoint"],
             *config["Cmd"]], pass_fds=[write_end], stderr=subprocess.PIPE, text=True)
        os.close(write_end)
        with os.fdopen(read_end) as info:
            said = info.read()
        if not said:
            raise NoContainer(f"bwrap: {self.process.communicate()[1].strip()}")
        self.pid, self.label = str(json.loads(said)["child-pid"]), "bubblewrap"

    def run(self, *words):
        return call("nsenter", "-t", self.pid, "-U", "-m", "-p", "-n", "--preserve-credentials",
                    "--", *words, check=False)

    def exit_status(self):
        return self.process.wait(10)

    def close(self):
        self.process.kill()
        self.process.communicate()


def start_container(directory):
    """The image in the first runtime that can run it."""
    reasons = []
    for runtime in (Podman, Bubblewrap):
        try:
            return runtime(directory)
        except NoContainer as reason:
            reasons.append(str(reason).splitlines()[-1])
    raise unittest.SkipTest("; ".join(reasons))


class ImageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            raise unittest.SkipTest("a container's network is entered as root")
        directory = tempfile.TemporaryDirectory(prefix="raim-image-")
        cls.addClassCleanup(directory.cleanup)
        cls.container = start_container(pathlib.Path(directory.name))
        cls.addClassCleanup(cls.container.close)
        print(f"in {cls.container.label}", file=sys.stderr)

    def near(self, *words):
        """A program of this machine on the container's network."""
        return ["nsenter", "-t", self.container.pid, "-n", "--", *map(str, words)]

    def status(self):
        asked = call(*self.near("/usr/bin/python3", "-c", "import sys, urllib.request as r;"
                                "print(r.urlopen(sys.argv[1], timeout=5).read().decode())",
                                STATUS), check=False)
        return json.loads(asked.stdout) if asked.returncode == 0 else None

    def test_1_clients_join(self):
        poll("status", self.status)
        played = call(*self.near(harness.BIN / "raim-bots", "--clients", 4, "--seconds", 2,
                                 "--json", "127.0.0.1:7246"), check=False)
        self.assertEqual(played.returncode, 0, played.stderr)
        self.assertEqual(json.loads(played.stdout)["connected"], 4)

    def test_2_the_health_check_answers(self):
        done = self.container.run(*read_image()[1]["Healthcheck"]["Test"][1:])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("crossfire", done.stdout)

    def test_3_nothing_is_granted(self):
        process = pathlib.Path("/proc", self.container.pid)
        fields = dict(line.split(":\t") for line in
                      (process / "status").read_text(encoding="ascii").splitlines())
        self.assertEqual(fields["CapEff"], "0000000000000000")
        self.assertEqual(fields["NoNewPrivs"], "1")
        if isinstance(self.container, Podman): # the other one maps the user in its namespace
            self.assertEqual(fields["Uid"].split(), [USER] * 4)
        mounts = [line.split() for line in
                  (process / "mountinfo").read_text(encoding="utf-8").splitlines()]
        root = [mount for mount in mounts if mount[4] == "/"]
        self.assertIn("ro", root[-1][5].split(","))
        self.assertNotEqual(self.container.run("/bin/sh", "-c", "true").returncode, 0)

    def test_4_sigterm_ends_it(self):
        process = pathlib.Path("/proc", self.container.pid, "fd/0")
        os.kill(int(self.container.pid), signal.SIGTERM)
        poll("end", lambda: not os.path.lexists(process), STOP_S) # a zombie has no descriptors
        self.assertEqual(self.container.exit_status(), 0)


if __name__ == "__main__":
    harness.main()
