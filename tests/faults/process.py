# SPDX-License-Identifier: MIT
"""Rows of the table of faults: clocks, signals, memory, disks, configurations, descriptors."""

import contextlib
import ctypes
import errno
import http.client
import json
import os
import pathlib
import re
import resource
import signal
import socket
import statistics
import subprocess
import tempfile
import time

from network import humans, wait_playing
from page import (ALLOCATIONS, CLOCK_STEP, CLOCKS_STEPPED, DEADLY_PORT, FAILING, SEND_ERRNO,
                  SENDS_REJECTED, Page)
from ports import free_port
from row import Skipped, count_lost, end_bots, expect, harness, row, ticks_go_on

@row(15, "wall clock +-1 h", "nobody drops")
def wall_clock(trial):
    with contextlib.closing(Page(trial.stage, "fault_shim")) as page:
        daemon = trial.stage.serve(harness.arena(max_players=8), env=page.env)
        bots = trial.bots(daemon, 4)
        steps = trial.often((3600, 0, -3600, 0), (3600, -3600))
        for step in steps:
            page[CLOCK_STEP] = step
            # ENet drops who has not acknowledged for 5 to 15 s of what it takes for time.
            time.sleep(trial.often(5, 0))
            ticks_go_on(daemon, 90)
        read = page[CLOCKS_STEPPED]
        lost, _ = count_lost(bots)
    return len(steps), expect(lost == 0, f"{lost} dropped, {read} readings of the clock changed")


# --- processes that end, and their next life ---

class Lives:
    """A daemon on ports of its own that is started again when it has ended."""

    def __init__(self, trial, arenas, players, env=None, traced=False, runtime=None, **keys):
        self.stage = trial.stage
        self.runtime = runtime or trial.stage.directory / "run"
        self.runtime.mkdir(exist_ok=True)
        self.env = {"RUNTIME_DIRECTORY": str(self.runtime), **(env or {})}
        self.ports = [free_port() for _ in range(arenas)]
        texts = [harness.arena(f"arena{index}", port=port, max_players=players, bots=2,
                               query_names=True, **keys)
                 for index, port in enumerate(self.ports)]
        status = free_port()
        self.path = trial.stage.write_config(harness.config(
            *texts, status=f"127.0.0.1:{status}", **(trial.traceable() if traced else {})),
                                             "lives.conf")
        self.daemon = None

    def begin(self):
        self.daemon = self.stage.raimd("-c", self.path, env=self.env)
        return self.daemon

    def end(self, number=signal.SIGKILL):
        self.daemon.expected_status = -number
        self.daemon.send(number)
        self.daemon.process.wait(harness.START_S)

    def checkpoints(self):
        """The files that outlive the process."""
        return [path for path in self.runtime.rglob("*")
                if path.is_file() and path.name not in ("control.sock", "server.key")]

    def need_checkpoints(self, deadline_s=3):
        end = time.monotonic() + deadline_s
        while not self.checkpoints():
            if time.monotonic() > end:
                raise Skipped("not built in: checkpoints")
            time.sleep(0.1)


def everybody(daemon, name=""):
    """(arena, id): (name, score) of all clients, of this arena, that are not away."""
    return {(arena["name"], row["id"]): (row["name"], row["score"])
            for arena in daemon.get_json()["arenas"] for row in arena["players"]
            if not row["bot"] and not row["away"] and name in ("", arena["name"])}


def judge_lives(lives, before, begin, name=""):
    """Waits until all who were there play again: seconds from the end of the last life, and what
    is wrong, or None. Every death was somebody's point, so what is doubled shows in the sums."""
    daemon = lives.daemon
    daemon.wait_started()
    now = daemon.poll("all who played", lambda: (now := everybody(daemon, name)).keys()
                      >= before.keys() and now, 30)
    back_s = time.monotonic() - begin
    for key, (name, score) in before.items():
        # A shot may have hit since the status was read.
        if now[key][0] != name or not score <= now[key][1] <= score + 10:
            return back_s, f"{key} was {before[key]} and is {now[key]}"
    if len(now) != len(before):
        return back_s, f"{len(before)} players became {len(now)}"
    for arena in daemon.get_json()["arenas"]:
        points, deaths = (sum(row[key] for row in arena["players"]) for key in ("score", "deaths"))
        if points != deaths:
            return back_s, f"{points} points for {deaths} deaths in {arena['name']}"
    return back_s, None


def wait_ticks(daemon, seconds):
    """Waits for the ticks of so many seconds in every arena: a busy machine skips some."""
    begin = {arena["name"]: arena["tick"] for arena in daemon.get_json()["arenas"]}
    daemon.poll("ticks", lambda: all(
        arena["tick"] - begin[arena["name"]] >= seconds * arena["tick_hz"]
        for arena in daemon.get_json()["arenas"]), 10 * seconds)


@row(16, "SIGKILL mid-match", "all back within 1 s (median), nothing lost or doubled")
def killed(trial):
    clients = trial.often(64, 8)
    times = trial.often(10, 1)
    lives = Lives(trial, 2, clients)
    lives.begin().wait_started()
    bots = trial.stage.bots(lives.daemon, clients, ports=lives.ports)
    lives.daemon.wait_players(clients)
    lives.need_checkpoints()
    seconds, wrong = [], []
    for _ in range(times):
        # Some play, and a checkpoint. Whoever dies again within the ticks of ten seconds is not
        # trusted.
        wait_ticks(lives.daemon, trial.often(11, 1.5))
        before = everybody(lives.daemon)
        begin = time.monotonic()
        lives.end()
        lives.begin()
        back_s, problem = judge_lives(lives, before, begin)
        seconds.append(back_s)
        if problem:
            wrong.append(problem)
    report = end_bots(bots)
    median = statistics.median(seconds)
    seen = (f"median {median:.2f} s, worst {max(seconds):.2f} s,"
            f" {report['disconnected']} lost; {wrong[0] if wrong else 'all as before'}")
    good = not wrong and report["disconnected"] == 0 and (trial.short or median <= 1)
    return times, expect(good, seen)


# --- watchdog ---

PTRACE_SEIZE, PTRACE_INTERRUPT = 0x4206, 0x4207
WALL = 0x40000000 # wait for threads, too


def stop_worker(pid):
    """Stops one thread, as no signal can, and returns it."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    threads = sorted(int(thread) for thread in os.listdir(f"/proc/{pid}/task"))
    if len(threads) < 2:
        raise Skipped("no thread beside the first")
    if (libc.ptrace(PTRACE_SEIZE, threads[-1], None, None) != 0
            or libc.ptrace(PTRACE_INTERRUPT, threads[-1], None, None) != 0):
        raise Skipped(f"cannot stop a thread: {os.strerror(ctypes.get_errno())}")
    return threads[-1]


@contextlib.contextmanager
def service_manager(watchdog_s):
    """A daemon's environment under a service manager with a watchdog, and a function that says
    whether it was fed since its last call."""
    with tempfile.TemporaryDirectory(prefix="raimd-notify-") as directory, \
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"{directory}/notify")
        manager.setblocking(False)

        def fed():
            found = False
            with contextlib.suppress(BlockingIOError):
                while True:
                    found = b"WATCHDOG=1" in manager.recv(4096) or found
            return found

        yield {"NOTIFY_SOCKET": f"{directory}/notify",
               "WATCHDOG_USEC": str(int(watchdog_s * 1e6))}, fed


@row(17, "SIGSTOP of the process and of one worker", "watchdog restart, resume")
def stopped(trial):
    watchdog_s = 0.6
    seen, good = [], True
    with service_manager(watchdog_s) as (env, fed):
        lives = Lives(trial, 2, 4, env, traced=True)
        lives.begin().wait_started()
        bots = trial.stage.bots(lives.daemon, 4, ports=lives.ports)
        lives.daemon.wait_players(4)
        expect(wait_fed(fed), "the watchdog is not fed")
        resumes = True
        try:
            lives.need_checkpoints(1.5)
        except Skipped:
            resumes = False
        for whom in ("process", "worker"):
            before = everybody(lives.daemon)
            if whom == "process":
                lives.daemon.send(signal.SIGSTOP)
            else:
                worker = stop_worker(lives.daemon.pid)
            time.sleep(watchdog_s) # in which it may still be fed for the ticks before
            fed()
            time.sleep(watchdog_s * 1.5)
            starved = not fed()
            good = good and starved
            words = f"{whom}: {'watchdog starved' if starved else 'watchdog fed'}"
            begin = time.monotonic()
            if whom == "worker":
                lives.daemon.send(signal.SIGKILL)
                os.waitpid(worker, WALL) # before its end nobody hears of that of the process
                lives.end()
            else:
                abort_stopped(lives)
            lives.begin().wait_started()
            if resumes:
                back_s, problem = judge_lives(lives, before, begin)
                good = good and problem is None
                words += f", {problem or f'all back {back_s:.2f} s after the restart'}"
            else:
                # Without checkpoints the players are new ones.
                lives.daemon.poll("players", lambda: len(everybody(lives.daemon)) == 4, 30)
                words += ", restarted (resume: not built in)"
            seen.append(words)
        bots.stop()
    return 2, expect(good, "; ".join(seen))


def wait_fed(fed):
    with contextlib.suppress(AssertionError):
        return harness.poll("watchdog's food", fed, 3)
    return False


def abort_stopped(lives):
    """Ends it as systemd ends what it holds for dead: by SIGABRT, which waits behind the stop."""
    lives.daemon.expected_status = -signal.SIGABRT
    lives.daemon.send(signal.SIGABRT)
    lives.daemon.send(signal.SIGCONT)
    lives.daemon.process.wait(harness.START_S)


# --- memory ---

# What a program of C may say when there is no memory left; anything else is a crash.
def is_clean_end(status, log):
    return status in (0, 1, 78) or (status > 0 and "memory" in log)


def start_failing(trial, page, path, number, env=None):
    """Starts with one allocation failing, in this environment besides. The exit status, or None when it runs, and the log."""
    page[ALLOCATIONS], page[FAILING] = 0, number
    log_path = trial.stage.directory / "failing"
    with open(log_path, "wb") as log:
        process = subprocess.Popen([harness.BIN / "raimd", "-c", path], stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=log, env={**os.environ, **page.env, **(env or {})},
                                   preexec_fn=lambda: signal.alarm(20))
        status = None
        while status is None:
            text = log_path.read_text(encoding="utf-8", errors="replace")
            if "status started" in text:
                process.terminate()
                ended = process.wait(harness.START_S)
                return (None if ended == 0 else ended), text
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = process.wait(0.002)
    return status, log_path.read_text(encoding="utf-8", errors="replace")


@row(18, "malloc failing at each call of start, join and status", "an error, no crash")
def no_memory(trial):
    if trial.is_sanitized():
        raise Skipped("a sanitizer has a malloc of its own")
    with contextlib.closing(Page(trial.stage, "fault_memory")) as page:
        path = trial.stage.write_config(harness.config(harness.arena(max_players=4), workers=1))
        status, log = start_failing(trial, page, path, 0)
        expect(status is None, f"does not start: {log}")
        in_start = page[ALLOCATIONS]
        step = max(in_start // trial.often(in_start, 40), 1)
        crashes, rejected, count = [], 0, 0
        for number in range(1, in_start + 1, step):
            status, log = start_failing(trial, page, path, number)
            count += 1
            rejected += status is not None
            if status is not None and not is_clean_end(status, log):
                crashes.append(f"start, {number}: {status}")
        page[FAILING] = 0
        # Later ones in one life: each fails while somebody joins and asks.
        page[ALLOCATIONS] = 0
        daemon = trial.stage.serve(harness.arena(max_players=4), workers=1, env=page.env)
        daemon.ask() # the start has ended once the loop answers
        for number in range(1, trial.often(120, 10)):
            page[FAILING] = page[ALLOCATIONS] + number
            count += 1
            bots = trial.stage.bots(daemon, 1, seconds=0.1, ports=daemon.ports)
            bots.process.wait(harness.START_S)
            bots.expected_status = bots.process.returncode # it may have been rejected
            with contextlib.suppress(OSError, http.client.HTTPException):
                daemon.ask()
            if daemon.process.poll() is not None:
                crashes.append(f"join, {number}: {daemon.process.returncode}")
                break
        page[FAILING] = 0
        if daemon.process.poll() is None:
            ticks_go_on(daemon)
        else:
            daemon.expected_status = daemon.process.returncode
    seen = f"{in_start} calls in a start, {rejected} starts rejected, {len(crashes)} crashes"
    return count, expect(not crashes, seen + "".join(f"; {crash}" for crash in crashes[:3]))


# --- disks ---

class FullDisk:
    """A file system of memory with no room left; takes CAP_SYS_ADMIN, or is skipped."""

    def __init__(self, directory):
        self.path = directory

    def __enter__(self):
        self.path.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", self.path],
                                 check=False, stderr=subprocess.DEVNULL)
        if mounted.returncode != 0:
            raise Skipped("full disk: a tmpfs cannot be mounted here")
        return self

    def fill(self):
        with contextlib.suppress(OSError), open(self.path / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.path], check=True)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("raimd", timeout=harness.START_S)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self._path))


def command(path, name, **fields):
    with contextlib.closing(UnixConnection(path)) as connection:
        connection.request("POST", f"/v1/commands/{name}", json.dumps(fields))
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8")


def try_full_disk(trial):
    """Bans on a full disk: what went wrong, or None."""
    with FullDisk(trial.stage.directory / "state") as disk:
        control = trial.stage.directory / "control.sock"
        path = trial.stage.write_config(harness.config(harness.arena(max_players=4)))
        daemon = trial.stage.raimd("-c", path, env={
            "STATE_DIRECTORY": str(disk.path),
            "RUNTIME_DIRECTORY": str(trial.stage.directory)}).wait_started()
        bots = trial.bots(daemon, 2)

        def ban(host):
            status, text = command(control, "ban", address=f"192.0.2.{host}", reason="x" * 100)
            return status, json.loads(text)["stored"]

        try:
            expect(ban(1) == (200, True), "a ban is not kept")
            kept = (disk.path / "bans").read_bytes()
            disk.fill()
            for host in range(2, 200):
                said = ban(host)
                if said != (200, True):
                    break
                kept = (disk.path / "bans").read_bytes()
            expect(said == (200, False), f"a ban on a full disk is answered {said}")
            expect((disk.path / "bans").read_bytes() == kept, "the bans are not whole any more")
            expect("not stored file=" in daemon.log, "the log does not say so")
            ticks_go_on(daemon)
            expect(end_bots(bots)["disconnected"] == 0, "a full disk drops players")
            bots = trial.bots(daemon, 2)
            expect(command(control, "ban", address="127.0.0.0/8", wide=True)[0] == 200, "a wide ban")
            bots.expected_status = bots.process.wait(harness.START_S)
            expect(bots.expected_status in (0, 69), "bots play on though they are banned")
            ticks_go_on(daemon)
            (disk.path / "filler").unlink()
            expect(command(control, "unban", address="127.0.0.0/8")[0] == 200, "no end of a ban")
            expect(ban(250) == (200, True), "a ban is not kept when there is room again")
            bots = trial.bots(daemon, 2)
        finally:
            end_bots(bots)
            daemon.stop()


def try_truncations(trial):
    """Checkpoints cut short and changed: how many were restored and rejected. A portable one that
    is shorter than the damage's place is whole, and may take the place of the other."""
    lives = Lives(trial, 1, 4)
    lives.begin().wait_started()
    bots = trial.stage.bots(lives.daemon, 2, ports=lives.ports)
    lives.daemon.wait_players(2)
    lives.need_checkpoints()
    time.sleep(1.5)
    lives.end()
    bots.send(signal.SIGKILL)
    bots.expected_status = -signal.SIGKILL
    whole = {path: path.read_bytes() for path in lives.checkpoints()}
    size = max(len(content) for content in whole.values())
    # Every byte is one start: the first page byte by byte, the rest at even distances.
    places = sorted({*range(trial.often(256, 3)), *range(0, size, max(size // trial.often(300, 3),
                                                                      1))})
    fates = {"restored": 0, "continued": 0, "rejected": 0}
    for place in places:
        for spoil in ("cut", "flip"):
            for path, content in whole.items():
                spoiled = content[:place] if spoil == "cut" else bytearray(content)
                if spoil == "flip" and place < len(content):
                    spoiled[place] ^= 1 << place % 8
                path.write_bytes(spoiled)
            lives.begin().wait_started()
            ticks_go_on(lives.daemon, 1)
            lives.daemon.stop()
            # Of the two copies in the file one may be whole; of a short file none counts.
            fate = re.search(r"arena (restored|continued)|checkpoint (rejected) \w+=\S+: .",
                             lives.daemon.log)
            fate = fate and (fate[1] or fate[2])
            expect(fate in ("rejected", "continued") or (fate == "restored" and spoil == "flip"),
                   f"{spoil} at byte {place}: {fate}")
            fates[fate] += 1
            for path in lives.checkpoints():
                if path not in whole:
                    path.unlink()
    return fates


@row(19, "disk full; checkpoint cut short or changed at every byte",
     "reported, rejected with a reason; no crash")
def bad_disk(trial):
    seen, count = [], 0
    try:
        try_full_disk(trial)
        seen.append("full disk: reported, bans whole, play goes on")
        count += 1
    except Skipped as word:
        seen.append(str(word))
    try:
        fates = try_truncations(trial)
        seen.append(f"bad checkpoints: {fates['rejected']} rejected with a reason,"
                    f" {fates['continued']} replaced by the portable one,"
                    f" {fates['restored']} with their other copy whole")
        count += sum(fates.values())
    except Skipped as word:
        if count == 0:
            raise
        seen.append(str(word))
    return count, "; ".join(seen)


# --- configurations ---

BAD_KEYS = ({"max_players": 0}, {"bots": -3}, {"tick_hz": 2.5}, {"port": 70000},
            {"map": "/nonexistent/map.conf"}, {"max_player": 3}, {"name": "A B"},
            {"address": "localhost"}, {"sight": 1}, {"port": 3000000000})


@row(20, "bad config at start and at reload", "exit 78 with every mistake; the old one stays")
def bad_configurations(trial):
    texts = [harness.config(harness.arena(**keys)) for keys in BAD_KEYS]
    texts += ["", "arenas = (", "\0", "arenas = ();", harness.config(harness.arena(), workers=-1),
              harness.config(harness.arena("twin"), harness.arena("twin"))]
    bad = []
    for text in texts:
        path = trial.stage.write_config(text, "bad.conf")
        result = harness.run_raimd("-c", path)
        if result.returncode != 78 or "bad.conf" not in result.stderr:
            bad.append(f"start: {result.returncode}")
    path = trial.stage.write_config(harness.config(harness.arena(max_players=4)), "good.conf")
    daemon = trial.stage.raimd("-c", path).wait_started()
    bots = trial.bots(daemon, 2)
    for count, text in enumerate(texts, 1):
        path.write_text(text, encoding="utf-8")
        daemon.send(signal.SIGHUP)
        daemon.poll("rejection", lambda count=count:
                    daemon.log.count("configuration rejected") == count)
    ticks_go_on(daemon)
    report = end_bots(bots)
    return 2 * len(texts), expect(not bad and report["disconnected"] == 0,
                                  f"all rejected, {report['disconnected']} players lost"
                                  if not bad else "; ".join(bad))


# --- descriptors, ports, sending ---

def try_descriptors(trial):
    """So many connections to the status that there are no descriptors left."""
    path = trial.stage.write_config(harness.config(harness.arena(max_players=4),
                                                   **trial.traceable()), "few.conf")
    daemon = trial.stage.raimd("-c", path).wait_started()
    bots = trial.bots(daemon, 2)
    used = len(os.listdir(f"/proc/{daemon.pid}/fd"))
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (used + 2, 4096))
    crowd = []
    for _ in range(40):
        connection = socket.create_connection(daemon.status_address, timeout=harness.START_S)
        connection.sendall(b"GET /status HTTP/1.1\r\n")
        crowd.append(connection)
    time.sleep(0.3)
    daemon.send(signal.SIGHUP) # which cannot open the file
    daemon.poll("rejection", lambda: "configuration rejected" in daemon.log)
    usage = cpu_s(daemon.pid)
    time.sleep(1)
    busy = cpu_s(daemon.pid) - usage
    for connection in crowd:
        connection.close()
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (4096, 4096))
    ticks_go_on(daemon)
    report = end_bots(bots)
    expect(report["disconnected"] == 0, "no descriptors: players are lost")
    expect(busy < 0.8, f"no descriptors: {busy:.1f} s of work in a second")


def cpu_s(pid):
    words = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def try_taken_ports(trial):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.socket() as tcp:
        for taken in (udp, tcp):
            taken.bind(("127.0.0.1", 0))
        tcp.listen()
        texts = {
            "udp": harness.config(harness.arena(port=udp.getsockname()[1])),
            "tcp": harness.config(harness.arena(), status=f"127.0.0.1:{tcp.getsockname()[1]}"),
        }
        for kind, text in texts.items():
            result = harness.run_raimd("-c", trial.stage.write_config(text, f"{kind}.conf"))
            expect(result.returncode == 1 and f"cannot bind {kind}" in result.stderr,
                   f"a taken {kind} port: {result.returncode} {result.stderr}")


def try_rejected_sending(trial):
    with contextlib.closing(Page(trial.stage, "fault_shim")) as page:
        daemon = trial.stage.serve(harness.arena(max_players=4), env=page.env)
        bots = trial.bots(daemon, 2)
        before = humans(daemon)
        page[SEND_ERRNO] = errno.EPERM
        time.sleep(1)
        ticks_go_on(daemon, 30)
        rejected = page[SENDS_REJECTED]
        page[SEND_ERRNO] = 0
        after = wait_playing(daemon, before.keys(), True)
        report = end_bots(bots)
    expect(rejected > 0, "nothing was rejected")
    expect(after.keys() == before.keys() and report["disconnected"] == 0,
           "who was not sent anything for a while is lost")
    return rejected


@row(21, "no descriptors left, port taken, sends failing with EPERM",
     "play goes on; an error at start")
def scarce(trial):
    try_descriptors(trial)
    try_taken_ports(trial)
    rejected = try_rejected_sending(trial)
    return 3, f"play went on through both; both ports named; {rejected} sends rejected"


# The kubelet restarts a container at once, and then after these times, which double.
BACK_OFF_S = (0, 10, 20)


@row(67, "a restored arena crashes the process, restarted as the kubelet does it",
     "the third start sets that checkpoint aside, within 31 s; the other arena loses nothing")
def deadly_checkpoint(trial):
    with contextlib.closing(Page(trial.stage, "fault_shim")) as page:
        lives = Lives(trial, 2, 8, page.env, resume_grace=60.0) # the kubelet alone takes 30
        lives.begin().wait_started()
        bots = [trial.stage.bots(lives.daemon, 4, ports=[port]) for port in lives.ports]
        lives.daemon.wait_players(8)
        lives.need_checkpoints()
        time.sleep(1.5)
        before = everybody(lives.daemon, "arena1")
        begin = time.monotonic()
        lives.end()
        page[DEADLY_PORT] = lives.ports[0]
        for number, wait_s in enumerate(BACK_OFF_S):
            time.sleep(trial.often(wait_s, 0))
            daemon = lives.begin()
            if number < 2:
                daemon.expected_status = -signal.SIGABRT
                daemon.process.wait(harness.START_S)
                expect("checkpoint set aside" not in daemon.log, f"set aside at start {number + 1}")
        daemon.wait_started()
        started_s = time.monotonic() - begin
        daemon.poll("what is set aside", lambda: "checkpoint set aside arena=arena0: it was restored"
                    " 2 times" in daemon.log)
        kept = (lives.runtime / "arena0.checkpoint.bad").exists()
        _, problem = judge_lives(lives, before, begin, "arena1")
        fresh = daemon.get_json("/arenas/arena0")
        lost = end_bots(bots[1])["disconnected"]
        bots[0].stop()
    expect(kept, "the file is gone")
    expect("arena restored arena=arena1" in daemon.log, "the other arena starts afresh, too")
    expect(fresh["tick"] < 60 * 60, f"the arena goes on at tick {fresh['tick']}")
    return 2, expect(problem is None and lost == 0 and (trial.short or started_s < 31),
                     f"serves {started_s:.1f} s after the first crash; {lost} lost beside it;"
                     f" {problem or 'all as before'}")


@row(22, "crash loop", "a checkpoint that crashes twice is set aside")
def crash_loop(trial):
    lives = Lives(trial, 1, 4)
    lives.begin().wait_started()
    bots = trial.stage.bots(lives.daemon, 2, ports=lives.ports)
    lives.daemon.wait_players(2)
    lives.need_checkpoints()
    time.sleep(1.5)
    fates = []
    for _ in range(3): # the first ends a life that was well, the others end at once
        lives.end()
        daemon = lives.begin().wait_started()
        fates.append(daemon.poll("word of the checkpoint", lambda daemon=daemon: re.search(
            r"arena restored|checkpoint \w+( aside)?", daemon.log))[0])
    ticks_go_on(lives.daemon)
    bots.send(signal.SIGKILL)
    bots.expected_status = -signal.SIGKILL
    bots.process.wait(harness.START_S)
    return 3, expect("aside" in fates[-1], ", ".join(fates))
