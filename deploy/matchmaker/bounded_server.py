# SPDX-License-Identifier: MIT
"""An HTTP server of Python's library that ends clients which do not send their requests: a thread for
each of them would be the cheapest way to fill this machine's memory."""

import contextlib
import http.server
import socket
import threading
import time

MAX_CONNECTIONS = 2000 # a thread each; a new one ends the one whose request is awaited for longest
MAX_REQUEST_S = 10 # for a request to arrive as a whole


class BoundedServer(http.server.ThreadingHTTPServer):
    """Its handler calls expect_request where a request may begin, and end_request when it is read."""
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, address, handler):
        self.lock = threading.Lock()
        self.connections = 0
        self.awaited = {} # connection: since when its request is awaited, the oldest first
        super().__init__(address, handler)

    def expect_request(self, connection):
        with self.lock:
            self.awaited.pop(connection, None)
            self.awaited[connection] = time.monotonic()

    def end_request(self, connection):
        with self.lock:
            self.awaited.pop(connection, None)

    def end_oldest(self, older_than_s):
        """Ends the connection whose request is awaited for longest, if it is for so long."""
        with self.lock:
            connection = next(iter(self.awaited), None)
            if connection is None or time.monotonic() - self.awaited[connection] < older_than_s:
                return False
            del self.awaited[connection]
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR) # its thread closes it
            return True

    def process_request(self, request, client_address):
        if self.connections >= MAX_CONNECTIONS and not self.end_oldest(0):
            self.shutdown_request(request)
            return
        with self.lock:
            self.connections += 1
        try:
            super().process_request(request, client_address)
        except RuntimeError: # there is no thread for it
            with self.lock:
                self.connections -= 1
            raise

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self.lock:
                self.connections -= 1
                self.awaited.pop(request, None)

    def service_actions(self): # serve_forever calls it twice a second
        while self.end_oldest(MAX_REQUEST_S):
            pass

    def handle_error(self, *_):
        """A client that has gone is no news."""
