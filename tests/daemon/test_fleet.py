#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What ./dev fleet leaves behind where something fails: no namespace, no device, no process; and its
director gives arenas as Agones' allocator does."""

import concurrent.futures
import contextlib
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import harness
import sidecar
from harness import ROOT

sys.path[:0] = [str(ROOT / "tests/fleet"), str(ROOT / "deploy/matchmaker")]
import fleet # noqa: E402
import arena_sources # noqa: E402
from director import Director, StubServer # noqa: E402

ARENAS = 4


def ip(*words):
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


@unittest.skipUnless(fleet.Network.has_namespaces(), "skipped: network namespaces need root")
class NetworkTest(unittest.TestCase):
    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory(prefix="raim-fleet-"))
        self.enterContext(mock.patch.dict(os.environ, {"RAIM_SDK_SERVER": "/bin/false"}))
        self.fleet = fleet.Fleet(directory, fleet.Settings(short=True, bots=6))
        self.fleet.has_namespaces = True

    def found(self):
        """What this process has left of networks."""
        return ([line for line in ip("netns", "list").splitlines() if f"-{os.getpid()}-" in line]
                + [line for line in ip("-o", "link").splitlines() if f"rf{os.getpid()}-" in line])

    def wait_removed(self):
        """The kernel removes the devices of a namespace a moment after it."""
        harness.poll("removal", lambda: not self.found())

    def test_a_network_is_there_until_its_context_ends(self):
        with fleet.Network(1):
            self.assertEqual(len(self.found()), 2)
        self.wait_removed()

    def test_a_network_that_fails_half_way_is_removed(self):
        taken = fleet.Network(1).device
        ip("link", "add", taken, "type", "veth", "peer", "name", f"other{os.getpid()}")
        self.addCleanup(ip, "link", "del", taken)
        with self.assertRaises(subprocess.CalledProcessError), fleet.Network(1):
            self.fail("the device exists")
        self.assertEqual(ip("netns", "list").count(f"-{os.getpid()}-"), 0)

    def test_a_pod_whose_sdk_server_does_not_start_leaves_nothing(self):
        with mock.patch.object(fleet.SdkServer, "answers", side_effect=AssertionError), \
                self.assertRaises(AssertionError), self.fleet:
            self.fleet.add_pod()
        self.wait_removed()

    def test_a_pod_that_does_not_become_ready_ends_with_its_fleet(self):
        def fail():
            self.assertEqual(len(self.found()), 2)
            raise SystemExit

        with mock.patch.object(fleet.SdkServer, "answers", return_value=True), \
                mock.patch.object(fleet.Pod, "wait_ready", side_effect=fail), \
                self.assertRaises(SystemExit), self.fleet:
            self.fleet.add_pod()
        self.wait_removed()
        self.assertIsNotNone(self.fleet.all_pods[0].process.returncode)


class DirectorTest(unittest.TestCase):
    """Two GameServers with 4 arenas each."""

    def setUp(self):
        self.stubs = []
        settings = {"template": "duel", "join_within_s": 20}
        self.source = arena_sources.Agones(settings, {"allocator": {}, "kubernetes": {}})
        self.body = self.source.request("a")
        self.director = Director(self.body["metadata"]["annotations"])
        for name in ("first", "second"):
            state = sidecar.game_server(state="Ready")
            state["object_meta"]["labels"]["agones.dev/sdk-raimd-accepts"] = "true"
            state["status"]["counters"]["arenas"]["capacity"] = str(ARENAS)
            state["status"]["lists"]["arenas"]["capacity"] = str(ARENAS)
            self.stubs.append(self.enterContext(sidecar.Stub(state)))
            self.director.servers[name] = StubServer(name, self.stubs[-1])

    def allocate(self, name, **changes):
        """Whether the allocation was not rejected."""
        body = {**self.source.request(name), **changes}
        with contextlib.suppress(arena_sources.NoArena):
            return bool(arena_sources.ask({"url": self.director.url}, "POST",
                                         "/gameserverallocation", body))
        return False

    def burst(self, names):
        with concurrent.futures.ThreadPoolExecutor(len(names)) as pool:
            return [name for name, given in zip(names, pool.map(self.allocate, names)) if given]

    def test_of_a_burst_each_server_gets_one_arena_and_the_rest_tries_again(self):
        names = [f"m-{number}" for number in range(2 * ARENAS)]
        while names:
            given = self.burst(names)
            # It may fall into two batches, each of which gives two arenas at most.
            self.assertIn(len(given), range(1, 5))
            names = [name for name in names if name not in given]
        self.assertGreater(self.director.rejections, 0)
        self.assertEqual([len(stub.arenas()[1]) for stub in self.stubs], [ARENAS, ARENAS])
        self.assertFalse(self.allocate("one more"))

    def test_what_a_full_list_has_no_room_for_is_cut_off_in_silence(self):
        for stub in self.stubs:
            stub.change(lambda it: it["status"]["lists"]["arenas"].update(values=list("wxyz")))
        self.assertFalse(self.allocate("m-1"))
        for selector in self.body["gameServerSelectors"]:
            del selector["lists"]
        self.assertTrue(self.allocate(
            "m-2", gameServerSelectors=self.body["gameServerSelectors"]))
        self.assertEqual([stub.arenas()[1] for stub in self.stubs], [list("wxyz")] * 2)
        self.assertEqual(sum(stub.arenas()[0] for stub in self.stubs), 1)


if __name__ == "__main__":
    harness.main()
