"""Options of `reconcile --watch`."""

from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from reconciler.cli.cluster_options import Reach, require_clusters
from reconciler.cli.options import Decorator, gathered, option, parse_seconds
from reconciler.model.errors import UsageError

_FILE = click.Path(dir_okay=False, path_type=Path)
_MAX_PORT = 65_535


class Watch(Struct, frozen=True):
    """Options of a daemon.

    Attributes:
        resync: Seconds between two full runs.
        elects: Whether it works only while it holds the Lease.
        log_format: Format of stderr.
    """

    resync: int
    elects: bool
    log_format: str


def _watch(
    watch: bool, resync: str | None, leader_elect: bool, log_format: str | None
) -> Watch | None:
    if watch:
        return Watch(parse_seconds("--resync", resync or "10m"), leader_elect, log_format or "text")
    given = {"--resync": resync, "--leader-elect": leader_elect, "--log-format": log_format}
    for name, value in given.items():
        if value:
            raise UsageError(f"{name} needs --watch")
    return None


watch_options: Decorator[Any] = gathered(
    "watch",
    _watch,
    option("--watch", is_flag=True, help="Run on, and react to Git and clusters."),
    option(
        "--resync",
        metavar="DURATION",
        help="With --watch: time between two runs over everything.  [10m]",
    ),
    option("--leader-elect", is_flag=True, help="With --watch: work only while holding the Lease."),
    option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        help="With --watch: format of stderr; json leaves stdout empty.  [text]",
    ),
)
"""Adds the daemon options, and passes them as `watch`, or None without a daemon."""


def are_asked(reach: Reach, watch: Watch | None, *, applies: bool) -> bool:
    """Report whether a reconcile reads clusters.

    A named cluster is also read without an apply: before addresses are released, and for its needs.

    Raises:
        UsageError: A daemon would never watch its clusters, because only an apply starts watches,
            or the client library is not installed.
    """
    if watch is not None and not applies and reach.is_named_by_person:
        raise UsageError(
            "--watch watches the clusters that it applies to: with --no-apply none of those that"
            " --kubeconfig or $KUBECONFIG name",
            "leave out --no-apply; or --interval in place of --watch, which asks them once a run;"
            " or name no cluster, and Git alone is watched",
        )
    is_asked = reach.is_named if applies else reach.is_named_by_person
    if is_asked:
        reach.require()
    return is_asked


class Listening(Struct, frozen=True):
    """Options of the HTTP server.

    Attributes:
        address: Host and port, or None without `--listen`.
        certificate: PEM files of certificate and key, or None without TLS.
        secret: File with the secret of the webhook, or None if it is disabled.
    """

    address: tuple[str, int] | None = None
    certificate: tuple[Path, Path] | None = None
    secret: Path | None = None


def _listening(
    listen: str | None, tls_cert: Path | None, tls_key: Path | None, hook_secret_file: Path | None
) -> Listening:
    if (tls_cert is None) != (tls_key is None):
        raise UsageError("--tls-cert and --tls-key belong together", "give both, or none")
    if listen is None:
        if tls_cert is not None or hook_secret_file is not None:
            raise UsageError(
                "--tls-cert and --hook-secret-file need --listen", "--listen 127.0.0.1:8080"
            )
        return Listening()
    require_clusters("--listen")
    pair = (tls_cert, tls_key) if tls_cert is not None and tls_key is not None else None
    return Listening(parse_address(listen), pair, hook_secret_file)


listening_options: Decorator[Any] = gathered(
    "listening",
    _listening,
    option(
        "--listen", metavar="HOST:PORT", help="Serve metrics, health, the report, and the webhook."
    ),
    option("--tls-cert", type=_FILE, help="Serve HTTPS with this certificate (PEM)."),
    option("--tls-key", type=_FILE, help="Key of --tls-cert."),
    option(
        "--hook-secret-file",
        type=_FILE,
        help="Accept webhooks at POST /hook that are signed with this secret.",
    ),
)
"""Adds the options of the HTTP server, and passes them as `listening`."""


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
