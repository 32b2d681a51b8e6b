"""Send a POST to an external server: to a checked address, within a time limit, without redirects
and proxies.
"""

import http.client
import io
import socket
import ssl
import time
from functools import lru_cache

from eventapi.domain.webhooks import addresses

MOST_OF_ANSWER = 64 * 1024  # bytes of a response that are read; only its status matters


class Failed(Exception):
    """There is no response. The text says why."""


def post(url, body, headers, *, seconds, allowed):
    """Send the body and return the status of the response.

    Raise Failed if there is none, and addresses.Refused if the address is not allowed.
    """
    deadline = time.monotonic() + seconds
    target = addresses.parse(url)
    found = addresses.resolve(target, seconds)
    if not found:
        raise Failed("the host name is not known")
    addresses.refuse_blocked(target, found, allowed)
    connection = http.client.HTTPConnection(target.host, target.port)
    try:
        connection.sock = Timed(_connected(target, found, deadline), deadline)
        connection.putrequest("POST", target.path, skip_host=True, skip_accept_encoding=True)
        own = {"Host": target.authority, "Connection": "close", "Content-Length": str(len(body))}
        for name, value in {**own, **headers}.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        return _status(connection.getresponse())
    except TimeoutError:
        raise Failed(f"no response within {seconds} s") from None
    except ssl.SSLCertVerificationError as error:
        raise Failed(f"the certificate is not valid: {error.verify_message}") from None
    except (OSError, http.client.HTTPException) as error:
        raise Failed(_said(error)) from None
    finally:
        connection.close()


def _said(error):
    if isinstance(error, http.client.HTTPException) and not isinstance(
        error, http.client.RemoteDisconnected
    ):
        return "the answer is not HTTP"
    return f"the connection failed: {getattr(error, 'strerror', None) or str(error) or type(error).__name__}"[
        :200
    ]


def _status(response):
    """Return the status.

    Read a part of the body, so that the server does not see a broken connection.
    """
    try:
        response.read(MOST_OF_ANSWER)
    except (OSError, http.client.HTTPException):
        pass  # the status is known, and nothing else matters
    return response.status


def _connected(target, found, deadline):
    """Connect to one of the addresses.

    With https, verify that the certificate is valid for the host name.
    """
    sock = _reached(target.port, found, deadline)
    if target.scheme == "http":
        return sock
    try:
        sock.settimeout(max(0.001, deadline - time.monotonic()))
        return _context().wrap_socket(sock, server_hostname=target.host)
    except BaseException:
        sock.close()
        raise


def _reached(port, found, deadline):
    """Return a connection to the first of the addresses that accepts one.

    Raise the last OSError if none does.

    The time that is left is divided evenly, so that an address that does not respond leaves time
    for the others.
    """
    for place, address in enumerate(found):
        left = deadline - time.monotonic()
        try:
            if left > 0:
                return socket.create_connection(
                    (address, port), timeout=left / (len(found) - place)
                )
            error = TimeoutError()
        except OSError as failed:
            error = failed
    raise error


@lru_cache(maxsize=1)
def _context():
    return ssl.create_default_context()


class Timed:
    """A socket with a deadline for all its operations together.

    It has only the methods that http.client calls.
    """

    def __init__(self, sock, deadline):
        self.sock, self.deadline = sock, deadline

    def in_time(self):
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.sock.settimeout(left)
        return self.sock

    def sendall(self, data):
        self.in_time().sendall(data)

    def makefile(self, *_):
        return io.BufferedReader(Reading(self))

    def close(self):
        self.sock.close()


class Reading(io.RawIOBase):
    """Reader of a Timed socket, limited to MOST_OF_ANSWER bytes."""

    def __init__(self, timed):
        self.timed, self.left = timed, MOST_OF_ANSWER

    def readable(self):
        return True

    def readinto(self, buffer):
        if self.left <= 0:
            raise http.client.HTTPException("the response is too long")
        size = self.timed.in_time().recv_into(buffer)
        self.left -= size
        return size
