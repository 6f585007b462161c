#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The simulation keeps its own accounts, repeats itself, agrees with what can be worked out by
hand, and deploy/SCALE.md shows the figures of results.csv."""

import pathlib
import unittest

import region as regions
import simulate
from inputs import INPUTS

SCALE = pathlib.Path(__file__).resolve().parents[1] / "SCALE.md"
CALM = {"lost_nodes": 0, "rollout_h": 48, "buffer_percent": 20}


def scenario(name="16 rooms", **values):
    options = simulate.parse([])
    inputs, rooms = simulate.scenario_inputs(options, name)
    for key, value in values.items():
        setattr(inputs, key, value)
    return inputs, rooms


def day(name="16 rooms", players=20000, **values):
    """A day of a small region."""
    inputs, rooms = scenario(name, **values)
    return regions.Region(inputs, rooms, players, 12, "1").run()


class RegionTest(unittest.TestCase):
    def test_accounts_agree_with_a_recount(self):
        run = day(lost_nodes=8)
        states = range(len(run.state))
        admitting = [it for it in states if run.state[it] in (regions.STARTING, regions.LIVE)]
        self.assertEqual(run.capacity, run.rooms * len(admitting))
        self.assertEqual(run.used_admitting, sum(run.used[it] for it in admitting))
        self.assertEqual(run.used_all, sum(run.used[it] for it in states
                                           if run.state[it] != regions.GONE))
        self.assertEqual(run.live_free, sum(run.rooms - run.used[it] for it in states
                                            if run.state[it] == regions.LIVE))
        self.assertEqual(run.process_count, sum(run.state[it] != regions.GONE for it in states))
        self.assertEqual(run.old_draining_used, sum(run.used[it] for it in states
                                                    if run.state[it] == regions.DRAINING))
        self.assertEqual([run.used[it] for it in states if run.used[it] > run.rooms], [])

    def test_the_same_seed_gives_the_same_day(self):
        first, second = day(), day()
        self.assertEqual(first.waits.counts, second.waits.counts)
        self.assertEqual((first.node_s, first.players_hit, first.rollout_s),
                         (second.node_s, second.players_hit, second.rollout_s))

    def test_demand_is_the_one_asked_for(self):
        run = day(**CALM)
        inputs, _ = scenario()
        asked = sum(regions.concurrent_players(inputs, 20000, 12, 60 * minute)
                    for minute in range(1440)) * 60
        self.assertAlmostEqual(run.player_s / asked, 1, delta=0.02)
        rooms = 20000 / (inputs.room_players * inputs.room_fill)
        self.assertAlmostEqual(run.peak_rooms / rooms, 1, delta=0.08)

    def test_a_free_room_is_given_within_a_batch(self):
        run = day(**CALM)
        self.assertLessEqual(run.waits.quantile(1), 0.56)
        self.assertAlmostEqual(run.waits.quantile(0.5), 0.30, delta=0.02)
        self.assertEqual(run.waits_after_loss.counts, {})

    def test_without_a_buffer_players_wait_for_nodes(self):
        run = day(**{**CALM, "buffer_percent": 0})
        self.assertGreater(run.waits.quantile(0.99), 1)

    def test_a_lost_node_hits_its_players_alone(self):
        inputs, rooms = scenario()
        most = regions.processes_per_node(inputs, rooms) * rooms * \
            inputs.room_players * inputs.room_fill
        run = day(lost_nodes=6)
        self.assertEqual(len(run.players_hit), 6)
        self.assertLessEqual(max(run.players_hit), most)
        again = sum(run.waits_after_loss.counts.values())
        self.assertEqual(round(sum(run.players_hit) / run.players_per_room), again)

    def test_a_rollout_ends_with_the_longest_rounds(self):
        run = day(lost_nodes=0)
        longest = max(run.round_lengths)
        self.assertGreater(run.rollout_s, 0.5 * longest)
        self.assertLess(run.rollout_s, 6 * longest)


class FiguresTest(unittest.TestCase):
    def test_processes_of_a_node_by_what_limits_them(self):
        inputs, _ = scenario(players_per_core=1000, room_players=50, sidecar_cores=0.05,
                             node_cores=10.5, node_reserved=0.5, pods_per_node=60,
                             ports_per_node=1000)
        self.assertEqual(regions.processes_per_node(inputs, 1), 60)    # pods
        self.assertEqual(regions.processes_per_node(inputs, 10), 18)   # vCPU: 10 / 0.55
        inputs.sidecar_cores, inputs.players_per_core = 0, 100000
        self.assertEqual(regions.processes_per_node(inputs, 100), 10)  # ports

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
        options = simulate.parse(["--node-cores", "8", "--players", "5"])
        inputs, rooms = simulate.scenario_inputs(options, "1 room, small nodes")
        self.assertEqual((inputs.node_cores, inputs.players, rooms), (8, 5, 1))


class DocumentTest(unittest.TestCase):
    def test_the_page_shows_the_stored_results(self):
        text = SCALE.read_text(encoding="utf-8")
        results = simulate.read_results()
        self.assertEqual(list(results), list(simulate.SCENARIOS))
        self.assertIn(simulate.results_table(results), text)

    def test_the_page_shows_the_inputs(self):
        self.assertIn(simulate.inputs_table(), SCALE.read_text(encoding="utf-8"))
        for it in INPUTS:
            self.assertTrue(it.source, it.name)


if __name__ == "__main__":
    unittest.main()
