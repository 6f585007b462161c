# SPDX-License-Identifier: MIT
"""The contracts of Agones' allocator and of Kubernetes that a matchmaker uses, over the SDK servers
of this machine: POST /gameserverallocation chooses a GameServer as the allocator does and changes it
as the controller would, GET .../gameservers/NAME shows it.

Like the allocator it works in batches, in each of which a GameServer gets one arena at most; who finds
none is answered 429. A value for which a list has no room is cut off in silence."""

import http.client
import http.server
import json
import queue
import threading
import time
import urllib.request

VIEW_S = 0.05
BATCH_S = 0.5 # Agones' allocationBatchWaitTime


class GameServer:
    """A GameServer whose SDK server is Agones' own, with --local and this file. Allocations go
    through its API: rewriting the file would undo what raimd writes at the same time, which
    Kubernetes prevents by the version of a resource. `annotations` are those of the fleet's
    template; in a cluster an allocation sets them."""

    def __init__(self, name, sdk_url, path, address, ports, annotations):
        self.name, self.sdk_url, self.path = name, sdk_url, path
        self.address, self.ports = address, ports
        self.write("Scheduled", {}, annotations, 0, len(ports), [])

    def write(self, state, labels, annotations, count, capacity, arenas):
        """The file: JSON is YAML. It never becomes shorter, because the SDK server reads it at every
        write and must not see a part."""
        text = json.dumps({
            "apiVersion": "agones.dev/v1", "kind": "GameServer",
            "metadata": {"name": self.name, "labels": labels, "annotations": annotations},
            "spec": {"health": {"periodSeconds": 2}},
            "status": {"state": state, "address": self.address,
                       "ports": [{"name": f"arena-{port}", "port": port} for port in self.ports],
                       "counters": {"arenas": {"count": count, "capacity": capacity}},
                       "lists": {"arenas": {"capacity": len(self.ports), "values": arenas},
                                 "players": {"capacity": 1000, "values": []}}}})
        with open(self.path, "r+" if self.path.exists() else "w", encoding="utf-8") as file:
            file.write(text.ljust(65536))

    def drain(self):
        """As a Fleet with allocationOverflow treats an allocated GameServer that it replaces."""
        now = self.get()
        meta, counter = now["object_meta"], now["status"]["counters"]["arenas"]
        self.write(now["status"]["state"], {**meta["labels"], "raimd/drain": "true"},
                   meta["annotations"], int(counter["count"]), int(counter["capacity"]),
                   now["status"]["lists"]["arenas"]["values"])

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.sdk_url + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=2) as answer:
                return json.load(answer)
        except (http.client.HTTPException, ValueError) as error: # it ends
            raise OSError(f"{self.name} does not answer") from error

    def get(self):
        return self.ask("GET", "/gameserver")

    def allocate(self, values):
        """The counter first: raimd takes back what it cannot give."""
        free = free_values(self.get()["status"])
        self.ask("PATCH", "/v1beta1/counters/arenas", {"countDiff": str(len(values))})
        for value in values[:free]:
            self.ask("POST", "/v1beta1/lists/arenas:addValue", {"value": value})
        self.ask("POST", "/allocate", {})


class StubServer:
    """The same with the stub of tests/daemon/sidecar.py."""

    def __init__(self, name, stub):
        self.name, self.stub = name, stub

    def get(self):
        with self.stub.lock:
            return json.loads(json.dumps(self.stub.state))

    def allocate(self, values):
        self.stub.allocate(*values)

    def drain(self):
        self.stub.change(lambda it: it["object_meta"]["labels"].update({"raimd/drain": "true"}))


def free_arenas(status):
    counter = status["counters"]["arenas"]
    return int(counter["capacity"]) - int(counter["count"])


def free_values(status):
    arenas = status["lists"]["arenas"]
    return int(arenas["capacity"]) - len(arenas["values"])


class Director:
    """Serves both. `servers` may change while it runs; all have these annotations."""

    def __init__(self, annotations):
        self.annotations = annotations
        self.servers, self.views, self.lock = {}, {}, threading.Lock()
        self.allocations = self.rejections = 0
        self.requests = queue.Queue() # of (an allocation, the queue for its answer)
        director = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def answer(self, body, problem):
                data = json.dumps(body or {"message": "there is no GameServer for it"}).encode()
                self.send_response(problem if body is None else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_POST(self):
                body, answer = self.rfile.read(int(self.headers["Content-Length"])), queue.Queue()
                director.requests.put((json.loads(body), answer))
                self.answer(answer.get(), 429)

            def do_GET(self):
                self.answer(director.show(self.path.rpartition("/")[2]), 404)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        threading.Thread(target=self.serve_batches, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def show(self, name):
        """A GameServer as Kubernetes shows it, as far as a matchmaker reads it."""
        server = self.servers.get(name)
        if server is None:
            return None
        try:
            meta = self.seen(server)["object_meta"]
        except OSError:
            return None
        return {"metadata": {key: meta[key] for key in ("name", "labels", "annotations")}}

    def seen(self, server):
        """As Kubernetes' own view it may be a moment old."""
        when, it = self.views.get(server.name, (0, None))
        if time.monotonic() > when + VIEW_S:
            it = server.get()
            self.views[server.name] = time.monotonic(), it
        return it

    def drain(self, server):
        with self.lock:
            server.drain()

    def serve_batches(self):
        while True:
            time.sleep(BATCH_S)
            taken = set() # the GameServers that have got an arena in this batch
            while not self.requests.empty():
                body, answer = self.requests.get()
                given = self.allocate(body, taken)
                self.rejections += given is None
                answer.put(given)

    def allocate(self, body, taken):
        with self.lock:
            for selector in body["gameServerSelectors"]:
                found = [each for each in self.matching(selector) if each[1].name not in taken]
                if found:
                    _, server, status = min(found, key=lambda each: each[0])
                    taken.add(server.name)
                    return self.apply(body, server, status)
        return None

    def matching(self, selector):
        """Those that match, the fullest first: Packed, with the priority of the counter."""
        labels = {key: value for key, value in selector["matchLabels"].items()
                  if key != "agones.dev/fleet"} # all are of one fleet
        needed = int(selector["counters"]["arenas"]["minAvailable"])
        listed = int(selector.get("lists", {"arenas": {}})["arenas"].get("minAvailable", 0))
        found = []
        for server in list(self.servers.values()):
            try:
                it = server.get()
            except OSError:
                continue
            own = it["object_meta"]["labels"]
            if (it["status"]["state"].upper() == selector["gameServerState"]
                    and free_arenas(it["status"]) >= needed
                    and free_values(it["status"]) >= listed
                    and all(own.get(key) == value for key, value in labels.items())):
                found.append((free_arenas(it["status"]), server, it["status"]))
        return found

    def apply(self, body, server, status):
        if not body["metadata"]["annotations"].items() <= self.annotations.items():
            raise ValueError("the annotations of allocations are those of GameServer")
        try:
            server.allocate(body["lists"]["arenas"]["addValues"])
        except OSError:
            return None
        self.allocations += 1
        return {"gameServerName": server.name, "address": status["address"],
                "ports": status["ports"], "nodeName": "local", "source": "local"}
