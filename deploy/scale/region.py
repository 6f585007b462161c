# SPDX-License-Identifier: MIT
"""One region's cluster as a discrete-event simulation: arenas are asked for and end, processes and
nodes start and stop, a rollout replaces all processes, nodes are lost.

A process has a number of arenas. The allocator gives an arena on the fullest node, in the fullest
process there that has one free (Agones: Packed, priority on the counter `arenas`), in batches, in each
of which a process gets one arena at most; who finds none asks again in the next one. The
FleetAutoscaler keeps arenas free (applyCounterOrListPolicy in Agones' pkg/fleetautoscalers), and the
Fleet replaces processes that end. A rollout drains all processes that have arenas at once. Times are
in seconds; the day begins at 0, the simulation WARM_UP_S earlier.
"""

import collections
import heapq
import math
import random

DAY_S = 86400
WARM_UP_S = 7200
WAIT_STEP_S = 0.01
STARTING, LIVE, DRAINING, GONE = range(4)
# Kinds of events; of two at the same time the first one here comes first.
ARENA_END, ARENA_REQUEST, BATCH, PROCESS_START, NODE_START, SYNC, NODE_LOSS, ROLLOUT = range(8)


def concurrent_players(inputs, peak, peak_h, t):
    """How many play in a region: a cosine with its top at the peak hour, flattened at the bottom."""
    phase = math.cos(2 * math.pi * (t / 3600 - peak_h) / 24)
    return peak * (inputs.trough + (1 - inputs.trough) * ((1 + phase) / 2) ** 1.5)


def processes_per_node(inputs):
    """How many processes a node holds: the least of what its vCPUs, the limit of pods and the host
    ports allow."""
    request = inputs.arenas * inputs.arena_players / inputs.players_per_core + inputs.sidecar_cores
    by_cores = math.floor((inputs.node_cores - inputs.node_reserved) / request)
    return min(by_cores, inputs.pods_per_node, inputs.ports_per_node // inputs.arenas)


class Waits:
    """A histogram of waits."""

    def __init__(self):
        self.counts = collections.Counter()

    def add(self, wait_s):
        self.counts[int(wait_s / WAIT_STEP_S)] += 1

    def quantile(self, share):
        """The upper end of the step that the quantile lies in; 0 without any wait."""
        left = share * sum(self.counts.values())
        for step in sorted(self.counts):
            left -= self.counts[step]
            if left <= 0:
                return (step + 1) * WAIT_STEP_S
        return 0.0


class Region:
    """A cluster of one region; `peak` players at `peak_h`."""

    def __init__(self, inputs, peak, peak_h, seed):
        self.inputs, self.arenas, self.peak, self.peak_h = inputs, inputs.arenas, peak, peak_h
        self.random = random.Random(seed)
        self.processes_per_node = processes_per_node(inputs)
        self.players_per_arena = inputs.arena_players * inputs.arena_fill
        sigma = math.sqrt(math.log(1 + inputs.round_cv ** 2))
        mu = math.log(inputs.round_s) - sigma ** 2 / 2
        lengths = random.Random(0)
        self.round_lengths = [lengths.lognormvariate(mu, sigma) for _ in range(4096)]
        self.events = []
        # Of each process: its arenas in use, its state and its node.
        self.used, self.state, self.node_of = [], [], []
        self.free = {}  # how many arenas a process can give
        self.order = [] # a heap of (whether it is Ready, its node, its free arenas, process), and of
                        # what was so once; the first nodes are the fullest
        self.capacity = 0         # arenas of starting and live processes
        self.used_admitting = 0   # arenas in use in live processes
        self.used_all = 0
        self.unplaced = collections.deque()
        self.replicas = 0 # processes that the Fleet keeps, draining ones included
        self.queue = collections.deque() # of (when it was requested, whether after a loss)
        # Nodes: the processes of each, and since when it is empty; None: not running.
        self.node_processes, self.node_begin, self.node_empty = [], [], {}
        self.node_free = [set() for _ in range(self.processes_per_node + 1)]
        self.nodes_starting = 0
        # A rollout's processes that are still to be drained, and those that have not ended.
        self.old, self.old_left, self.rollout_begin = collections.deque(), set(), None
        # Results.
        self.waits, self.waits_after_loss, self.waits_in_rollout = Waits(), Waits(), Waits()
        self.given = self.rejected = 0
        self.steps = [] # (when, how many processes) of the autoscaler
        self.drained_busy = 0 # processes with arenas that the autoscaler drained
        self.node_s = 0.0
        self.player_s = 0.0
        self.peak_nodes = self.peak_nodes_in_rollout = self.nodes_up = 0
        self.peak_processes = self.peak_arenas = 0
        self.process_count = 0
        self.players_hit = []
        self.rollout_s = None

    # --- nodes ---

    def request_node(self, t):
        self.nodes_starting += 1
        self.node_begin.append(t)
        self.node_processes.append(None)
        self.nodes_up += 1
        if self.old_left:
            self.peak_nodes_in_rollout = max(self.peak_nodes_in_rollout, self.nodes_up)
        else:
            self.peak_nodes = max(self.peak_nodes, self.nodes_up)
        start = self.random.uniform(self.inputs.node_start_min_s, self.inputs.node_start_max_s)
        heapq.heappush(self.events, (t + start, NODE_START, len(self.node_begin) - 1))

    def start_node(self, t, node):
        self.nodes_starting -= 1
        self.open_node(t, node)
        while self.unplaced and self.node_free_slots(node) > 0:
            process = self.unplaced.popleft()
            if self.state[process] == STARTING:
                self.put(t, process, node)

    def open_node(self, t, node):
        self.node_processes[node] = set()
        self.node_empty[node] = t
        self.node_free[self.processes_per_node].add(node)

    def node_free_slots(self, node):
        return self.processes_per_node - len(self.node_processes[node])

    def close_node(self, t, node):
        self.node_free[self.node_free_slots(node)].discard(node)
        self.node_empty.pop(node, None)
        self.node_processes[node] = None
        self.nodes_up -= 1
        self.node_s += max(0, t - max(0, self.node_begin[node]))

    def put(self, t, process, node):
        self.node_free[self.node_free_slots(node)].discard(node)
        self.node_processes[node].add(process)
        self.node_free[self.node_free_slots(node)].add(node)
        self.node_empty.pop(node, None)
        self.node_of[process] = node
        start = self.random.uniform(self.inputs.pod_start_min_s, self.inputs.pod_start_max_s)
        heapq.heappush(self.events, (t + start, PROCESS_START, process))

    # --- processes ---

    def add_process(self, t):
        """A new process, on the fullest node with a free slot; a new node where there is none."""
        process = len(self.state)
        self.used.append(0)
        self.state.append(STARTING)
        self.node_of.append(None)
        self.capacity += self.arenas
        self.process_count += 1
        self.peak_processes = max(self.peak_processes, self.process_count)
        for nodes in self.node_free[1:]:
            if nodes:
                self.put(t, process, min(nodes))
                return
        self.unplaced.append(process)
        if len(self.unplaced) > self.nodes_starting * self.processes_per_node:
            self.request_node(t)

    def start_process(self, t, process):
        if self.state[process] != STARTING:
            return
        self.state[process] = LIVE
        self.insert(process)
        while self.old: # it takes the place of one of them
            old = self.old.popleft()
            if self.state[old] == LIVE:
                self.drain(t, old)
                break

    def insert(self, process):
        count = self.arenas - self.used[process]
        if count == 0:
            return
        self.free[process] = count
        if len(self.order) > 100 + 4 * len(self.free):
            self.order = [self.rank(it) for it in self.free]
            heapq.heapify(self.order)
        else:
            heapq.heappush(self.order, self.rank(process))

    def rank(self, process):
        count = self.free[process]
        return count == self.arenas, self.node_of[process], count, process

    def withdraw(self, process):
        self.free.pop(process, None)

    def drain(self, t, process):
        """No new arenas; the process ends with its last one."""
        if self.state[process] == LIVE:
            self.withdraw(process)
            self.used_admitting -= self.used[process]
        self.capacity -= self.arenas
        self.state[process] = DRAINING
        if self.used[process] == 0:
            self.end_process(t, process)

    def end_process(self, t, process):
        self.state[process] = GONE
        self.process_count -= 1
        node = self.node_of[process]
        if node is not None and self.node_processes[node] is not None:
            self.node_free[self.node_free_slots(node)].discard(node)
            self.node_processes[node].discard(process)
            self.node_free[self.node_free_slots(node)].add(node)
            if not self.node_processes[node]:
                self.node_empty[node] = t
        if process in self.old_left:
            self.old_left.discard(process)
            if not self.old_left:
                self.rollout_s = t - self.rollout_begin

    def restore(self, t):
        """The Fleet replaces what has ended."""
        while self.process_count < self.replicas:
            self.add_process(t)

    # --- arenas ---

    def take_fullest(self):
        """The process that is to give the next arena; it gives others after insert()."""
        while True:
            _, _, count, process = heapq.heappop(self.order)
            if self.free.get(process) == count:
                del self.free[process]
                return process

    def begin_arena(self, t, process):
        self.used[process] += 1
        self.used_admitting += 1
        self.used_all += 1
        length = self.round_lengths[int(self.random.random() * 4096)]
        heapq.heappush(self.events, (t + length, ARENA_END, process))
        self.player_s += max(0, min(t + length, DAY_S) - max(0, t)) * self.players_per_arena
        self.peak_arenas = max(self.peak_arenas, self.used_all)

    def request_arena(self, t, is_after_loss=False):
        if not self.queue:
            batch_s = self.inputs.batch_s
            heapq.heappush(self.events, ((t // batch_s + 1) * batch_s, BATCH, 0))
        self.queue.append((t, is_after_loss))

    def serve_batch(self, t):
        taken = []
        while self.queue and self.free:
            requested, is_after_loss = self.queue.popleft()
            taken.append(self.take_fullest())
            self.begin_arena(t, taken[-1])
            if requested >= 0:
                wait = t - requested + self.inputs.arena_s
                self.given += 1
                waits = (self.waits_in_rollout if self.old_left else
                         self.waits_after_loss if is_after_loss else self.waits)
                waits.add(wait)
        for process in taken:
            self.insert(process)
        if self.queue:
            self.rejected += len(self.queue) if t >= 0 else 0
            heapq.heappush(self.events, (t + self.inputs.batch_s, BATCH, 0))

    def end_arena(self, t, process):
        state = self.state[process]
        if state == GONE:
            return # lost with its node
        self.used_all -= 1
        if state == DRAINING:
            self.used[process] -= 1
            if self.used[process] == 0:
                self.end_process(t, process)
                self.restore(t)
            return
        self.withdraw(process)
        self.used[process] -= 1
        self.used_admitting -= 1
        self.insert(process)

    # --- what happens from time to time ---

    def buffer(self):
        """Arenas to keep free: a share of all, and at least so many."""
        used, percent = self.used_all, self.inputs.buffer_percent
        share = math.ceil(used * 100 / (100 - percent)) - used
        return max(share, self.inputs.buffer_arenas, 1)

    def sync(self, t):
        """What FleetAutoscaler and cluster autoscaler decide every sync_s."""
        buffer, available = self.buffer(), self.capacity - self.used_admitting
        step = math.ceil((buffer - available) / self.arenas) if available < buffer else \
            -self.excess(available, buffer)
        self.replicas = self.process_count + step
        if step != 0:
            self.steps.append((t, step))
        if step < 0:
            self.scale_down(t, -step)
        self.restore(t)
        limit = t - self.inputs.node_idle_s
        for node in [node for node, since in self.node_empty.items() if since <= limit]:
            self.close_node(t, node)

    def free_arenas(self, process):
        return 0 if self.state[process] == DRAINING else self.arenas - self.used[process]

    def removal_order(self):
        """Processes without a node, then those of the emptiest nodes, the emptiest of these first."""
        yield from [it for it in self.unplaced if self.state[it] == STARTING]
        for nodes in reversed(self.node_free):
            yield from sorted((it for node in nodes for it in self.node_processes[node]),
                              key=lambda it: (-self.free_arenas(it), -self.node_of[it], it))

    def excess(self, available, buffer):
        """How many processes the autoscaler thinks it can do without. Those that are full or drain
        cost it nothing, wherever they stand in the order, though they are not the ones to end."""
        count = 0
        if available > buffer:
            for process in self.removal_order():
                available -= self.free_arenas(process)
                if available < buffer or count == self.process_count - 1:
                    break
                count += 1
                if available == buffer:
                    break
        return count

    def scale_down(self, t, count):
        """Ends processes without arenas; where there are too few, others are drained."""
        removed = [it for it in self.removal_order() if self.used[it] == 0][:count]
        for process in removed:
            self.drain(t, process)
        draining = self.state.count(DRAINING)
        for process in list(self.removal_order()):
            if self.process_count - draining <= self.replicas:
                break
            if self.state[process] == LIVE:
                self.drain(t, process)
                self.drained_busy += 1
                draining += 1

    def begin_rollout(self, t):
        """All processes with arenas are told to drain. The others are replaced as new ones start, of
        which there are maxSurge more at most."""
        states = self.state
        self.rollout_begin = t
        self.old_left = {it for it, state in enumerate(states) if state != GONE}
        for process in sorted(self.old_left):
            if states[process] == STARTING or (states[process] == LIVE and self.used[process] > 0):
                self.drain(t, process)
        self.old.extend(sorted(it for it in self.old_left if states[it] == LIVE))
        surge = math.ceil(self.inputs.surge_percent / 100 * self.process_count)
        for _ in range(min(surge, len(self.old))):
            self.add_process(t)
        self.restore(t)

    def lose_node(self, t):
        nodes = [node for node, processes in enumerate(self.node_processes) if processes]
        if not nodes:
            return
        node = self.random.choice(nodes)
        lost = 0
        for process in sorted(self.node_processes[node]):
            lost += self.used[process]
            if self.state[process] == LIVE:
                self.withdraw(process)
                self.used_admitting -= self.used[process]
            if self.state[process] != DRAINING:
                self.capacity -= self.arenas
            self.used_all -= self.used[process]
            self.end_process(t, process)
        self.close_node(t, node)
        self.restore(t)
        self.players_hit.append(lost * self.players_per_arena)
        for _ in range(lost):
            heapq.heappush(self.events, (t + self.inputs.notice_s, ARENA_REQUEST, 0))

    # --- the whole ---

    def request_rate(self, t):
        players = concurrent_players(self.inputs, self.peak, self.peak_h, t)
        return players / self.players_per_arena / self.inputs.round_s

    def fill(self, t):
        """The state in which the simulation begins: as many arenas as the hour has, and the buffer."""
        count = round(self.request_rate(t) * self.inputs.round_s)
        wanted = max(count * 100 / (100 - self.inputs.buffer_percent),
                     count + self.inputs.buffer_arenas)
        for _ in range(math.ceil(wanted / self.arenas) + 1):
            self.add_process(t)
        self.events.clear()
        for node in range(len(self.node_begin)):
            self.open_node(t, node)
        self.nodes_starting = 0
        for process in range(len(self.state)):
            if self.node_of[process] is None:
                self.put(t, process, process // self.processes_per_node)
            self.start_process(t, process)
        self.replicas = self.process_count
        self.events.clear()
        self.unplaced.clear()
        for _ in range(count):
            process = self.take_fullest()
            self.begin_arena(t, process)
            self.insert(process)
        # Each of these arenas has begun some time ago.
        self.events = [(t + (end - t) * self.random.random(), kind, process)
                       for end, kind, process in self.events]
        heapq.heapify(self.events)

    def run(self):
        """The day; returns self, for its results."""
        t = -float(WARM_UP_S)
        self.fill(t)
        self.peak_nodes, self.peak_processes = self.nodes_up, self.process_count
        inputs, events, uniform = self.inputs, self.events, self.random
        heapq.heappush(events, (t + inputs.sync_s, SYNC, 0))
        heapq.heappush(events, (inputs.rollout_h * 3600.0, ROLLOUT, 0))
        for _ in range(inputs.lost_nodes):
            heapq.heappush(events, (uniform.random() * DAY_S, NODE_LOSS, 0))
        request = t + uniform.expovariate(self.request_rate(t))
        while True:
            t, kind, which = events[0]
            if request < t:
                t = request
                if t >= DAY_S:
                    break
                self.request_arena(t)
                request = t + uniform.expovariate(self.request_rate(t))
                continue
            if t >= DAY_S:
                break
            heapq.heappop(events)
            if kind == ARENA_END:
                self.end_arena(t, which)
            elif kind == PROCESS_START:
                self.start_process(t, which)
            elif kind == BATCH:
                self.serve_batch(t)
            elif kind == SYNC:
                self.sync(t)
                heapq.heappush(events, (t + inputs.sync_s, SYNC, 0))
            elif kind == NODE_START:
                self.start_node(t, which)
            elif kind == ARENA_REQUEST:
                self.request_arena(t, is_after_loss=True)
            elif kind == NODE_LOSS:
                self.lose_node(t)
            else:
                self.begin_rollout(t)
        for node, processes in enumerate(self.node_processes):
            if processes is not None:
                self.close_node(DAY_S, node)
        return self
