# SPDX-License-Identifier: MIT
"""The client's side of the control API, for the tests: requests over the control socket or TCP,
each answer checked against openapi.json, and the stream of events."""

import contextlib
import http.client
import json
import re
import socket
import ssl
import time

import harness

DOCUMENT = json.loads((harness.BIN.parent / "openapi.json").read_text(encoding="utf-8"))

try:
    import jsonschema
except ImportError:
    jsonschema = None # then answers are not checked; test_on_demand.py says so


def template(name="duel", **keys):
    """The text of a template's group."""
    return harness.value({"name": name, "address": "127.0.0.1",
                          "map": str(harness.ROOT / "config/maps/duel.conf"), **keys})


def config(*templates, first, count, arenas=(), **keys):
    """The text of a configuration with a pool of ports."""
    listed = harness.Text("(\n  " + ",\n  ".join(templates) + "\n)")
    return harness.config(*arenas, on_demand_ports=f"{first}-{first + count - 1}",
                          on_demand_templates=listed, **keys)


def check(instance, schema):
    """An answer is as a schema of the document says."""
    if jsonschema is not None:
        jsonschema.Draft202012Validator(
            {**schema, "components": DOCUMENT["components"]}).validate(instance)


def operation(path, method):
    """The document's description of a request, None: it has none."""
    path = re.sub(r"^(/v1/arenas/).+", r"\1{id}", path)
    return DOCUMENT["paths"].get(path, {}).get(method.lower())


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("raimd", timeout=harness.START_S)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Answer:
    def __init__(self, answer):
        self.status, self.headers = answer.status, answer.headers
        self.text = answer.read().decode("utf-8")
        self.json = json.loads(self.text)


class Api:
    """Makes requests. `connect` makes an http.client.HTTPConnection."""

    def __init__(self, connect, headers=None):
        self.connect, self.headers = connect, headers or {}

    @classmethod
    def unix(cls, path):
        return cls(lambda: UnixConnection(path))

    @classmethod
    def tcp(cls, port, token=None, context=None, address="127.0.0.1"):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if context is None:
            return cls(lambda: http.client.HTTPConnection(address, port,
                                                          timeout=harness.START_S), headers)
        return cls(lambda: http.client.HTTPSConnection("127.0.0.1", port, context=context,
                                                       timeout=harness.START_S), headers)

    def ask(self, method, path, body=None, connection=None):
        """The answer. A body that is no text is sent as JSON."""
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        own = connection or self.connect()
        try:
            if own.sock is None:
                own.connect()
            # A body that is too long is answered, and the connection closed, before it is all sent.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                own.request(method, path, body, self.headers)
            answer = Answer(own.getresponse())
        finally:
            if connection is None:
                own.close()
        known = operation(path, method)
        if known is not None:
            said = known["responses"][str(answer.status)]
            check(answer.json, said["content"]["application/json"]["schema"])
        return answer

    def command(self, name, **fields):
        return self.ask("POST", f"/v1/commands/{name}", fields)

    def put(self, name, request, **more):
        return self.ask("PUT", f"/v1/arenas/{name}", request, **more)

    def make(self, name, **request):
        """Makes an arena and returns it."""
        answer = self.put(name, {"template": "duel", **request})
        if answer.status != 201:
            raise AssertionError(f"PUT {name}: {answer.status} {answer.text}")
        return answer.json

    def arena(self, name):
        """An arena as it is now, None: there is none."""
        answer = self.ask("GET", f"/v1/arenas/{name}")
        return answer.json if answer.status == 200 else None

    def free(self):
        return self.ask("GET", "/v1/capacity").json["free"]

    @contextlib.contextmanager
    def events(self, after=None):
        """The stream of events behind this id; 0: every one that is kept."""
        connection = self.connect()
        try:
            headers = dict(self.headers)
            if after is not None:
                headers["Last-Event-ID"] = str(after)
            connection.request("GET", "/v1/events", headers=headers)
            yield Events(connection.getresponse())
        finally:
            connection.close()


class Events:
    """Reads a stream: (id, kind, data) for each event."""

    def __init__(self, answer):
        self.status, self.answer, self.last = answer.status, answer, 0

    def next(self):
        """The next event; skips comments, which come as long as none does."""
        fields = {}
        deadline = time.monotonic() + harness.START_S
        while True:
            line = self.answer.readline().decode("utf-8")
            if time.monotonic() > deadline:
                raise AssertionError(f"no event after {self.last} within {harness.START_S} s")
            if line == "":
                raise AssertionError("the stream has ended")
            if line != "\n":
                name, _, value = line.rstrip("\n").partition(": ")
                fields[name] = value
            elif "event" in fields:
                break
            else:
                fields = {}
        number, data = int(fields["id"]), json.loads(fields["data"])
        assert number > self.last, (number, self.last)
        self.last = number
        check(data, {"$ref": f"#/components/schemas/{fields['event']}"})
        return number, fields["event"], data

    def until(self, kind, name=None):
        """The events up to the first of this kind, of this arena."""
        found = []
        while not found or found[-1][1] != kind or (name and found[-1][2]["id"] != name):
            found.append(self.next())
        return found


def client_context(authority, certificate=None):
    """A TLS context that trusts an authority, and shows a (certificate, key)."""
    context = ssl.create_default_context(cafile=str(authority))
    context.check_hostname = False
    if certificate:
        context.load_cert_chain(*map(str, certificate))
    return context
