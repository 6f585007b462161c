#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""libraimclient as other people get it: installed somewhere, found by pkg-config and by CMake,
playing with the example in C, and loaded by programs that have ENet of their own: in Python, and
a game in LÖVE."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import harness
from harness import Stage, arena

MAX_LINES = 70
EXAMPLES = harness.ROOT / "client/examples"
EXAMPLE = EXAMPLES / "c/squad.c"
sys.dont_write_bytecode = True
CMAKE_LISTS = """cmake_minimum_required(VERSION 3.25)
project(example C)
find_package(raimclient REQUIRED)
add_executable(example example.c)
target_link_libraries(example PRIVATE raim::client)
add_executable(example_static example.c)
target_link_libraries(example_static PRIVATE raim::client_static)
"""
# Plays for a moment through the shared library, in a process that loaded libenet before.
BINDING = """import ctypes, sys, time
enet = ctypes.CDLL("libenet.so.7", ctypes.RTLD_GLOBAL)
assert enet.enet_initialize() == 0
raim = ctypes.CDLL(sys.argv[1])
for name in ("raim_link_open", "raim_link_client", "raim_version"):
    getattr(raim, name).restype = ctypes.c_void_p
class Def(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("watch", ctypes.c_bool), ("target", ctypes.c_uint16),
                ("connect_timeout_s", ctypes.c_double), ("access", ctypes.c_void_p),
                ("access_size", ctypes.c_uint32), ("server_key", ctypes.c_void_p),
                ("require_encryption", ctypes.c_bool)]
wanted = Def()
raim.raim_client_init_def(ctypes.byref(wanted), ctypes.sizeof(wanted))
assert wanted.struct_size == ctypes.sizeof(wanted) and wanted.name == b"player"
wanted.require_encryption = True
link = ctypes.c_void_p(raim.raim_link_open(b"127.0.0.1", int(sys.argv[2]), ctypes.byref(wanted)))
client = ctypes.c_void_p(raim.raim_link_client(link))
assert raim.raim_link_start_thread(link)
end = time.monotonic() + 20
while time.monotonic() < end:
    raim.raim_link_lock(link)
    state = raim.raim_client_get_state(client)
    plays = state == 2 and raim.raim_client_tick(client) != 0
    raim.raim_link_unlock(link)
    if plays:
        break
    time.sleep(0.01)
print("state", state, ctypes.string_at(raim.raim_version()).decode())
raim.raim_link_close(link)
"""


def run(*words, **more):
    result = subprocess.run([str(word) for word in words], text=True, capture_output=True,
                            check=False, timeout=harness.LIFE_S, **more)
    if result.returncode != 0:
        raise AssertionError(f"{words}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


@contextlib.contextmanager
def display():
    """The name of an X display without a screen."""
    reader, writer = os.pipe()
    with subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x720x24"],
                          pass_fds=[writer], stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        try:
            with open(reader, encoding="ascii") as numbers:
                yield f":{numbers.readline().strip()}"
        finally:
            server.terminate()


class PackageTest(unittest.TestCase):
    """Built and installed once, without sanitizers, as a packager would."""

    @classmethod
    def setUpClass(cls):
        cls.stage = Stage().__enter__()
        cls.addClassCleanup(lambda: cls.stage.__exit__())
        build, cls.prefix = cls.stage.directory / "build", cls.stage.directory / "prefix"
        run("cmake", "-S", harness.ROOT, "-B", build, "-G", "Ninja", "-DBUILD_TESTING=OFF")
        run("cmake", "--build", build, "--target", "raimclient", "raimclient_static")
        for component in ("clientlib", "client"):
            run("cmake", "--install", build, "--component", component, "--prefix", cls.prefix)
        cls.library = next(cls.prefix.rglob("libraimclient.so"))
        cls.environment = {**os.environ, "LD_LIBRARY_PATH": str(cls.library.parent),
                           "RAIM_LIBRARY": str(cls.library), "SDL_AUDIODRIVER": "dummy",
                           "ALSOFT_DRIVERS": "null"}
        cls.work = cls.stage.directory / "work"
        cls.work.mkdir()
        shutil.copy(EXAMPLE, cls.work / "example.c")

    def compile_by_pkg_config(self):
        found = next(self.prefix.rglob("raimclient.pc")).parent
        flags = run("pkg-config", "--cflags", "--libs", "raimclient",
                    env={**os.environ, "PKG_CONFIG_PATH": str(found)}).split()
        program = self.work / "example"
        run("cc", "-Wall", "-Wextra", "-Werror", self.work / "example.c", *flags, "-o", program)
        return program

    def test_nothing_is_installed_outside_of_a_prefix(self):
        root = self.stage.directory / "root"
        run("cmake", "--install", harness.BIN.parent, "--prefix", "/opt/raimd",
            env={**os.environ, "DESTDIR": str(root)})
        files = {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}
        self.assertLessEqual({"opt/raimd/bin/raimd", "opt/raimd/etc/raimd/raimd.conf"}, files)
        self.assertEqual([name for name in files if not name.startswith("opt/raimd/")], [])

    def test_the_example_is_short(self):
        self.assertLessEqual(EXAMPLE.read_text(encoding="utf-8").count("\n"), MAX_LINES)

    def test_the_example_scores_in_the_demo(self):
        program = self.compile_by_pkg_config()
        duel = str(harness.ROOT / "config/maps/duel.conf")
        daemon = self.stage.serve(arena(bots=6, map=duel), arena("crossfire", bots=12))
        players = [subprocess.Popen([program, "127.0.0.1", str(port)], stdout=subprocess.PIPE,
                                    text=True, env=self.environment) for port in daemon.ports]
        for player in players:
            said = player.communicate(timeout=harness.LIFE_S)[0]
            print(said, end="")
            self.assertRegex(said, r"^[1-9]\d* shots, [1-9]\d* hits\n$")

    def test_cmake_finds_it(self):
        (self.work / "CMakeLists.txt").write_text(CMAKE_LISTS, encoding="utf-8")
        build = self.work / "build"
        run("cmake", "-S", self.work, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        for program, is_shared in (("example", True), ("example_static", False)):
            needed = run("readelf", "--dynamic", build / program)
            self.assertEqual("libraimclient.so.1" in needed, is_shared, needed)

    def test_it_exports_what_its_headers_declare(self):
        listed = run("nm", "--dynamic", "--defined-only", "--format=posix", self.library)
        exported = {line.split("@")[0] for line in listed.splitlines() if " A " not in line}
        self.assertIn("raim_link_open", exported)
        self.assertIn("raim_world_step", exported)
        self.assertNotIn("raim_connector_create", exported)  # not of a public header
        headers = "".join(path.read_text() for path in (self.prefix / "include/raim").glob("*.h"))
        for name in exported:
            self.assertRegex(name, "^raim_")
            self.assertRegex(headers, rf"\b{name}\(")
        # The other way round, by a compiler's eyes: no declared function is missing.
        declared = set()
        for header in sorted((self.prefix / "include/raim").glob("*.h")):
            text = run("cc", "-E", "-P", "-I", header.parent, header)
            declared |= set(re.findall(r"^(?!static|typedef|extern)[a-z][\w *]*?\b(raim_\w+)\(", text,
                                       re.MULTILINE))
        self.assertGreater(len(declared), 80)
        self.assertEqual(declared - exported, set())

    def test_it_replaces_nothing_of_enet(self):
        for library in (self.library, self.library.parent / "libraimclient.a"):
            defined = re.findall(r" \w (enet_\w+)$", run("nm", "--defined-only", library), re.M)
            self.assertEqual(defined, [])

    def test_it_plays_encrypted_beside_enet(self):
        daemon = self.stage.serve(arena(encryption="required", bots=2))
        said = run("/usr/bin/python3", "-c", BINDING, self.library, daemon.ports[0])
        self.assertEqual(said.split()[:2], ["state", "2"])

    def test_the_structs_in_python_are_those_of_the_headers(self):
        sys.path.insert(0, str(EXAMPLES / "python"))
        import raim # pylint: disable=import-error,import-outside-toplevel
        code = "#include <raim/link.h>\n"
        for name, size in ((each.C_NAME, raim.ctypes.sizeof(each)) for each in vars(raim).values()
                           if hasattr(each, "C_NAME")):
            code += f'static_assert(sizeof({name}) == {size}, "size");\n'
        for each in vars(raim).values():
            for field, *_ in getattr(each, "_fields_", []):
                code += (f'static_assert(offsetof({each.C_NAME}, {field}) =='
                         f' {getattr(each, field).offset}, "{field}");\n')
        self.assertGreater(code.count("static_assert"), 40)
        run("cc", "-std=c17", "-Werror", "-I", self.prefix / "include", "-fsyntax-only", "-x", "c",
            "-", input=code)

    def test_python_plays(self):
        daemon = self.stage.serve(arena(encryption="required", bots=20, bot_skill="easy"))
        said = run("/usr/bin/python3", EXAMPLES / "python/raim.py", f"127.0.0.1:{daemon.ports[0]}",
                   env=self.environment)
        print(said, end="")
        self.assertRegex(said, r"none: \d+ shots, [1-9]\d* hits; encrypted: True")

    @unittest.skipUnless(shutil.which("love") and shutil.which("Xvfb"), "no love or no Xvfb")
    def test_love_plays_beside_its_own_enet(self):
        game = self.work / "love"
        shutil.copytree(EXAMPLES / "love", game)
        (game / "main.lua").rename(game / "game.lua")
        shutil.copy(harness.ROOT / "tests/daemon/love/main.lua", game)
        daemon = self.stage.serve(arena(encryption="required", bots=20, bot_skill="easy"))
        with display() as name:
            said = run("love", game, f"127.0.0.1:{daemon.ports[0]}",
                       env={**self.environment, "DISPLAY": name})
        print(said, end="")
        self.assertRegex(said, r"playing; \d+ shots, [1-9]\d* hits; encrypted: true; \d\d+ echoes")

    def test_headers_stand_alone(self):
        for header in sorted((self.prefix / "include/raim").glob("*.h")):
            run("cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "-",
                input=f"#include <raim/{header.name}>\n" "int main(void) { return 0; }\n",
                env={**os.environ, "C_INCLUDE_PATH": str(pathlib.Path(self.prefix, "include"))})


if __name__ == "__main__":
    harness.main()
