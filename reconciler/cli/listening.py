"""Options `--listen`, `--tls-cert`, `--tls-key`, and `--hook-secret-file`."""

from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec import Struct

from reconciler.cli.files import require_clusters
from reconciler.cli.options import option
from reconciler.daemon.http import Certificate, Endpoints, Server, read_secret
from reconciler.daemon.metrics import HealthAnswer, Page
from reconciler.model.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.Path(dir_okay=False, path_type=Path)
_MAX_PORT = 65_535


class Listening(Struct, frozen=True):
    """Values of the options.

    Attributes:
        address: Host and port, or None without `--listen`.
        certificate: PEM files of certificate and key, or None without TLS.
        secret: File with the secret of the webhook, or None if it is disabled.
    """

    address: tuple[str, int] | None
    certificate: tuple[Path, Path] | None
    secret: Path | None

    def require_nothing(self) -> None:
        """Refuse `--listen` for a single run.

        Raises:
            UsageError: `--listen` is given.
        """
        if self.address is not None:
            raise UsageError(
                "--listen needs --watch", "add --watch, or use --metrics-file PATH for a single run"
            )

    def open_certificate(self) -> Certificate | None:
        """Return the certificate, or None without TLS."""
        return Certificate(*self.certificate) if self.certificate is not None else None

    def serve(
        self,
        metrics: Callable[[], bytes],
        healthy: Callable[[], HealthAnswer],
        ready: Callable[[], HealthAnswer],
        moved: Callable[[], None],
        certificate: Certificate | None = None,
        report: Callable[[], Page | str] | None = None,
    ) -> Server | None:
        """Start the server, or return None without `--listen`. `Endpoints` documents the arguments.

        Raises:
            UsageError: The address is in use or invalid, or a file cannot be read.
        """
        if self.address is None:
            return None
        secret = None
        if self.secret is not None:
            secret = partial(read_secret, self.secret)
            secret()
        return Server(
            self.address, Endpoints(metrics, healthy, ready, moved, secret, report), certificate
        )


def listening_options(function: F) -> F:
    """Pass the options to the command as one argument, `listening`."""

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
        option(
            "--hook-secret-file",
            type=_FILE,
            help="Accept webhooks at POST /hook that are signed with this secret.",
        ),
        option("--tls-key", type=_FILE, help="Key of --tls-cert."),
        option("--tls-cert", type=_FILE, help="Serve HTTPS with this certificate (PEM)."),
        option(
            "--listen",
            metavar="HOST:PORT",
            help="Serve metrics, health, the report, and the webhook.",
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
    """Return host and port of `127.0.0.1:8080`, `[::1]:8080`, or `:8080` (all IPv4 addresses).

    Raises:
        UsageError: The text is not a valid address.
    """
    host, colon, port = text.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    bare = host[1:-1] if is_bracketed else host
    is_port = port.isascii() and port.isdigit() and len(port) <= len(str(_MAX_PORT))
    if not colon or not is_port or int(port) > _MAX_PORT or (":" in bare) != is_bracketed:
        raise UsageError(f"--listen {text!r} is not HOST:PORT", "write 127.0.0.1:8080 or [::]:8080")
    return bare, int(port)
