# SPDX-License-Identifier: MIT
"""Becomes __main__.py of a release's client.pyz, beside its example.py, collision.py and
recording.py: `HOST PORT SECONDS [TOKEN]` plays for at most so long, with a token in its session and
until enough is seen, and prints what became of it as JSON; `--records FILE` reads a recording."""

import json
import sys

if sys.argv[1] == "--records":
    import recording
    sys.exit(recording.main())

import example

ENOUGH = 0, "enough" # as the reason and the text of an end


class Visitor(example.Client):
    """Has seen enough with 60 snapshots and a shot."""

    def take_frame(self, frame):
        super().take_frame(frame)
        if len(self.frames) >= 60 and self.shots > 0 and self.ended is None:
            self.ended = ENOUGH


client = (Visitor if len(sys.argv) > 4 else example.Client)(sys.argv[1], int(sys.argv[2]))
if len(sys.argv) > 4:
    client.welcome = {"token": list(bytes.fromhex(sys.argv[4]))}
client.play(float(sys.argv[3]))
print(json.dumps({"player": client.welcome.get("player"), "snapshots": len(client.frames),
                  "errors": client.errors, "shots": client.shots, "ended": client.ended}))
