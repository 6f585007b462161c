# SPDX-License-Identifier: MIT
"""Rows of the table of faults: those who pass for somebody else, by a name or by a used token."""

import contextlib
import signal
import time

from row import arena_of, expect, harness, raimctl, row
from stranger import Peer

UNREACHABLE = 69 # exit status of raim-bots without a single connection


def is_admitted(trial, daemon, token):
    """Whether a client with this token comes in; it has gone again then."""
    before = arena_of(daemon)["rejections"].get("access", 0)
    bots = trial.stage.bots(daemon, 1, network=["--access", token])
    arena = daemon.poll("an answer to the token", lambda: (
        (seen := arena_of(daemon))["rejections"]["access"] > before or seen["players"]) and seen)
    admitted = arena["players"] != []
    if admitted:
        daemon.wait_pressing(1) # it knows, too
    bots.expected_status = 0 if admitted else UNREACHABLE
    bots.stop()
    if admitted:
        daemon.wait_players(0)
    return admitted


# What is sent, and what it may become; None: rejected.
EVIL_NAMES = (
    ("Server", None),
    ("\u0405\u0435rv\u0435r", None),            # Cyrillic
    ("\uff33erver", None),                      # full width
    ("[ S\u00e9rver ] 1", None),
    ("Adm\u0131n", None),                       # dotless i
    ("Ada\ufffe", None),                        # noncharacter
    ("Ada\ue000", None),                        # private use
    ("Ada\u0378", None),                        # unassigned
    ("A\u0300\u0301\u0302\u0303da", None),      # stacked marks
    ("\u0301Ada", None),                        # a mark at the beginning
    ("B\u2800\u3000o\u00a0b", "B o b"),         # blank Braille pattern, ideographic space
    ("\uff21\U0001d555\u24d0 \u202eL", "Ada L"), # full width, double-struck, circled; override
    ("\u0410d\u0430", "\u0410d\u0430 (2)"),     # Cyrillic, beside Ada
    ("a D A", "a D A (3)"),
    ("A" * 24, "A" * 24),
    ("a" * 24, "a" * 20 + " (2)"),
)


def names_of(daemon):
    """The players' names, and how many have been rejected."""
    arena = arena_of(daemon)
    return [player["name"] for player in arena["players"]], arena["rejections"]["name"]


@row(40, "names that pass for others'", "rejected, or folded and told apart")
def evil_names(trial):
    daemon = trial.stage.serve(harness.arena(max_players=32))
    wrong, peers = [], []
    with contextlib.ExitStack() as stack:
        for told, wanted in (("Ada", "Ada"), *EVIL_NAMES):
            names, rejected = names_of(daemon)
            peer = stack.enter_context(
                Peer(daemon.ports[0], address_validation=trial.has("address_validation")))
            peers.append(peer.connect(told))

            def answered(before=(names, rejected)):
                for each in peers:
                    each.serve(0.001)
                return (seen := names_of(daemon)) != before and seen
            after, _ = daemon.poll(f"an answer to {told!a}", answered)
            shown = next((name for name in after if name not in names), None)
            shown = after[-1] if shown is None and len(after) > len(names) else shown
            if shown != wanted:
                wrong.append(f"{told!a} is {shown!a}")
    return len(EVIL_NAMES), expect(not wrong, ", ".join(wrong) or "all as they should be")


@row(41, "a used access token after SIGKILL and restart", "rejected; another one is admitted")
def replayed_tokens(trial):
    trial.need_key("access_key")
    times = trial.often(20, 2)
    directories = {}
    for variable in ("STATE_DIRECTORY", "RUNTIME_DIRECTORY"):
        path = trial.stage.directory / variable
        path.mkdir()
        directories[variable] = str(path)
    key = trial.stage.directory / "key"
    arena = harness.arena(access="token", access_key=raimctl("token", "key", key),
                          resume_grace=0)
    tokens = [raimctl("token", "make", "--key", key, "--arena", "arena") for _ in range(times + 1)]
    replays, admitted = 0, 0
    for number in range(times):
        daemon = trial.stage.serve(arena, env=directories)
        replays += sum(is_admitted(trial, daemon, token) for token in tokens[:number])
        admitted += is_admitted(trial, daemon, tokens[number])
        if number % 4 == 3: # now and then it ends as it should
            daemon.stop()
        else:
            daemon.expected_status = -signal.SIGKILL
            daemon.stop(signal.SIGKILL)
    daemon = trial.stage.serve(arena, env=directories)
    replays += sum(is_admitted(trial, daemon, token) for token in tokens[:times])
    admitted += is_admitted(trial, daemon, tokens[times])
    return times, expect(replays == 0 and admitted == times + 1,
                         f"{replays} used tokens admitted, {admitted} of {times + 1} unused ones")


@row(75, "a backup restored, made before and after tokens were used, and before its arena was there;"
     " the runtime directory lost", "used ones rejected; those issued half a minute later admitted")
def restored_backups(trial):
    trial.need_key("access_key")
    times = trial.often(4, 1)
    directories = {name: trial.stage.directory / name for name in ("STATE_DIRECTORY",
                                                                   "RUNTIME_DIRECTORY")}
    for path in directories.values():
        path.mkdir()
    state, runtime = directories.values()
    env = {name: str(path) for name, path in directories.items()}
    key = trial.stage.directory / "key"
    arena = harness.arena(access="token", access_key=raimctl("token", "key", key), resume_grace=0)

    def token():
        time.sleep(1.1) # of a later second than the start, and as late as clocks may differ
        return raimctl("token", "make", "--key", key, "--arena", "arena", "--not-before", "30s")

    def backup(name):
        copy = trial.stage.directory / name
        raimctl("backup", copy, "--state", state)
        return copy

    used, admitted, replays, tries = [], 0, 0, 0
    for number in range(times):
        copies = [backup(f"before{number}")] # at first of an empty directory
        for step in range(2):
            daemon = trial.stage.serve(arena, env=env)
            used.append(token())
            admitted += is_admitted(trial, daemon, used[-1])
            if step == 0:
                copies.append(backup(f"running{number}"))
            daemon.stop()
            if step == 0:
                copies.append(backup(f"stopped{number}"))
        for copy in copies:
            for path in runtime.iterdir():
                path.unlink()
            raimctl("restore", copy, "--state", state, "--yes")
            daemon = trial.stage.serve(arena, env=env)
            replays += sum(is_admitted(trial, daemon, each) for each in used)
            tries += 1
            used.append(token())
            admitted += is_admitted(trial, daemon, used[-1])
            daemon.stop()
    return tries, expect(replays == 0 and admitted == 5 * times,
                         f"{replays} used tokens admitted, {admitted} of {5 * times} unused ones")
