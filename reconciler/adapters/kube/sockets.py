"""Connections that keep to a cluster's deadline, from the first address to the last byte.

A timeout of a socket starts anew with every byte, and that of a connection with every address of a
name: a server that drips one byte a second, or has a thousand addresses where nobody answers, holds
its caller for ever. Here each of these first looks at what is left of the deadline.
"""

import http.client
import io
import socket
from functools import partial
from typing import Any

from reconciler.adapters.kube.deadline import Deadline


def limited(pool_class: Any, deadline: Deadline) -> Any:
    """A class of connection pools that connect, and read all of an answer, within a deadline."""
    from urllib3.connection import HTTPConnection

    connection = pool_class.ConnectionCls
    ways: dict[str, Any] = {
        "response_class": partial(_answer, deadline),
        "request": lambda self, *words, **more: _sent(connection, self, *words, **more),
    }
    # What urllib3 offers to those who connect in another way, as SOCKS does.
    if connection._new_conn is HTTPConnection._new_conn:
        ways["_new_conn"] = lambda self: _connected(self, deadline)
    slow = type(connection.__name__, (connection,), ways)
    return type(pool_class.__name__, (pool_class,), {"ConnectionCls": slow})


def _sent(kind: Any, connection: Any, *words: Any, **more: Any) -> None:
    """Send a request with its body in one piece: in two, the server is woken twice for each."""
    pieces: list[bytes] = []
    connection.send = pieces.append
    try:
        kind.request(connection, *words, **more)
    finally:
        del connection.send
    connection.send(b"".join(pieces))


def _connected(connection: Any, deadline: Deadline) -> socket.socket:
    """What urllib3 makes of a name: a socket, or one of its errors."""
    from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError

    host, port = connection._dns_host.strip("[]"), connection.port
    try:
        return _opened(host, port, connection.socket_options or (), deadline)
    except (socket.gaierror, UnicodeError) as failure:
        raise NameResolutionError(host, connection, failure) from failure  # type: ignore[arg-type]  # it only shows it
    except TimeoutError as failure:
        raise ConnectTimeoutError(connection, "no connection") from failure
    except OSError as failure:
        raise NewConnectionError(connection, "no connection") from failure


def _opened(host: str, port: int, options: Any, deadline: Deadline) -> socket.socket:
    """A socket to the first address that answers; the last one's failure when none does."""
    failure: OSError = TimeoutError()
    for *kind, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        left = deadline.left()
        if left <= 0:
            break
        opened = socket.socket(*kind)
        try:
            for option in options:
                opened.setsockopt(*option)
            opened.settimeout(min(left, deadline.timeouts.connect_seconds))
            opened.connect(address)
        except OSError as failed:
            opened.close()
            failure = failed
        else:
            return opened
    raise failure


class _Socket(io.RawIOBase):
    """The reading end of a socket, within a deadline."""

    def __init__(self, sock: Any, deadline: Deadline) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline.left()
        if left <= 0:
            raise TimeoutError("the deadline is over")
        self._sock.settimeout(min(left, self._deadline.silence_seconds))
        count: int | None = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Limited:
    """As much of a socket as an answer reads from."""

    def __init__(self, sock: Any, deadline: Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Socket(self._sock, self._deadline))


def _answer(deadline: Deadline, sock: Any, **options: Any) -> http.client.HTTPResponse:
    return http.client.HTTPResponse(_Limited(sock, deadline), **options)  # type: ignore[arg-type]  # it only calls makefile
