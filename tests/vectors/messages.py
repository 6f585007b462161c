#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""proto/vectors.json: the examples of messages in PROTOCOL.md with their values.

messages.py --bless takes bytes, senders and channels from the document and reads the values of the
server's messages by proto/example.py. Of messages of plain fields the bytes follow from the values.
Other values of a client's messages are written by hand."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "proto/vectors.json"


def load():
    return json.loads(VECTORS.read_text(encoding="utf-8"))


def values(example, vectors):
    """(vector, its value) of each message that the module example.py reads."""
    snapshots = None
    for vector in vectors:
        reader = example.Reader(bytes.fromhex(vector["hex"]))
        kind = reader.kind()
        if kind == example.WELCOME:
            value = reader.welcome()
            snapshots = example.Snapshots(value)
        elif kind == example.ROSTER:
            value = reader.each(reader.entry)
        elif kind == example.EVENTS:
            value = dict(zip(("epoch", "sequence", "events"), reader.events()))
        elif kind == example.SNAPSHOT:
            value = snapshots.read(reader)
        else:
            continue # what clients write, and obstacles, which example.py does not mind
        yield vector, json.loads(json.dumps(value)) # JSON names places by strings


def bless():
    sys.path.insert(0, str(ROOT / "proto"))
    import example # pylint: disable=import-outside-toplevel
    document = (ROOT / "proto/PROTOCOL.md").read_text(encoding="utf-8")
    shown = {name: " ".join(digits.split())
             for name, digits in re.findall(r"```hex (.*)\n([^`]*)```", document)}
    listed = {int(kind): (sender, int(channel)) for kind, sender, channel in
              re.findall(r"(?m)^(\d+) +[A-Z_]+ +([a-z]+) +([01]) ", document)}
    known = {vector["name"]: vector for vector in load() if vector["name"] in shown}
    vectors = []
    for name in [*known, *(name for name in shown if name not in known)]:
        sender, channel = listed[example.Reader(bytes.fromhex(shown[name])).kind()]
        if sender == "both":
            sender = "client" if name.startswith("client_") else "server"
        old = known.get(name, {})
        vectors.append({"name": name, "from": old.get("from", sender), "channel": channel,
                        "hex": shown[name], "value": old.get("value", {})})
    for vector, value in values(example, vectors):
        vector["value"] = value
    lines = ",\n".join(json.dumps(vector) for vector in vectors)
    VECTORS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--bless"]:
        sys.exit(__doc__)
    bless()
