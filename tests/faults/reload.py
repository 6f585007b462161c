# SPDX-License-Identifier: MIT
"""The row of the table of faults about memory that runs out while a configuration is reloaded."""

import contextlib
import itertools
import re
import signal

from page import ALLOCATIONS, FAILING, Page
from ports import free_port
from row import Skipped, end_bots, expect, harness, row, ticks_go_on

MAPS = harness.ROOT / "config/maps"


def configurations(trial):
    """Two texts for a daemon to change between: keys that apply at once, that take another match,
    that are kept until a restart, another map, a rotation, and an arena that comes and goes."""
    port = free_port()
    one = {"port": port, "max_players": 4, "bots": 2}
    yield harness.config(harness.arena("one", map=str(MAPS / "duel.conf"), **one), workers=1)
    group = harness.arena("one", motd="Hello", tick_hz=30, map=str(MAPS / "ruins.conf"), **one)
    rotation = f'rotation = ("{MAPS / "duel.conf"}"); rules = {{ bullet_speed = 800; }};'
    yield harness.config(f"{group[:-1]} score_limit = 1000; {rotation} }}",
                         harness.arena("two", max_players=1), workers=2)


def reload(daemon, page, number):
    """Reloads with one allocation failing: what was logged, and whether it came to that one."""
    before = len(daemon.log)
    page[ALLOCATIONS], page[FAILING] = 0, number
    daemon.send(signal.SIGHUP)
    done = re.compile(r"configuration (reloaded|rejected) .*\n")
    daemon.poll("an answer", lambda: done.search(daemon.log[before:]))
    reached = page[ALLOCATIONS] >= number
    page[FAILING] = 0
    if '"two" -> nothing' in daemon.log[before:]:
        daemon.poll("its end", lambda: "arena ended arena=two" in daemon.log[before:])
    return daemon.log[before:], reached


@row(44, "malloc failing at each call of a reload", "rejected for lack of memory; play goes on")
def no_memory_to_reload(trial):
    if trial.is_sanitized():
        raise Skipped("a sanitizer has a malloc of its own")
    texts = list(configurations(trial))
    step = trial.often(1, 7)
    tried = rejected = applied = 0
    with contextlib.closing(Page(trial.stage, "fault_memory")) as page:
        path = trial.stage.write_config(texts[0], "reload.conf")
        daemon = trial.stage.raimd("-c", path, env=page.env).wait_started()
        bots = trial.bots(daemon, 2)
        # Each of the two ways, until a reload needs no more allocations than it gets.
        for text, back in (texts[1], texts[0]), (texts[0], texts[1]):
            for number in itertools.count(1, step):
                path.write_text(text, encoding="utf-8")
                log, reached = reload(daemon, page, number)
                tried += reached
                if "rejected" in log:
                    rejected += 1
                    expect("memory" in log, f"{number}: rejected without the reason: {log}")
                    continue
                applied += reached
                if not reached:
                    break
                path.write_text(back, encoding="utf-8")
                log, _ = reload(daemon, page, 0)
                expect("configuration reloaded" in log, f"{number}: does not go back: {log}")
        ticks_go_on(daemon)
        report = end_bots(bots)
    return tried, expect(report["disconnected"] == 0 and rejected > 0,
                         f"{rejected} reloads rejected, {applied} that could do without,"
                         f" {report['disconnected']} players lost")
