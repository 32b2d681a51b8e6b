"""gunicorn's gthread with eventapi's checks of request heads, its problem documents and its watchdog.

It is used with `server = gthread`. gunicorn itself waits for clients here, in the thread of the request: slow request
heads and slow readers are not limited. So gthread belongs behind nginx, which waits for them.
"""

import threading
import time
from socket import SHUT_WR, socket

from gunicorn.http import errors
from gunicorn.http.body import Body
from gunicorn.http.message import Request
from gunicorn.workers import gthread

from eventapi.server import heads
from eventapi.server.watchdog import Watchdog

LINGER = 1  # second in which a client may send the rest of a refused body and read the response


class Worker(gthread.ThreadWorker):
    """The worker. It ends if all its threads are inside the application and none of them returns."""

    def load_wsgi(self) -> None:
        """Load the application. gunicorn calls this before `run`."""
        super().load_wsgi()
        inside, threads, application = set(), self.cfg.threads, self.wsgi
        self.watchdog = watchdog = Watchdog(lambda: len(inside) >= threads, self.ppid, self.log)
        # Half of the threads may wait for bodies (web/uploads.py). So at least one thread waits for no client.
        self.lingering = threading.BoundedSemaphore((threads - 1) // 2)

        def counted(environ, start_response):
            me = threading.get_ident()
            inside.add(me)
            try:
                return application(environ, start_response)
            finally:
                inside.discard(me)
                watchdog.progress += 1

        self.wsgi = counted

    def notify(self) -> None:
        """Tell gunicorn that the main thread works. gunicorn calls this at least once a second."""
        super().notify()
        self.watchdog.check()

    def handle_request(self, req: Request, conn: gthread.TConn) -> bool:
        """Respond to a request that gunicorn has parsed. Return whether the connection stays open.

        gunicorn before 26 forgets what it has received behind the request until more arrives, so it must close then.
        """
        head = heads.written(req)
        heads.check_bytes(head, len(head))
        fields = heads.check(req)
        if "EXPECT" in fields:
            delay_continue(req, conn.sock)
        if "close" in fields.get("CONNECTION", "").lower():
            req.must_close = True
        keeps_rest = hasattr(conn.parser, "finish_body")
        if super().handle_request(req, conn) and (
            keeps_rest or not conn.parser.unreader.buf.getvalue()
        ):
            return True
        has_body = fields.get("CONTENT-LENGTH", "0") != "0" or "TRANSFER-ENCODING" in fields
        if has_body and self.lingering.acquire(blocking=False):
            try:
                linger(conn.sock)
            finally:
                self.lingering.release()
        return False

    def handle_error(
        self, req: Request | None, client: socket, addr: tuple | str, exc: Exception
    ) -> None:
        """Send a problem document. gunicorn's page of HTML, and its log, would repeat the invalid part."""
        from eventapi import config as configuration
        from eventapi.errors import internal_error
        from eventapi.server.requests import problem_response, refusal

        is_invalid = isinstance(exc, (errors.ParseException, OSError))
        if not is_invalid:
            self.log.exception("error handling a request")
        problem = refusal(exc) if is_invalid else internal_error()
        try:
            client.sendall(problem_response(problem, configuration.load().base_url or ""))
        except OSError as error:
            self.log.debug("no response could be sent: %s", error)


class Expected:
    """The body of a client that waits for `100 Continue`, which is sent when the application reads the body."""

    def __init__(self, body: Body, sock: socket):
        self.reader, self._body, self._sock = body.reader, body, sock

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, b"" at the end."""
        if self._sock:
            self._sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._sock = None
        return self._body.read(size)


def delay_continue(request: Request, sock: socket) -> None:
    """Send `100 Continue` after authentication; gunicorn would send it before it calls the application.

    The connection is closed after the response, since a client that gets another one may not send its body.
    """
    request.headers = [field for field in request.headers if field[0] != "EXPECT"]
    request._expected_100_continue, request.must_close = False, True
    if request.version > (1, 0):
        request.body = Expected(request.body, sock)


def linger(client: socket) -> None:
    """End our side of a connection. Then discard what the client sends until it ends its side, for LINGER at most.

    A close with unread bytes resets the connection: the client, or nginx in front of it, never reads the response.
    """
    end = time.monotonic() + LINGER
    try:
        client.shutdown(SHUT_WR)
        while (left := end - time.monotonic()) > 0:
            client.settimeout(left)
            if not client.recv(65_536):
                break
    except OSError:  # a timeout, or the client has closed the connection itself
        pass
