"""Responses of an API server: parsing, redaction, and the error of each refusal.

The code of a `Status` is ambiguous. A 500 can be permanent (a field that is not in the schema), a
404 can mean the object, its namespace, or its kind, and a 403 can be a lack of rights, a webhook's
denial, or a namespace that is being deleted.
"""

import binascii
import re
import socket
import ssl
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec

from reconciler.kube.deadline import Timeouts
from reconciler.model.errors import (
    ClusterError,
    NoSuchKindError,
    NoSuchObjectError,
    OwnedError,
    RejectedError,
    StaleError,
    UnauthorizedError,
    UnreachableError,
)

MAX_TEXT = 500
MAX_DEPTH = 100
"""Nesting levels of JSON. The deepest objects that are read, CRDs, have 20."""
MAX_RETRY_AFTER = 60.0
"""Seconds that a server can make a client wait."""
MIN_SECRET = 8
"""Characters. A shorter value is not redacted, because it would match ordinary words."""

_RBAC = re.compile(r"\bcannot \S+ (?:resource|path) ")
_WEBHOOK = re.compile(r'failed calling (?:admission )?webhook "([^"]{1,253})"')
_CONVERSION = re.compile(r"conversion webhook for ([^\s,]{1,253}),? .*failed")
_DENIED = re.compile(r'^admission webhook "[^"]{1,253}" denied the request')
_CONFLICT = re.compile(r'conflicts? with ("(?:[^"\\]|\\.)*")')
_LONE_CONFLICT = re.compile(r'conflict with ("(?:[^"\\]|\\.)*")[^:]*: (\S+)')
_QUOTED = re.compile(r"\\([\"\\])")
_NO_KIND = "the server could not find the requested resource"
_NO_PAGE = b"404 page not found"
_UNTYPED = "failed to create typed patch object"
_TOO_LARGE = (
    "etcdserver: request is too large",
    "trying to send message larger than max",
    "message larger than max",
)
_FULL = "database space exceeded"


class Retry(Enum):
    """Whether a request can be sent again."""

    NEVER = auto()
    IF_REPEATABLE = auto()  # it may have been carried out
    ALWAYS = auto()  # it was not carried out


class KubeResponse(NamedTuple):
    """A response that was read to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Failure(NamedTuple):
    """A request that failed."""

    error: ClusterError
    retry: Retry = Retry.NEVER
    after_seconds: float = 0.0


@dataclass(frozen=True)
class _Refusal:
    """A parsed refusal."""

    what: str
    code: int
    reason: str
    message: str
    details: Mapping[str, Any]
    causes: tuple[Mapping[str, Any], ...]
    is_status: bool

    def text(self, why: str = "") -> str:
        """Return the message: the purpose of the request and the reason of the refusal."""
        return f"{self.what}: {why or self.message}"


def failure_of(what: str, response: KubeResponse) -> Failure | None:
    """Return the failure that a response means, or None if the request succeeded.

    `what` is the purpose of the request. The body of the response can be anything.
    """
    if 200 <= response.status < 300:
        return None
    refusal = _status(what, response)
    if _DENIED.match(refusal.message):
        return Failure(RejectedError(refusal.text()))
    found = _BY_CODE.get(refusal.code, _other)(refusal)
    if response.body.strip() == _NO_PAGE and refusal.code == 404:
        found = Failure(NoSuchKindError(refusal.text("the cluster does not know the kind")))
    return found


class ExpiredError(ClusterError):
    """The resource version of a list or watch is too old (410)."""


def _status(what: str, response: KubeResponse) -> _Refusal:
    try:
        body = parse_json(response.body)
    except ValueError:
        body = {}
    is_status = body.get("kind") == "Status"
    status = body if is_status else {}
    details = status.get("details")
    details = details if isinstance(details, dict) else {}
    causes = details.get("causes")
    causes = causes if isinstance(causes, list) else []
    message = status.get("message")
    return _Refusal(
        what,
        response.status,
        _text(status.get("reason")),
        _text(message) or f"the server answered {response.status}",
        details,
        tuple(cause for cause in causes if isinstance(cause, dict)),
        is_status,
    )


def _text(value: object) -> str:
    text = value if isinstance(value, str) else ""
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


_RENEW = "they are missing, wrong or expired: put a new token into the kubeconfig"


def _unauthorized(refusal: _Refusal) -> Failure:
    error = UnauthorizedError(refusal.text("the server does not accept the credentials"), _RENEW)
    return Failure(error, Retry.ALWAYS)  # with other credentials


def _forbidden(refusal: _Refusal) -> Failure:
    for cause in refusal.causes:
        if cause.get("reason") == "NamespaceTerminating":
            named = re.search(r"namespace (\S+) is being terminated", _text(cause.get("message")))
            return Failure(RejectedError(refusal.text(named[0] if named else "")))
    if "because it is being terminated" in refusal.message:
        return Failure(RejectedError(refusal.text()))
    if not refusal.is_status or _RBAC.search(refusal.message):
        return Failure(UnauthorizedError(refusal.text()))
    return _invalid(refusal)


def _not_found(refusal: _Refusal) -> Failure:
    name, kind = _text(refusal.details.get("name")), _text(refusal.details.get("kind"))
    if refusal.is_status and name:
        what = f"namespace {name}" if kind == "namespaces" else "such object"
        return Failure(NoSuchObjectError(refusal.text(f"there is no {what}")))
    if _NO_KIND in refusal.message:
        return Failure(NoSuchKindError(refusal.text("the cluster does not know the kind")))
    return Failure(ClusterError(refusal.text()))


def _conflict(refusal: _Refusal) -> Failure:
    owners = [
        (_unquoted(found.group(1)), _text(cause.get("field")).removeprefix("."))
        for cause in refusal.causes
        if cause.get("reason") == "FieldManagerConflict"
        and (found := _CONFLICT.search(_text(cause.get("message"))))
    ]
    if not owners and "Apply failed with" in refusal.message:
        lone = _LONE_CONFLICT.findall(refusal.message)
        owners = [(_unquoted(manager), field.removeprefix(".")) for manager, field in lone]
    if owners:
        names = ", ".join(sorted({manager for manager, _ in owners}))
        why = _text(f"owned by {names}: {', '.join(field for _, field in owners)}")
        return Failure(OwnedError(refusal.text(why), owners))
    is_taken = refusal.reason == "AlreadyExists"
    why = "an object of that name is there already" if is_taken else ""
    return Failure(StaleError(refusal.text(why)))


def _unquoted(text: str) -> str:
    """Undo the escapes of Go's `%q` for quotes and backslashes."""
    return _QUOTED.sub(r"\1", text[1:-1])


def _too_large(refusal: _Refusal) -> Failure:
    return Failure(RejectedError(refusal.text("the object is too large for the server")))


def _invalid(refusal: _Refusal) -> Failure:
    if any(cause.get("field") == "metadata.uid" for cause in refusal.causes):
        # The apply names the uid of an object that was deleted and created again.
        return Failure(StaleError(refusal.text("another object has the name by now")))
    fields = [
        f"{_text(cause.get('field'))}: {_text(cause.get('message'))}"
        for cause in refusal.causes
        if cause.get("field")
    ]
    missing = [line for line in fields if line.split(":")[0] not in refusal.message]
    why = refusal.message if not missing else f"{refusal.message} ({'; '.join(missing)})"
    return Failure(RejectedError(refusal.text(_text(why))))


def _internal(refusal: _Refusal) -> Failure:
    if _UNTYPED in refusal.message:
        return Failure(RejectedError(refusal.text()))
    if any(text in refusal.message for text in _TOO_LARGE):
        return _too_large(refusal)
    if _FULL in refusal.message:
        return Failure(RejectedError(refusal.text("the cluster's etcd is full (its space quota)")))
    webhook = _webhook(refusal.message)
    if webhook:
        hint = "nothing is wrong with the object; apply again when the webhook answers"
        return Failure(ClusterError(refusal.text(f"{webhook} is unavailable"), hint), Retry.ALWAYS)
    return _unavailable(refusal)


def _webhook(message: str) -> str:
    """Return the name of the webhook that the server could not call, or an empty string."""
    if found := _WEBHOOK.search(message):
        name = found.group(1)
        return "MetalLB's webhook" if name.endswith(".metallb.io") else f"webhook {name}"
    found = _CONVERSION.search(message)
    return f"the conversion webhook of {found.group(1)}" if found else ""


def _unavailable(refusal: _Refusal) -> Failure:
    return Failure(UnreachableError(refusal.text(_coded(refusal))), Retry.IF_REPEATABLE)


def _busy(refusal: _Refusal) -> Failure:
    why = f"the server has too many requests ({_coded(refusal)})"
    return Failure(UnreachableError(refusal.text(why)), Retry.ALWAYS)


def _coded(refusal: _Refusal) -> str:
    code = str(refusal.code)
    return refusal.message if code in refusal.message else f"{code}: {refusal.message}"


def _other(refusal: _Refusal) -> Failure:
    if refusal.code in range(300, 400):
        return Failure(ClusterError(refusal.text(f"redirects are not followed ({refusal.code})")))
    return Failure(ClusterError(refusal.text(_coded(refusal))))


_BY_CODE: Mapping[int, Callable[[_Refusal], Failure]] = {
    400: _invalid,
    401: _unauthorized,
    403: _forbidden,
    404: _not_found,
    409: _conflict,
    410: lambda refusal: Failure(ExpiredError(refusal.text())),
    413: _too_large,
    415: _invalid,
    422: _invalid,
    429: _busy,
    500: _internal,
    502: _unavailable,
    503: _unavailable,
    504: _unavailable,
}


def parse_json(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body.

    Raises:
        ValueError: The body is not a JSON object, or is nested too deeply.
    """
    if _depth(body) > MAX_DEPTH:
        raise ValueError(f"nested over {MAX_DEPTH} levels deep")
    try:
        value = msgspec.json.decode(body)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NO_STEPS = bytes(set(range(256)).difference(b'[{]}"'))


def _depth(body: bytes) -> int:
    # Without escapes, each string ends at the next quote, so brackets of strings can be dropped.
    unescaped = body.replace(rb"\\", b"").replace(rb"\"", b"")
    bare = unescaped.translate(_STEPS, _NO_STEPS).replace(b'""', b"")
    steps = b"".join(bare.split(b'"')[::2])
    return max(accumulate(memoryview(steps).cast("b")), default=0)


class Redactor:
    """Removes credentials from responses. Remembers every credential that it was given."""

    def __init__(self) -> None:
        self._secrets: frozenset[bytes] = frozenset()

    def __repr__(self) -> str:
        """Show no secret."""
        return "Redactor()"

    def redact(self, body: bytes, authorization: str) -> bytes:
        """Return a response without the credentials of this and earlier requests."""
        self._secrets |= _secrets(authorization)
        for secret in sorted(self._secrets, key=len, reverse=True):
            body = body.replace(secret, b"***")
        return body


def _secrets(authorization: str) -> frozenset[bytes]:
    scheme, _, value = authorization.rpartition(" ")
    found = {value}
    if scheme.lower() == "basic":
        try:
            pair = b64decode(value).decode()
            found |= {pair, pair.partition(":")[2]}
        except (binascii.Error, ValueError):
            pass
    return frozenset(secret.encode() for secret in found if len(secret) >= MIN_SECRET)


def server_clock(headers: Mapping[str, str]) -> int:
    """Return the server's clock in seconds since 1970, or 0 without a date."""
    try:
        return int(parsedate_to_datetime(headers.get("date", "")).timestamp())
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0


def retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds of `Retry-After`, or 0 without a number."""
    text = headers.get("retry-after", "").strip()
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    return min(float(text), MAX_RETRY_AFTER) if is_number else 0.0


def connection_failure(what: str, failure: Exception, timeouts: Timeouts) -> Failure:
    """Return the failure that a connection error means. Messages of libraries are not shown."""
    causes = list(_causes(failure))
    tls = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if tls is not None:
        return _tls(what, tls)
    from urllib3 import exceptions as urllib3

    retry = Retry.ALWAYS  # nothing was sent
    if any(isinstance(cause, urllib3.NameResolutionError | socket.gaierror) for cause in causes):
        why = "the server's name is not known"
    elif isinstance(failure, urllib3.ProxyError):
        why = "the proxy does not let us through"
    elif isinstance(failure, urllib3.NewConnectionError):
        why = f"no connection: {_strerror(causes)}"
    elif isinstance(failure, urllib3.ConnectTimeoutError):
        why = f"no connection within {timeouts.connect_seconds:g} seconds"
    elif any(isinstance(cause, TimeoutError | urllib3.ReadTimeoutError) for cause in causes):
        why, retry = f"no answer within {timeouts.read_seconds:g} seconds", Retry.IF_REPEATABLE
    else:
        why = f"the connection ended before the answer did: {_strerror(causes)}"
        retry = Retry.IF_REPEATABLE
    return Failure(UnreachableError(f"{what}: {why}"), retry)


def _tls(what: str, failure: ssl.SSLError) -> Failure:
    reason = (failure.reason or "").replace("_", " ").lower()
    if isinstance(failure, ssl.SSLCertVerificationError):
        why = f"the server's certificate is not trusted: {failure.verify_message}"
        return Failure(UnreachableError(f"{what}: {why}", "certificate-authority-data"))
    if "alert" in reason and ("certif" in reason or "unknown ca" in reason):
        return Failure(UnauthorizedError(f"{what}: the server refuses our certificate: {reason}"))
    return Failure(UnreachableError(f"{what}: TLS failed: {reason}"), Retry.IF_REPEATABLE)


def _strerror(causes: list[BaseException]) -> str:
    texts = (cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror)
    return next(texts, "it was closed").lower()


def _causes(failure: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting: list[object] = [failure]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, BaseException) and id(item) not in seen:
            seen.add(id(item))
            yield item
            waiting += [getattr(item, "reason", None), item.__cause__, item.__context__]
            waiting += item.args
