"""The hook's secret and the server's certificate: files that are read again when they change."""

import logging
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from reconciler.adapters.kube.session import certificate_expiry
from reconciler.ports import UsageError

_log = logging.getLogger(__name__)

_MOST_BYTES = 4096
_LEAST_SECRET = 16


class _Stamp(NamedTuple):
    """What tells one writing of a file from the next; a volume of a Pod changes the link to it."""

    inode: int
    time: int
    size: int


def secret_of(path: Path) -> bytes:
    """The secret in a file, without the line break at its end; read at each call.

    Raises:
        UsageError: There is none, or one that is too short or too long to be one.
    """
    try:
        with path.open("rb") as file:
            secret = file.read(_MOST_BYTES + 1).strip()
    except OSError as failed:
        raise UsageError(f"--hook-secret-file {path}: {failed.strerror}") from failed
    if not _LEAST_SECRET <= len(secret) <= _MOST_BYTES:
        message = f"--hook-secret-file {path}: {len(secret)} characters are no secret"
        raise UsageError(message, f"write {_LEAST_SECRET} or more: openssl rand -hex 32")
    return secret


@dataclass(slots=True)
class Certificate:
    """The certificate of the server, and its key, as the files have them now.

    While a new pair is half written, or is none, the one before stays.

    Attributes:
        problem: Why the newest files could not be taken; empty when they could.
    """

    certificate: Path
    key: Path
    problem: str = ""
    _stamps: tuple[_Stamp, ...] = ()
    _context: ssl.SSLContext | None = None
    _expires: int | None = None
    _lock: Lock = field(default_factory=Lock)

    def context(self) -> ssl.SSLContext:
        """What a connection is wrapped with.

        Raises:
            UsageError: The files are no certificate with its key, and never were.
        """
        with self._lock:
            try:
                stamps = tuple(_stamp(path) for path in (self.certificate, self.key))
                if self._context is None or stamps != self._stamps:
                    self._read()
                    self._stamps, self.problem = stamps, ""
            except (OSError, ValueError) as failed:  # TLS's own error is an OSError
                why = getattr(failed, "reason", None) or getattr(failed, "strerror", None)
                self._told(f"{self.certificate}, {self.key}: {why or failed}")
            if self._context is None:
                raise UsageError(
                    f"--tls-cert, --tls-key: {self.problem}",
                    "name PEM files: the certificate with those of its issuers, and its own key",
                )
            return self._context

    def expires(self) -> int | None:
        """When the one that is shown expires, in seconds since 1970; None if it cannot be told."""
        self.context()
        return self._expires

    def _told(self, problem: str) -> None:
        """Note what is wrong; said once, and not at each connection."""
        if problem != self.problem and self._context is not None:
            _log.warning("the certificate before is shown still: %s", problem)
        self.problem = problem

    def _read(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # A passphrase would be asked for at a terminal that is not there.
        context.load_cert_chain(self.certificate, self.key, password="")  # nosec B106
        self._expires = certificate_expiry(self.certificate.read_bytes())
        self._context = context


def _stamp(path: Path) -> _Stamp:
    found = path.stat()
    return _Stamp(found.st_ino, found.st_mtime_ns, found.st_size)
