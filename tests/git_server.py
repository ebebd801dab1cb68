"""A Git server on the loopback interface: `git http-backend` behind a WSGI application."""

import os
import subprocess
import threading
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

Start = Callable[[str, list[tuple[str, str]]], Any]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]
_PASSED = ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING", "CONTENT_TYPE", "CONTENT_LENGTH")


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base names it so
        del format, args


@dataclass
class GitServer:
    """The server's repositories, password, and requests.

    Attributes:
        password: Required password. Empty permits access without one.
        status: The answer to all requests, such as `503 Busy`, or empty.
    """

    root: Path
    url: str = ""
    password: str = ""
    status: str = ""
    requests: list[str] = field(default_factory=list)

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        self.requests.append(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}")
        if self.status:
            start(self.status, [])
            return [b"no\n"]
        wanted = b64encode(f"x-access-token:{self.password}".encode()).decode()
        if self.password and environ.get("HTTP_AUTHORIZATION") != f"Basic {wanted}":
            start("401 Unauthorized", [("WWW-Authenticate", 'Basic realm="git"')])
            return [b"who are you?\n"]
        return self._backend(environ, start)

    def _backend(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        variables = {name: environ[name] for name in _PASSED if environ.get(name)}
        variables |= {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "HTTP_CONTENT_ENCODING": environ.get("HTTP_CONTENT_ENCODING", ""),
            "GIT_PROTOCOL": environ.get("HTTP_GIT_PROTOCOL", ""),
            "REMOTE_USER": "somebody",
        }
        done = subprocess.run(
            ["git", "http-backend"],
            input=environ["wsgi.input"].read(length) if length else b"",
            capture_output=True,
            check=False,
            env=variables,
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n") if line]
        status = next((value for name, value in headers if name == "Status"), "200 OK")
        start(status, [(name, value) for name, value in headers if name != "Status"])
        return [body]


@contextmanager
def serving(
    root: Path, wrap: Callable[[GitServer], Application] = lambda served: served
) -> Iterator[GitServer]:
    """Serve all repositories below a folder at `url`/name.

    Args:
        root: The folder.
        wrap: Wraps the WSGI application.
    """
    served = GitServer(root)
    with make_server("127.0.0.1", 0, wrap(served), _Server, _Quiet) as server:
        served.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
