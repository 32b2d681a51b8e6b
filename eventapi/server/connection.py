"""A client's connection, as gunicorn's parser reads from it and its Response writes to it: never waiting longer than is fair."""
import io
import re
import select
import socket
import time

from gunicorn.http import errors, wsgi
from gunicorn.http.parser import RequestParser

PATIENCE = 30               # seconds for a head, and again for a body and an answer,
SLOWEST = 16 * 1024         # which get a second more for each so many bytes
PIECE = 16 * 1024           # bytes read at once
GATHERED = 64 * 1024        # bytes of an answer that are sent at once
LONGEST = 64 * 1024         # bytes of a head
LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,5})[ \t]*\r\n", re.I)    # of a short body
EXPECT = re.compile(rb"\r\nexpect:", re.I)
LONE_LF = re.compile(rb"(?<!\r)\n")


class Gone(Exception):
    """The client went away or takes too long: there is nobody to answer."""


class Connection:
    """`buffer` holds what has come and is not yet parsed; `gathered` what is answered and not yet sent, all of it while `holding`."""

    def __init__(self, sock, client, server, cfg, before_waiting):
        self.sock, self.client, self.server, self.cfg = sock, client, server, cfg
        self.fd, self.parser = sock.fileno(), RequestParser(cfg, self, client)
        self.buffer, self.searched, self.needed, self.came, self.since = bytearray(), 0, 0, 0, 0.0
        self.gathered, self.size, self.answering, self.holding = [], 0, False, False
        self.deadline, self.ended = 0.0, False      # of reading a body or sending an answer; whether the client sends no more
        self.expires, self.lingering = 0.0, False   # the worker's
        self.before_waiting = before_waiting        # called where a thread is about to wait for the client
        sock.setblocking(False)
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    # What comes

    def receive(self):
        """Takes what is there, without waiting."""
        try:
            data = self.sock.recv(PIECE)
        except BlockingIOError:
            return
        except OSError as error:
            raise Gone(error) from None
        if not data:
            raise Gone("closed by the client")
        if not self.buffer:
            self.since = time.monotonic()
        self.buffer += data

    def silent(self):
        """Whether nothing has come that is not received yet."""
        try:
            return not self.sock.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def whole(self):
        """Whether a request can be begun: all of its head is here, and its body where that is short. Also when it will never be one."""
        if not self.needed:
            end = self.buffer.find(b"\r\n\r\n", self.searched)
            if end < 0:
                return self._hopeless()
            self.needed = end + 4 + short_body(self.buffer, end + 2)
        return len(self.buffer) >= self.needed

    def _hopeless(self):
        """Whether the parser shall refuse at once what has no end yet."""
        length, line = len(self.buffer), self.cfg.limit_request_line
        lone = LONE_LF.search(self.buffer, self.searched)
        self.searched = max(0, length - 3)
        return bool(lone) or length > LONGEST or length > line > 0 and b"\r\n" not in self.buffer[:line + 2]

    def request(self):
        """(Response, environ) of the next request; raises what gunicorn's parser finds wrong."""
        data, end = bytes(self.buffer), max(self.buffer.find(b"\r\n\r\n"), 0)
        self.buffer.clear()
        self.searched = self.needed = self.deadline = 0             # the head is here: nothing is waited for
        if broken(data[:end]):
            raise errors.InvalidHeader("NUL, or CR and LF that do not stand together")
        self.parser.unreader.unread(data)
        try:
            request = next(self.parser)
        except (errors.NoMoreData, TimeoutError):
            if len(data) > LONGEST:
                raise errors.LimitRequestHeaders("the head is too long") from None
            raise errors.InvalidHeader("the head has no end") from None
        self.answering, self.deadline = False, time.monotonic() + PATIENCE
        response, environ = wsgi.create(request, self, self.client, self.server, self.cfg)
        if not environ.get("CONTENT_LENGTH", "0").isdigit():        # gunicorn 20.1 takes +1
            raise errors.InvalidHeader("CONTENT-LENGTH")
        self.came = len(data) - end - 4
        return response, environ

    def is_short(self, environ):
        """Whether nothing of the request has to be waited for."""
        return "HTTP_TRANSFER_ENCODING" not in environ and int(environ.get("CONTENT_LENGTH") or 0) <= min(self.came, PIECE)

    def recv(self, size):
        """The parser reads bodies with this."""
        while True:
            try:
                data = self.sock.recv(size)
                break
            except BlockingIOError:
                self._wait(select.POLLIN)
        if not data and self.ended:
            raise ConnectionResetError("the client has closed the connection")    # gunicorn 20.1 would ask for ever
        self.ended = not data
        self.deadline += len(data) / SLOWEST
        return data

    def drained(self, environ, status):
        """Whether the next request can follow this one: all of its body is here, and what nobody read of it is thrown away."""
        chunked = "HTTP_TRANSFER_ENCODING" in environ
        if not chunked and "CONTENT_LENGTH" not in environ:
            return True
        if chunked and status >= 400:       # chunks that could not be read have no sure end
            return False
        self.deadline = 0
        try:
            return any(not self.parser.mesg.body.read(PIECE) for _ in range(8))
        except Exception:           # it is not here yet, or it cannot be read; each server has errors of its own for it
            return False

    def keep(self):
        """Takes back what the parser has left over, the beginning of the next request."""
        unreader = self.parser.unreader
        rest = unreader.buf.getvalue()
        if rest:
            unreader.buf, self.since = io.BytesIO(), time.monotonic()
            self.buffer += rest

    # What goes

    def sendall(self, data):
        """Response writes with this; what is small goes out as one."""
        self.gathered.append(data)
        self.size += len(data)
        if self.size > GATHERED:
            self.flush()

    def send(self, data):
        """gunicorn says with this that a body is expected."""
        self.sendall(data)
        self.flush()
        self.answering = False

    def sendfile(self, file, offset=0, count=None):
        self.flush()
        self.before_waiting()
        self.sock.settimeout(PATIENCE)
        try:
            self.sock.sendfile(file, offset, count)
        except OSError as error:
            raise Gone(error) from None
        finally:
            self.sock.setblocking(False)

    def flush(self):
        if self.holding:
            return
        data = memoryview(b"".join(self.gathered))
        self.drop()
        if data and not self.answering:
            self.answering, self.deadline = True, time.monotonic() + PATIENCE
        try:
            while data:
                sent = self._send(data)
                self.deadline += sent / SLOWEST
                data = data[sent:]
        except OSError as error:
            raise Gone(error) from None

    def drop(self):
        """Forgets what is gathered."""
        self.gathered, self.size = [], 0

    def _send(self, data):
        try:
            return self.sock.send(data)
        except BlockingIOError:
            self._wait(select.POLLOUT)
            return 0

    def _wait(self, event):
        left = self.deadline - time.monotonic()
        poll = select.poll()
        poll.register(self.fd, event)
        if left > 0:
            self.before_waiting()
        if left <= 0 or not poll.poll(left * 1000):
            raise TimeoutError("the client is too slow")


def broken(head):
    """What gunicorn 20.1 would let pass, and another reader might take for the end of a line."""
    return b"\0" in head or not head.count(b"\r") == head.count(b"\n") == head.count(b"\r\n")


def short_body(data, end):
    """How many bytes of body are worth waiting for before the parser, who decides, sees the head that stands before `end`."""
    if data.startswith((b"GET ", b"HEAD ")):
        return 0
    length = LENGTH.search(data, 0, end)
    return int(length[1]) if length and not EXPECT.search(data, 0, end) else 0
