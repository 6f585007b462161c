#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What browsers, caches and proxies see of the status: compression, validation, the host of a
request, streams that nobody holds back, schemas of all documents."""

import gzip
import http.client
import contextlib
import json
import unittest

import harness
from harness import ROOT, Stage, arena

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMAS = {"status": None, "summary": "daemon/status", "history": None, # None: made by the build
           "recordings": "daemon/status", "results": "daemon/results",
           "leaderboard": "daemon/results"}
FILES = ["/", "/dashboard/dashboard.css", "/dashboard/dashboard.js", *(f"/{name}.schema.json" for name in SCHEMAS)]
DOCUMENTS = ["/status", "/arenas/first", "/arenas/first/map", "/arenas/first/history", "/summary", "/history", "/metrics", "/recordings",
             "/leaderboard"]
STREAMS = ["/arenas/first/stream", "/events"]


class HygieneTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stage = cls.enterClassContext(Stage())
        cls.daemon = stage.serve(arena("first", bots=8, spectator_delay=0.0))

    def get(self, path, **headers):
        """An answer and its body; of a stream the headers alone."""
        connection = http.client.HTTPConnection(*self.daemon.status_address,
                                                timeout=harness.START_S)
        with contextlib.closing(connection):
            connection.request("GET", path, headers={name.replace("_", "-"): value
                                                     for name, value in headers.items()})
            answer = connection.getresponse()
            is_stream = answer.getheader("Content-Type") == "text/event-stream"
            return answer, b"" if is_stream else answer.read()

    def test_what_is_accepted_is_compressed(self):
        for path in [*FILES, "/status", "/metrics", "/arenas/first"]:
            with self.subTest(path):
                packed, body = self.get(path, Accept_Encoding="br, gzip;q=0.9")
                plain, whole = self.get(path)
                self.assertEqual(packed.getheader("Content-Encoding"), "gzip")
                self.assertIsNone(plain.getheader("Content-Encoding"))
                for answer in packed, plain:
                    self.assertEqual(answer.getheader("Vary"), "Accept-Encoding")
                self.assertLess(len(body), len(whole))
                if path in FILES:
                    self.assertEqual(gzip.decompress(body), whole)
                else:
                    self.assertEqual(gzip.decompress(body)[:20], whole[:20])
        answer, _ = self.get("/status", Accept_Encoding="gzip;q=0, deflate")
        self.assertIsNone(answer.getheader("Content-Encoding"))

    def test_files_are_not_sent_again(self):
        for path in FILES:
            with self.subTest(path):
                first, body = self.get(path)
                self.assertEqual(first.getheader("Cache-Control"), "no-cache")
                tag = first.getheader("ETag")
                for wanted in tag, f'"other", {tag}', f"W/{tag}", "*":
                    again, nothing = self.get(path, If_None_Match=wanted)
                    self.assertEqual((again.status, nothing), (304, b""))
                    self.assertEqual(again.getheader("ETag"), tag)
                packed, _ = self.get(path, Accept_Encoding="gzip")
                self.assertNotEqual(packed.getheader("ETag"), tag)
                again, _ = self.get(path, Accept_Encoding="gzip",
                                    If_None_Match=packed.getheader("ETag"))
                self.assertEqual(again.status, 304)
                other, whole = self.get(path, If_None_Match='"0123456789abcdef"')
                self.assertEqual((other.status, whole), (200, body))
        self.assertEqual(len({self.get(path)[0].getheader("ETag") for path in FILES}), len(FILES))
        self.assertEqual(self.get("/status")[0].getheader("Cache-Control"), "no-store")

    def test_no_path_takes_a_foreign_host(self):
        for path in [*FILES, *DOCUMENTS, *STREAMS, "/healthz", "/readyz", "/nothing"]:
            with self.subTest(path):
                self.assertEqual(self.get(path, Host="evil.example")[0].status, 421)
                self.assertEqual(self.get(path, Origin="http://evil.example")[0].status, 403)
                self.assertNotIn(self.get(path, Host="localhost:7")[0].status, (421, 403))

    def test_no_proxy_holds_a_stream_back(self):
        for path in STREAMS:
            with self.subTest(path):
                answer, _ = self.get(path, Accept_Encoding="gzip")
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.getheader("X-Accel-Buffering"), "no")
                self.assertEqual(answer.getheader("Cache-Control"), "no-store")
                self.assertIsNone(answer.getheader("Content-Encoding"))
        self.assertIsNone(self.get("/status")[0].getheader("X-Accel-Buffering"))

    def test_schemas_are_served_as_they_are(self):
        for name, directory in SCHEMAS.items():
            with self.subTest(name):
                answer, body = self.get(f"/{name}.schema.json")
                self.assertEqual(answer.getheader("Content-Type"), "application/schema+json")
                if directory is None:
                    json.loads(body)
                else:
                    self.assertEqual(body, (ROOT / directory / f"{name}.schema.json").read_bytes())

    @unittest.skipIf(jsonschema is None, "no jsonschema module here (Debian: python3-jsonschema)")
    def test_documents_follow_the_schemas_served(self):
        for name in SCHEMAS.keys() - {"results"}:
            with self.subTest(name):
                schema = json.loads(self.get(f"/{name}.schema.json")[1])
                document = json.loads(self.get(f"/{name}", Accept_Encoding="identity")[1])
                jsonschema.Draft202012Validator(schema).validate(document)


if __name__ == "__main__":
    harness.main()
