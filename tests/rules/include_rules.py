#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks who includes whom: include_rules.py [ROOT] prints one line per broken rule and fails.

The arrows between components are those of raim_component in CMakeLists.txt: each include needs one, and each
is needed. The build's include directories cannot see that, nor system headers, nor how many files
know a third-party library.
`include_rules.py --self-test` breaks each rule in a temporary tree and sees it reported.
"""

import pathlib
import re
import sys
import tempfile
import unittest

LICENCE = "// SPDX-License-Identifier: MIT"

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Programs that are folders of their own and no raim_component.
PROGRAM_FOLDERS = {
    "raim": "client/raim", "raim-page": "client/page", "raim-bots": "client/bots", "raimctl": "daemon/ctl",
    "raimd-documents": "daemon/documents",
}


def read_arrows(root):
    """The components (directories, without their subdirectories) of CMake: SEES, whose headers a component's
    own headers may include, and USES, whose headers only its C files may."""
    targets, rows = {"raim_common": "lib/common"}, [("lib/common", [], [])]
    for path in sorted(root.glob("**/CMakeLists.txt")):
        folder = path.parent.relative_to(root)
        if folder.parts[:1] in (("build",), ("tests",)):
            continue
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        for words in (found.split() for found in re.findall(r"raim_component\(([^)]*)\)", text)):
            if words[0] == "name":
                continue # its definition
            lists, kind = {"": [], "SEES": [], "USES": []}, ""
            for word in words[1:]:
                kind = word if word in lists else kind
                lists[kind] += [word] if word not in lists else []
            targets[words[0]] = (folder / lists[""][0]).as_posix()
            rows.append((targets[words[0]], lists["SEES"], lists["USES"]))
        for program, kind, rest in re.findall(
                r"target_(?:link_libraries|include_directories)\(([\w-]+) (PRIVATE)([^)]*)\)", text):
            if program in PROGRAM_FOLDERS:
                words = rest.replace("${PROJECT_SOURCE_DIR}/", "").split()
                words = [folder.parent.as_posix() if word == ".." else word for word in words]
                rows.append((PROGRAM_FOLDERS[program], [], words))
    sees, uses = {}, {}
    for component, shown, hidden in rows:
        for arrows, names in ((sees, shown), (uses, hidden)):
            arrows.setdefault(component, []).extend(
                target for name in names
                if (target := targets.get(name, name if (root / name).is_dir() else None)))
    return sees, uses


SEES, USES = read_arrows(ROOT)


def seen_by(component):
    """A component and the components below it that its headers show, in the end."""
    components = [component]
    for below in SEES[component]:
        components += [other for other in seen_by(below) if other not in components]
    return components


def linked_by(component):
    """A component and all below it, which a program of it is linked from."""
    components = [component]
    for below in SEES[component] + USES[component]:
        components += [other for other in linked_by(below) if other not in components]
    return components


# Every component, and whose headers it can see.
COMPONENTS = {component: list(dict.fromkeys(other for root in [component, *USES[component]]
                                  for other in seen_by(root))) for component in SEES}
# A test may reach everything, so only the rules about form hold there.
TESTS = "tests"

GAME = ["lib/common", "lib/geometry", "lib/map", "lib/world", "proto", "lib/recording",
        "lib/replication", "lib/text", "lib/match"]

# The components that are sans-I/O: only headers that can neither do I/O nor tell the time.
PURE_COMPONENTS = [*GAME, "client/core"]
PURE_HEADERS = {
    "assert.h", "float.h", "limits.h", "math.h", "stdbool.h", "stddef.h", "stdint.h", "stdlib.h",
    "string.h",
}
# Where strangers are judged, bytes, the time and random numbers come in, too; counters are atomic.
SECURITY = "daemon/security"
SECURITY_HEADERS = PURE_HEADERS | {"stdatomic.h"}
SECURITY_CALLS = re.compile(
    r"""\b(
    (?:arc4random|clock|enet|fd|getrandom|gettimeofday|log|mktime|monotonic|pthread|randombytes|thrd
       |timespec|unit_directories|state_file|transport)_?\w*
    |s?rand|s?random|raim_crypto_random|time|(?:nano|u)?sleep
    |f?open(?:at)?|f?read|f?write|f?close|f?printf|f?puts|perror|rename|unlink|f?stat|m(?:un)?map
    |socket|bind|connect|poll|select|ioctl|(?:send|recv)\w*
    |(?:secure_)?getenv|system|signal
    )\s*\(""", re.VERBOSE)

# Components in which no module, that is a file and its header, includes another that includes it in the
# end: whoever reads one has read those below it.
LAYERED_COMPONENTS = ["daemon/security", "daemon/net", "client/platform", "client/platform/desktop",
                 "client/platform/web", "client/ui", "client/scene", "client/hud"]
PURE_EXCEPTIONS = {("lib/recording/recording_frame.c", "zstd.h"),
                   ("lib/world/digest.c", "xxhash.h")}

# Of the pure headers' functions those that read the environment, end the process, or draw chance
# from a state that the whole process shares.
IMPURE_CALL = re.compile(
    r"\b(abort|exit|_Exit|quick_exit|atexit|system|(?:secure_)?getenv|setenv|putenv|s?rand(?:om|_r)?"
    r"|arc4random\w*|strtok)\s*\(")

# The game above its platforms: no file, clock, thread, socket or environment, so that the desktop and
# a browser run the same code.
GAME_COMPONENTS = ["client/platform", "client/ui", "client/scene", "client/hud", "client/screens",
              "client/replay", "client/game"]
GAME_HEADERS = PURE_HEADERS | {"jansson.h", "stdio.h"} # texts, and mistakes to stderr
FILE_CALL = re.compile(
    r"\b(f(?:d|re)?open|popen|tmpfile|remove|rename|json_(?:load|dump)_file)\s*\(")

# Each program and the components that it is linked from: within a program, a third-party header is
# known to one file.
PROGRAMS = {
    "raimd": linked_by("daemon/server"),
    "raimctl": ["daemon/ctl", "daemon/security", "lib/crypto", "proto"],
    "raimrec": linked_by("tools/raimrec"),
    "raimmap": linked_by("tools/raimmap"),
    "raim-bots": linked_by("client/bots"),
    "raim-web": linked_by("daemon/web"),
    "raim": linked_by("client/raim"),
    "raim-page": linked_by("client/page"),
}

HTTPD = {"daemon/httpd/http_answer.c", "daemon/httpd/http_listener.c"}

TRANSPORT = {"daemon/net/transport.c", "daemon/net/transport_direct.c",
             "daemon/net/transport_admission.c", "daemon/net/transport_budget.c",
             "daemon/net/transport_open.c", "lib/enet_carrier/enet_carrier.c"}

# The exceptions: raimctl has a file for each kind of document, and signs tokens itself; raimd's component
# httpd has a file for each part of libmicrohttpd that it uses; several files read JSON with
# jansson; and of its transport one file opens ENet's host, one runs it, two judge its datagrams, and
# one reads and writes messages in its place. One file carries ENet's datagrams for all.
SEVERAL_INCLUDERS = {
    ("raimd", "microhttpd.h"): HTTPD,
    ("raimmap", "microhttpd.h"): HTTPD, # it links the configuration, which has access rules of HTTP
    ("raimd", "jansson.h"): {
        "daemon/admin/commands.c", "daemon/arena/portable_checkpoint.c",
        "daemon/common/json_writer.c",
        "daemon/orchestrator/gameserver.c",
        "daemon/orchestrator/arena_text.c", "daemon/results/result_json.c",
        "daemon/arenas/arena_request.c"},
    ("raimd", "curl/curl.h"): {"daemon/fetch/fetch_http.c",
                               "daemon/orchestrator/agones_client.c"},
    ("raimd", "enet/enet.h"): TRANSPORT,
    ("raim-web", "enet/enet.h"): TRANSPORT, # it links the batches beside them
    ("raimctl", "sodium.h"): {"daemon/ctl/token.c", "lib/crypto/crypto.c"},
    ("raimctl", "jansson.h"): {
        "daemon/ctl/ban_preview.c", "daemon/ctl/command_request.c", "daemon/ctl/command_texts.c",
        "daemon/ctl/discover.c", "daemon/ctl/recordings.c", "daemon/ctl/tables.c"},
    ("raimrec", "jansson.h"): {"daemon/common/json_writer.c", "tools/raimrec/audit.c"},
    ("raimmap", "jansson.h"): {"daemon/common/json_writer.c", "tools/raimmap/tiled_import.c",
                               "tools/raimmap/tiled_xml.c"},
    ("raim-bots", "jansson.h"): {"client/bots/report.c", "client/matchmaking/matchmaker.c",
                                  "client/matchmaking/regions.c"},
    ("raim-web", "microhttpd.h"): HTTPD,
    ("raim-web", "gnutls/gnutls.h"): {
        "daemon/httpd/http_listener.c", "daemon/web/certificate.c", "daemon/web/quic.c",
        "daemon/web/quic_connection.c"},
    ("raim-web", "gnutls/x509.h"): {"daemon/httpd/http_listener.c", "daemon/web/certificate.c"},
    ("raim-web", "ngtcp2/ngtcp2.h"): {"daemon/web/quic.c", "daemon/web/quic_connection.c"},
    ("raim-web", "ngtcp2/ngtcp2_crypto.h"): {"daemon/web/quic.c", "daemon/web/quic_connection.c"},
    ("raim", "SDL.h"): {"client/platform/desktop/canvas.c", "client/platform/desktop/window.c",
                         "client/platform/desktop/window_input.c"},
    ("raim", "jansson.h"): {"client/matchmaking/matchmaker.c", "client/matchmaking/regions.c",
                             "client/screens/arenas.c", "client/screens/servers.c",
                             "client/screens/settings.c"},
    ("raim-page", "jansson.h"): {"client/matchmaking/matchmaker.c", "client/matchmaking/regions.c",
                                  "client/platform/web/page_gateway.c", "client/screens/arenas.c",
                                  "client/screens/servers.c", "client/screens/settings.c"},
    ("raim-page", "enet/enet.h"): {"client/link/enet_client.c", "client/platform/web/enet.c",
                                    "lib/enet_carrier/enet_carrier.c"},
    ("raim-bots", "enet/enet.h"): {"client/link/enet_client.c",
                                   "lib/enet_carrier/enet_carrier.c"},
    ("raim", "enet/enet.h"): {"client/link/enet_client.c", "lib/enet_carrier/enet_carrier.c"},
}

# C17, POSIX, Linux and Windows; everything else in angle brackets is third-party.
SYSTEM_DIRECTORIES = {"arpa", "asm", "linux", "net", "netinet", "sys"}
SYSTEM_HEADERS = {
    name + ".h"
    for name in """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign
    stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time
    uchar wchar wctype
    argp dirent dlfcn endian err fcntl getopt grp ifaddrs netdb paths poll pthread pwd sched
    semaphore spawn strings sysexits syslog termios unistd
    direct io process windows winsock2 ws2tcpip
    """.split()
}

INCLUDE = re.compile(r'^\s*#\s*include\b\s*(?:"([^"]*)"|<([^>]*)>|(.*))')


class Source:
    """One C file: where it is and what it includes."""

    def __init__(self, root, path):
        self.path = path.relative_to(root).as_posix()
        self.name = path.name
        self.component = path.parent.relative_to(root).as_posix()
        self.is_test = self.path.startswith(TESTS + "/")
        self.text = path.read_text(encoding="utf-8")
        self.module = self.path.rsplit(".", 1)[0]
        lines = self.text.splitlines()
        self.first_line = lines[0] if lines else ""
        self.quoted, self.angled, self.odd = [], [], []
        self.impure_calls = set()
        for line in lines:
            self.impure_calls.update(IMPURE_CALL.findall(line.split("//")[0]))
            match = INCLUDE.match(line)
            if match:
                for found, kind in zip(match.groups(), (self.quoted, self.angled, self.odd)):
                    if found is not None:
                        kind.append(found)


def is_third_party(header):
    return header not in SYSTEM_HEADERS and header.split("/")[0] not in SYSTEM_DIRECTORIES


def form_problems(source):
    """The rules that hold for every C file."""
    if source.first_line != LICENCE:
        yield f"{source.path}: first line is not '{LICENCE}'"
    is_example = source.path.startswith("client/examples/") # of programs outside of the tree
    if not (source.is_test or is_example) and source.component not in COMPONENTS:
        yield f"{source.path}: lies in no component"
    for header in source.odd:
        yield f"{source.path}: include of '{header}' cannot be checked"
    for header in source.quoted + source.angled:
        if ".." in header.split("/"):
            yield f"{source.path}: includes \"{header}\" through a parent directory"
    for header in source.quoted:
        if "/" in header:
            yield f"{source.path}: includes \"{header}\" with a directory; project headers are flat"


def pure_problems(source):
    """No I/O in the game, the wire and the client's core."""
    if source.component not in PURE_COMPONENTS:
        return
    for header in source.angled:
        if header not in PURE_HEADERS and (source.path, header) not in PURE_EXCEPTIONS:
            yield f"{source.path}: includes <{header}>, which a component without I/O must not"
    for call in sorted(source.impure_calls):
        yield f"{source.path}: calls {call}, which a component without I/O must not"


def game_problems(source):
    """No I/O in the game but by its platform."""
    if source.component not in GAME_COMPONENTS:
        return
    for header in source.angled:
        if header not in GAME_HEADERS:
            yield f"{source.path}: includes <{header}>, which only a platform of the game may"
    for call in sorted({*source.impure_calls, *FILE_CALL.findall(code_of(source))}):
        yield f"{source.path}: calls {call}, which only a platform of the game may"


def code_of(source):
    """The text without comments, character constants and strings."""
    return re.sub(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", " ",
                  source.text, flags=re.DOTALL)


def security_problems(source):
    """No I/O, clock or random numbers where strangers are judged."""
    if source.component != SECURITY:
        return
    for header in source.angled:
        if header not in SECURITY_HEADERS:
            yield f"{source.path}: includes <{header}>, which {SECURITY} must not"
    for call in sorted({match.group(1) for match in SECURITY_CALLS.finditer(code_of(source))}):
        yield f"{source.path}: calls {call}, which {SECURITY} must not"


def unused_problems(sources, headers):
    """Every arrow is needed by an include of the component that declares it."""
    used = {(source.component, header.component) for source in sources if source.component in COMPONENTS
            for name in source.quoted
            if (header := find_header(source, name, headers)) is not None}
    for component in SEES:
        for other in SEES[component] + USES[component]:
            if (component, other) not in used:
                yield f"{component}: no file includes a header of {other}, which the component may see"


def circle_problems(sources, headers):
    """The modules of a layered component stand in one order."""
    below = {}
    for source in sources:
        if source.component in LAYERED_COMPONENTS:
            found = (find_header(source, name, headers) for name in source.quoted)
            below.setdefault(source.module, set()).update(
                header.module for header in found if header is not None)
    placed = set()
    while True:
        free = {module for module, others in below.items()
                if module not in placed and not (others & below.keys()) - placed - {module}}
        if not free:
            break
        placed |= free
    if len(placed) < len(below):
        yield f"{', '.join(sorted(below.keys() - placed))}: include each other in a circle"


def find_header(source, name, headers):
    """The file that an include means: the includer's own component first, as the compiler looks, then
    the components that it may see, then any other."""
    near = COMPONENTS.get(source.component, [source.component])
    places = sorted(headers.get(name, []),
                    key=lambda header: near.index(header.component) if header.component in near else 99)
    return places[0] if places else None


def arrow_problems(source, headers):
    """No header of another component but of those to which the component has an arrow; a header shows what it
    includes, so that it may include SEES alone."""
    allowed = [source.component, *SEES[source.component]]
    if source.name.endswith(".c") or source.component in PROGRAM_FOLDERS.values():
        allowed += USES[source.component]
    for name in source.quoted:
        header = find_header(source, name.split("/")[-1], headers)
        if header is None:
            yield f"{source.path}: includes \"{name}\", which is no header of any component"
        elif header.component not in allowed:
            yield f"{source.path}: includes {header.path}"


def ambiguous_problems(sources):
    """A name must mean one header wherever it can be included: includes are flat."""
    for component, others in COMPONENTS.items():
        names = {}
        for source in sources:
            if source.component in others and source.name.endswith(".h"):
                names.setdefault(source.name, []).append(source.path)
        for paths in names.values():
            if len(paths) > 1 and any(path.startswith(component + "/") for path in paths):
                yield f"{paths[0]}: has the same name as {', '.join(paths[1:])}, seen by {component}"


def third_party_problems(sources):
    """Each library has one file that knows it, and that file is no header."""
    for program, components in PROGRAMS.items():
        includers = {}
        for source in sources:
            if source.component in components:
                for header in filter(is_third_party, source.angled):
                    includers.setdefault(header, set()).add(source.path)
        for header, paths in sorted(includers.items()):
            if len(paths) > 1 and not paths <= SEVERAL_INCLUDERS.get((program, header), set()):
                yield f"{program}: <{header}> is included by {' and '.join(sorted(paths))}"
    for source in sources:
        if source.name.endswith(".h") and not source.is_test:
            for header in filter(is_third_party, source.angled):
                yield f"{source.path}: a header includes third-party <{header}>"


def check(root, is_whole=True):
    """All problems of the tree below root, as lines. A tree that is not whole may lack includes."""
    root = pathlib.Path(root)
    tops = sorted({component.split("/")[0] for component in COMPONENTS} | {TESTS})
    sources = [Source(root, path) for top in tops for path in sorted((root / top).rglob("*.[ch]"))]
    headers = {}
    for source in sources:
        if source.name.endswith(".h") and not source.is_test:
            headers.setdefault(source.name, []).append(source)

    problems = []
    for component in COMPONENTS:
        if not any(source.component == component for source in sources):
            problems.append(f"{component}: has no C file")
    for source in sources:
        problems += form_problems(source)
        problems += pure_problems(source)
        problems += game_problems(source)
        problems += security_problems(source)
        if source.component in COMPONENTS:
            problems += arrow_problems(source, headers)
    problems += circle_problems(sources, headers)
    if is_whole:
        problems += unused_problems(sources, headers)
    problems += ambiguous_problems(sources)
    problems += third_party_problems(sources)
    return problems


class SelfTest(unittest.TestCase):
    """Starts from a good tree, breaks one rule, and sees that rule reported and nothing else."""

    GOOD = {
        "lib/common/lowest_bit.h": ["<stdint.h>"],
        "lib/crypto/crypto.c": ["<sodium.h>"],
        "lib/enet_carrier/enet_carrier.h": ["<stddef.h>"],
        "lib/geometry/vec2.h": ["<math.h>"],
        "lib/map/map.h": ['"vec2.h"'],
        "lib/world/world.h": ['"map.h"', "<stdint.h>"],
        "lib/world/digest.c": ['"world.h"', "<xxhash.h>"],
        "proto/wire.h": ["<stdint.h>"],
        "lib/recording/recording_frame.c": ["<zstd.h>"],
        "lib/replication/history.h": ['"world.h"', '"wire.h"'],
        "lib/text/name.h": ['"wire.h"'],
        "lib/match/match.h": ['"world.h"'],
        "lib/match/match.c": ['"match.h"', '"wire.h"', '"history.h"', "<string.h>"],
        "client/core/client.h": ['"world.h"'],
        "client/core/client.c": ['"client.h"', '"wire.h"'],
        "client/link/link.h": ['"client.h"'],
        "client/link/link.c": ['"link.h"', '"wire.h"', "<enet/enet.h>"],
        "client/matchmaking/matchmaker.h": ["<stdint.h>"],
        "client/matchmaking/matchmaker.c": ['"matchmaker.h"', '"wire.h"', "<curl/curl.h>"],
        "client/options/option_table.c": ["<stdio.h>"],
        "client/bots/main.c": ['"link.h"', "<stdio.h>"],
        "client/platform/window.h": ['"wire.h"'],
        "client/platform/desktop/window.c": ['"window.h"', "<SDL.h>"],
        "client/platform/web/window.c": ['"window.h"'],
        "client/ui/ui.h": ['"window.h"'],
        "client/scene/picture.h": ['"ui.h"'],
        "client/hud/hud.h": ['"ui.h"'],
        "client/screens/home.h": ['"hud.h"'],
        "client/replay/replay.h": ['"home.h"', '"picture.h"'],
        "client/game/game.h": ['"home.h"'],
        "client/raim/main.c": ['"game.h"'],
        "client/page/main.c": ['"game.h"'],
        "daemon/common/log.h": [],
        "daemon/loop/loop.c": ['"log.h"'],
        "daemon/store/store.c": ['"log.h"'],
        "daemon/events/server_events.h": ['"log.h"'],
        "daemon/events/server_events.c": ['"server_events.h"', "<stdio.h>"],
        "daemon/sandbox/sandbox.c": ['"log.h"'],
        "daemon/web/quic.c": [],
        "daemon/fetch/fetch.h": ["<stdint.h>"],
        "daemon/fetch/fetch.c": ['"fetch.h"', "<stdio.h>"],
        "daemon/recorder/recordings.h": ['"log.h"', '"wire.h"'],
        "daemon/security/admission.h": ['"wire.h"'],
        "daemon/net/transport.h": ['"admission.h"'],
        "daemon/net/transport.c": ['"transport.h"', "<enet/enet.h>"],
        "daemon/config/config.h": ['"map.h"'],
        "daemon/discovery/a2s_cache.h": ['"config.h"'],
        "daemon/discovery/masters.h": ['"config.h"'],
        "daemon/arena/arena.h": ['"match.h"'],
        "daemon/arena/arena.c": ['"arena.h"', '"transport.h"', "<sys/timerfd.h>", "<stdio.h>"],
        "daemon/results/results.h": ['"arena.h"'],
        "daemon/arenas/components.h": ['"arena.h"'],
        "daemon/httpd/http_listener.h": [],
        "daemon/status/status.h": ['"arena.h"'],
        "daemon/commands/command_table.c": [],
        "daemon/admin/control.h": ['"status.h"'],
        "daemon/rcon/rcon.h": ['"control.h"'],
        "daemon/orchestrator/agones.h": ['"control.h"'],
        "daemon/server/server.c": ['"agones.h"'],
        "daemon/documents/main.c": ["<stdio.h>"],
        "daemon/ctl/main.c": ["<stdio.h>"],
        "tools/raimrec/main.c": ['"world.h"', "<argp.h>"],
        "tools/raimmap/main.c": ['"config.h"', "<argp.h>"],
        "tests/unit/test_match.c": ['"match.h"', '"wire.h"', "<stdio.h>"],
    }

    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for path, includes in cls.GOOD.items():
            cls.write(path, cls.text(includes))

    @staticmethod
    def text(includes):
        return "\n".join([LICENCE, *(f"#include {name}" for name in includes)])

    @classmethod
    def write(cls, path, text):
        file = cls.root / path
        if text is None:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n", encoding="utf-8")

    def problems(self, changes=None, raw=None, is_whole=False):
        """Problems of the good tree with some files' includes, or their whole text, replaced."""
        texts = {path: self.text(includes) for path, includes in (changes or {}).items()}
        texts.update(raw or {})
        for path, text in texts.items():
            self.write(path, text)
        try:
            return check(self.root, is_whole)
        finally:
            for path in texts:
                self.write(path, self.text(self.GOOD[path]) if path in self.GOOD else None)

    def assert_only(self, problems, *words):
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])

    def test_good_tree_has_no_problem(self):
        self.assertEqual(self.problems(), [])

    def test_no_io_header_in_a_component_without_io(self):
        for component in PURE_COMPONENTS:
            for header in ("stdio.h", "time.h", "sys/socket.h", "sys/random.h", "pthread.h"):
                self.assert_only(self.problems({component + "/bad.c": [f"<{header}>"]}), component, header)

    def test_no_environment_and_no_chance_of_the_process_in_a_component_without_io(self):
        for component in PURE_COMPONENTS:
            for call in ("getenv", "rand", "exit"):
                code = f"{LICENCE}\nint f(void) {{ return g({call} (x)); }} // abort()"
                self.assert_only(self.problems(raw={component + "/bad.c": code}), component, call)

    def test_only_a_platform_of_the_game_does_io(self):
        for header in ("time.h", "unistd.h", "pthread.h", "sys/socket.h"):
            self.assert_only(self.problems({"client/hud/bad.c": [f"<{header}>"]}), "bad.c", header)
            desktop = {"client/platform/desktop/files.c": [f"<{header}>", "<stdio.h>"]}
            self.assertEqual(self.problems(desktop), [])
        for call in ("fopen", "getenv", "rename"):
            code = f"{LICENCE}\nint f(void) {{ return g({call}(x)); }} // fopen()"
            self.assert_only(self.problems(raw={"client/screens/bad.c": code}), "bad.c", call)

    def test_no_io_header_where_strangers_are_judged(self):
        for header in ("time.h", "sys/random.h", "arpa/inet.h", "stdio.h", "pthread.h", "errno.h"):
            self.assert_only(self.problems({SECURITY + "/bad.c": [f"<{header}>"]}), "bad.c", header)

    def test_nothing_that_asks_the_machine_is_called_where_strangers_are_judged(self):
        for call in ("clock_gettime(0, &now)", "time(NULL)", "monotonic_us()", "getrandom(a, 1, 0)",
                     "raim_crypto_random(a, 1)", "rand()", "fopen(a, b)", "log_info(a)",
                     "getenv(a)", "enet_time_get()", "sendmsg (a, b, c)", "transport_port(t)"):
            problems = self.problems(raw={SECURITY + "/bad.c": f"{LICENCE}\nint a = {call};"})
            self.assert_only(problems, "bad.c", call.split("(")[0].strip())

    def test_only_calls_count_where_strangers_are_judged(self):
        text = (f"{LICENCE}\n// rand() and time()\nint now_time(int time, char *a);\n"
                'const char *b = "getrandom(";')
        self.assertEqual(self.problems(raw={SECURITY + "/good.c": text}), [])

    def test_no_circle_among_layered_modules(self):
        problems = self.problems({"daemon/net/a.h": ['"b.h"'], "daemon/net/b.c": ['"b.h"', '"a.h"'],
                                  "daemon/net/b.h": []})
        self.assert_only(problems, "daemon/net/a", "daemon/net/b", "circle")

    def test_digest_belongs_to_one_file(self):
        self.assert_only(self.problems({"lib/geometry/bad.c": ["<xxhash.h>"],
                                        "lib/world/digest.c": []}), "bad.c", "xxhash.h")

    def test_arrows_point_one_way(self):
        for component, name in (("lib/geometry", "world.h"), ("lib/geometry", "map.h"),
                           ("lib/map", "world.h"), ("lib/world", "match.h"),
                           ("lib/world", "wire.h"), ("lib/world", "history.h"),
                           ("lib/replication", "match.h"), ("proto", "world.h"),
                           ("proto", "vec2.h"), ("lib/match", "arena.h"),
                           ("lib/match", "client.h"), ("client/core", "link.h"),
                           ("client/core", "match.h"), ("client/link", "arena.h"),
                           ("client/bots", "match.h"), ("client/game", "match.h"),
                           ("client/game", "arena.h"), ("client/ui", "hud.h"),
                           ("client/hud", "picture.h"), ("client/scene", "hud.h"),
                           ("client/screens", "replay.h"), ("client/replay", "game.h"), ("daemon/common", "match.h"),
                           ("daemon/common", "admission.h"), ("daemon/security", "transport.h"),
                           ("daemon/security", "match.h"), ("daemon/net", "match.h"),
                           ("daemon/config", "transport.h"), ("daemon/config", "arena.h"),
                           ("daemon/arena", "status.h"), ("daemon/arena", "history.h"),
                           ("daemon/status", "control.h"), ("daemon/server", "client.h"),
                           ("daemon/ctl", "config.h")):
            self.assert_only(self.problems({component + "/bad.c": [f'"{name}"']}), component, name)

    def test_an_arrow_for_c_files_does_not_do_for_a_header(self):
        includes = {"daemon/net/bad.c": ['"enet_carrier.h"'],
                    "daemon/net/bad.h": ['"enet_carrier.h"'],
                    "lib/enet_carrier/enet_carrier.h": []}
        self.assertEqual(self.problems(includes), [
            "daemon/net/bad.h: includes lib/enet_carrier/enet_carrier.h"])

    def test_an_arrow_does_not_reach_through_a_component(self):
        problems = self.problems({"daemon/rcon/bad.c": ['"http_answer.h"'],
                                  "daemon/httpd/http_answer.h": []})
        self.assertEqual(problems, ["daemon/rcon/bad.c: includes daemon/httpd/http_answer.h"])

    def test_an_arrow_that_no_include_needs_is_noticed(self):
        def unused(changes):
            return [line for line in self.problems(changes, is_whole=True)
                    if line.startswith("daemon/discovery:") and "lib/match" in line]
        self.assertEqual(unused({"daemon/discovery/a2s_cache.c": ['"match.h"']}), [])
        self.assert_only(unused({}), "daemon/discovery")

    def test_unknown_header(self):
        self.assert_only(self.problems({"daemon/arena/bad.c": ['"nowhere.h"']}), "nowhere.h")

    def test_same_name_twice(self):
        self.assert_only(self.problems({"daemon/arena/world.h": []}), "world.h", "daemon")

    def test_client_and_daemon_may_use_the_same_name(self):
        self.assertEqual(self.problems({"client/core/arena.h": []}), [])

    def test_no_parent_directory(self):
        for include in ('"../world/world.h"', "<../world.h>"):
            problems = self.problems({"tests/unit/bad.c": [include]})
            self.assertTrue(any("parent directory" in line for line in problems), problems)

    def test_flat_includes(self):
        self.assert_only(self.problems({"lib/match/bad.c": ['"world/world.h"']}), "flat")

    def test_include_by_macro(self):
        self.assert_only(self.problems({"daemon/arena/bad.c": ["HEADER"]}), "HEADER")

    def test_one_includer_per_third_party_header(self):
        self.assert_only(self.problems({"daemon/arena/bad.c": ["<enet/enet.h>"]}), "raimd", "bad.c")
        self.assert_only(self.problems({"daemon/arena/bad.c": ["<xxhash.h>"]}), "raimd", "digest.c")
        self.assert_only(self.problems({"client/bots/bad.c": ["<enet/enet.h>"]}), "raim-bots")
        self.assert_only(self.problems({"client/raim/bad.c": ["<SDL.h>"]}), "raim", "window.c")

    def test_no_third_party_header_in_a_header(self):
        self.assert_only(self.problems({"daemon/arena/bad.h": ["<jansson.h>"]}), "bad.h", "jansson.h")

    def test_licence_line(self):
        for path in ("proto/bad.c", "tests/unit/bad.c", "client/bots/bad.c"):
            self.assert_only(self.problems(raw={path: "// nothing"}), path, LICENCE)
            self.assert_only(self.problems(raw={path: ""}), path, LICENCE)

    def test_every_file_lies_in_a_component(self):
        for path in ("lib/bad.c", "daemon/deep/bad.c", "lib/new/bad.h"):
            self.assert_only(self.problems({path: []}), path, "no component")

    def test_a_vanished_component_is_noticed(self):
        self.assert_only(self.problems(raw={"client/bots/main.c": None}), "client/bots", "no C")


def main(arguments):
    if arguments[:1] == ["--self-test"]:
        unittest.main(argv=[__file__, *arguments[1:]])
    root = arguments[0] if arguments else pathlib.Path(__file__).resolve().parents[2]
    problems = check(root)
    for problem in problems:
        print(problem)
    print(f"{len(problems)} broken include rules")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
