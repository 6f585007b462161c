#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks the spelling of documents, comments and messages with codespell, and that documents and
messages avoid the phrases of BANNED. Prints one line per finding and fails. spelling_ignored.txt
lists what codespell takes for a misspelling and is none."""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
IGNORED = ROOT / "tests/rules/spelling_ignored.txt"
DOCUMENTS = {".md", ".scd"}
TEXT = DOCUMENTS | {".c", ".conf", ".css", ".h", ".html", ".in", ".js", ".json", ".lua", ".py",
                    ".sh", ".txt", ".yaml", ".yml"}
# What a build makes, tables of other people's words, and inputs of fuzz targets.
SKIPPED = re.compile(r"build/|lib/text/unicode_tables\.c|tests/fuzz/corpus/|tests/rules/spelling"
                     r"|(.*/)?(\.|__pycache__/)")
PROGRAMS = re.compile(r"(client|daemon|lib|tools)/.*\.[ch]$")
STRING = re.compile(r'"(?:[^"\\]|\\.)* (?:[^"\\]|\\.)*"')
# Phrases that readers stumble over, each with what to write instead.
BANNED = {
    r"whoever|nobody who": "the actor",
    r"and the like": "what is meant",
    r"anew": "again",
    r"unasked|in vain": "without a request, without result",
    r"(is|are|was|were) told|told of|tells? of": "report, send, list, describe",
    r"makes? way|makes? component": "leaves, is replaced",
    r"(does|do) (no )?harm|harms? nobody": "affects",
    r"the house": "the project, the source",
    r"unbreakable|never ever|as it were|by heart": "a plain sentence",
}


def files():
    """The files with text that people read, by their names below the root."""
    for path in sorted(ROOT.rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in TEXT and not SKIPPED.match(name) and path.is_file() \
                and not path.is_symlink():
            yield name


def banned(name):
    """The banned phrases of a document, or of the messages of a program's source file."""
    text = (ROOT / name).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if name.endswith(".scd") and re.search(r"[*_\]]\+\+ ", line):
            yield f"{name}:{number}: \"++\" breaks a line only at its end"
        if PROGRAMS.match(name):
            line = "" if line.lstrip().startswith("//") else " ".join(STRING.findall(line))
        for phrase, instead in BANNED.items():
            found = re.search(rf"(?i)\b({phrase})\b", line)
            if found:
                yield f"{name}:{number}: \"{found[0]}\": write {instead}"


def main():
    if shutil.which("codespell") is None:
        print("skipped: no codespell")
        return 77
    names = list(files())
    spelled = subprocess.run(["codespell", "--quiet-level", "7", "--ignore-words", IGNORED, *names],
                             cwd=ROOT, text=True, capture_output=True, check=False)
    found = spelled.stdout.splitlines()
    for name in names:
        if PROGRAMS.match(name) or pathlib.Path(name).suffix in DOCUMENTS:
            found += banned(name)
    for line in found:
        print(line)
    print(f"{len(found)} findings of spelling and style in {len(names)} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
