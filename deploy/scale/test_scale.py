#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The simulation keeps its own accounts, repeats itself, agrees with what can be worked out by
hand and with what a real control plane did, and deploy/SCALE.md shows the figures of results.csv."""

import pathlib
import re
import unittest
from unittest import mock

import region as regions
import simulate
from inputs import INPUTS

SCALE = pathlib.Path(__file__).resolve().parents[1] / "SCALE.md"
VALUES = SCALE.parent / "chart/values.yaml"
CALM = {"lost_nodes": 0, "rollout_h": 48, "buffer_percent": 20}
STEADY = {"lost_nodes": 0, "rollout_h": 48, "buffer_percent": 0, "trough": 1.0}
ROOM = 16 * 0.9 # players


def scenario(**values):
    inputs = simulate.scenario_inputs(simulate.parse([]), "8 % free")
    for key, value in values.items():
        setattr(inputs, key, value)
    return inputs


def day(players=20000, region=regions.Region, **values):
    """A day of a small region."""
    return region(scenario(**values), players, 12, "1").run()


def ready(processes):
    """A region with so many processes and nothing else."""
    region = regions.Region(scenario(), 0, 12, "1")
    region.request_node(0)
    region.start_node(0, 0)
    for process in range(processes):
        region.add_process(0)
        region.start_process(0, process)
    region.replicas = processes
    return region


class RegionTest(unittest.TestCase):
    def test_accounts_agree_with_a_recount(self):
        run = day(lost_nodes=8)
        states = range(len(run.state))
        admitting = [it for it in states if run.state[it] in (regions.STARTING, regions.LIVE)]
        self.assertEqual(run.capacity, run.arenas * len(admitting))
        self.assertEqual(run.used_admitting, sum(run.used[it] for it in admitting))
        self.assertEqual(run.used_all, sum(run.used[it] for it in states
                                           if run.state[it] != regions.GONE))
        self.assertEqual(run.free, {it: run.arenas - run.used[it] for it in run.free})
        self.assertEqual(set(run.free), {it for it in states if run.state[it] == regions.LIVE
                                         and run.used[it] < run.arenas})
        self.assertEqual(run.process_count, sum(run.state[it] != regions.GONE for it in states))
        self.assertEqual([run.used[it] for it in states if run.used[it] > run.arenas], [])

    def test_the_same_seed_gives_the_same_day(self):
        first, second = day(), day()
        self.assertEqual(first.waits.counts, second.waits.counts)
        self.assertEqual((first.node_s, first.players_hit, first.rollout_s),
                         (second.node_s, second.players_hit, second.rollout_s))

    def test_demand_is_the_one_asked_for(self):
        run = day(**CALM)
        inputs = scenario()
        asked = sum(regions.concurrent_players(inputs, 20000, 12, 60 * minute)
                    for minute in range(1440)) * 60
        self.assertAlmostEqual(run.player_s / asked, 1, delta=0.02)
        arenas = 20000 / (inputs.arena_players * inputs.arena_fill)
        self.assertAlmostEqual(run.peak_arenas / arenas, 1, delta=0.08)

    def test_a_free_arena_is_given_within_a_batch(self):
        run = day(**CALM)
        self.assertLessEqual(run.waits.quantile(1), 0.56)
        self.assertAlmostEqual(run.waits.quantile(0.5), 0.30, delta=0.02)
        self.assertEqual(run.waits_after_loss.counts, {})

    def test_without_a_buffer_players_wait_for_nodes(self):
        run = day(**{**CALM, "buffer_percent": 0})
        self.assertGreater(run.waits.quantile(0.99), 1)

    def test_a_lost_node_hits_its_players_alone(self):
        inputs = scenario()
        most = regions.processes_per_node(inputs) * inputs.arenas * \
            inputs.arena_players * inputs.arena_fill
        run = day(lost_nodes=6, rollout_h=48)
        self.assertEqual(len(run.players_hit), 6)
        self.assertLessEqual(max(run.players_hit), most)
        again = sum(run.waits_after_loss.counts.values())
        self.assertEqual(round(sum(run.players_hit) / run.players_per_arena), again)

    def test_a_batch_gives_each_process_one_arena(self):
        run = ready(3)
        for _ in range(16):
            run.request_arena(0)
        run.serve_batch(0.5)
        self.assertEqual((run.given, run.rejected, run.used), (3, 13, [1, 1, 1]))
        run.serve_batch(1.0)
        self.assertEqual((run.given, run.rejected), (6, 13 + 10))

    def test_a_rollout_drains_all_busy_processes_at_once(self):
        run = ready(4)
        for process in (0, 2):
            run.withdraw(process)
            run.begin_arena(0, process)
            run.insert(process)
        run.begin_rollout(0)
        self.assertEqual([run.state[it] for it in range(4)],
                         [regions.DRAINING, regions.LIVE, regions.DRAINING, regions.LIVE])
        run.start_process(8, 4) # one more may start: maxSurge
        self.assertEqual([run.state[it] for it in (1, 3)].count(regions.GONE), 1)

    def test_a_rollout_ends_with_the_longest_round(self):
        run = day(lost_nodes=0)
        longest = max(run.round_lengths)
        self.assertGreater(run.rollout_s, 0.5 * longest)
        self.assertLess(run.rollout_s, 1.5 * longest)

    @mock.patch.object(regions, "DAY_S", 2 * 3600)
    def test_the_buffer_of_the_rule_bridges_a_rollout(self):
        """Where nodes are ready. The free arenas of busy processes are drained with them, which in a
        small fleet are many."""
        values = {"players": 100000, "rollout_h": 1, "lost_nodes": 0, "trough": 1.0,
                  "node_start_min_s": 0, "node_start_max_s": 0}
        self.assertLess(day(**values).waits_in_rollout.quantile(1), 12)
        short = day(buffer_percent=1, **values)
        self.assertGreater(short.waits_in_rollout.quantile(0.9), 20)


class FullestFirst(regions.Region):
    """The order of removal of `order: Ascending` in the Fleet."""

    def removal_order(self):
        yield from sorted(super().removal_order(), key=self.free_arenas)


@mock.patch.object(regions, "DAY_S", 4 * 3600)
class AutoscalerTest(unittest.TestCase):
    """Hours of steady play."""

    def steps_in_ten_minutes(self, run):
        return sum(when >= 0 for when, _ in run.steps) / 24

    def test_the_chart_s_buffer_is_calm_where_few_play(self):
        buffer = int(re.search(r"bufferSize: (\d+)", VALUES.read_text(encoding="utf-8"))[1])
        calm = day(players=ROOM, buffer_arenas=buffer, **STEADY)
        self.assertEqual(self.steps_in_ten_minutes(calm), 0)
        multiple = day(players=ROOM, buffer_arenas=560, **STEADY)
        self.assertGreater(self.steps_in_ten_minutes(multiple), 0.5)

    def test_a_step_down_ends_empty_processes(self):
        run = day(players=100000, buffer_arenas=552, **STEADY)
        self.assertLess(run.drained_busy, 3)
        self.assertEqual(run.rejected, 0)
        run = day(players=100000, buffer_arenas=552, region=FullestFirst, **STEADY)
        self.assertGreater(run.drained_busy, 100)


class FiguresTest(unittest.TestCase):
    def test_processes_of_a_node_by_what_limits_them(self):
        inputs = scenario(players_per_core=1000, arena_players=50, sidecar_cores=0.05,
                          node_cores=10.5, node_reserved=0.5, pods_per_node=60,
                          ports_per_node=1000, arenas=1)
        self.assertEqual(regions.processes_per_node(inputs), 60)    # pods
        inputs.arenas = 10
        self.assertEqual(regions.processes_per_node(inputs), 18)    # vCPU: 10 / 0.55
        inputs.arenas, inputs.sidecar_cores, inputs.players_per_core = 100, 0, 100000
        self.assertEqual(regions.processes_per_node(inputs), 10)    # ports

    def test_traffic_is_priced_by_tiers(self):
        self.assertAlmostEqual(simulate.egress_usd(10_000), 900)
        self.assertAlmostEqual(simulate.egress_usd(51_000), 900 + 3400 + 70)
        self.assertAlmostEqual(simulate.egress_usd(151_000), 900 + 3400 + 7000 + 50)

    def test_quantiles(self):
        waits = regions.Waits()
        for hundredth in range(100):
            waits.add(hundredth / 100 + 0.005)
        self.assertAlmostEqual(waits.quantile(0.5), 0.5)
        self.assertAlmostEqual(waits.quantile(0.99), 0.99)

    def test_an_option_overrules_a_scenario(self):
        options = simulate.parse(["--buffer-percent", "8", "--players", "5"])
        inputs = simulate.scenario_inputs(options, "1 % free")
        self.assertEqual((inputs.buffer_percent, inputs.players), (8, 5))


class DocumentTest(unittest.TestCase):
    def test_the_page_shows_the_stored_results(self):
        text = SCALE.read_text(encoding="utf-8")
        results = simulate.read_results()
        self.assertEqual(list(results), list(simulate.SCENARIOS))
        self.assertIn(simulate.results_table(results), text)

    def test_the_page_says_what_a_node_holds(self):
        text = " ".join(SCALE.read_text(encoding="utf-8").split())
        for arenas in (1, 16, 64):
            inputs = scenario(arenas=arenas)
            players = regions.processes_per_node(inputs) * arenas * ROOM
            self.assertIn(f"{players:,.0f} with {arenas}", text)

    def test_each_input_has_a_source(self):
        for it in INPUTS:
            self.assertTrue(it.source, it.name)


if __name__ == "__main__":
    unittest.main()
