"""An HTTP server in a thread, as the counterpart of a client under test."""

import threading
from http.server import ThreadingHTTPServer


class BackgroundServer(ThreadingHTTPServer):
    """A server that runs from its creation to the end of its `with` block.

    `over` is set when the server ends, so that a handler which waits can end as well. A handler may
    break the connection; this is not reported.
    """

    daemon_threads, block_on_close, request_queue_size = True, False, 64

    def __init__(self, handler, port=0):
        super().__init__(("127.0.0.1", port), handler)
        self.over = threading.Event()
        self.thread = threading.Thread(
            target=lambda: self.serve_forever(poll_interval=0.02), daemon=True
        )
        self.thread.start()

    def handle_error(self, request, client_address):
        pass

    def __exit__(self, *_):
        self.over.set()
        self.shutdown()
        self.server_close()
        self.thread.join()
