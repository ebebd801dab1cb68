"""The HTTP server with real sockets: answers, and resistance to malicious clients."""

import logging
import os
import shutil
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from threading import Event, Thread

import pytest

from reconciler.daemon import http as http_server
from reconciler.daemon.http import Certificate, Endpoints, Page, Server
from reconciler.daemon.observer import HealthAnswer
from reconciler.model.errors import UsageError
from tests.kube.certificates import make

SECRET = "0123456789abcdef-secret"
Begin = Callable[..., Server]


@pytest.fixture
def rung() -> list[str]:
    return []


@pytest.fixture
def begin(rung: list[str]) -> Iterator[Begin]:
    """Start servers that end with the test."""
    with ExitStack() as stack:

        def begun(**more: object) -> Server:
            doors = Endpoints(
                lambda: b"frogs 1\n",
                HealthAnswer,
                HealthAnswer,
                lambda: rung.append("x"),
                SECRET.encode,
            )
            server = Server(("127.0.0.1", 0), doors, **more)  # type: ignore[arg-type]
            stack.callback(server.close)
            return server

        yield begun


@pytest.fixture
def server(begin: Begin) -> Server:
    return begin()


def ask(server: Server, method: str, path: str, body: bytes = b"", **more: str) -> HTTPResponse:
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        headers = {name.replace("_", "-"): value for name, value in more.items()}
        connection.request(method, path, body or None, headers)
        answered = connection.getresponse()
        answered.text = answered.read()  # type: ignore[attr-defined]
        return answered


def raw(server: Server, data: bytes) -> bytes:
    """Send bytes, and return the answer until the end of the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(data)
        return describe(connection)


@contextmanager
def connected(server: Server) -> Iterator[list[socket.socket]]:
    """Open three connections that send nothing."""
    address = ("127.0.0.1", server.port)
    with ExitStack() as stack:
        made = (socket.create_connection(address, timeout=30) for _ in range(3))
        yield [stack.enter_context(connection) for connection in made]


def describe(connection: socket.socket) -> bytes:
    found = b""
    with suppress(ConnectionResetError):
        while data := connection.recv(65_536):
            found += data
    return found


def test_pages_are_served_and_the_connection_ends(server: Server) -> None:
    for path, text in (("/metrics", b"frogs 1\n"), ("/healthz?x=1", b"ok\n")):
        answered = ask(server, "GET", path)
        assert (answered.status, answered.text) == (200, text)  # type: ignore[attr-defined]
        assert answered.headers["Connection"] == "close"
        assert answered.headers["Server"] == "ipam"
    answered = ask(server, "HEAD", "/metrics")
    assert (answered.headers["Content-Length"], answered.text) == ("8", b"")  # type: ignore[attr-defined]


def test_a_silent_caller_is_cut_off(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "TIMEOUT_SECONDS", 0.2)
    assert raw(begin(), b"GET /healthz HTTP/1.1\r\n") == b""


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 150 + b"\r\n", 431),
        (b"POST /hook HTTP/1.1\r\nContent-Length: 65537\r\n\r\n", 413),
        (b"POST /hook HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"GET / HTTP/3.1\r\n\r\n", 505),
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    ],
)
def test_what_is_too_large_or_no_http_is_refused(server: Server, data: bytes, status: int) -> None:
    answered = raw(server, data)
    assert answered.startswith(f"HTTP/1.1 {status} ".encode())
    assert ask(server, "GET", "/healthz").status == 200


def test_of_too_many_connections_the_oldest_gives_way(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS", 2)
    server = begin()
    with connected(server) as silent:
        assert describe(silent[0]) == b""
        assert ask(server, "GET", "/healthz").status == 200
        assert describe(silent[1]) == b""
        silent[2].sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
        assert describe(silent[2]).startswith(b"HTTP/1.1 200 ")


def test_callers_who_leave_in_the_middle_harm_nobody(server: Server) -> None:
    for data in (b"", b"GET", b"POST /hook HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc"):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(data)
    assert ask(server, "GET", "/healthz").status == 200


def test_a_server_that_is_closed_cuts_off_who_waits_and_frees_its_port(begin: Begin) -> None:
    server = begin()
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as silent:
        ask(server, "GET", "/healthz")  # so the silent one was accepted before
        server.close()
        assert describe(silent) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))


def test_nothing_that_was_asked_is_logged(
    server: Server, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    ask(server, "POST", f"/hook?token={SECRET}", b"{}", X_Gitlab_Token=f"{SECRET}x")
    raw(server, f"GET /{SECRET} \r\n\r\n".encode())
    out = capfd.readouterr()
    assert SECRET not in caplog.text + out.out + out.err


def test_a_port_that_is_taken_is_told(server: Server) -> None:
    with pytest.raises(UsageError, match=f"--listen 127.0.0.1:{server.port}: Address already"):
        Server(("127.0.0.1", server.port), Endpoints(None, HealthAnswer, HealthAnswer))


def certified(folder: Path, name: str, at: int) -> Path:
    """Install a certificate and key, with a separate modification time."""
    made = make(folder, name)
    for source, target in ((made.certificate, "tls.crt"), (made.key, "tls.key")):
        shutil.copyfile(source, folder / target)
        os.utime(folder / target, (at, at))
    return made.certificate


def secure(server: Server, authority: Path) -> int:
    context = ssl.create_default_context(cafile=str(authority))
    with closing(
        HTTPSConnection("127.0.0.1", server.port, timeout=30, context=context)
    ) as connection:
        connection.request("GET", "/readyz")
        return connection.getresponse().status


def test_tls_is_spoken_and_a_new_certificate_is_shown_at_once(begin: Begin, tmp_path: Path) -> None:
    first = certified(tmp_path, "one", 1)
    server = begin(certificate=Certificate(tmp_path / "tls.crt", tmp_path / "tls.key"))
    assert secure(server, first) == 200
    second = certified(tmp_path, "two", 2)
    assert secure(server, second) == 200
    with pytest.raises(ssl.SSLCertVerificationError):
        secure(server, first)


def test_with_tls_nothing_else_is_spoken_and_silence_is_borne(
    begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS", 2)
    authority = certified(tmp_path, "one", 1)
    certificate = Certificate(tmp_path / "tls.crt", tmp_path / "tls.key")
    server = begin(certificate=certificate)
    assert b"200" not in raw(server, b"GET /healthz HTTP/1.1\r\n\r\n")
    with connected(server) as silent:
        assert describe(silent[0]) == b""
        assert secure(server, authority) == 200


def test_without_a_certificate_that_can_be_read_nothing_is_served(tmp_path: Path) -> None:
    certificate = Certificate(tmp_path / "tls.crt", tmp_path / "tls.key")
    with pytest.raises(UsageError, match="--tls-cert"):
        Server(("127.0.0.1", 0), Endpoints(None, HealthAnswer, HealthAnswer), certificate)


def test_a_report_is_sent_as_a_page_and_a_slow_one_keeps_nobody_else_waiting() -> None:
    begun, go = Event(), Event()

    def slow() -> Page | str:
        begun.set()
        assert go.wait(60)
        return Page("<p>é</p>".encode(), "default-src 'none'")

    server = Server(("127.0.0.1", 0), Endpoints(None, HealthAnswer, HealthAnswer, report=slow))
    found: list[HTTPResponse] = []
    asker = Thread(target=lambda: found.append(ask(server, "GET", "/report")), daemon=True)
    try:
        asker.start()
        assert begun.wait(60)
        assert ask(server, "GET", "/healthz").status == 200
        assert found == []
        go.set()
        asker.join(60)
        head = ask(server, "HEAD", "/report")
    finally:
        go.set()
        server.close()
    assert found[0].text.decode() == "<p>é</p>"  # type: ignore[attr-defined]
    assert head.text == b""  # type: ignore[attr-defined]
    for answered in (found[0], head):
        assert answered.status == 200
        assert answered.headers["X-Content-Type-Options"] == "nosniff"
        assert answered.headers["Content-Length"] == "9"
