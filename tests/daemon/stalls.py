# SPDX-License-Identifier: MIT
"""For how long the machine held up a test and the programs that it judges. A limit of time has that
added, so that it judges the programs alone, however busy the machine is."""

import contextlib
import os
import pathlib
import threading
import time

PERIOD_S = 0.005
TOLERATED_S = 0.006 # the interpreter's own switch between threads takes up to 5 ms
SILENCE_S = 1.5 # after which a client takes its server for lost; see client/core/session.c
OUTAGE_S = 1.0 # held up for so long within a silence, both ends do the rest of it themselves
SAMPLE_S = 0.1


class Timer(threading.Thread):
    """Sleeps again and again, and adds up by how much too long it slept."""

    def __init__(self):
        super().__init__(daemon=True)
        self.late_s = 0.0
        self.due = time.monotonic()
        self.start()

    def run(self):
        while True:
            self.due = time.monotonic() + PERIOD_S
            time.sleep(PERIOD_S)
            self.late_s += self.lateness()

    def lateness(self):
        late_s = time.monotonic() - self.due
        return late_s if late_s > TOLERATED_S else 0.0


def stolen_s():
    """For how long a hypervisor has kept this machine's processors from it, in all; see proc(5). The
    kernel takes it for a thread's running."""
    with open("/proc/stat", encoding="ascii") as lines:
        fields = lines.readline().split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


def waits_s(pid):
    """For how long each thread of a process was ready to run and had no processor, by its id."""
    waits = {}
    with contextlib.suppress(OSError): # it has ended
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            waits[task.name] = int((task / "schedstat").read_text().split()[1]) / 1e9
    return waits


class Stalls:
    """From now on, of this test and of these processes."""
    timer = None # of all of them

    def __init__(self, *pids):
        Stalls.timer = Stalls.timer or Timer()
        self._late_s, self._stolen_s = self.timer.late_s, stolen_s()
        self._before = {pid: waits_s(pid) for pid in pids}
        self._grown_s = dict.fromkeys(pids, 0.0)

    def seconds(self):
        """At most so long: of each process the thread that waited most counts."""
        for pid, before in self._before.items():
            grown = (wait - before.get(thread, 0) for thread, wait in waits_s(pid).items())
            self._grown_s[pid] = max(self._grown_s[pid], *grown, 0.0)
        late_s = self.timer.late_s - self._late_s + self.timer.lateness()
        return late_s + stolen_s() - self._stolen_s + sum(self._grown_s.values())


class Outages(threading.Thread):
    """Counts from now on how often the machine held up these processes for so long that a client may
    take its server for lost."""

    def __init__(self, *pids):
        super().__init__(daemon=True)
        self._stalls, self._ended, self._count = Stalls(*pids), threading.Event(), 0
        self._samples = []
        self._sample()
        self.start()

    def run(self):
        while not self._ended.wait(SAMPLE_S):
            self._sample()

    def _sample(self):
        now = time.monotonic(), self._stalls.seconds()
        while len(self._samples) > 1 and self._samples[1][0] < now[0] - SILENCE_S:
            self._samples.pop(0)
        self._samples.append(now)
        outages = int((now[1] - self._samples[0][1]) / OUTAGE_S)
        if outages > 0:
            self._count, self._samples = self._count + outages, [now]

    def end(self):
        """Their number; the processes still run."""
        self._ended.set()
        self.join()
        self._sample()
        return self._count
