#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes lib/text/unicode_tables.c: what names are made of, from Python's unicodedata (UAX #44) and
ICU's confusables (UTS #39).

unicode_tables.py            writes the file
unicode_tables.py --check    fails when the file is another one; exit status 77 where this machine
                             has other versions of Unicode than the file was made from
"""

import ctypes
import pathlib
import re
import sys
import unicodedata

FILE = pathlib.Path(__file__).resolve().parents[2] / "lib/text/unicode_tables.c"
UNICODE = "14.0.0"   # of unicodedata, in Debian 12
ICU = 72             # whose confusables are those of Unicode 15.0.0
SKIPPED = 77
MAX_TARGET_BYTES = 6 # of UTF-8, as struct raim_unicode_mapping has room for

# Blocks whose compatibility forms are rare in names and many: they are rejected.
REJECTED_FORMS = ((0x2E80, 0x2FDF), # radicals
                 (0x3200, 0x33FF), # enclosed and squared, but for those of ASCII
                 (0xF900, 0xFAFF), # CJK compatibility ideographs
                 (0xFB50, 0xFDFF), (0xFE70, 0xFEFC), # Arabic presentation forms
                 (0x1EE00, 0x1EEFF), # Arabic mathematics
                 (0x2F800, 0x2FA1F))
# Forms that are the usual spelling: Thai and Lao vowels and their like, Hangul letters.
KEPT_FORMS = ((0x0500, 0x10FF), (0x3130, 0x318F))
# Letters that only serve to spell others that are code points of their own.
CONJOINING_JAMO = ((0x1100, 0x11FF), (0xA960, 0xA97F), (0xD7B0, 0xD7FF))
# What is typed for an apostrophe.
FOLDED_BESIDES = {0x00B4: "'"}
# Scripts that share shapes: skeletons that are no ASCII are kept for these alone.
ALIKE_SCRIPTS = ((0x0080, 0x058F), (0x10A0, 0x10FF), (0x13A0, 0x13FF), (0x1C80, 0x1CBF),
                 (0x1D00, 0x218F), (0x2C00, 0x2E7F), (0xA640, 0xA69F), (0xA700, 0xA7FF),
                 (0xAB30, 0xABBF))
# Ideographs and syllables by the ten thousand, which look like each other at most.
UNIFORM = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x17000, 0x18CFF),
           (0x20000, 0x3FFFF))
# Alike to a reader who does not look twice; all but the first are UTS #39's.
SAME = str.maketrans({"i": "l", "1": "l", "0": "o"})


def is_in(code, ranges):
    return any(first <= code <= last for first, last in ranges)


class Confusables:
    """UTS #39's skeletons, by ICU."""

    def __init__(self):
        self.library = ctypes.CDLL(f"libicui18n.so.{ICU}")
        self.skeleton_of = getattr(self.library, f"uspoof_getSkeletonUTF8_{ICU}")
        opener = getattr(self.library, f"uspoof_open_{ICU}")
        opener.restype = ctypes.c_void_p
        self.error = ctypes.c_int(0)
        self.checker = ctypes.c_void_p(opener(ctypes.byref(self.error)))
        self.room = ctypes.create_string_buffer(1024)

    def prototype(self, text):
        data = text.encode("utf-8")
        size = self.skeleton_of(self.checker, 0, data, len(data), self.room, len(self.room),
                                ctypes.byref(self.error))
        assert self.error.value <= 0, (text, self.error.value)
        return self.room.raw[:size].decode("utf-8")


def plain(text):
    """Its case folded and decomposed, without marks, spaces and controls."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in text if unicodedata.category(c)[0] not in "MZ"
                   and unicodedata.category(c) not in ("Cc", "Cf"))


def skeleton(confusables, text):
    """What all that looks like the text has in common: a fixed point of all that may be alike."""
    while True:
        after = plain(confusables.prototype(plain(text))).translate(SAME)
        if after == text:
            return text
        text = after


def compatibility_form(code):
    """What NFKC makes of it, None where it leaves it or only composes."""
    character = chr(code)
    parts = unicodedata.decomposition(character)
    folded = unicodedata.normalize("NFKC", character)
    is_form = parts.startswith("<") or len(parts.split()) == 1
    return folded if is_form and folded != character else None


def folding_of(code):
    """What a name has in place of it; "" where it is rejected, None where it stays."""
    if code in FOLDED_BESIDES:
        return FOLDED_BESIDES[code]
    folded = compatibility_form(code)
    category = unicodedata.category(chr(code))
    if is_in(code, KEPT_FORMS) or folded is None or category == "Zs":
        return None
    if (unicodedata.category(folded[0])[0] in "ZM" or is_in(ord(folded[0]), CONJOINING_JAMO)
            or len(folded.encode("utf-8")) > MAX_TARGET_BYTES):
        return ""
    if is_in(code, REJECTED_FORMS) and not folded.isascii():
        return ""
    return folded


def ignorable():
    """What the cleaning strips, whatever it is: see utf8.c."""
    text = (FILE.parents[2] / "proto/utf8.c").read_text(encoding="utf-8")
    table = re.search(r"bool raim_utf8_is_invisible.*?\n    \};", text, re.DOTALL)[0]
    return {code for first, last in re.findall(r"\{0x(\w+), 0x(\w+)\}", table)
            for code in range(int(first, 16), int(last, 16) + 1)}


def ranges_of(codes):
    ranges = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ranges


def mappings_of(targets):
    """Runs of (first, count, step, target): consecutive code points whose targets are the same or
    consecutive, too."""
    runs = []
    for code, target in sorted(targets.items()):
        if runs and len(target) == 1 and len(runs[-1][3]) == 1:
            first, count, step, begin = runs[-1]
            steps = (0, 1) if count == 1 else (step,)
            for step in steps:
                # Targets of a run differ in the last byte of UTF-8 alone.
                same = target.encode()[:-1] == begin.encode()[:-1]
                if code == first + count and same and ord(target) == ord(begin) + step * count:
                    runs[-1] = (first, count + 1, step, begin)
                    break
            else:
                runs.append((code, 1, 0, target))
        else:
            runs.append((code, 1, 0, target))
    return runs


def literal(text):
    escaped = "".join(chr(byte) if 0x20 <= byte < 0x7F and chr(byte) not in '"\\?'
                      else f"\\{byte:03o}" for byte in text.encode("utf-8"))
    return f'"{escaped}"'


def lines_of(items):
    line = "   "
    for item in items:
        if len(line) + 1 + len(item) > 100:
            yield line
            line = "   "
        line += " " + item
    yield line


def table(kind, name, items):
    return [f"static const struct {kind} {name}[] = {{", *lines_of(items), "};", ""]


def make():
    confusables = Confusables()
    rejected, marks, folds, skeletons = [], [], {}, {}
    for code in sorted(set(range(0x110000)) - ignorable()):
        category = unicodedata.category(chr(code))
        if category in ("Cn", "Co", "Cs", "Cf"):
            rejected.append(code)
            continue
        if category in ("Mn", "Me"):
            marks.append(code)
        folding = folding_of(code)
        if folding == "" or is_in(code, CONJOINING_JAMO):
            rejected.append(code)
        elif folding is not None:
            folds[code] = folding
        elif category[0] not in "MZ" and not is_in(code, UNIFORM):
            alike = skeleton(confusables, chr(code))
            small = len(alike.encode("utf-8")) <= MAX_TARGET_BYTES
            if alike not in ("", chr(code)) and small and (alike.isascii() or
                                                           is_in(code, ALIKE_SCRIPTS)):
                skeletons[code] = alike
    unclean = set(rejected) | set(folds)
    for target in folds.values(): # so that a clean name is clean
        assert not any(ord(c) in unclean for c in target), target
    for target in skeletons.values():
        assert not any(ord(c) in skeletons for c in target), target

    def ranges(codes):
        return [f"{{0x{first:04X}, 0x{last:04X}}}," for first, last in ranges_of(codes)]

    def mappings(targets):
        return [f"{{0x{first:04X}, {count}, {step}, {literal(target)}}},"
                for first, count, step, target in mappings_of(targets)]

    return "\n".join([
        "// SPDX-License-Identifier: MIT",
        "// What names are made of: written by tools/generate/unicode_tables.py from Unicode"
        f" {UNICODE} and the",
        f"// confusables of ICU {ICU}.",
        '#include "unicode.h"', "",
        "#include <assert.h>", "",
        "// clang-format off", "",
        *table("raim_unicode_range", "rejected", ranges(rejected)),
        *table("raim_unicode_range", "marks", ranges(marks)),
        *table("raim_unicode_mapping", "folds", mappings(folds)),
        *table("raim_unicode_mapping", "skeletons", mappings(skeletons)),
        "#define TABLE(rows) {rows, sizeof rows / sizeof rows[0]}", "",
        "const struct raim_unicode_ranges raim_unicode_rejected = TABLE(rejected);",
        "const struct raim_unicode_ranges raim_unicode_marks = TABLE(marks);",
        "const struct raim_unicode_mappings raim_unicode_folds = TABLE(folds);",
        "const struct raim_unicode_mappings raim_unicode_skeletons = TABLE(skeletons);", ""])


def main(arguments):
    try:
        ctypes.CDLL(f"libicui18n.so.{ICU}")
    except OSError:
        print(f"skipped: no ICU {ICU}")
        return SKIPPED
    if unicodedata.unidata_version != UNICODE:
        print(f"skipped: unicodedata is of Unicode {unicodedata.unidata_version}, not {UNICODE}")
        return SKIPPED
    text = make()
    if arguments == ["--check"]:
        same = FILE.read_text(encoding="utf-8") == text
        print("as written" if same else "other than written: run tools/generate/unicode_tables.py")
        return 0 if same else 1
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
