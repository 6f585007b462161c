#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks what documents and comments point to: document_links.py [ROOT] prints one line per broken
link and fails.

A relative link must lead to a file or folder, and an anchor to a heading. A word in `code` that
begins with a folder of the tree must be a path that exists, and one such as unit.votes or
daemon.http a test. A C file that a comment in C names must exist, or be included from the system.
`document_links.py --self-test` breaks each rule in a temporary tree and sees it reported.
"""

import pathlib
import re
import sys
import tempfile
import unittest

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.@-]+(?:/[\w.@-]+)*/?")
# Folders that a build makes, and words in capitals that stand for a name.
MADE = re.compile(r"^build/|NAME|NOUN|COMPONENT")
COMMENT = re.compile(r"(?:^|\s)// (.*)", re.MULTILINE)
C_FILE = re.compile(r"(?<![\w./-])(?:[\w-]+/)*[a-z][\w-]*\.[ch]\b")
SYSTEM_HEADER = re.compile(r"^ *# *include <(.*)>", re.MULTILINE)


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.*?) *$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def link_problems(root, page, text):
    """Relative links that lead nowhere."""
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        if not file.exists():
            yield f"links to {target}, which is not there"
        elif not file.resolve().is_relative_to(root.resolve()):
            yield f"links to {target}, outside of the tree"
        elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"links to {target}, but {file.name} has no such heading"


def path_problems(root, text):
    """Words in `code` that begin with one of the tree's folders and are no path of it."""
    tops = {path.name for path in root.iterdir() if path.is_dir() and path.name[0] != "."}
    for word in CODE.findall(text):
        if PATH.fullmatch(word) and "/" in word and word.split("/")[0] in tops - {"build"} \
                and not MADE.search(word) and not (root / word).exists():
            yield f"names {word}, which is not there"


def test_problems(tests, text):
    """Words in `code` that look like the name of a test and are none."""
    for kind, name in re.findall(r"`(unit|daemon|fuzz)\.([a-z_]+)`", text):
        if name not in tests:
            yield f"names {kind}.{name}, which is no test"


def pages(root, pattern):
    """The files of the tree that are not made by a build."""
    for page in sorted(root.rglob(pattern)):
        parts = page.relative_to(root).parts
        if parts[0] != "build" and not any(part.startswith(".") for part in parts):
            yield page


def comment_problems(root):
    """C files that comments name and that are not there, as lines."""
    texts = {page.relative_to(root).as_posix(): page.read_text(encoding="utf-8")
             for page in pages(root, "*.[ch]")}
    known = {*texts, *(header for text in texts.values() for header in SYSTEM_HEADER.findall(text))}
    ends = {path[start:] for path in known
            for start in (0, *(slash.end() for slash in re.finditer("/", path)))}
    for name, text in texts.items():
        for file in C_FILE.findall("\n".join(COMMENT.findall(text))):
            if not MADE.search(file) and file not in ends:
                yield f"{name}: a comment names {file}, which is not there"


def check(root):
    """All problems of the documents below root, as lines."""
    root = pathlib.Path(root)
    problems = []
    tests = {path.stem.removeprefix("test_").removeprefix("fuzz_")
             for path in (root / "tests").rglob("*.[cp]*")}
    for page in pages(root, "*.md"):
        text = page.read_text(encoding="utf-8")
        prose = FENCE.sub("", text)
        name = page.relative_to(root).as_posix()
        found = list(link_problems(root, page, prose))
        if name != "CHANGELOG.md":  # tells of files that were
            found += [*path_problems(root, prose), *test_problems(tests, prose)]
        problems += [f"{name}: {problem}" for problem in found]
    return [*problems, *comment_problems(root)]


class SelfTest(unittest.TestCase):
    """Starts from a good page, breaks one rule, and sees that rule reported and nothing else."""

    GOOD = """# A house
See [the wire](proto/WIRE.md#the-bits-of-it), [below](#components), [the web](https://example.org/x)
and `proto/wire.c`, `proto/`, `build/dev/bin`, `tests/NAME.c`, `a/b`, `unit.NOUN`.
```
[nowhere](nowhere.md) `proto/nowhere.c`
```
## Components
"""
    GOOD_COMMENT = """#include <a/system.h>  // see wire.c, proto/wire.c and system.h.
// test_NAME.c http://example.org/x.c
"""

    def problems(self, text, comment=GOOD_COMMENT):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for folder in ("proto", "tests", "build"):
                (root / folder).mkdir()
            (root / "proto/wire.c").write_text(comment, encoding="utf-8")
            (root / "proto/WIRE.md").write_text("# The bits: of it\n", encoding="utf-8")
            (root / "README.md").write_text(text, encoding="utf-8")
            (root / "build/made.md").write_text("[nowhere](nowhere.md)", encoding="utf-8")
            return check(root)

    def assert_only(self, text, *words):
        problems = self.problems(text)
        self.assertEqual(len(problems), 1, problems)
        for word in ("README.md: ", *words):
            self.assertIn(word, problems[0])

    def test_good_page_has_no_problem(self):
        self.assertEqual(self.problems(self.GOOD), [])

    def test_link_to_nowhere(self):
        self.assert_only(self.GOOD + "[x](proto/nowhere.md)", "links to proto/nowhere.md")
        self.assert_only(self.GOOD + "![x](nowhere.png)", "links to nowhere.png")

    def test_anchor_to_nowhere(self):
        self.assert_only(self.GOOD + "[x](#nowhere)", "#nowhere", "no such heading")
        self.assert_only(self.GOOD + "[x](proto/WIRE.md#components)", "WIRE.md has no such heading")

    def test_link_out_of_the_tree(self):
        self.assert_only(self.GOOD + "[x](../)", "outside of the tree")

    def test_path_to_nowhere(self):
        self.assert_only(self.GOOD + "`proto/nowhere.c`", "names proto/nowhere.c")

    def test_test_that_there_is_not(self):
        self.assert_only(self.GOOD + "`unit.nowhere`", "names unit.nowhere, which is no test")

    def test_comment_that_names_a_file_that_there_is_not(self):
        problem = "proto/wire.c: a comment names nowhere.h, which is not there"
        self.assertEqual(self.problems(self.GOOD, "int i; // See nowhere.h."), [problem])


def main(arguments):
    if arguments[:1] == ["--self-test"]:
        unittest.main(argv=[__file__, *arguments[1:]])
    root = arguments[0] if arguments else pathlib.Path(__file__).resolve().parents[2]
    problems = check(root)
    for problem in problems:
        print(problem)
    print(f"{len(problems)} broken links of documents")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
