# SPDX-License-Identifier: MIT
"""Rows of the table of faults: an SDK server of Agones that vanishes, or lies."""

import contextlib
import os
import signal
import time

from bans import OddServer
from hooks import Server, answer_slowly, workers
from page import ALLOCATIONS, FAILING, Page
from ports import free_port, free_ports
from process import is_clean_end, start_failing
from row import Skipped, count_lost, end_bots, expect, harness, row, ticks_go_on

import sidecar

POOL = 8
PERIOD_S = 2 # of Health, by the stub's GameServer
STALLED_S = 5 # after which the process that makes requests is ended


def serve(trial, stub, **keys):
    """A daemon with an arena and a pool for arenas, and players in the arena."""
    pool = free_ports(POOL)
    template = harness.value({"name": "duel", "address": "127.0.0.1",
                              "map": str(harness.ROOT / "config/maps/duel.conf")})
    path = trial.stage.write_config(
        harness.config(harness.arena(port=free_port()),
                       agones_drain=2, # arenas are expected at its end
                       on_demand_ports=f"{pool}-{pool + POOL - 1}",
                       on_demand_templates=harness.Text(f"( {template} )"), **keys))
    daemon = trial.stage.raimd("-c", path, env=stub.env, prefix=["setsid"]).wait_started()
    daemon.poll("Ready", lambda: stub.counts("POST /ready") > 0)
    return daemon, trial.bots(daemon, 8)


def agones(daemon):
    return daemon.get_json()["agones"]


def is_well(daemon):
    state = agones(daemon)
    return state["connected"] and state["watching"]


@row(49, "lost sidecar of Agones", "nobody drops; it is found again")
def lost_sidecar(trial):
    trial.need_key("agones")
    times = trial.often(10, 2)
    longest_s = 0
    with sidecar.Stub() as stub:
        daemon, bots = serve(trial, stub)
        for index in range(times):
            stub.mode = ("gone", "silent")[index % 2]
            stub.generation += 1
            daemon.poll("its loss", lambda: not agones(daemon)["connected"])
            ticks_go_on(daemon, 60)
            begin = time.monotonic()
            stub.mode = "good"
            daemon.poll("its return", lambda: is_well(daemon))
            longest_s = max(longest_s, time.monotonic() - begin)
        readies = stub.counts("POST /ready")
        lost, _ = count_lost(bots)
    return times, expect(lost == 0 and readies == 1,
                         f"{lost} dropped, Ready {readies} times, found again after"
                         f" {longest_s:.1f} s at most")


def lies(stub):
    """Changes of the GameServer that no Agones makes, or not like this."""
    def arenas(*values):
        return lambda state: state["status"]["lists"]["arenas"].update(values=list(values))

    def counter(count, capacity):
        return lambda state: state["status"]["counters"].update(
            arenas={"count": count, "capacity": capacity})

    def annotate(text):
        return lambda state: state["object_meta"]["annotations"].update(
            {"raimd/arena": text, "agones.dev/last-allocated": f"lie {len(text)}"})

    return [
        arenas(*(f"r-{number}" for number in range(1000))),
        arenas("../../etc", "a/b/c", "\0", "", "x" * 5000, "none/r"),
        arenas(),
        counter("7", "1000"),
        counter("-1", "-1"),
        counter({}, []),
        annotate('{"template":' * 2000),
        annotate("x" * 1000000),
        annotate('{"id":"lie","template":"duel","players":["ada"],"max_players":-1}'),
        lambda state: state["status"].update(state="Reserved"),
        lambda state: state["status"].update(ports="none"),
        lambda state: state["object_meta"].update(annotations=[]),
    ]


@row(50, "lying sidecar of Agones", "nobody drops; no more arenas than ports")
def lying_sidecar(trial):
    trial.need_key("agones")
    most = 0
    with sidecar.Stub() as stub:
        daemon, bots = serve(trial, stub)
        tried = lies(stub)
        for lie in tried:
            truth = sidecar.game_server("Ready")
            stub.change(lambda state, truth=truth: state.update(truth))
            stub.change(lie)
            time.sleep(trial.often(1, 0.2))
            most = max(most, len(daemon.get_json()["arenas"]) - 1)
        before_kb, grown_kb = daemon.resident_kb(), 0
        for mode in sidecar.MODES:
            stub.mode = mode
            stub.generation += 1
            time.sleep(trial.often(5, 0.2))
            grown_kb = max(grown_kb, daemon.resident_kb() - before_kb)
        stub.mode = "good"
        stub.change(lambda state: state.update(sidecar.game_server("Allocated")))
        daemon.poll("it to be well", lambda: is_well(daemon))
        ticks_go_on(daemon, 60)
        lost, _ = count_lost(bots)
    return len(tried) + len(sidecar.MODES), expect(
        lost == 0 and most <= POOL and (grown_kb < 32 * 1024 or trial.is_sanitized()),
        f"{lost} dropped, {most} arenas at most, {grown_kb // 1024} MB more resident")


@row(51, "malloc failing at each call beside Agones", "an error at the start, or another attempt")
def no_memory_beside_agones(trial):
    trial.need_key("agones")
    if trial.is_sanitized():
        raise Skipped("a sanitizer has a malloc of its own")
    with contextlib.closing(Page(trial.stage, "fault_memory")) as page, sidecar.Stub() as stub:
        env = {**page.env, **stub.env}
        path = trial.stage.write_config(
            harness.config(harness.arena(port=free_port()), workers=1))
        status, log = start_failing(trial, page, path, 0, env)
        expect(status is None, f"does not start: {log}")
        in_start = page[ALLOCATIONS]
        crashes, count = [], 0
        # The first calls are those of every start: row 18 has them.
        for number in range(1, in_start + 1, max(in_start // trial.often(150, 20), 1)):
            status, log = start_failing(trial, page, path, number, env)
            count += 1
            if status is not None and not is_clean_end(status, log):
                crashes.append(f"start, {number}: {status}")
        page[FAILING] = page[ALLOCATIONS] = 0
        stub.change(lambda state: state.update(sidecar.game_server())) # it was shut down
        daemon = trial.stage.raimd("-c", path, env=env).wait_started()
        daemon.poll("the end of the start", lambda: is_well(daemon)) # which may fail
        for number in range(1, trial.often(400, 60)):
            page[FAILING] = page[ALLOCATIONS] + number % 40 + 1
            stub.change(lambda state, number=number: state["object_meta"]["annotations"].update(
                {"number": str(number)}))
            time.sleep(0.05)
            count += 1
            if number % 20 == 0:
                stub.generation += 1 # the stream is opened anew
        page[FAILING] = 0
        expect(daemon.process.poll() is None, f"ended with {daemon.process.returncode}")
        daemon.poll("it to be well", lambda: is_well(daemon))
        ticks_go_on(daemon)
    seen = f"{in_start} calls in a start, {len(crashes)} crashes"
    return count, expect(not crashes, seen + "".join(f"; {crash}" for crash in crashes[:3]))


def longest_wait_s(stub, begin):
    """The longest time without a Health since then."""
    with stub.lock:
        times = [when for when, call, _ in stub.calls if call == "POST /health" and when > begin]
    return max(after - before
               for before, after in zip([begin, *times], [*times, time.monotonic()]))


def stall(daemon):
    """Makes the process that makes requests do nothing for longer than it may, which its parent does
    not see."""
    parent, process = workers(daemon)
    os.kill(parent, signal.SIGSTOP)
    os.kill(process, signal.SIGSTOP)
    time.sleep(STALLED_S + 1)
    os.kill(process, signal.SIGCONT)
    daemon.poll("its end", lambda: process not in workers(daemon))
    os.kill(parent, signal.SIGCONT)


def harm_process(trial, harm):
    """Sends the process that makes requests a signal, each time while an arena is allocated."""
    trial.need_key("agones")
    times = trial.often(20, 3)
    with sidecar.Stub() as stub:
        daemon, bots = serve(trial, stub)
        daemon.poll("a Health", lambda: stub.counts("POST /health") > 0)
        begin = time.monotonic()
        for number in range(times):
            process = daemon.poll("both processes", lambda: len(workers(daemon)) == 2 and
                                  workers(daemon)[1])
            healths = stub.counts("POST /health")
            os.kill(process, harm)
            stub.allocate(f"m-{number}", annotation={"join_within_s": 1})
            daemon.poll("its end", lambda: process not in workers(daemon))
            daemon.poll("the arena", lambda: f"arena made id=m-{number} " in daemon.log)
            daemon.poll("the watch", lambda: is_well(daemon))
            daemon.poll("a Health", lambda: stub.counts("POST /health") > healths)
        daemon.poll("the arenas' end", lambda: stub.arenas() == (0, []))
        longest_s = longest_wait_s(stub, begin)
        if not trial.short:
            stall(daemon)
            times += 1
            daemon.poll("its return", lambda: len(workers(daemon)) == 2 and is_well(daemon))
        reported = daemon.log.count('process died name="raimd: fetch"')
        lost, _ = count_lost(bots)
    return times, expect(
        lost == 0 and reported == times and (trial.short or longest_s < PERIOD_S),
        f"{lost} dropped, every arena made, reported {reported} times, {longest_s:.1f} s between two"
        " Health at most")


@row(68, "SIGKILL of the process that makes requests, beside Agones",
     "reported, started again, Health within its period, no arena lost")
def killed_process(trial):
    return harm_process(trial, signal.SIGKILL)


@row(69, "SIGSTOP of the process that makes requests, beside Agones",
     "reported, killed, started again, Health within its period, no arena lost")
def stopped_process(trial):
    return harm_process(trial, signal.SIGSTOP)


@row(70, "a ban list and a hook whose servers are slow, beside Agones",
     "Health within its period")
def slow_servers(trial):
    trial.need_key("agones")
    bans = OddServer()
    bans.way = "slow"
    with contextlib.closing(bans), Server(answer_slowly) as hook, sidecar.Stub() as stub:
        daemon, bots = serve(trial, stub, bans_list=f"http://127.0.0.1:{bans.port}/bans",
                             hook_target=f"http://127.0.0.1:{hook.port}/")
        daemon.poll("both requests", lambda: bans.asked > 0 and hook.connections > 0)
        daemon.poll("a Health", lambda: stub.counts("POST /health") > 0)
        begin = time.monotonic()
        time.sleep(trial.often(30, 4))
        longest_s = longest_wait_s(stub, begin)
        report = end_bots(bots)
    return bans.asked + hook.connections, expect(
        report["disconnected"] == 0 and (trial.short or longest_s < PERIOD_S),
        f"{report['disconnected']} dropped, {longest_s:.1f} s between two Health at most")
