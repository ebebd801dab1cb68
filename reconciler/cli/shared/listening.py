"""`--listen` and what belongs to it: the address, TLS, and the secret of those who ring."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec import Struct

from reconciler.adapters.http.files import Certificate, secret_of
from reconciler.adapters.http.pages import Doors
from reconciler.adapters.http.server import Server
from reconciler.cli.shared.extras import require_clusters
from reconciler.cli.shared.options import option
from reconciler.ports import UsageError
from reconciler.ports.health import Health
from reconciler.ports.page import Page

F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.Path(dir_okay=False, path_type=Path)
_MOST_PORT = 65_535


class Listening(Struct, frozen=True):
    """Where to listen, and how; None for nowhere.

    Attributes:
        address: Host and port.
        certificate: PEM files of certificate and key, for TLS.
        secret: The file with the secret of the hook; None where nobody may ring.
    """

    address: tuple[str, int] | None
    certificate: tuple[Path, Path] | None
    secret: Path | None

    def require_nothing(self) -> None:
        """Refuse to be asked to serve by what does not run on.

        Raises:
            UsageError: It is.
        """
        if self.address is not None:
            raise UsageError("--listen needs --watch", "--metrics-file PATH tells of a single run")

    def open_certificate(self) -> Certificate | None:
        """The certificate that is shown; None without TLS."""
        return Certificate(*self.certificate) if self.certificate is not None else None

    def serve(
        self,
        metrics: "Callable[[], bytes]",
        healthy: Callable[[], Health],
        ready: Callable[[], Health],
        moved: Callable[[], None],
        certificate: Certificate | None = None,
        report: Callable[[], Page | str] | None = None,
    ) -> Server | None:
        """Serve from now on, until the server is closed; None where nobody is listened to.

        Args:
            metrics: The figures, as Prometheus reads them.
            healthy: Whether the loop turns.
            ready: Whether the work can be done.
            moved: Told that something moved in Git.
            certificate: Of `open_certificate`.
            report: The page for people, or in words why there is none now.

        Raises:
            UsageError: The address cannot be listened on, or a file cannot be read.
        """
        if self.address is None:
            return None

        secret = None
        if (path := self.secret) is not None:
            secret_of(path)

            def secret() -> bytes:
                return secret_of(path)

        bell = moved if secret is not None else None
        doors = Doors(metrics, healthy, ready, bell, secret, report)
        return Server(self.address, doors, certificate)


def listening_options(function: F) -> F:
    """`--listen`, `--tls-cert`, `--tls-key`, `--hook-secret-file`: one argument, `listening`."""

    @wraps(function)
    def gathered(
        *words: Any,
        listen: str | None,
        tls_cert: Path | None,
        tls_key: Path | None,
        hook_secret_file: Path | None,
        **more: Any,
    ) -> Any:
        given = _listening(listen, (tls_cert, tls_key), hook_secret_file)
        return function(*words, listening=given, **more)

    for decorate in (
        option("--hook-secret-file", type=_FILE, help="Let who knows its secret call POST /hook."),
        option("--tls-key", type=_FILE, help="Its key."),
        option("--tls-cert", type=_FILE, help="Serve by TLS, with this certificate."),
        option(
            "--listen", metavar="HOST:PORT", help="Serve metrics, health, the report and the hook."
        ),
    ):
        gathered = decorate(gathered)
    return gathered  # type: ignore[return-value] # click's own decorators say the same


def _listening(
    listen: str | None, files: tuple[Path | None, Path | None], secret: Path | None
) -> Listening:
    certificate, key = files
    if (certificate is None) != (key is None):
        raise UsageError("--tls-cert and --tls-key belong together", "give both, or none")
    if listen is None and (certificate is not None or secret is not None):
        raise UsageError(
            "--tls-cert and --hook-secret-file need --listen", "--listen 127.0.0.1:8080"
        )
    if listen is not None:
        require_clusters("--listen")
    pair = (certificate, key) if certificate is not None and key is not None else None
    return Listening(parse_address(listen) if listen is not None else None, pair, secret)


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of `127.0.0.1:8080`, `[::1]:8080`, or `:8080` for all addresses of IPv4.

    Raises:
        UsageError: It is neither.
    """
    host, colon, port = text.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    bare = host[1:-1] if is_bracketed else host
    is_port = port.isascii() and port.isdigit() and len(port) <= len(str(_MOST_PORT))
    if not colon or not is_port or int(port) > _MOST_PORT or (":" in bare) != is_bracketed:
        raise UsageError(f"--listen {text!r} is no HOST:PORT", "write 127.0.0.1:8080 or [::]:8080")
    return bare, int(port)
