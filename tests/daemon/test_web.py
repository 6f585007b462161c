#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""raim-web, the gateway for browsers, between a real raimd and clients that speak WebTransport: a
client of the tests (tests/web/carrier.c) and both browsers."""

import contextlib
import gzip
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

import browser
import harness
from harness import BIN, START_S, Stage, check_sane, poll
from ports import free_port
from web_stage import PAGE, Scene

if not (BIN / "raim-web").exists():
    print("SKIPPED: raim-web was not built, it wants libngtcp2 and libnghttp3")
    raise SystemExit(harness.SKIPPED)

WASM = bytes(range(256)) * 16


class PlayTest(unittest.TestCase):

    def test_clients_play_through_the_gateway(self):
        with Scene() as scene:
            scene.carry()
            bots = scene.bots(scene.daemon, 4, ports=[scene.carrier_port])
            scene.daemon.wait_pressing(4)
            scene.daemon.poll("announcements, one a second", lambda: scene.daemon.get_json()[
                "arenas"][0]["announcements"] >= 4 * 4)
            scene.gateway.wait_count("datagrams_out", 200)
            bots.stop(signal.SIGINT)
            report = bots.report()
            self.assertEqual(report["connected"], 4, report)
            self.assertEqual(report["decode_errors"], 0)
            self.assertEqual(report["resumes"], 0)
            self.assertGreater(report["snapshots"], 100)
            status = scene.gateway.status()
            self.assertEqual(status["sessions_total"], 4)
            self.assertGreater(status["datagrams_in"], 100)
            self.assertEqual(status["dropped_rate"], 0)
            arena, = scene.daemon.get_json()["arenas"]
            self.assertEqual([arena["rejections"][f"gateway_{why}"]
                              for why in ("key", "socket", "time")], [0, 0, 0])

    @unittest.skipUnless(harness.HAS_IPV6, "skipped: no IPv6 here")
    def test_every_address_of_the_machine_is_one_of_both_families(self):
        with Scene() as scene:
            scene.gateway.stop()
            scene.gateway = scene.start_gateway(listen=f"[::]:{scene.web_port}")
            scene.carry() # by IPv4
            bots = scene.bots(scene.daemon, 2, ports=[scene.carrier_port])
            scene.daemon.wait_pressing(2)
            bots.stop(signal.SIGINT)
            report = bots.report()
            self.assertEqual((report["connected"], report["decode_errors"]), (2, 0))

    def test_a_client_of_a_killed_gateway_is_told_by_the_next_one(self):
        """By a stateless reset, so that it need not wait for a time-out."""
        with Scene() as scene, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            scene.carry()
            client.settimeout(0.1)

            def answered():
                client.sendto(b"\xff\xff\xff\xffRAIM\1\2".ljust(512, b"\0"),
                              ("127.0.0.1", scene.carrier_port))
                try:
                    return client.recv(2048)
                except TimeoutError:
                    return b""
            poll("a cookie", answered)
            scene.gateway.expected_status = -signal.SIGKILL
            scene.gateway.kill()
            while answered(): # by what is under way
                pass
            scene.gateway = scene.start_gateway()
            began = time.monotonic()
            poll("another cookie", answered)
            print(f"answered {time.monotonic() - began:.2f} s after the restart", flush=True)
            self.assertEqual(scene.gateway.status()["resets"], 1)

    def test_bans_meet_players_and_not_the_gateway(self):
        with Scene() as scene:
            scene.carry()
            staying = scene.bots(scene.daemon, 1, ports=[scene.carrier_port])
            other = free_port()
            scene.carry(port=other, own="127.0.0.9")
            leaving = scene.bots(scene.daemon, 1, ports=[other])
            scene.daemon.wait_pressing(2)

            def raimctl(*words):
                return subprocess.run([BIN / "raimctl", "-s", scene.control, *words], text=True,
                                      capture_output=True, check=True, timeout=START_S).stdout
            players = json.loads(raimctl("players", "--json"))["players"]
            self.assertEqual(sorted(player["address"] for player in players),
                             ["127.0.0.1", "127.0.0.9"])
            raimctl("ban", "127.0.0.9", "--for", "1m", "--yes")
            report = leaving.report()
            self.assertEqual(report["players"][0]["end"], "banned")
            scene.daemon.wait_players(1)
            staying.stop(signal.SIGINT)

    def test_only_arenas_of_the_list_are_reached(self):
        """Here a range of ports."""
        with Scene() as scene, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            first, last = scene.port - 1, scene.port + 1
            scene.gateway.stop()
            scene.gateway = scene.start_gateway(target=f"127.0.0.1:{first}-{last}")
            self.assertEqual(json.loads(scene.gateway.ask("/servers.json").body)["servers"], [])
            names = (f"127.0.0.1:{first - 1}", f"127.0.0.1:{last + 1}", f"127.0.0.2:{scene.port}",
                     f"127.0.0.1:{first}-{last}", f"127.0.0.1:{scene.port}x", "127.0.0.1:", "x")
            for name in names:
                port = free_port()
                scene.carry(name, port)
                client.sendto(b"hello", ("127.0.0.1", port))
            scene.gateway.wait_count("rejected_path", len(names))
            self.assertEqual(scene.gateway.status()["sessions_total"], 0)
            scene.carry()
            bots = scene.bots(scene.daemon, 1, ports=[scene.carrier_port])
            scene.daemon.wait_pressing(1)
            bots.stop(signal.SIGINT)

    def test_session_that_is_left_frees_its_connection_at_once(self):
        with Scene() as scene:
            carrier = scene.carry()
            bots = scene.bots(scene.daemon, 2, ports=[scene.carrier_port])
            scene.daemon.wait_pressing(2)
            bots.stop(signal.SIGINT)
            self.assertEqual(scene.gateway.status()["sessions"], 2)
            carrier.stop()
            self.assertEqual(json.loads(carrier.out.splitlines()[-1])["idle_s"], 30)
            poll("no connection", lambda: scene.gateway.status()["connections"] == 0, 10)

    def test_client_that_vanishes_frees_its_connection(self):
        """After the shorter of both ends' idle time-outs."""
        with Scene() as scene:
            carrier = scene.carry(idle_s=1)
            carrier.expected_status = -signal.SIGKILL
            bots = scene.bots(scene.daemon, 2, ports=[scene.carrier_port])
            scene.daemon.wait_pressing(2)
            carrier.kill()
            poll("no connection", lambda: scene.gateway.status()["connections"] == 0, 10)
            bots.stop(signal.SIGINT)


class LimitsTest(unittest.TestCase):

    def senders(self, stack, port, count):
        """So many clients, each of which has sent a datagram."""
        for _ in range(count):
            client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            stack.addCleanup(client.close)
            client.sendto(b"hello", ("127.0.0.1", port))

    def test_many_at_a_time_prove_their_addresses_first(self):
        with Scene(connections_per_address=400, connections_per_network=400) as scene:
            scene.carry()
            self.senders(self, scene.carrier_port, 120)
            status = scene.gateway.wait_count("sessions_total", 120)
            self.assertGreater(status["retries"], 0, status)

    def test_an_address_has_its_share_of_connections(self):
        with Scene(connections_per_address=3) as scene:
            scene.carry()
            self.senders(self, scene.carrier_port, 8)
            scene.gateway.wait_count("rejected_address", 5)
            poll("the end of the others", lambda: scene.gateway.status()["connections"] == 3)
            self.assertEqual(scene.gateway.status()["sessions_total"], 3)

    def test_a_connection_without_a_request_ends(self):
        with Scene() as scene:
            scene.carry("-")
            self.senders(self, scene.carrier_port, 3)
            scene.gateway.wait_count("handshakes", 3)
            status = scene.gateway.wait_count("rejected_request", 3)
            self.assertEqual(status["sessions_total"], 0)
            poll("no connection", lambda: scene.gateway.status()["connections"] == 0)

    def test_a_flood_of_a_player_is_cut(self):
        with Scene(datagrams_per_second=60) as scene:
            scene.carry()
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
                for _ in range(20):
                    for _ in range(25):
                        client.sendto(b"hello", ("127.0.0.1", scene.carrier_port))
                    time.sleep(0.02)
                status = scene.gateway.wait_count("dropped_rate", 100)
            self.assertLess(status["datagrams_in"], 300)


class StrangersTest(unittest.TestCase):
    """Datagrams that are no connection's."""

    OTHER_VERSION = (b"\xc0\x6b\x33\x43\xcf\x08" + bytes(8) + b"\x08" + bytes(8)).ljust(1200, b"\0")

    def exchange(self, gateway, *datagrams):
        """The answers to these, each of another client; b"" for none."""
        before, answers = gateway.status()["packets_in"], []
        with contextlib.ExitStack() as stack:
            strangers = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                         for _ in (*datagrams, "last")]
            for stranger, datagram in zip(strangers, (*datagrams, self.OTHER_VERSION)):
                stranger.sendto(datagram, ("127.0.0.1", gateway.port))
            strangers[-1].settimeout(START_S)
            strangers[-1].recv(2048) # answered after all others
            self.assertEqual(gateway.status()["packets_in"], before + len(strangers))
            for stranger in strangers[:-1]:
                stranger.setblocking(False)
                try:
                    answers.append(stranger.recv(2048))
                except BlockingIOError:
                    answers.append(b"")
        return answers

    def test_other_versions_are_offered_version_1(self):
        with Scene() as scene:
            answer, none = self.exchange(scene.gateway, self.OTHER_VERSION, self.OTHER_VERSION[:-1])
            self.assertEqual(answer[1:5], bytes(4))
            self.assertIn(b"\0\0\0\1", answer[-8:])
            self.assertEqual(none, b"")

    def test_unknown_connections_are_reset_by_less_than_they_send(self):
        with Scene() as scene:
            answer, none = self.exchange(scene.gateway, b"\x40" + os.urandom(60),
                                         b"\x40" + os.urandom(30))
            self.assertTrue(21 <= len(answer) < 61, answer)
            self.assertEqual(answer[0] & 0xc0, 0x40)
            self.assertEqual(none, b"")

    def test_junk_is_not_answered(self):
        with Scene() as scene:
            junk = (b"", b"\xff", b"\xc0\0\0\0\1", os.urandom(1) * 1300,
                    b"\xc0\0\0\0\1\x08" + bytes(1250), b"GET / HTTP/1.1\r\n\r\n")
            for datagram, answer in zip(junk, self.exchange(scene.gateway, *junk)):
                self.assertLessEqual(len(answer), len(datagram))
            self.assertEqual(scene.gateway.status()["connections"], 0)


class PageTest(unittest.TestCase):

    def test_files_are_served_compressed_where_that_is_accepted(self):
        with Scene() as scene:
            (scene.page / "raim.wasm").write_bytes(WASM)
            (scene.page / "raim.wasm.br").write_bytes(b"brotli")
            (scene.page / "raim.wasm.gz").write_bytes(gzip.compress(WASM))
            scene.gateway.send(signal.SIGHUP)
            poll("the new file", lambda: scene.gateway.ask("/raim.wasm").status == 200)
            answer = scene.gateway.ask("/")
            self.assertEqual(answer.body, PAGE)
            self.assertEqual(answer.headers["Content-Type"], "text/html; charset=utf-8")
            self.assertEqual(answer.headers["Content-Security-Policy"], "frame-ancestors 'none'")
            plain = scene.gateway.ask("/raim.wasm")
            self.assertEqual(plain.body, WASM)
            self.assertEqual(plain.headers["Content-Type"], "application/wasm")
            self.assertIsNone(plain.headers["Content-Encoding"])
            best = scene.gateway.ask("/raim.wasm", **{"Accept-Encoding": "gzip, deflate, br"})
            self.assertEqual((best.body, best.headers["Content-Encoding"]), (b"brotli", "br"))
            other = scene.gateway.ask("/raim.wasm", **{"Accept-Encoding": "gzip"})
            self.assertEqual(gzip.decompress(other.body), WASM)
            self.assertNotEqual(best.headers["ETag"], plain.headers["ETag"])
            again = scene.gateway.ask("/raim.wasm", **{"If-None-Match": plain.headers["ETag"]})
            self.assertEqual((again.status, again.body), (304, b""))

    def test_nothing_else_is_served(self):
        with Scene() as scene:
            (scene.directory / "secret").write_text("secret", encoding="ascii")
            (scene.page / ".hidden").write_text("secret", encoding="ascii")
            scene.gateway.send(signal.SIGHUP)
            for path in ("/../secret", "/%2e%2e/secret", "//secret", "/.hidden", "/..%2fsecret",
                         "/index.html/", "/state/secret", "/etc/passwd"):
                answer = scene.gateway.ask(path)
                self.assertEqual(answer.status, 404, path)
                self.assertNotIn(b"secret", answer.body)

    def test_recordings_of_a_directory_and_nothing_else_can_be_watched(self):
        with Scene() as scene:
            shown = scene.directory / "shown"
            shown.mkdir()
            recording = bytes(range(256)) * 2000
            (shown / "arena-r1.raimrec").write_bytes(recording)
            (shown / "folder.raimrec").mkdir()
            for name in ("arena-r2.raimrec.part", ".hidden.raimrec", "notes.txt"):
                (shown / name).write_bytes(b"secret")
            (scene.directory / "secret.raimrec").write_bytes(b"secret")
            (shown / "link.raimrec").symlink_to(scene.directory / "secret.raimrec")
            self.assertEqual(scene.gateway.ask("/recordings/arena-r1.raimrec").status, 404)
            scene.gateway.stop()
            scene.gateway = scene.start_gateway(recordings=str(shown))
            answer = scene.gateway.ask("/recordings/arena-r1.raimrec")
            self.assertEqual((answer.status, answer.body), (200, recording))
            part = scene.gateway.ask("/recordings/arena-r1.raimrec", Range="bytes=1000-1003")
            self.assertEqual((part.status, part.body), (206, recording[1000:1004]))
            for name in ("arena-r2.raimrec.part", ".hidden.raimrec", "notes.txt", "folder.raimrec", "link.raimrec",
                         "../secret.raimrec", "..%2fsecret.raimrec", "", "other.raimrec"):
                answer = scene.gateway.ask(f"/recordings/{name}")
                self.assertEqual(answer.status, 404, name)
                self.assertNotIn(b"secret", answer.body)
            # A download that nobody takes does not keep the gateway from its end.
            (shown / "long.raimrec").write_bytes(bytes(32 << 20))
            with socket.create_connection(("127.0.0.1", scene.web_port)) as slow:
                slow.sendall(b"GET /recordings/long.raimrec HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                self.assertIn(b"200 OK", slow.recv(64))
                scene.gateway.stop()

    def test_pages_elsewhere_may_ask_for_the_arenas(self):
        with Scene() as scene:
            def known():
                answer = scene.gateway.ask("/servers.json", Origin="https://elsewhere.example")
                self.assertEqual(answer.headers["Access-Control-Allow-Origin"], "*")
                found = json.loads(answer.body)
                return "name" in found["servers"][0] and found
            found = poll("an answer of the arena", known)
            self.assertRegex(found["certificate_hashes"][0], r"^[\w+/]{43}=$")
            self.assertEqual({**found["servers"][0]}, {
                "address": scene.target, "name": "arena", "map": "crossfire", "players": 0,
                "max_players": 64, "bots": 0, "locked": False})

    def test_the_status_is_for_this_machine(self):
        with Scene() as scene:
            self.assertEqual(scene.gateway.ask("/status.json").status, 200)
            answer = scene.gateway.ask("/status.json", Host="evil.example")
            self.assertEqual(answer.status, 404)


class CertificateTest(unittest.TestCase):

    def test_files_of_the_operator_are_used_and_followed(self):
        with Scene() as scene:
            scene.gateway.stop()
            chain, key = scene.directory / "chain.pem", scene.directory / "key.pem"

            def make(name):
                subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                                "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
                                f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-keyout",
                                key, "-out", chain], check=True, capture_output=True)
                key.chmod(0o600)

            def subject():
                made = subprocess.run(["openssl", "s_client", "-connect",
                                       f"127.0.0.1:{scene.web_port}"], input=b"",
                                      capture_output=True, check=False, timeout=START_S).stdout
                return re.search(rb"subject=CN ?= ?(\S+)", made)
            make("one.example")
            scene.gateway = scene.start_gateway(certificate=str(chain), key=str(key))
            self.assertIn("certificate of", scene.gateway.log)
            self.assertEqual(poll("an answer", subject)[1], b"one.example")
            make("two.example")
            scene.gateway.send(signal.SIGHUP)
            poll("the new certificate", lambda: subject()[1] == b"two.example")
            scene.carry()
            bots = scene.bots(scene.daemon, 1, ports=[scene.carrier_port])
            scene.daemon.wait_pressing(1)
            bots.stop(signal.SIGINT)


class CommandLineTest(unittest.TestCase):

    def run_web(self, *arguments):
        result = subprocess.run([BIN / "raim-web", *arguments], text=True, capture_output=True,
                                check=False, timeout=START_S, stdin=subprocess.DEVNULL)
        check_sane(result.stderr)
        return result

    def test_options(self):
        self.assertRegex(self.run_web("--version").stdout, r"^raim-web \d+\.\d+\.\d+\n$")
        self.assertIn("--check-config", self.run_web("--help").stdout)
        self.assertEqual(self.run_web("--nonsense").returncode, 64)

    def test_the_shipped_configuration_is_good(self):
        path = harness.ROOT / "config/raim-web.conf"
        result = self.run_web("-t", "-c", path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, f"{path}: good, 1 target\n")
        with open("/dev/full", "w", encoding="ascii") as full:
            status = subprocess.run([BIN / "raim-web", "-t", "-c", path], stdout=full,
                                    stderr=subprocess.DEVNULL, check=False, timeout=START_S)
        self.assertEqual(status.returncode, 1)

    def test_mistakes_are_told_with_their_lines(self):
        with Stage() as stage:
            path = stage.write_config('listen = "nowhere";\n', "web.conf")
            result = self.run_web("-c", path)
            self.assertEqual(result.returncode, 78)
            self.assertIn(f'{path}:1: listen: got "nowhere"', result.stderr)


# Asks the arena for cookies, which raimd answers, and leaves the round trips in `found`.
ASK = """(async () => {
  const list = await (await fetch("/servers.json")).json();
  const bytes = text => Uint8Array.from(atob(text), each => each.charCodeAt(0));
  const transport = new WebTransport(
    `https://127.0.0.1:${location.port}/arena/${list.servers[0].address}`,
    {requireUnreliable: true, serverCertificateHashes:
      list.certificate_hashes.map(each => ({algorithm: "sha-256", value: bytes(each)}))});
  await transport.ready;
  const writer = transport.datagrams.writable.getWriter();
  const reader = transport.datagrams.readable.getReader();
  const request = new Uint8Array(512);
  request.set([255, 255, 255, 255, 82, 65, 73, 77, 1, 2]);
  const times = [], largest = transport.datagrams.maxDatagramSize;
  while (times.length < 20) {
    const begun = performance.now();
    await writer.write(request);
    const {value} = await Promise.race([reader.read(),
      new Promise(done => setTimeout(() => done({}), 1000))]);
    if (value && value[8] === 2) times.push(performance.now() - begun);
    await new Promise(done => setTimeout(done, 100)); // raimd's limit of requests
  }
  times.sort((one, other) => one - other);
  transport.close();
  return {p50: times[10], largest};
})().then(it => { window.found = it; }, error => { window.found = {error: String(error)}; })"""


def ask_cookies(test, page, scene):
    """Lets a page exchange datagrams with the arena of a scene."""
    page.open(f"http://127.0.0.1:{scene.web_port}/")
    poll("the page", lambda: page.evaluate("document.title") == "raim")
    page.evaluate(f"void ({ASK})")
    found = poll("an end", lambda: page.evaluate("window.found"), 60)
    print(f"cookies through the gateway: {found}", flush=True)
    test.assertNotIn("error", found)
    test.assertGreaterEqual(found["largest"], 1000) # of the browser's datagrams
    test.assertGreaterEqual(scene.gateway.status()["datagrams_out"], 20)
    poll("the end of the session", lambda: scene.gateway.status()["sessions"] == 0)


@unittest.skipUnless(browser.CHROMIUM, browser.WITHOUT)
class ChromiumTest(unittest.TestCase):

    def test_a_page_exchanges_datagrams_with_an_arena(self):
        with Scene() as scene, browser.Browser() as page:
            ask_cookies(self, page, scene)


@unittest.skipUnless(browser.FIREFOX, browser.WITHOUT)
class FirefoxTest(unittest.TestCase):

    def test_a_page_exchanges_datagrams_with_an_arena(self):
        with Scene() as scene, browser.Firefox() as page:
            ask_cookies(self, page, scene)


if __name__ == "__main__":
    harness.main()
