#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads and writes tests/fuzz/corpus/TARGET.hex: an input a line in hexadecimal digits, with
`NAME: ` in front where a person has chosen it.

    corpus.py unpack TARGET DIRECTORY    write each input to a file, as libFuzzer wants it
    corpus.py add TARGET NAME FILE       keep the input in FILE as NAME
    corpus.py merge TARGET DIRECTORY...  keep what reaches new code of the named inputs, the others
                                         and those in DIRECTORY (builds on preset fuzz)
    build/dev/bin/fuzz_seeds | corpus.py seeds    replace the seeds that fuzz_seeds writes, and
                                         those of messages that proto/vectors.json has"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def corpus_path(target):
    return ROOT / "tests" / "fuzz" / "corpus" / (target + ".hex")


def load(target):
    """The named inputs by name, and the others."""
    named, others = {}, set()
    path = corpus_path(target)
    for line in path.read_text().splitlines() if path.exists() else ():
        name, colon, digits = line.rpartition(":")
        if colon:
            named[name] = bytes.fromhex(digits)
        else:
            others.add(bytes.fromhex(digits))
    return named, others


def save(target, named, others):
    lines = [f"{name}: {named[name].hex()}".rstrip() for name in sorted(named)]
    lines += [one.hex() for one in sorted(others - set(named.values()), key=lambda b: (len(b), b))]
    corpus_path(target).write_text("".join(line + "\n" for line in lines))


def write_files(directory, inputs):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        (directory / hashlib.sha1(data).hexdigest()).write_bytes(data)


def unpack(target, directory):
    named, others = load(target)
    write_files(directory, [*named.values(), *others])


def add(target, name, path):
    named, others = load(target)
    named[name] = pathlib.Path(path).read_bytes()
    save(target, named, others)


def merge(target, *directories):
    named, others = load(target)
    with tempfile.TemporaryDirectory() as scratch:
        kept, candidates = pathlib.Path(scratch, "kept"), pathlib.Path(scratch, "candidates")
        write_files(kept, named.values())
        write_files(candidates, others)
        # Edges alone, without how often they are taken: the corpus stays small.
        subprocess.run([ROOT / "build" / "fuzz" / "bin" / ("fuzz_" + target), "-merge=1",
                        "-use_counters=0", "-use_cmp=0", "-max_len=4096",
                        kept, candidates, *directories], check=True)
        save(target, named, {path.read_bytes() for path in kept.iterdir()})


def seeds():
    corpora = {"messages": load("messages")}
    for vector in json.loads((ROOT / "proto" / "vectors.json").read_text()):
        name = "vector-" + vector["name"].replace(" ", "-")
        corpora["messages"][0][name] = b"\0" + bytes.fromhex(vector["hex"]) # 0 chooses the limits
    for line in sys.stdin:
        target, name, digits = line.split()
        corpora.setdefault(target, load(target))[0][name.rstrip(":")] = bytes.fromhex(digits)
    for target, (named, others) in corpora.items():
        save(target, named, others)


VERBS = {"unpack": (unpack, 2), "add": (add, 3), "merge": (merge, 1), "seeds": (seeds, 0)}

if __name__ == "__main__":
    verb, least = VERBS.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if verb is None or len(sys.argv) < 2 + least:
        sys.exit(__doc__)
    verb(*sys.argv[2:])
