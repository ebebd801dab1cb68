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


class DaemonOptions(Struct, frozen=True):
    """Options of a daemon: seconds between full runs, the Lease, the log, and the HTTP server.

    The certificate is a pair of PEM files: certificate and key.
    """

    resync: int
    elects: bool = False
    log_format: str = "text"
    address: tuple[str, int] | None = None
    certificate: tuple[Path, Path] | None = None
    secret: Path | None = None


def _daemon(
    watch: bool,
    resync: str | None,
    leader_elect: bool,
    log_format: str | None,
    listen: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    hook_secret_file: Path | None,
) -> DaemonOptions | None:
    if (tls_cert is None) != (tls_key is None):
        raise UsageError("--tls-cert and --tls-key belong together", "give both, or none")
    if listen is None and (tls_cert is not None or hook_secret_file is not None):
        message = "--tls-cert and --hook-secret-file need --listen"
        raise UsageError(message, "--listen 127.0.0.1:8080")
    if listen is not None:
        require_clusters("--listen")
    address = parse_address(listen) if listen is not None else None
    if not watch:
        names = ("--resync", "--leader-elect", "--log-format", "--listen")
        for name, value in zip(names, (resync, leader_elect, log_format, listen), strict=True):
            if value:
                hint = "add --watch, or use --metrics-file PATH" if name == "--listen" else ""
                raise UsageError(f"{name} needs --watch", hint)
        return None
    pair = (tls_cert, tls_key) if tls_cert is not None and tls_key is not None else None
    seconds = parse_seconds("--resync", resync or "10m")
    form = log_format or "text"
    return DaemonOptions(seconds, leader_elect, form, address, pair, hook_secret_file)


daemon: Decorator[Any] = gathered(
    "daemon",
    _daemon,
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
"""Adds the options, and passes them as `daemon`, or None without `--watch`."""


def are_asked(reach: Reach, *, applies: bool, watches: bool) -> bool:
    """Report whether a reconcile reads clusters.

    A named cluster is also read without an apply: before addresses are released, and for its needs.
    """
    if watches and not applies and reach.is_named_by_person:
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


def parse_address(text: str) -> tuple[str, int]:
    """Return host and port of `127.0.0.1:8080`, `[::1]:8080`, or `:8080` (all IPv4 addresses)."""
    host, colon, port = text.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    bare = host[1:-1] if is_bracketed else host
    is_port = port.isascii() and port.isdigit() and len(port) <= len(str(_MAX_PORT))
    if not colon or not is_port or int(port) > _MAX_PORT or (":" in bare) != is_bracketed:
        raise UsageError(f"--listen {text!r} is not HOST:PORT", "write 127.0.0.1:8080 or [::]:8080")
    return bare, int(port)
