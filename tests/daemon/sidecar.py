# SPDX-License-Identifier: MIT
"""SDK servers of Agones for the tests: a stub that can be spoilt, and the real one.

The stub keeps a GameServer: state, a counter and two lists, and a watch stream. It answers and writes
as the real one of Agones 1.57 did in a cluster. `mode` spoils what it answers:

  good      as it should be                     garbage   200 with bytes that are no JSON
  slow      500 ms late                         silent    nothing, and the connection stays
  rejecting  500                                 endless   200 with a body without an end
  flood     a stream of updates without a pause gone      connections are closed at once
  trailers  a body whose trailers do not end    extended  a chunk whose size does not end
"""

import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.request

import harness
from ports import free_port

BATCH_S = 0.5 # from a change to its write, and between two writes, of the SDK server

# A flood needs a stream that is open.
MODES = ("flood", "slow", "rejecting", "garbage", "endless", "trailers", "extended", "silent",
         "gone")


def game_server(state="Scheduled", ports=(("default", 7777),)):
    """A GameServer as JSON of the SDK server has it."""
    return {
        "object_meta": {"name": "raimd-stub", "uid": "1", "creation_timestamp": "1795378448",
                        "deletion_timestamp": "0", "annotations": {}, "labels": {}},
        "spec": {"health": {"disabled": False, "period_seconds": 2, "failure_threshold": 3,
                            "initial_delay_seconds": 1}},
        "status": {"state": state, "address": "127.0.0.1", "addresses": [],
                   "ports": [{"name": name, "port": port} for name, port in ports],
                   "counters": {"arenas": {"count": "0", "capacity": "1000"}},
                   "lists": {"arenas": {"capacity": "64", "values": []},
                             "players": {"capacity": "100", "values": []}}}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def handle(self):
        with contextlib.suppress(OSError):
            super().handle()

    def send_body(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def write_chunk(self, data):
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def spoil(self, stub, mode):
        """Does what the mode is for. Returns False where the answer is to be a good one."""
        if mode == "slow":
            time.sleep(0.5)
        elif mode == "rejecting":
            self.send_body(500, b'{"code":2,"message":"out of range","details":[]}')
            return True
        elif mode == "garbage":
            self.send_body(200, b"\xff\xfe{{{]\n" * 100)
            return True
        elif mode == "silent":
            stub.ended.wait(30) if stub.mode != mode else stub.wait_while(mode, 30)
            return True
        elif mode == "endless":
            self.begin_stream()
            while stub.mode == mode:
                self.write_chunk(b" " * 65536)
            return True
        elif mode in ("trailers", "extended"):
            self.begin_stream()
            self.wfile.write(b"0\r\n" if mode == "trailers" else b"1;")
            while stub.mode == mode:
                self.wfile.write((b"X-Name: " + b"x" * 1000 + b"\r\n") * 64 if mode == "trailers"
                                 else b"x" * 65536)
            return True
        elif mode == "gone":
            self.close_connection = True
            return True
        return False

    def answer(self):
        stub = self.server.stub
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size) or b"null") if size else None
        call = f"{self.command} {self.path}"
        with stub.lock:
            stub.calls.append((time.monotonic(), call, body))
        if self.spoil(stub, stub.mode if call != stub.unanswered else "silent"):
            self.close_connection = True
            return
        if self.path == "/watch/gameserver":
            self.watch(stub)
            return
        if self.path == "/health" and size == 0:
            self.send_body(400, b"")
            return
        if re.match(r"/v\d\w*/", self.path) and not self.path.startswith(f"/{stub.api}/"):
            self.send_body(404, b'{"code":5,"message":"Not Found","details":[]}')
            return
        try:
            status, answer = 200, stub.execute(call, body)
        except Rejected as rejection:
            status, answer = 500, {"code": 2, "message": str(rejection), "details": []}
        self.send_body(status, json.dumps(answer).encode())

    do_GET = do_POST = do_PUT = do_PATCH = answer

    def watch(self, stub):
        self.begin_stream()
        seen = -1
        generation = stub.generation
        while stub.generation == generation and stub.mode != "gone":
            with stub.lock:
                if stub.version == seen and stub.mode != "flood":
                    stub.changed.wait(0.1)
                    continue
                seen = stub.version
                line = json.dumps({"result": stub.state}).encode() + b"\n"
            self.write_chunk(line)
        self.close_connection = True


class Rejected(Exception):
    """What the SDK server answers with 500."""


class Batch:
    """Changes of the counter, or of the lists, that the SDK server has accepted and not written."""

    def __init__(self):
        self.due = time.monotonic() + BATCH_S
        self.count, self.difference, self.capacity = None, 0, None
        self.removed, self.added = {}, {} # values by list

    def apply_counter(self, counter):
        """The counter with the changes. What no longer fits is cut off in silence."""
        capacity = int(counter["capacity"] if self.capacity is None else self.capacity)
        count = int(counter["count"] if self.count is None else self.count) + self.difference
        return {"count": str(max(0, min(count, capacity))), "capacity": str(capacity)}

    def apply_list(self, name, values):
        """A list's values with the changes, the removals first."""
        values = [each for each in values["values"] if each not in self.removed.get(name, ())]
        return values + [each for each in self.added.get(name, ()) if each not in values]


class Stub:
    """An SDK server beside a GameServer. It writes accepted changes of the counter and of the lists
    as the real one does: late, in batches 0.5 s apart, those of the lists and those of the counter
    apart, in the order in which their first came. Leaving it ends it."""

    def __init__(self, state=None, mode="good", port=0):
        self.state = state or game_server()
        self.mode = mode
        self.port = port # 0: a free one
        self.unanswered = None # a call that is not answered while others are
        self.api = "v1beta1" # of counters and lists; the real one answers 404 to other versions
        self.takes_lists = False # True: PATCH of a list works, as before Agones 1.56
        self.calls = []
        self.batches = {} # "counters" or "lists", in order of arrival
        self.version = 0
        self.generation = 0 # of watch streams: a new one ends the others
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.ended = threading.Event()

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        self.server.stub = self
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        threading.Thread(target=self.write_batches, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.mode = "gone"
        self.generation += 1
        self.server.shutdown()
        self.server.server_close()

    @property
    def env(self):
        return {"AGONES_SDK_HTTP_PORT": str(self.port)}

    def wait_while(self, mode, seconds):
        end = time.monotonic() + seconds
        while self.mode == mode and time.monotonic() < end:
            time.sleep(0.02)

    def counts(self, call):
        with self.lock:
            return sum(each[1] == call for each in self.calls)

    @property
    def status(self):
        return self.state["status"]

    def arenas(self):
        """What the counter and the list say."""
        with self.lock:
            return (int(self.status["counters"]["arenas"]["count"]),
                    list(self.status["lists"]["arenas"]["values"]))

    def change(self, function):
        with self.lock:
            function(self.state)
            self.version += 1
            self.changed.notify_all()

    def allocate(self, *values, annotation=None):
        """As an allocator does it, in one change."""
        def change(state):
            meta, status = state["object_meta"], state["status"]
            status["state"] = "Allocated"
            meta["annotations"]["agones.dev/last-allocated"] = f"allocation {self.version}"
            if annotation is not None:
                meta["annotations"]["raimd/arena"] = json.dumps(annotation)
            counter = status["counters"]["arenas"]
            counter["count"] = str(int(counter["count"]) + max(1, len(values)))
            arenas = status["lists"]["arenas"]
            # What does not fit is cut off in silence, as Agones does it.
            arenas["values"] = (arenas["values"] + list(values))[:int(arenas["capacity"])]
        self.change(change)

    def write_batches(self):
        while not self.ended.wait(0.01):
            with self.lock:
                kind = next(iter(self.batches), None)
                if kind is None or time.monotonic() < self.batches[kind].due:
                    continue
                with contextlib.suppress(AttributeError, TypeError, ValueError): # lies
                    self.write(kind, self.batches.pop(kind))
            self.ended.wait(BATCH_S)

    def write(self, kind, batch):
        def change(state):
            if kind == "counters":
                counter = state["status"]["counters"]["arenas"]
                state["status"]["counters"]["arenas"] = batch.apply_counter(counter)
                return
            for name, values in state["status"]["lists"].items():
                values["values"] = batch.apply_list(name, values)[:int(values["capacity"])]
        self.change(change)

    def execute(self, call, body):
        """The answer of the SDK server, which changes its GameServer."""
        states = {"POST /ready": "Ready", "POST /allocate": "Allocated",
                  "POST /shutdown": "Shutdown"}
        if call == "GET /gameserver":
            return self.state
        if call in states:
            self.change(lambda state: state["status"].update(state=states[call]))
        elif call in ("PUT /metadata/label", "PUT /metadata/annotation"):
            kind = "labels" if call.endswith("label") else "annotations"
            if not isinstance(self.state["object_meta"][kind], dict):
                raise Rejected("a lie")
            self.change(lambda state: state["object_meta"][kind].update(
                {f"agones.dev/sdk-{body['key']}": body["value"]}))
        elif call.endswith("/counters/arenas"):
            with self.lock:
                return self.count(body or {})
        elif "/lists/" in call:
            with self.lock:
                return self.list(call.rpartition("/")[2], body)
        return {}

    def count(self, body):
        """Accepted changes show at once in what it answers, not in the GameServer."""
        now = self.status["counters"]["arenas"]
        if not isinstance(now["count"], str):
            raise Rejected("a lie")
        batch = self.batches.get("counters", Batch())
        now = batch.apply_counter(now)
        capacity = int(body.get("capacity", now["capacity"]))
        count = int(body.get("count", now["count"])) + int(body.get("countDiff", 0))
        if not 0 <= count <= capacity:
            raise Rejected("out of range. Count must be within range [0,Capacity]")
        if body:
            batch.capacity = body.get("capacity", batch.capacity)
            if "count" in body:
                batch.count, batch.difference = body["count"], 0
            batch.difference += int(body.get("countDiff", 0))
            self.batches.setdefault("counters", batch)
        return {"name": "arenas", "count": str(count), "capacity": str(capacity)}

    def list(self, name, body):
        name, _, verb = name.partition(":")
        now = self.status["lists"].get(name)
        if now is None:
            raise Rejected(f"not found. {name} List not found")
        batch = self.batches.get("lists", Batch())
        values = batch.apply_list(name, now)
        removed, added = batch.removed.setdefault(name, []), batch.added.setdefault(name, [])
        if verb == "addValue":
            if len(values) >= int(now["capacity"]):
                raise Rejected("out of range. No available capacity")
            if body["value"] in values:
                raise Rejected(f"already exists. Value: {body['value']} already in List: {name}")
            added.append(body["value"])
        elif verb == "removeValue":
            if body["value"] not in values:
                raise Rejected(f"not found. Value: {body['value']} not found in List: {name}")
            added[:] = [each for each in added if each != body["value"]]
            removed.append(body["value"])
        elif body is not None:
            if not self.takes_lists:
                raise Rejected("no gameservers for fleet")
            removed[:] = [each for each in values if each not in body["values"]]
            added[:] = [each for each in body["values"] if each not in values]
        if body is not None:
            self.batches.setdefault("lists", batch)
        return {"name": name, "capacity": now["capacity"], "values": batch.apply_list(name, now)}


# --- the real one ---

def find_sdk_server():
    """Agones' own sdk-server, or None: $RAIM_SDK_SERVER, of the programs in $AGONES_BIN, where
    `./dev deps --all` puts it, $PATH."""
    if named := os.environ.get("RAIM_SDK_SERVER"):
        return pathlib.Path(named)
    for directory in (os.environ.get("AGONES_BIN"), harness.ROOT / "build/go"):
        if directory and pathlib.Path(directory, "sdk-server").exists():
            return pathlib.Path(directory, "sdk-server")
    return shutil.which("sdk-server")


class SdkServer:
    """Agones' sdk-server on ports of its own: --local with a file, or in its conformance mode."""

    def __init__(self, directory, program, *arguments):
        self.program, self.arguments = program, arguments
        self.log_path = pathlib.Path(directory) / "sdk-server.log"
        self.port, self.grpc_port, self.health_port = free_port(), free_port(), free_port()
        self.process = None

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "--address", "localhost", "--http-port", str(self.port),
                 "--grpc-port", str(self.grpc_port), "--health-port", str(self.health_port),
                 *self.arguments],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        harness.poll("sdk-server", self.answers)
        return self

    def answers(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def stop(self, kill=False):
        """Ends it; its exit status, or None where it could not be started."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.kill() if kill else self.process.terminate()
        return self.process.wait(harness.START_S)

    @property
    def env(self):
        return {"AGONES_SDK_HTTP_PORT": str(self.port)}

    @property
    def log(self):
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def get(self, path="/gameserver"):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
            return json.load(answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
