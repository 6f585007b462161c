#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What ./dev fleet leaves behind where something fails: no namespace, no device, no process."""

import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import harness
from harness import ROOT

sys.path.insert(0, str(ROOT / "tests/fleet"))
import fleet # noqa: E402


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


if __name__ == "__main__":
    harness.main()
