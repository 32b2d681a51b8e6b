"""An app of this process behind a port, for programs that need real HTTP."""

import contextlib
import socket
import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


class Server(ThreadingMixIn, WSGIServer):
    """A thread for each connection: browsers open some that they do not use.

    Closing reads nothing more from any connection, and waits for all threads.
    """

    def __init__(self, *args, **options):
        self.connections = set()
        super().__init__(*args, **options)

    def process_request(self, request, client_address):
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        self.connections.discard(request)
        super().shutdown_request(request)

    def server_close(self):
        for connection in list(self.connections):
            with contextlib.suppress(OSError):  # it is closed meanwhile
                connection.shutdown(socket.SHUT_RD)
        super().server_close()


class Quiet(WSGIRequestHandler):
    timeout = 10  # seconds until an unused connection is closed

    def handle(self):
        with contextlib.suppress(TimeoutError):
            super().handle()

    def log_message(self, *_):
        """Log nothing."""


@contextlib.contextmanager
def served(app, requests):
    """Yield the address of a server with the app.

    `requests` gets (method, path, status) of each request.
    """

    def recorded(environ, start_response):
        def start(status, headers, exc_info=None):
            requests.append((environ["REQUEST_METHOD"], environ["PATH_INFO"], int(status[:3])))
            return start_response(status, headers)

        return app(environ, start)

    with make_server("127.0.0.1", 0, recorded, Server, Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
