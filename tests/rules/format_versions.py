#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a released version wrote and sent is not changed under the same number: format_versions.py
compares each format's number and digest with the file `formats` of every tests/compat/VERSION, and
the messages with its vectors.json. The digest of a format is that of its declarations in C, with
all that they consist of, or of its specification. `format_versions.py VERSION` fails where the
folder of a version to be released is not made from this tree."""

import hashlib
import json
import pathlib
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/generate"))

import cdef

WORLD = ("struct raim_world", "raim_player", "enum raim_player_state", "raim_bullet",
         "raim_position_sample")
# Name, where its number stands, and what it is the number of: declarations of a C file, the blocks
# of a document, or whole files.
FORMATS = (
    ("checkpoint_file", "daemon/arena/checkpoint_file.c", "LAYOUT",
     ("struct file_header", "struct slot", "struct checkpoint_address")),
    ("checkpoint", "lib/match/match_checkpoint.c", "LAYOUT",
     ("struct head", "struct saved_session", *WORLD)),
    ("used_tokens", "daemon/arena/used_tokens_file.c", "LAYOUT", ("struct table",)),
    ("world", "lib/world/world.h", "RAIM_WORLD_LAYOUT", WORLD),
    ("recording", "lib/recording/recording_format.h", "RAIM_RECORDING_FORMAT",
     ("proto/RECORDING.md",)),
    ("protocol", "proto/message.h", "RAIM_PROTOCOL_VERSION",
     ("proto/session.json", "proto/collisions.json", "proto/datagrams.json")),
)


def definitions(text):
    """The text of each type and constant that preprocessed C defines, by name."""
    found = {}
    for one in cdef.top_level(text):
        one = re.sub(r"\s+", " ", one)
        tag = re.match(r"(?:typedef )?((?:struct|union|enum) \w+) \{", one)
        alias = re.fullmatch(r"typedef .*?(\w+)(?:\[.*\])?;", one)
        for match in filter(None, (tag, alias)):
            found[match[1]] = one
        if re.match(r"(typedef )?enum\b", one):
            for constant, its_value in re.findall(r"[{,] ?([A-Z]\w+)( = [^,}]*)?", one):
                found[constant] = constant + its_value if its_value else one
    return found


def declared(source, roots):
    """The definitions of these names, and of all names in them, in the order of their use."""
    rooms = sorted({path.parent.relative_to(ROOT) for top in ("daemon", "lib", "proto")
                    for path in (ROOT / top).rglob("*.h")})
    known, used = definitions(cdef.preprocess(source, rooms)), {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop(0)
        if name in roots and name not in known:
            sys.exit(f"{source} has no {name}, which tests/rules/format_versions.py names")
        if name in known and name not in used:
            used[name] = known[name]
            waiting += re.findall(r"(?:struct|union|enum) \w+|\w+", known[name])
    return "\n".join(dict.fromkeys(used.values()))


def content(source, parts):
    """What a format's digest is made of."""
    if not parts[0].startswith("proto/"):
        return declared(source, parts)
    texts = {part: (ROOT / part).read_text(encoding="utf-8") for part in parts}
    return "".join(" ".join("".join(re.findall(r"```[^`]*```", text)).split())
                   if part.endswith(".md") else text for part, text in texts.items())


def today():
    """Number and digest of each format, by name."""
    rows = {}
    for name, source, constant, parts in FORMATS:
        number = re.search(rf"\b{constant}\b(?: =)? (\d+)", (ROOT / source).read_text("utf-8"))[1]
        rows[name] = number, hashlib.sha256(content(source, parts).encode()).hexdigest()[:16]
    return rows


def released(folder):
    """The same of a release."""
    lines = (folder / "formats").read_text(encoding="ascii").splitlines()
    return {name: (number, digest) for name, number, digest in map(str.split, lines)}


def changed_messages(folder):
    """The names of a release's vectors that are other bytes now, or are no more."""
    def load(path):
        return {row["name"]: row["hex"] for row in json.loads(path.read_text(encoding="utf-8"))}
    now = load(ROOT / "proto/vectors.json")
    return [name for name, digits in load(folder / "vectors.json").items()
            if now.get(name) != digits]


def problems(folder, now):
    """A line for each format of a release that is another one under the same number."""
    before = released(folder)
    for name, source, constant, _ in FORMATS:
        number, digest = before.get(name, now[name])
        messages = changed_messages(folder) if name == "protocol" else []
        if number != now[name][0] or (digest == now[name][1] and not messages):
            continue
        yield (f"{', '.join([name, *messages])}: not as in {folder.name}. Increment {constant} in"
               f" {source}; where {folder.name} is not released yet, ./dev compat makes its folder"
               " anew" + (f"; where only words have changed, write {now[name][1]} into its `formats`"
                          if digest != now[name][1] else ""))


def is_current(folder):
    """Whether a folder has the formats, the messages and the client of this tree."""
    def same(name, data):
        return (ROOT / "proto" / name).read_bytes() == data
    if not folder.is_dir() or released(folder) != today():
        return False
    with zipfile.ZipFile(folder / "client.pyz") as client:
        return same("vectors.json", (folder / "vectors.json").read_bytes()) and all(
            same(name, client.read(name)) for name in client.namelist() if name != "__main__.py")


def main(arguments):
    if arguments:
        return 0 if is_current(ROOT / "tests/compat" / arguments[0]) else 1
    now = today()
    found = [problem for folder in sorted((ROOT / "tests/compat").glob("[0-9]*"))
             for problem in problems(folder, now)]
    print(*found, f"{len(found)} formats changed under an old number", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
