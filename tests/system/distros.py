#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the README's commands in bare trees of Debian's releases: `./dev run` until it answers a
status request and Ctrl-C ends it, `./dev test`, and `./dev package`. --short: `./dev run`, a build
of every target of the preset release, and its unit tests. --builds: every target of every preset.
--packages: `./dev package` twice, whose bytes must be equal, and an installation in another bare
tree, where bots play on the raimd that was installed; the packages are left in
build/distros/SUITE/debs/. --installation: the same with the packages that are in build/packages, in
a tree of this machine's release.

By default it tries bookworm and trixie; noble and resolute are Ubuntu 24.04 and 26.04. SUITE:arm64
is cross built, for --packages alone. ./dev test-distros runs it, as root. Each tree is copied first,
so that what a run installs is gone in the next. Exits 77 where no tree can be made. Logs are in
build/distros/.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from tree import NoTree, make_tree, suite_of_this_machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIRECTORY = ROOT / "build/distros"
SUITES = ("bookworm", "trixie")
STATUS = "http://127.0.0.1:7246/status"
RUN_S = 900    # until the demo answers: packages, a build
START_S = 30   # until a raimd that is there answers
STEP_S = 3600
STOP_S = 5
SKIPPED = 77

# In namespaces of its own: mounts go with it, and so do processes that a step leaves behind.
ENTER = """
root=$1
shift
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
exec chroot "$root" sh -c 'cd /raimd && exec "$@"' sh "$@"
"""
# Nothing of who runs this, but for the way to a mirror.
ENVIRONMENT = {"PATH": os.defpath + ":/usr/sbin:/sbin", "HOME": "/root", "LANG": "C.UTF-8",
               **{name: value for name, value in os.environ.items()
                  if name.lower().endswith("_proxy")}}


class Failure(Exception):
    """What a step did not do."""


class Tree:
    """A copy of a suite's bare tree with the sources in /raimd."""

    def __init__(self, name):
        self.suite, _, self.architecture = name.partition(":")
        self.log_path = DIRECTORY / f"{name}.log"
        self.directory = DIRECTORY / self.suite
        self.root = self.directory / "root"
        self.begin()
        self.log_path.write_bytes(b"")

    def begin(self):
        """Takes another copy."""
        bare = make_tree(self.directory, self.suite)
        subprocess.run(["rm", "-rf", "--one-file-system", self.root], check=True)
        subprocess.run(["cp", "-a", "--reflink=auto", bare, self.root], check=True)
        shutil.copytree(ROOT, self.root / "raimd",
                        ignore=shutil.ignore_patterns("build", ".git", "__pycache__"))

    @contextlib.contextmanager
    def program(self, *words):
        """A program of the tree, running."""
        with open(self.log_path, "ab") as log:
            process = subprocess.Popen(
                ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", ENTER,
                 "sh", self.root, *words],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=ENVIRONMENT)
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def said(self):
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def call(self, *words):
        """Runs a program of the tree to its end; returns the log's last line."""
        with self.program(*words) as process:
            try:
                status = process.wait(STEP_S)
            except subprocess.TimeoutExpired:
                raise Failure(f"runs on after {STEP_S} s") from None
        last = (self.said().strip().splitlines() or [""])[-1]
        if status != 0:
            raise Failure(f"status {status}: {last}")
        return last


def ask_status():
    """The status of whoever listens where the demo does; None where nobody does."""
    try:
        with urllib.request.urlopen(STATUS, timeout=5) as answer:
            return json.load(answer)
    except (OSError, urllib.error.URLError, ValueError):
        return None


def wait_answer(process, limit_s):
    """The status of a raimd that the process starts, when it answers."""
    begin = time.monotonic()
    while (status := ask_status()) is None:
        if process.poll() is not None:
            raise Failure(f"ended with {process.returncode}")
        if time.monotonic() - begin > limit_s:
            raise Failure(f"no status within {limit_s} s")
        time.sleep(0.1)
    return status


def reject_others():
    if ask_status() is not None:
        raise Failure("somebody else listens on 127.0.0.1:7246")


def run_demo(tree):
    """./dev run, until it answers; then Ctrl-C."""
    reject_others()
    begin = time.monotonic()
    with tree.program("./dev", "run") as process:
        status = wait_answer(process, RUN_S)
        answered_s = time.monotonic() - begin
        # The shell became ./dev, which became raimd.
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(
            encoding="ascii").split()
        os.kill(int(children[0]), signal.SIGINT)
        try:
            ended = process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            raise Failure(f"runs on {STOP_S} s after Ctrl-C") from None
    if ended != 0:
        raise Failure(f"ended with {ended} at Ctrl-C")
    return f"{len(status['arenas'])} arenas after {answered_s:.0f} s; Ctrl-C ends it with 0"


def run_tests(tree):
    """./dev test, by its own summary."""
    tree.call("./dev", "test")
    return re.findall(r"^dev test: .* passed.*", tree.said(), re.M)[-1]


def warnings(tree):
    """How many warnings the builds printed; they go to the log, because the tree is removed."""
    built = "".join(log.read_text(encoding="utf-8", errors="replace")
                    for log in (tree.root / "raimd/build").glob("*/build.log"))
    found = re.findall(r"^.*: warning: .*\n", built, re.M)
    with open(tree.log_path, "a", encoding="utf-8") as log:
        log.writelines(found)
    return f"{len(found)} warnings"


def build_release(tree):
    """Every target of the preset release, and its warnings."""
    tree.call("./dev", "build", "release")
    return warnings(tree)


def build_all(tree):
    """Every target of every preset, and its warnings."""
    tree.call("./dev", "build")
    return warnings(tree)


def run_unit_tests(tree):
    """The unit tests of the preset release."""
    tree.call("ctest", "--test-dir", "build/release", "-R", "^(unit|netsim|rules)",
              "-j", "2", "--no-tests=error")
    return re.findall(r"\d+% tests passed.*", tree.said())[-1]


def build_packages(tree):
    """./dev package; lintian has looked at them."""
    return f"{pathlib.PurePath(tree.call('./dev', 'package')).name} and others"


def packages_of(tree):
    """The bytes of what ./dev package has made, by name."""
    return {path.name: path.read_bytes()
            for path in (tree.root / "raimd/build/packages").iterdir()
            if path.suffix in (".deb", ".dsc", ".xz")}


def build_packages_twice(tree):
    """./dev package twice, at other times: the same bytes. Keeps them."""
    words = ["./dev", "package", *([f"--architecture={tree.architecture}"]
                                   if tree.architecture else [])]
    built = []
    for _ in range(2):
        shutil.rmtree(tree.root / "raimd/build/packages", ignore_errors=True)
        tree.call(*words)
        built.append(packages_of(tree))
    if built[0].keys() != built[1].keys():
        raise Failure(f"other packages: {sorted(built[0])}, {sorted(built[1])}")
    differing = [name for name, data in built[0].items() if data != built[1][name]]
    if differing:
        raise Failure(f"other bytes the second time: {' '.join(sorted(differing))}")
    shutil.rmtree(tree.directory / "debs", ignore_errors=True)
    shutil.copytree(tree.root / "raimd/build/packages", tree.directory / "debs")
    return f"{len(built[0])} files, the same bytes twice"


def install(tree, debs):
    """Installs packages by apt with what they depend on; bots play on their raimd."""
    copied = []
    for path in sorted(debs.glob("*.deb")):
        if "dbgsym" not in path.name:
            shutil.copy(path, tree.root / path.name)
            copied.append(f"/{path.name}")
    tree.call("apt-get", "-qq", "update")
    tree.call("apt-get", "-qq", "install", "-y", "--no-install-recommends", *copied)
    tree.call("raimd", "-t", "-c", "/etc/raimd/raimd.conf")
    tree.call("raim", "--version")
    reject_others()
    with tree.program("raimd", "-c", "/etc/raimd/raimd.conf") as process:
        wait_answer(process, START_S)
        tree.call("sh", "-ec", "raim-bots --clients 4 --seconds 5 --json 127.0.0.1:7246 >/played")
    played = json.loads((tree.root / "played").read_bytes())
    if played["connected"] != 4 or played["snapshots"] == 0:
        raise Failure(f"the bots did not play: {played}")
    version = tree.call("raimd", "--version")
    return f"{version}; {played['snapshots']} snapshots"


def install_built(tree):
    """What was built in this tree, in another bare copy."""
    if tree.architecture:
        return "not tried: of another architecture"
    tree.begin()
    return install(tree, tree.directory / "debs")


def install_own(tree):
    """What ./dev package has built on this machine."""
    return install(tree, ROOT / "build/packages")


FULL = [("./dev run", run_demo), ("./dev test", run_tests), ("./dev package", build_packages)]
SHORT = [("./dev run", run_demo), ("./dev build release", build_release),
         ("unit tests", run_unit_tests)]
BUILDS = [("./dev build", build_all)]
PACKAGES = [("./dev package", build_packages_twice), ("installation", install_built)]
INSTALLATION = [("installation", install_own)]


def try_suite(suite, steps):
    """Prints a row for each step; false when one failed."""
    tree = Tree(suite)
    good = True
    for name, step in steps:
        begin = time.monotonic()
        try:
            word, said = "good", step(tree)
        except Failure as failure:
            word, said, good = "FAILED", f"{failure}; see {tree.log_path.relative_to(ROOT)}", False
        print(f"{suite:10} {name:20} {word:7} {time.monotonic() - begin:6.0f} s  {said}",
              flush=True)
    if good:
        subprocess.run(["rm", "-rf", "--one-file-system", tree.root], check=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    kind = parser.add_mutually_exclusive_group()
    for name, steps, meaning in (
            ("short", SHORT, "./dev run, a build, the unit tests"),
            ("builds", BUILDS, "every preset"),
            ("packages", PACKAGES, "./dev package twice, and an installation"),
            ("installation", INSTALLATION, "of what ./dev package has made on this machine")):
        kind.add_argument(f"--{name}", dest="steps", action="store_const", const=steps,
                          default=FULL, help=meaning)
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM)) # ends what runs, too
    suites = [suite_of_this_machine()] if options.steps is INSTALLATION else SUITES
    good, skipped = True, False
    for suite in options.suites or suites:
        try:
            good = try_suite(suite, options.steps) and good
        except NoTree as reason:
            print(f"{suite:10} SKIPPED: {reason}")
            skipped = True
    if not good:
        return 1
    return SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
