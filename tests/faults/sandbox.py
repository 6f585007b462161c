# SPDX-License-Identifier: MIT
"""Rows of the table of faults: somebody else's code within the daemon. fault_intruder, preloaded,
stands for it: what it tries is tried by the process itself."""

import contextlib
import errno
import http.client
import os
import pathlib
import re
import signal
import tempfile

from page import INTRUDED, INTRUSION, INTRUSION_ERRNO, Page
from process import Lives, everybody, judge_lives
from row import Skipped, arena_of, end_bots, expect, harness, row, ticks_go_on

MAIN_THREAD = 100
(RUN_PROGRAM, FORK, TRACE, SOCKET_NETLINK, SOCKET_PACKET, SOCKET_TCP, MOUNT, USER_NAMESPACE,
 LOAD_BPF, USE_IO_URING, MAKE_EXECUTABLE, READ_FILE, WRITE_FILE, LIST_DIRECTORY) = range(1, 15)

DEADLY = {"execve": RUN_PROGRAM, "execve in the main thread": MAIN_THREAD + RUN_PROGRAM,
          "a netlink socket": SOCKET_NETLINK, "a packet socket": SOCKET_PACKET,
          "a TCP socket": SOCKET_TCP, "a mount": MOUNT, "a namespace": USER_NAMESPACE,
          "BPF": LOAD_BPF, "io_uring": USE_IO_URING}
# A sanitizer does these itself when the process ends.
DEADLY_IN_RELEASES = {"a fork": FORK, "ptrace": TRACE}


def need(daemon, word):
    """The row needs this half of the sandbox, which not every kernel and build has. A daemon that
    has never heard of a sandbox is not excused."""
    with contextlib.suppress(AssertionError):
        harness.poll("word of the sandbox", lambda: "sandbox" in daemon.log, 1)
    told = re.search(r"sandbox \w+ (.*)", daemon.log)
    if told and f'{word}="off' in told[1]:
        raise Skipped(told[1])


def intrude(page, daemon, what):
    """The errno of an attempt, 0 when it succeeded; None when it was the daemon's end."""
    before = page[INTRUDED]
    page[INTRUSION] = what
    if what >= MAIN_THREAD: # which must have something to do
        with contextlib.suppress(OSError, http.client.HTTPException):
            daemon.ask("/healthz")
    harness.poll("the attempt", lambda: page[INTRUDED] > before or daemon.process.poll() is not None)
    return page[INTRUSION_ERRNO] if page[INTRUDED] > before else None


def end_by_sigsys(daemon):
    """Whether it ended as the kernel ends who breaks the filter."""
    daemon.expected_status = daemon.process.wait(harness.START_S)
    return daemon.expected_status == -signal.SIGSYS


def try_lives(trial, page):
    """An execve in a match, and the next life: what is wrong, or None."""
    lives = Lives(trial, 1, 4, page.env)
    lives.begin().wait_started()
    need(lives.daemon, "seccomp")
    bots = trial.stage.bots(lives.daemon, 4, ports=lives.ports)
    lives.daemon.wait_players(4)
    lives.need_checkpoints()
    # Somebody has a score to lose.
    lives.daemon.poll("a hit", lambda: any(score for _, score in everybody(lives.daemon).values()),
                      30)
    before = everybody(lives.daemon)
    result = intrude(page, lives.daemon, RUN_PROGRAM)
    killed = result is None and end_by_sigsys(lives.daemon)
    if not killed:
        return f"an execve in a match ends it with {lives.daemon.expected_status}, not by SIGSYS"
    lives.begin()
    _, problem = judge_lives(lives, before, 0)
    lives.daemon.stop()
    report = end_bots(bots)
    return problem or (f"{report['disconnected']} players lost" if report["disconnected"] else None)


@row(42, "execve, fork, ptrace, raw and TCP sockets, mounts, ... by code within the daemon",
     "killed by SIGSYS; the next life has every player and score")
def intruder_acts(trial):
    with contextlib.closing(Page(trial.stage, "fault_intruder")) as page:
        problem = try_lives(trial, page)
        expect(problem is None, problem)
        attempts = {**DEADLY, **({} if trial.is_sanitized() else DEADLY_IN_RELEASES)}
        names = trial.often(list(attempts), list(attempts)[1:4])
        survived = []
        for name in names:
            daemon = trial.stage.serve(harness.arena(), env=page.env)
            result = intrude(page, daemon, attempts[name])
            if result is not None or not end_by_sigsys(daemon):
                survived.append(f"{name}: {'it works' if result == 0 else result}")
            elif daemon.process.poll() is None:
                daemon.stop()
    seen = f"{1 + len(names) - len(survived)} of {1 + len(names)} killed, all back with their scores"
    return 1 + len(names), expect(not survived, "; ".join([seen, *survived]))


def paths_to_try(stage, outside):
    """(what, how, path, errno): files within reach of the daemon's user, but none of its own."""
    (outside / "secret").write_text("secret", encoding="utf-8")
    within = stage.directory
    return [
        ("read a file", READ_FILE, outside / "secret", errno.EACCES),
        ("write it", WRITE_FILE, outside / "secret", errno.EACCES),
        ("make one", WRITE_FILE, outside / "new", errno.EACCES),
        ("list a directory", LIST_DIRECTORY, outside, errno.EACCES),
        ("read /etc/passwd", READ_FILE, "/etc/passwd", errno.EACCES),
        ("write its own memory", WRITE_FILE, "/proc/self/mem", errno.EACCES),
        ("write beside the configuration", WRITE_FILE, within / "new", errno.EACCES),
        ("read the configuration", READ_FILE, within / "raimd.conf", 0),
        ("write its state", WRITE_FILE, within / "state/new", 0),
    ]


@row(43, "files that are not its own opened, memory made executable by code within the daemon",
     "denied, in every thread, while play goes on; its own remain")
def intruder_reads(trial):
    with tempfile.TemporaryDirectory(prefix="raimd-outside-") as outside:
        (trial.stage.directory / "state").mkdir()
        path = trial.stage.write_config(harness.config(harness.arena(max_players=4)))
        attempts = paths_to_try(trial.stage, pathlib.Path(outside))
        good, seen, count = True, [], 0
        with contextlib.closing(Page(trial.stage, "fault_intruder")) as page:
            link = pathlib.Path(outside) / "attempt"
            daemon = trial.stage.raimd("-c", path, env={
                **page.env, "INTRUDER_PATH": str(link),
                "STATE_DIRECTORY": str(trial.stage.directory / "state")}).wait_started()
            need(daemon, "landlock")
            bots = trial.bots(daemon, 2)
            for thread in (0, MAIN_THREAD):
                for what, how, target, wanted in attempts:
                    link.unlink(missing_ok=True)
                    link.symlink_to(target)
                    result = intrude(page, daemon, thread + how)
                    count += 1
                    if result != wanted:
                        seen.append(f"{what}: {os.strerror(result) if result else 'it works'}")
                result = intrude(page, daemon, thread + MAKE_EXECUTABLE)
                count += 1
                if result not in (errno.ENOSYS, errno.EPERM, errno.EACCES):
                    seen.append("executable memory: it works")
            # Its own files are still within its reach.
            path.write_text(harness.config(harness.arena(max_players=4, motd="again")),
                            encoding="utf-8")
            daemon.send(signal.SIGHUP)
            daemon.poll("a reload", lambda: "configuration reloaded applied=1" in daemon.log)
            ticks_go_on(daemon)
            report = end_bots(bots)
            good = not seen and report["disconnected"] == 0 and arena_of(daemon)["tick"] > 0
    words = "; ".join(seen) or "all denied, the daemon's own files not"
    return count, expect(good, f"{words}, {report['disconnected']} players lost")
