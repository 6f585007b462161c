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
MAX_END_S = 1 # that a new connection waits for the end of the one that makes room


class BoundedServer(http.server.ThreadingHTTPServer):
    """Its handler calls end_request when a request is read, and expect_request where a further one may
    begin."""
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, address, handler):
        self.lock = threading.Lock()
        self.is_gone = threading.Condition(self.lock) # a connection
        self.connections = 0 # MAX_CONNECTIONS at most
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
        if not self.make_room():
            self.shutdown_request(request)
            return
        with self.lock:
            self.connections += 1
        self.expect_request(request) # its thread may begin late
        try:
            super().process_request(request, client_address)
        except RuntimeError: # there is no thread for it
            self.forget(request)
            raise

    def make_room(self):
        """For one more connection."""
        if self.connections < MAX_CONNECTIONS:
            return True
        if not self.end_oldest(0):
            return False
        with self.lock:
            return self.is_gone.wait_for(lambda: self.connections < MAX_CONNECTIONS, MAX_END_S)

    def forget(self, request):
        with self.lock:
            self.connections -= 1
            self.awaited.pop(request, None)
            self.is_gone.notify()

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.forget(request)

    def service_actions(self): # serve_forever calls it twice a second
        while self.end_oldest(MAX_REQUEST_S):
            pass

    def handle_error(self, *_):
        """A client that has gone is no news."""
