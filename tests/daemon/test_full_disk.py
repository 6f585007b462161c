#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Where nothing more can be written, that is said, and play goes on. The full disk is a tmpfs of a
page, in a mount namespace of the daemon's own, which takes root."""

import os
import re
import subprocess
import unittest

import harness
from harness import BIN, Stage, arena

# Mounts a full tmpfs on each directory named before "--", then runs what is behind it.
FILL = ["unshare", "-m", "sh", "-ec", """
while [ "$1" != -- ]; do
    mount -t tmpfs -o size=4k full "$1"
    head -c 4096 /dev/zero >"$1/all-there-is"
    shift
done
shift
exec "$@"
""", "fill"]


def can_fill(directory):
    return os.geteuid() == 0 and subprocess.run(
        [*FILL, directory, "--", "true"], check=False, capture_output=True).returncode == 0


class FullDiskTest(unittest.TestCase):

    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.state, self.run = (self.stage.directory / name for name in ("state", "run"))
        for directory in (self.state, self.run):
            directory.mkdir()
        if not can_fill(self.state):
            self.skipTest("skipped: to mount a tmpfs takes root")
        self.env = {"STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(self.run)}

    def assert_plays(self, daemon):
        begin = daemon.get_json()["arenas"][0]["tick"]
        daemon.poll("ticks", lambda: daemon.get_json()["arenas"][0]["tick"] > begin + 30)

    def test_a_ban_that_cannot_be_kept_is_in_force_and_costs_nothing_else(self):
        daemon = self.stage.serve(arena(bots=2), env=self.env, prefix=[*FILL, self.state, "--"])
        said = subprocess.run([BIN / "raimctl", "-s", self.run / "control.sock", "ban",
                               "192.0.2.1", "away"], text=True, capture_output=True, check=False,
                              timeout=harness.START_S)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("not stored", said.stdout + said.stderr)
        self.assertIn("No space left on device", said.stderr + daemon.log)
        self.assert_plays(daemon)

    def test_where_used_tokens_cannot_be_noted_every_token_is_rejected(self):
        key = self.stage.directory / "key"
        public, token = (
            subprocess.run([BIN / "raimctl", "token", *words], text=True, capture_output=True,
                           check=True, timeout=harness.START_S).stdout.strip()
            for words in (["key", key], ["make", "--key", key, "--arena", "east"]))
        for full, words in ((self.state, r"not stored file=\S*/east\.tokens\S*: No space left.*\n"
                                         r"(.*\n)*.*tokens rejected arena=east: .*cannot be stored"),
                            (self.run, "access tokens rejected arena=east: cannot write .*"
                                       "No space left on device\n")):
            daemon = self.stage.serve(arena("east", access="token", access_key=public),
                                      env=self.env, prefix=[*FILL, full, "--"])
            daemon.poll("word of it", lambda w=words, d=daemon: re.search(w, d.log))
            bots = self.stage.bots(daemon, 1, network=["--access", token])
            daemon.poll("a rejection",
                        lambda: daemon.get_json()["arenas"][0]["rejections"]["access"] == 1)
            bots.expected_status = 69 # not a single connection
            bots.stop()
            self.assert_plays(daemon)
            daemon.stop()

    def test_a_checkpoint_that_cannot_be_kept_is_told_of_once(self):
        daemon = self.stage.serve(arena("east", bots=2), env=self.env,
                                  prefix=[*FILL, self.run, "--"])
        self.assert_plays(daemon)
        daemon.poll("word of it", lambda: re.search(
            "checkpoint failed arena=east: .*No space left on device", daemon.log))
        self.assert_plays(daemon)
        self.assertEqual(daemon.log.count("checkpoint failed arena=east: "), 1)
        daemon.poll("the metric", lambda: 'raimd_arena_unsaved{arena="east"} 1\n' in
                    daemon.ask("/metrics").text)


if __name__ == "__main__":
    harness.main()
