#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""libraimclient as other people get it: installed somewhere, found by pkg-config and by CMake, and
playing with the README's example."""

import os
import pathlib
import re
import subprocess
import unittest

import harness
from harness import Stage, arena

MOST_LINES = 40
CMAKE_LISTS = """cmake_minimum_required(VERSION 3.25)
project(example C)
find_package(raimclient REQUIRED)
add_executable(example example.c)
target_link_libraries(example PRIVATE raim::client)
"""


def run(*words, **more):
    result = subprocess.run([str(word) for word in words], text=True, capture_output=True,
                            check=False, timeout=harness.LIFE_S, **more)
    if result.returncode != 0:
        raise AssertionError(f"{words}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def readme_example():
    text = (harness.ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(r"```c\n(.*?)```", text, re.DOTALL)[1]


class PackageTest(unittest.TestCase):
    """Built and installed once, without sanitizers, as a packager would."""

    @classmethod
    def setUpClass(cls):
        cls.stage = Stage().__enter__()
        cls.addClassCleanup(lambda: cls.stage.__exit__())
        build, cls.prefix = cls.stage.directory / "build", cls.stage.directory / "prefix"
        run("cmake", "-S", harness.ROOT, "-B", build, "-G", "Ninja", "-DBUILD_TESTING=OFF",
            f"-DCMAKE_INSTALL_PREFIX={cls.prefix}")
        run("cmake", "--build", build, "--target", "raimclient")
        run("cmake", "--install", build, "--component", "client")
        cls.work = cls.stage.directory / "work"
        cls.work.mkdir()
        (cls.work / "example.c").write_text(readme_example(), encoding="utf-8")

    def compile_by_pkg_config(self):
        found = next(self.prefix.rglob("raimclient.pc")).parent
        flags = run("pkg-config", "--cflags", "--libs", "--static", "raimclient",
                    env={**os.environ, "PKG_CONFIG_PATH": str(found)}).split()
        program = self.work / "example"
        run("cc", "-Wall", "-Wextra", "-Werror", self.work / "example.c", *flags, "-o", program)
        return program

    def test_the_example_is_short(self):
        self.assertLessEqual(readme_example().count("\n"), MOST_LINES)

    def test_the_example_plays(self):
        program = self.compile_by_pkg_config()
        daemon = self.stage.serve(arena(bots=40))  # so many that somebody is always in sight
        said = run(program, "127.0.0.1", daemon.ports[0])
        print(said, end="")
        self.assertRegex(said, r"^none: [1-9]\d* shots, \d+ hits\n$")

    def test_cmake_finds_it(self):
        (self.work / "CMakeLists.txt").write_text(CMAKE_LISTS, encoding="utf-8")
        build = self.work / "build"
        run("cmake", "-S", self.work, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.assertTrue((build / "example").exists())

    def test_headers_stand_alone(self):
        for header in sorted((self.prefix / "include/raim").glob("*.h")):
            run("cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "-",
                input=f"#include <raim/{header.name}>\n" "int main(void) { return 0; }\n",
                env={**os.environ, "C_INCLUDE_PATH": str(pathlib.Path(self.prefix, "include"))})


if __name__ == "__main__":
    harness.main()
