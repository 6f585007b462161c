#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The client library compiles elsewhere: its public headers as strict C17 and C++17 by GCC and
Clang, its files without extensions of GCC's outside lib/common, and for Windows by mingw-w64.
Debian packages neither libenet nor libsodium for Windows, so only what asks Windows itself is
linked."""

import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPONENTS = ["lib/common", "lib/crypto", "lib/enet_carrier", "lib/geometry", "lib/map", "lib/world",
         "proto", "client/core", "client/link"]
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic-errors"]
LANGUAGES = [("gcc", "c", "c17"), ("clang", "c", "c17"), ("g++", "c++", "c++17"),
             ("clang++", "c++", "c++17")]
WINDOWS = "x86_64-w64-mingw32-gcc"
# Of the host's headers those that are the same on every system.
NEUTRAL_HEADERS = ["enet", "sodium", "sodium.h", "xxhash.h", "xxh3.h"]
# What MSVC does not have: GCC's builtins, attributes, statement expressions and types.
EXTENSIONS = re.compile(r"\b__(?:builtin|sync|atomic|attribute|extension|typeof|int128|asm)\w*"
                        r"|\btypeof\b|\basm\b|\(\{|\?:|^#\s*pragma\s+(?!once)", re.MULTILINE)
TIMEOUT_S = 280


def files(pattern, components=None):
    return [path for component in components or COMPONENTS for path in sorted((ROOT / component).glob(pattern))]


def public_headers():
    """What client/package/CMakeLists.txt installs."""
    text = (ROOT / "client/package/CMakeLists.txt").read_text(encoding="utf-8")
    names = set(re.findall(r"(\w+)\.h\b", text))
    for words in re.findall(r"foreach\(name ([\w ]+)\)", text):
        names |= set(words.split())
    return [path for path in files("*.h") if path.stem in names]


def includes():
    return [f"-I{ROOT / component}" for component in COMPONENTS]


def code_of(path):
    """The text without comments, character constants and strings."""
    return re.sub(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", " ",
                  path.read_text(encoding="utf-8"), flags=re.DOTALL)


def compile_all(jobs):
    """Runs compilers, each of (words, standard input), and returns what they complain of."""
    def compile_one(job):
        result = subprocess.run(job[0], input=job[1], text=True, capture_output=True, check=False,
                                timeout=TIMEOUT_S)
        return f"{' '.join(job[0])}:\n{result.stderr}" if result.returncode != 0 else ""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return "".join(pool.map(compile_one, jobs))


class PortableLibraryTest(unittest.TestCase):
    maxDiff = None

    def test_public_headers_are_strict_c_and_cpp(self):
        headers = public_headers()
        self.assertGreaterEqual(len(headers), 2)
        languages = [row for row in LANGUAGES if shutil.which(row[0])]
        complaints = compile_all(
            ([compiler, f"-std={standard}", *STRICT, *includes(), "-fsyntax-only", "-x", language,
              "-"], f'#include "{header.name}"\n#include "{header.name}"\nint main(void);\n')
            for header in headers for compiler, language, standard in languages)
        self.assertEqual(complaints, "")

    @unittest.skipUnless(shutil.which("g++"), "no g++")
    def test_functions_of_public_headers_have_c_linkage(self):
        headers = public_headers()
        prototype = re.compile(r"^[a-z][\w *]*\b(raim_\w+)\(", re.MULTILINE)
        names = {name for header in headers for name in prototype.findall(code_of(header))}
        code = "".join(f'#include "{header.name}"\n' for header in headers)
        code += "".join(f"auto *const use_{name} = &{name};\n" for name in sorted(names))
        uses = ", ".join(f"(void *)use_{name}" for name in names)
        code += f"const void *all[] = {{{uses}}};\n"
        with tempfile.TemporaryDirectory() as directory:
            result = str(pathlib.Path(directory, "all.o"))
            self.assertEqual(compile_all([(["g++", "-std=c++17", *includes(), "-c", "-x", "c++",
                                            "-o", result, "-"], code)]), "")
            symbols = subprocess.run(["nm", result], capture_output=True, text=True, check=True,
                                     timeout=TIMEOUT_S).stdout
        self.assertGreater(len(names), 50)
        self.assertEqual(set(re.findall(r"\b_ZL?\d+raim_\w+", symbols)), set())

    @unittest.skipUnless(shutil.which("g++"), "no g++")
    def test_cpp_names_types_of_public_headers_without_struct(self):
        headers = public_headers()
        tag = re.compile(r"^(?:typedef )?(?:struct|enum|union) (raim_\w+)(?: \{|;)", re.MULTILINE)
        names = {name for header in headers for name in tag.findall(code_of(header))}
        code = "".join(f'#include "{header.name}"\n' for header in headers)
        code += "".join(f"extern const {name} *const of_{name};\n" for name in sorted(names))
        self.assertGreater(len(names), 30)
        self.assertEqual(compile_all([(["g++", "-std=c++17", *includes(), "-fsyntax-only", "-x",
                                        "c++", "-"], code)]), "")

    def test_extensions_of_compilers_stay_in_one_component(self):
        components = [component for component in COMPONENTS if component != "lib/common"]
        found = [f"{path.relative_to(ROOT)}: {match[0]}" for path in files("*.[ch]", components)
                 for match in EXTENSIONS.finditer(code_of(path))]
        self.assertEqual(found, [])

    @unittest.skipUnless(shutil.which(WINDOWS), f"no {WINDOWS}")
    def test_every_file_compiles_for_windows(self):
        with tempfile.TemporaryDirectory() as directory:
            for name in NEUTRAL_HEADERS:
                pathlib.Path(directory, name).symlink_to(pathlib.Path("/usr/include", name))
            command = [WINDOWS, "-std=c17", *STRICT, "-Wvla", "-ffp-contract=off",
                       '-DRAIM_VERSION=""', *includes(), "-isystem", directory]
            sources = [path for path in files("*.c") if not path.stem.endswith("_posix")]
            complaints = compile_all(
                ([*command, "-fsyntax-only", str(path)], None) for path in sources)
            system = [str(path) for path in sources
                      if path.stem.endswith("_windows") or path.stem == "internet"]
            self.assertEqual(len(system), 2)
            complaints += compile_all([([*command, "-shared", *system, "-lws2_32", "-o",
                                         str(pathlib.Path(directory, "system.dll"))], None)])
        self.assertEqual(complaints, "")


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    if not program.result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if program.result.skipped else 0)
