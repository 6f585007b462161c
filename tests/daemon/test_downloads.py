#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Recordings over HTTP and by raimctl: the list, downloads whole and in part, what is no recording,
and a directory of thousands with hundreds of slow clients."""

import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import time
import unittest

import browser
import harness
from harness import BIN, ROOT, Stage, arena

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = json.loads((ROOT / "daemon/status/recordings.schema.json").read_text(encoding="ascii"))
BIG = "first-20260102T000000Z-r1.raimrec"
PAGE = "http://localhost:7240/" # where the game would run in a browser
BIG_BYTES = 3_000_000


def name_of(number):
    """Of a file that is older than BIG, and the older the smaller its number."""
    return f"second-20260101T{number // 3600:02}{number // 60 % 60:02}{number % 60:02}Z-r1.raimrec"


class Directory:
    """A stage whose raimd has a directory of recordings, and a raimctl for it."""

    def __init__(self, stage, count):
        self.stage = stage
        self.state, self.run = stage.directory / "state", stage.directory / "run"
        self.path = self.state / "recordings"
        self.run.mkdir()
        self.path.mkdir(parents=True, mode=0o700)
        self.state.chmod(0o700)
        self.bytes = random.Random(1).randbytes(BIG_BYTES)
        (self.path / BIG).write_bytes(self.bytes)
        for number in range(count):
            (self.path / name_of(number)).write_bytes(b"no recording")

    def serve(self, *arenas, **keys):
        self.daemon = self.stage.serve(
            *arenas, env={"STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(self.run)},
            recordings_days=0, **keys)
        return self.daemon

    def page(self, before=None):
        return self.daemon.get_json("/recordings" + (f"?before={before}" if before else ""))

    def wait_count(self, count):
        """Waits until raimd has read so many files; a busy machine takes its time."""
        return self.daemon.poll(f"{count} recordings",
                                lambda: (page := self.page())["count"] >= count and page, 60)

    def ctl(self, *words, cwd=None, status=0):
        result = subprocess.run([BIN / "raimctl", "-s", self.run / "control.sock", *words],
                                stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd=cwd,
                                timeout=harness.START_S)
        harness.check_sane(result.stderr.decode())
        if result.returncode != status:
            raise AssertionError(f"{words}: {result.returncode}, {result.stderr.decode()}")
        return result.stdout if status == 0 else result.stderr.decode()


def download(daemon, name, method="GET", **headers):
    """The answer, and its body."""
    with daemon.connect() as connection:
        connection.request(method, f"/recordings/{name}", headers=headers)
        answer = connection.getresponse()
        return answer, answer.read()


class RecordingsTest(unittest.TestCase):
    COUNT = 120

    @classmethod
    def setUpClass(cls):
        stage = cls.enterClassContext(Stage())
        cls.there = Directory(stage, cls.COUNT)
        path = cls.there.path
        (path / "first-20260103T000000Z-r1.raimrec").symlink_to("/etc/passwd")
        (path / "first-20260104T000000Z-r1.raimrec").mkdir()
        os.mkfifo(path / "first-20260105T000000Z-r1.raimrec")
        (path / "notes.txt").write_text("private", encoding="ascii")
        (path / "first-20260106T000000Z-r0.raimrec").write_text("private", encoding="ascii")
        cls.daemon = cls.there.serve(arena("first", bots=4, recording="all", round_time=2,
                                           break_time=1, spectator_delay=0.0), http_page=PAGE)
        cls.there.wait_count(cls.COUNT + 2) # with one that it has made itself

    def recorded(self):
        """The recordings that raimd has made, the newest first."""
        return [row for row in self.there.page()["recordings"] if row["map"] is not None]

    def test_pages_are_as_their_schema_says_and_have_everything_once(self):
        if jsonschema is None:
            self.skipTest("no python3-jsonschema here")
        validator = jsonschema.Draft202012Validator(SCHEMA)
        names, before, pages = [], None, 0
        while True:
            page = self.there.page(before)
            validator.validate(page)
            names += [row["name"] for row in page["recordings"]]
            pages += 1
            before = page["next"]
            if before is None:
                break
        self.assertGreaterEqual(pages, 3)
        old = [name for name in names if "-2026010" in name]
        self.assertEqual(old, [BIG, *map(name_of, reversed(range(self.COUNT)))])
        self.assertEqual(len(names), len(set(names)))
        row = self.recorded()[-1]
        self.assertEqual((row["arena"], row["map"], row["bots"]), ("first", "crossfire", 4))
        self.assertGreater(row["length_s"], 1)
        path = self.there.path / row["name"]
        self.assertEqual(row["bytes"], path.stat().st_size)

    def test_a_download_is_the_file(self):
        answer, body = download(self.daemon, BIG)
        self.assertEqual((answer.status, answer.getheader("Content-Length")), (200, str(BIG_BYTES)))
        self.assertEqual(hashlib.sha256(body).digest(), hashlib.sha256(self.there.bytes).digest())
        tag = answer.getheader("ETag")
        answer, body = download(self.daemon, BIG, "HEAD")
        self.assertEqual((answer.status, answer.getheader("Content-Length"), body),
                         (200, str(BIG_BYTES), b""))
        answer, body = download(self.daemon, BIG, Range="bytes=2999990-", **{"If-Range": tag})
        self.assertEqual((answer.status, body), (206, self.there.bytes[-10:]))
        self.assertEqual(answer.getheader("Content-Range"), "bytes 2999990-2999999/3000000")
        answer, body = download(self.daemon, BIG, Range="bytes=3000000-")
        self.assertEqual((answer.status, body), (416, b""))
        answer, body = download(self.daemon, BIG, **{"If-None-Match": tag})
        self.assertEqual((answer.status, body), (304, b""))
        answer, body = download(self.daemon, BIG, Range="bytes=0-0" + ",0-0" * 1000)
        self.assertEqual((answer.status, len(body)), (200, BIG_BYTES))

    def test_what_is_no_finished_recording_is_not_served(self):
        for name in ("first-20260103T000000Z-r1.raimrec", "first-20260104T000000Z-r1.raimrec",
                     "first-20260105T000000Z-r1.raimrec", "first-20260106T000000Z-r0.raimrec",
                     "notes.txt", ".", "..", "../../1/err", "..%2f..%2f1%2ferr", "%2fetc%2fpasswd",
                     BIG + ".kept", BIG + "%00", BIG + "/"):
            with self.subTest(name):
                self.assertEqual(download(self.daemon, name)[0].status, 404)
        def in_progress():
            return [path.name for path in self.there.path.glob("*.part")]
        for name in self.daemon.poll("a recording in progress", in_progress):
            self.assertEqual(download(self.daemon, name)[0].status, 404)
            self.assertNotIn(name.removesuffix(".part"),
                             [row["name"] for row in self.recorded()])

    def test_raimctl_lists_gets_keeps_and_deletes(self):
        there, files = self.there, self.there.stage.directory / "files"
        files.mkdir()
        listed = json.loads(there.ctl("recording", "list", "--json"))["recordings"]
        self.assertGreaterEqual(len(listed), self.COUNT + 2)
        table = there.ctl("recording", "list", "second").decode().splitlines()
        self.assertEqual(len(table), self.COUNT + 1)
        self.assertIn(name_of(0), table[-1])
        self.assertIn("(unreadable)", table[-1])
        there.ctl("recording", "get", BIG, cwd=files)
        self.assertEqual((files / BIG).read_bytes(), there.bytes)
        self.assertIn("File exists", there.ctl("recording", "get", BIG, cwd=files, status=1))
        self.assertEqual((files / BIG).read_bytes(), there.bytes)
        self.assertEqual(there.ctl("recording", "get", BIG, "-"), there.bytes)
        for command in ("get", "delete", "keep", "unkeep"):
            words = ("recording", command, "first-20260103T000000Z-r1.raimrec")
            self.assertIn("no such recording", there.ctl(*words, cwd=files, status=1))
        self.assertEqual([path.name for path in files.iterdir()], [BIG])
        there.ctl("recording", "get", "../passwd", status=64)

        def kept():
            return [row["kept"] for row in there.page()["recordings"] if row["name"] == BIG]
        name = name_of(0)
        there.ctl("recording", "keep", BIG)
        self.assertEqual(kept(), [True])
        there.ctl("recording", "unkeep", BIG)
        self.assertEqual(kept(), [False])
        there.ctl("recording", "delete", name)
        self.addCleanup((there.path / name).write_bytes, b"no recording")
        self.assertFalse((there.path / name).exists())
        self.assertEqual(download(self.daemon, name)[0].status, 404)

    def test_a_clip_is_listed_once_its_source_is_finished(self):
        self.assertIn("no such arena", self.there.ctl("arena", "clip", "third", status=1))
        self.there.ctl("arena", "clip", "first", "0", status=64)
        def order(): # rejected in the break between two rounds
            with contextlib.suppress(AssertionError):
                return self.there.ctl("arena", "clip", "first", "5").decode().strip()
        name = self.daemon.poll("a clip", order)
        number = re.fullmatch(r"first-\d{8}T\d{6}Z-r(\d+)-clip\.raimrec", name)[1]
        source = f"first-*-r{number}.raimrec.part"
        def clip():
            page, status = self.there.page(), download(self.daemon, name)[0].status
            rows = [row for row in page["recordings"] if row["name"] == name]
            if list(self.there.path.glob(source)): # the round is being played
                self.assertEqual((rows, status), ([], 404))
            return rows
        shown = self.daemon.poll("the clip", clip)[0]
        self.assertTrue(shown["clip"])
        self.assertEqual(shown["map"], "crossfire")
        self.assertEqual(download(self.daemon, name)[1], (self.there.path / name).read_bytes())

    def test_a_file_that_something_else_replaces_is_not_served(self):
        path = self.there.path / name_of(1)
        self.addCleanup(path.write_bytes, b"no recording")
        self.addCleanup(path.unlink)
        for replace in (lambda: path.symlink_to("/etc/passwd"), lambda: os.mkfifo(path)):
            path.unlink()
            replace()
            self.assertIn(download(self.daemon, path.name)[0].status, (404, 503))

    @unittest.skipIf(browser.CHROMIUM is None, browser.WITHOUT)
    def test_dashboard_lists_them_with_links(self):
        url = "http://{}:{}/".format(*self.daemon.status_address)
        rows = "document.getElementById('recordings')?.rows"
        with browser.Browser() as page:
            for width in (1280, 390):
                page.open(url, width, 1200, "light")
                page.poll(f"{rows}?.length >= 50", harness.START_S)
                self.assertLessEqual(
                    page.evaluate("document.documentElement.scrollWidth"), width)
            found = page.evaluate(f"[...{rows}].map(row => row.querySelector('a').href)")
            self.assertIn(f"{url}recordings/{BIG}", found)
            links = page.evaluate("[...document.links].map(link => link.href)")
            self.assertIn(f"{PAGE}?watch={BIG}", links)
            server = f"127.0.0.1%3A{self.daemon.ports[0]}"
            self.assertIn(f"{PAGE}?server={server}", links)
            self.assertIn(f"{PAGE}?server={server}&spectate=", links)
            cells = page.evaluate(f"[...{rows}].map(row => [...row.cells].map(cell => "
                                  "cell.textContent)).find(row => row[2] === 'crossfire')")
            self.assertEqual((cells[1], cells[5]), ("first", "0 + 4 bots"))
            self.assertRegex(cells[4], r"^\d+ s$")
            page.evaluate("document.getElementById('more').click()")
            page.poll(f"{rows}.length >= 100", harness.START_S)
            self.assertEqual(page.said, [])


class CrowdTest(unittest.TestCase):
    """Thousands of recordings, hundreds of clients."""

    COUNT = 2000
    CLIENTS = 180

    def ask_slowly(self, stack):
        """A client that asks for a file and reads none of it."""
        client = stack.enter_context(socket.socket())
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(harness.START_S)
        client.connect(self.daemon.status_address)
        client.sendall(f"GET /recordings/{BIG} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return client

    def test_slow_clients_and_a_long_list_disturb_nothing(self):
        stage = self.enterContext(Stage())
        there = Directory(stage, self.COUNT)
        self.daemon = there.serve(arena("first", bots=4), core_dumps=True) # /proc shows its files
        there.wait_count(self.COUNT + 1)
        begin, spent_s = time.monotonic(), self.spent_s()
        for number in range(0, self.COUNT, 50):
            self.assertEqual(len(there.page(name_of(number))["recordings"]), min(number, 50))
        print(f"{self.COUNT // 50} pages of {self.COUNT} recordings: "
              f"{self.spent_s() - spent_s:.2f} s of CPU time")
        resident_kb = self.daemon.resident_kb()
        with contextlib.ExitStack() as stack:
            clients = [self.ask_slowly(stack) for _ in range(self.CLIENTS)]
            statuses = [client.recv(12)[9:] for client in clients]
            self.assertEqual(statuses.count(b"200"), 4) # of one address
            self.assertEqual(statuses.count(b"503"), self.CLIENTS - 4)
            ticks = self.daemon.get_json("/arenas/first")["tick"]
            # Whoever has a download keeps it, though the file is deleted.
            there.ctl("recording", "delete", BIG)
            self.assertEqual(download(self.daemon, BIG)[0].status, 404)
            first = clients[statuses.index(b"200")]
            received = 12
            while received < BIG_BYTES:
                received += len(first.recv(1 << 20))
            grown = self.daemon.resident_kb() - resident_kb
            print(f"{self.CLIENTS} clients that read nothing: {grown} kB, "
                  f"{time.monotonic() - begin:.1f} s")
            self.assertTrue(self.daemon.ticks())
            self.assertGreater(self.daemon.get_json("/arenas/first")["tick"], ticks)
        self.daemon.poll("an end of the downloads", lambda: self.open_files() == 0)

    def spent_s(self):
        words = pathlib.Path(f"/proc/{self.daemon.pid}/stat").read_text(encoding="ascii").split()
        return (int(words[13]) + int(words[14])) / os.sysconf("SC_CLK_TCK")

    def open_files(self):
        """The recordings that raimd holds open."""
        links = pathlib.Path(f"/proc/{self.daemon.pid}/fd").iterdir()
        found = 0
        for link in links:
            with contextlib.suppress(FileNotFoundError):
                found += os.readlink(link).endswith((".raimrec", ".raimrec (deleted)"))
        return found


if __name__ == "__main__":
    harness.main()
