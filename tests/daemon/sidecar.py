# SPDX-License-Identifier: MIT
"""SDK servers of Agones for the tests: a stub that can be spoilt, and the real one.

The stub keeps a GameServer as the real one does with --local: state, a counter and two lists, and a
watch stream. `mode` spoils what it answers:

  good      as it should be                     garbage   200 with bytes that are no JSON
  slow      500 ms late                         silent    nothing, and the connection stays
  refusing  500                                 endless   200 with a body without an end
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

# A flood needs a stream that is open.
MODES = ("flood", "slow", "refusing", "garbage", "endless", "trailers", "extended", "silent",
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
                   "counters": {"rooms": {"count": "0", "capacity": "1000"}},
                   "lists": {"rooms": {"capacity": "64", "values": []},
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
        elif mode == "refusing":
            self.send_body(500, b'{"code":2,"message":"out of range","details":[]}')
            return True
        elif mode == "garbage":
            self.send_body(200, b"\xff\xfe{{{]\n" * 100)
            return True
        elif mode == "silent":
            stub.wait_while(mode, 30)
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
        if self.spoil(stub, stub.mode):
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
        answer = stub.execute(call, body)
        self.send_body(200 if answer is not None else 500, json.dumps(answer or {}).encode())

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


class Stub:
    """A spoilt SDK server. Leaving it ends it."""

    def __init__(self, state=None, mode="good"):
        self.state = state or game_server()
        self.mode = mode
        self.api = "v1beta1" # of counters and lists; the real one answers 404 to other versions
        self.takes_lists = True # False: PATCH of a list is refused, as since Agones 1.56
        self.calls = []
        self.version = 0
        self.generation = 0 # of watch streams: a new one ends the others
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.stub = self
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
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

    def rooms(self):
        """What the counter and the list say."""
        with self.lock:
            return (int(self.status["counters"]["rooms"]["count"]),
                    list(self.status["lists"]["rooms"]["values"]))

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
                meta["annotations"]["raimd/room"] = json.dumps(annotation)
            counter = status["counters"]["rooms"]
            counter["count"] = str(int(counter["count"]) + max(1, len(values)))
            rooms = status["lists"]["rooms"]
            # What does not fit is cut off in silence, as Agones does it.
            rooms["values"] = (rooms["values"] + list(values))[:int(rooms["capacity"])]
        self.change(change)

    def execute(self, call, body):
        """The answer, as the SDK server would change its GameServer; None: refused."""
        states = {"POST /ready": "Ready", "POST /allocate": "Allocated",
                  "POST /shutdown": "Shutdown"}
        if call == "GET /gameserver":
            return self.state
        if call in states:
            self.change(lambda state: state["status"].update(state=states[call]))
            return {}
        if call in ("PUT /metadata/label", "PUT /metadata/annotation"):
            kind = "labels" if call.endswith("label") else "annotations"
            if not isinstance(self.state["object_meta"][kind], dict):
                return None # a lie
            self.change(lambda state: state["object_meta"][kind].update(
                {f"agones.dev/sdk-{body['key']}": body["value"]}))
            return {}
        if call.endswith("/counters/rooms"):
            return self.count(body or {})
        if call.startswith("PATCH") and "/lists/" in call and not self.takes_lists:
            return None
        if "/lists/" in call:
            return self.list(call.rpartition("/")[2], body)
        return {}

    def count(self, body):
        counter = dict(self.status["counters"]["rooms"])
        counter.update({key: body[key] for key in ("count", "capacity") if key in body})
        if not isinstance(counter["count"], str):
            return None # a lie
        counter["count"] = str(int(counter["count"]) + int(body.get("countDiff", 0)))
        if not 0 <= int(counter["count"]) <= int(counter["capacity"]):
            return None
        self.change(lambda state: state["status"]["counters"].update(rooms=counter))
        return {"name": "rooms", **counter}

    def list(self, name, body):
        name, _, verb = name.partition(":")
        values = list(self.status["lists"][name]["values"])
        if verb == "addValue" and body["value"] not in values:
            values.append(body["value"])
        elif verb == "removeValue" and body["value"] in values:
            values.remove(body["value"])
        elif not verb:
            values = body["values"]
        else:
            return None
        self.change(lambda state: state["status"]["lists"][name].update(values=values))
        return {"name": name, **self.status["lists"][name]}


# --- the real one ---

def find_sdk_server():
    """Agones' own sdk-server, or None: $RAIM_SDK_SERVER, where `./dev deps --all` puts it, $PATH."""
    named = os.environ.get("RAIM_SDK_SERVER")
    built = harness.ROOT / "build/go/sdk-server"
    if named:
        return pathlib.Path(named)
    return built if built.exists() else shutil.which("sdk-server")


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
