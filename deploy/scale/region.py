# SPDX-License-Identifier: MIT
"""One region's cluster as a discrete-event simulation: rooms are asked for and end, processes and
nodes start and stop, a rollout replaces all processes, nodes are lost.

A process has a number of rooms; the allocator gives a room in the fullest process that has one free
(Agones: Packed, priority on the counter `rooms`), and the FleetAutoscaler keeps a share of all rooms
free (Agones: CounterPolicy). Times are in seconds; the day begins at 0, the simulation WARM_UP_S
earlier.
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
ROOM_END, ROOM_REQUEST, PROCESS_START, NODE_START, SYNC, NODE_LOSS, ROLLOUT = range(7)


def concurrent_players(inputs, peak, peak_h, t):
    """How many play in a region: a cosine with its top at the peak hour, flattened at the bottom."""
    phase = math.cos(2 * math.pi * (t / 3600 - peak_h) / 24)
    return peak * (inputs.trough + (1 - inputs.trough) * ((1 + phase) / 2) ** 1.5)


def processes_per_node(inputs, rooms):
    """How many processes of so many rooms a node holds: the least of what its vCPUs, the limit of
    pods and the host ports allow."""
    request = rooms * inputs.room_players / inputs.players_per_core + inputs.sidecar_cores
    by_cores = math.floor((inputs.node_cores - inputs.node_reserved) / request)
    return min(by_cores, inputs.pods_per_node, inputs.ports_per_node // rooms)


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
    """A cluster of one region; `peak` players at `peak_h`, `rooms` in each process."""

    def __init__(self, inputs, rooms, peak, peak_h, seed):
        self.inputs, self.rooms, self.peak, self.peak_h = inputs, rooms, peak, peak_h
        self.random = random.Random(seed)
        self.processes_per_node = processes_per_node(inputs, rooms)
        self.players_per_room = inputs.room_players * inputs.room_fill
        sigma = math.sqrt(math.log(1 + inputs.round_cv ** 2))
        mu = math.log(inputs.round_s) - sigma ** 2 / 2
        lengths = random.Random(0)
        self.round_lengths = [lengths.lognormvariate(mu, sigma) for _ in range(4096)]
        self.events = []
        # Of each process: its rooms in use, its state and its node; free ones by free rooms.
        self.used, self.state, self.node_of = [], [], []
        self.free = [{} for _ in range(rooms + 1)]
        self.free_mask = 0
        self.live_free = 0        # rooms that could be given now
        self.capacity = 0         # rooms of starting and live processes
        self.used_admitting = 0   # rooms in use in live processes
        self.used_all = 0
        self.unplaced = collections.deque()
        self.queue = collections.deque()
        # Nodes: the processes of each, and since when it is empty; None: not running.
        self.node_processes, self.node_begin, self.node_empty = [], [], {}
        self.node_free = [set() for _ in range(self.processes_per_node + 1)]
        self.nodes_starting = 0
        # A rollout's processes that are still to be drained, and those that have not ended.
        self.old, self.old_left, self.rollout_begin = collections.deque(), set(), None
        self.old_draining_used = 0
        self.surge_rooms = 0
        # Results.
        self.waits, self.waits_after_loss = Waits(), Waits()
        self.node_s = 0.0
        self.player_s = 0.0
        self.peak_nodes = self.peak_processes = self.peak_rooms = self.nodes_up = 0
        self.process_count = 0
        self.players_hit = []
        self.rollout_s = None

    # --- nodes ---

    def request_node(self, t):
        self.nodes_starting += 1
        self.node_begin.append(t)
        self.node_processes.append(None)
        self.nodes_up += 1
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
        self.capacity += self.rooms
        self.process_count += 1
        self.peak_processes = max(self.peak_processes, self.process_count)
        for nodes in self.node_free[1:]:
            if nodes:
                self.put(t, process, min(nodes))
                return
        self.unplaced.append(process)
        if len(self.unplaced) > self.nodes_starting * self.processes_per_node:
            self.request_node(t)

    def start_process(self, process):
        if self.state[process] == STARTING:
            self.state[process] = LIVE
            self.insert(process)

    def insert(self, process):
        count = self.rooms - self.used[process]
        if count > 0:
            self.free[count][process] = None
            self.free_mask |= 1 << count
            self.live_free += count

    def withdraw(self, process):
        count = self.rooms - self.used[process]
        if count > 0:
            del self.free[count][process]
            if not self.free[count]:
                self.free_mask &= ~(1 << count)
            self.live_free -= count

    def drain(self, t, process):
        """No new rooms; the process ends with its last one."""
        if self.state[process] == LIVE:
            self.withdraw(process)
            self.used_admitting -= self.used[process]
        self.capacity -= self.rooms
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

    # --- rooms ---

    def give_room(self, t, requested, is_after_loss):
        """A room in the fullest process that has one free."""
        lowest = self.free_mask & -self.free_mask
        process = self.free[lowest.bit_length() - 1].popitem()[0]
        count = self.rooms - self.used[process]
        if not self.free[count]:
            self.free_mask &= ~lowest
        self.used[process] += 1
        self.live_free -= 1
        if count > 1:
            self.free[count - 1][process] = None
            self.free_mask |= 1 << (count - 1)
        self.used_admitting += 1
        self.used_all += 1
        length = self.round_lengths[int(self.random.random() * 4096)]
        heapq.heappush(self.events, (t + length, ROOM_END, process))
        self.player_s += max(0, min(t + length, DAY_S) - max(0, t)) * self.players_per_room
        if t >= 0:
            wait = t - requested + self.inputs.batch_s * self.random.random() + self.inputs.arena_s
            (self.waits_after_loss if is_after_loss else self.waits).add(wait)
            self.peak_rooms = max(self.peak_rooms, self.used_all)

    def request_room(self, t, is_after_loss=False):
        if self.free_mask and not self.queue:
            self.give_room(t, t, is_after_loss)
        else:
            self.queue.append((t, is_after_loss))

    def end_room(self, t, process):
        state = self.state[process]
        if state == GONE:
            return # lost with its node
        self.used_all -= 1
        if state == DRAINING:
            self.used[process] -= 1
            self.old_draining_used -= 1
            if self.used[process] == 0:
                self.end_process(t, process)
            return
        self.withdraw(process)
        self.used[process] -= 1
        self.used_admitting -= 1
        self.insert(process)

    def serve_queue(self, t):
        while self.queue and self.free_mask:
            self.give_room(t, *self.queue.popleft())

    # --- what happens from time to time ---

    def buffer(self):
        """Rooms to keep free: Agones' share of all, and at least those of so many nodes."""
        used, percent = self.used_admitting, self.inputs.buffer_percent
        share = math.ceil(used * 100 / (100 - percent)) - used
        least = self.inputs.buffer_nodes * self.processes_per_node * self.rooms
        return max(share, least, 1)

    def sync(self, t):
        """What FleetAutoscaler, rollout and cluster autoscaler decide every sync_s."""
        buffer = self.buffer()
        wanted = buffer + (self.surge_rooms if self.old else 0)
        available = self.capacity - self.used_admitting
        if available < wanted:
            for _ in range(math.ceil((wanted - available) / self.rooms)):
                self.add_process(t)
        elif not self.old:
            self.scale_down(t, available - buffer)
        self.drain_old(t, buffer)
        limit = t - self.inputs.node_idle_s
        for node in [node for node, since in self.node_empty.items() if since <= limit]:
            self.close_node(t, node)

    def scale_down(self, t, excess):
        """Ends empty processes, those on the emptiest nodes first."""
        count = excess // self.rooms
        if count <= 0:
            return
        empty = sorted(self.free[self.rooms],
                       key=lambda process: (len(self.node_processes[self.node_of[process]]),
                                            process))
        for process in empty[:count]:
            self.drain(t, process)

    def begin_rollout(self, t):
        self.old = collections.deque(sorted(
            (process for process, state in enumerate(self.state) if state in (STARTING, LIVE)),
            key=lambda process: (self.used[process] > 0, process)))
        self.old_left = set(self.old)
        self.rollout_begin = t
        self.surge_rooms = math.ceil(self.inputs.surge_percent / 100 * self.used_admitting)

    def drain_old(self, t, buffer):
        """Drains processes of the old version as far as new ones have room for their players."""
        while self.old and self.old_draining_used < max(1, self.surge_rooms):
            process = self.old[0]
            if self.state[process] in (STARTING, LIVE):
                free = self.rooms - self.used[process] if self.state[process] == LIVE else 0
                if self.live_free - free < buffer + self.old_draining_used + self.used[process]:
                    return
                self.old_draining_used += self.used[process]
                self.drain(t, process)
            self.old.popleft()

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
            if self.state[process] == DRAINING:
                self.old_draining_used -= self.used[process]
            else:
                self.capacity -= self.rooms
            self.used_all -= self.used[process]
            self.end_process(t, process)
        self.close_node(t, node)
        self.players_hit.append(lost * self.players_per_room)
        for _ in range(lost):
            heapq.heappush(self.events, (t + self.inputs.notice_s, ROOM_REQUEST, 0))

    # --- the whole ---

    def request_rate(self, t):
        players = concurrent_players(self.inputs, self.peak, self.peak_h, t)
        return players / self.players_per_room / self.inputs.round_s

    def fill(self, t):
        """The state in which the simulation begins: as many rooms as the hour has, and the buffer."""
        count = round(self.request_rate(t) * self.inputs.round_s)
        wanted = count * 100 / (100 - self.inputs.buffer_percent)
        for _ in range(math.ceil(wanted / self.rooms) + 1):
            self.add_process(t)
        self.events.clear()
        for node in range(len(self.node_begin)):
            self.open_node(t, node)
        self.nodes_starting = 0
        for process in range(len(self.state)):
            if self.node_of[process] is None:
                self.put(t, process, process // self.processes_per_node)
            self.start_process(process)
        self.events.clear()
        self.unplaced.clear()
        for _ in range(count):
            self.give_room(t, t, False)
        # Each of these rooms has begun some time ago.
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
                self.request_room(t)
                request = t + uniform.expovariate(self.request_rate(t))
                continue
            if t >= DAY_S:
                break
            heapq.heappop(events)
            if kind == ROOM_END:
                self.end_room(t, which)
            elif kind == PROCESS_START:
                self.start_process(which)
            elif kind == SYNC:
                self.sync(t)
                heapq.heappush(events, (t + inputs.sync_s, SYNC, 0))
            elif kind == NODE_START:
                self.start_node(t, which)
            elif kind == ROOM_REQUEST:
                self.request_room(t, is_after_loss=True)
            elif kind == NODE_LOSS:
                self.lose_node(t)
            else:
                self.begin_rollout(t)
            if self.queue and self.free_mask:
                self.serve_queue(t)
        for node, processes in enumerate(self.node_processes):
            if processes is not None:
                self.close_node(DAY_S, node)
        return self
