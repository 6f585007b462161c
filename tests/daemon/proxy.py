# SPDX-License-Identifier: MIT
"""A reverse proxy that puts a status into the folder /raim/ of its own address, as operators do, and
may change what documents say on the way."""

import contextlib
import http.client
import http.server
import socketserver
import threading

import harness

FOLDER = "/raim"


class _Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.paths.append(self.path)
        if not self.path.startswith(f"{FOLDER}/"):
            self.send_error(404)
            return
        connection = http.client.HTTPConnection(*self.server.upstream, timeout=harness.START_S)
        with contextlib.closing(connection), contextlib.suppress(OSError):
            try:
                connection.request("GET", self.path.removeprefix(FOLDER))
                answer = connection.getresponse()
            except OSError:
                self.send_error(502)
                return
            kind = answer.getheader("Content-Type")
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "transfer-encoding", "connection", "date"):
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            if kind == "application/json":
                self.wfile.write(self.server.change(answer.read()))
                return
            while piece := answer.read1(65536):
                self.wfile.write(piece)


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass # clients close streams


@contextlib.contextmanager
def proxy(upstream, change=lambda body: body):
    """The proxy's URL, and the list of paths that it was asked for."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.upstream, server.change, server.paths = upstream, change, []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield "http://127.0.0.1:{}{}/".format(server.server_port, FOLDER), server.paths
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
