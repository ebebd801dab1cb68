"""Refusals of API servers as errors: a 500 can be permanent, a 404 or 403 has many causes."""

import re
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, auto
from typing import Any, NamedTuple

import msgspec

from reconciler.kube.deadline import Timeouts
from reconciler.loadbalancers import controllers
from reconciler.model import errors

MAX_TEXT = 500

_RBAC = re.compile(r"\bcannot \S+ (?:resource|path) ")
_WEBHOOK = re.compile(
    r'failed calling (?:admission )?webhook "([^"]{1,253})"'
    r"|conversion webhook for ([^\s,]{1,253}),? .*failed"
)
_DENIED = re.compile(r'^admission webhook "[^"]{1,253}" denied the request')
_CONFLICT = re.compile(r'conflicts? with "((?:[^"\\]|\\.)*)"')
_QUOTED = re.compile(r"\\([\"\\])")
_NO_KIND = "the server could not find the requested resource"
_NO_PAGE = b"404 page not found"
_UNTYPED = "failed to create typed patch object"
_TOO_LARGE = re.compile("request is too large|message larger than max")
_RENEW = "put a valid token into the kubeconfig, because this one is missing, wrong, or expired"


class ExpiredError(errors.StaleError):
    """The resource version of a list or watch is too old (410)."""


class Retry(Enum):
    """Whether a request can be sent again."""

    NEVER = auto()
    IF_REPEATABLE = auto()  # it may have been carried out
    ALWAYS = auto()  # it was not carried out
    RENEWED = auto()  # with new credentials


class Failure(NamedTuple):
    """A request that failed."""

    error: errors.ClusterError
    retry: Retry = Retry.NEVER
    after_seconds: float = 0.0


class _Cause(msgspec.Struct):
    reason: str = ""
    message: str = ""
    field: str = ""


class _Details(msgspec.Struct):
    name: str = ""
    kind: str = ""
    causes: list[_Cause] = []


class _Status(msgspec.Struct):
    kind: str = ""
    reason: str = ""
    message: str = ""
    details: _Details = msgspec.field(default_factory=_Details)


def failure_of(what: str, code: int, body: bytes) -> Failure:
    """Return the failure that a response means. `what` is the purpose of the request."""
    try:
        status = msgspec.json.decode(body, type=_Status)
    except (ValueError, RecursionError):
        status = _Status()
    if status.kind != "Status":
        status = _Status()
    status.message = _short(status.message) or f"the server answered {code}"
    if _DENIED.match(status.message):
        return Failure(errors.RejectedError(f"{what}: {status.message}"))
    if code == 404 and body.strip() == _NO_PAGE:
        return Failure(errors.NoSuchKindError(f"{what}: the kind is not installed in the cluster"))
    if code in range(300, 400):
        return Failure(errors.ClusterError(f"{what}: redirects are not followed ({code})"))
    return _BY_CODE.get(code, _other)(what, code, status)


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def _unauthorized(what: str, _code: int, _status: _Status) -> Failure:
    message = f"{what}: the server does not accept the credentials"
    return Failure(errors.UnauthorizedError(message, _RENEW), Retry.RENEWED)


def _forbidden(what: str, code: int, status: _Status) -> Failure:
    if not status.kind or _RBAC.search(status.message):
        return Failure(errors.UnauthorizedError(f"{what}: {status.message}"))
    return _invalid(what, code, status)


def _not_found(what: str, _code: int, status: _Status) -> Failure:
    if status.details.name:
        is_namespace = status.details.kind == "namespaces"
        missing = f"namespace {status.details.name}" if is_namespace else "the object"
        return Failure(errors.NoSuchObjectError(f"{what}: {_short(missing)} does not exist"))
    if _NO_KIND in status.message:
        return Failure(errors.NoSuchKindError(f"{what}: the kind is not installed in the cluster"))
    return Failure(errors.ClusterError(f"{what}: {status.message}"))


def _conflict(what: str, _code: int, status: _Status) -> Failure:
    owners = [
        (_QUOTED.sub(r"\1", found[1]), cause.field.removeprefix("."))
        for cause in status.details.causes
        if cause.reason == "FieldManagerConflict" and (found := _CONFLICT.search(cause.message))
    ]
    if owners:
        names = ", ".join(sorted({manager for manager, _ in owners}))
        why = _short(f"owned by {names}: {', '.join(field for _, field in owners)}")
        return Failure(errors.OwnedError(f"{what}: {why}", owners))
    is_taken = status.reason == "AlreadyExists"
    why = "an object with this name already exists" if is_taken else status.message
    return Failure(errors.StaleError(f"{what}: {why}"))


def _too_large(what: str, _code: int, _status: _Status) -> Failure:
    return Failure(errors.RejectedError(f"{what}: the object is too large for the server"))


def _invalid(what: str, _code: int, status: _Status) -> Failure:
    causes = [cause for cause in status.details.causes if cause.field]
    if any(cause.field == "metadata.uid" for cause in causes):
        # The apply names the uid of an object that was deleted and created again.
        return Failure(errors.StaleError(f"{what}: another object has this name now"))
    missing = [f"{it.field}: {it.message}" for it in causes if it.field not in status.message]
    why = f"{status.message} ({'; '.join(missing)})" if missing else status.message
    return Failure(errors.RejectedError(f"{what}: {_short(why)}"))


def _internal(what: str, code: int, status: _Status) -> Failure:
    if _UNTYPED in status.message:
        return Failure(errors.RejectedError(f"{what}: {status.message}"))
    if _TOO_LARGE.search(status.message):
        return _too_large(what, code, status)
    if found := _WEBHOOK.search(status.message):
        webhook = f"webhook {found[1]}" if found[1] else f"the conversion webhook of {found[2]}"
        for it in controllers():
            webhook = f"{it.name}'s webhook" if webhook.endswith(f".{it.pool.group}") else webhook
        hint = "apply again when the webhook answers; the object itself is valid"
        return Failure(errors.ClusterError(f"{what}: {webhook} is unavailable", hint), Retry.ALWAYS)
    return _unavailable(what, code, status)


def _unavailable(what: str, code: int, status: _Status) -> Failure:
    return Failure(errors.UnreachableError(f"{what}: {_coded(code, status)}"), Retry.IF_REPEATABLE)


def _busy(what: str, code: int, status: _Status) -> Failure:
    why = f"the server received too many requests ({_coded(code, status)})"
    return Failure(errors.UnreachableError(f"{what}: {why}"), Retry.ALWAYS)


def _other(what: str, code: int, status: _Status) -> Failure:
    return Failure(errors.ClusterError(f"{what}: {_coded(code, status)}"))


def _coded(code: int, status: _Status) -> str:
    return status.message if str(code) in status.message else f"{code}: {status.message}"


_BY_CODE: Mapping[int, Callable[[str, int, _Status], Failure]] = {
    400: _invalid,
    401: _unauthorized,
    403: _forbidden,
    404: _not_found,
    409: _conflict,
    410: lambda what, _code, status: Failure(ExpiredError(f"{what}: {status.message}")),
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
    """Return the JSON object of a body. Raise a `ValueError` if it is not one."""
    try:
        value = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def connection_failure(what: str, failure: Exception, timeouts: Timeouts) -> Failure:
    """Return the failure that a connection error means. Messages of libraries are not shown."""
    causes = list(_causes(failure))
    tls = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if tls is not None:
        return _tls(what, tls)
    from urllib3 import exceptions as urllib3

    retry = Retry.ALWAYS  # nothing was sent
    if any(isinstance(cause, urllib3.NameResolutionError | socket.gaierror) for cause in causes):
        why = "the host name of the server cannot be resolved"
    elif isinstance(failure, urllib3.ProxyError):
        why = "the proxy refuses the connection"
    elif isinstance(failure, urllib3.NewConnectionError):
        why = f"no connection: {_strerror(causes)}"
    elif isinstance(failure, urllib3.ConnectTimeoutError):
        why = f"no connection within {timeouts.connect_seconds:g} seconds"
    elif any(isinstance(cause, TimeoutError | urllib3.ReadTimeoutError) for cause in causes):
        why, retry = f"no response within {timeouts.read_seconds:g} seconds", Retry.IF_REPEATABLE
    else:
        why = f"the connection ended before the response was complete: {_strerror(causes)}"
        retry = Retry.IF_REPEATABLE
    return Failure(errors.UnreachableError(f"{what}: {why}"), retry)


def _tls(what: str, failure: ssl.SSLError) -> Failure:
    reason = (failure.reason or "").replace("_", " ").lower()
    if isinstance(failure, ssl.SSLCertVerificationError):
        why = f"the server's certificate is not trusted: {failure.verify_message}"
        return Failure(
            errors.UnreachableError(
                f"{what}: {why}", "set certificate-authority-data in the kubeconfig"
            )
        )
    if "alert" in reason and ("certif" in reason or "unknown ca" in reason):
        return Failure(
            errors.UnauthorizedError(f"{what}: the server refuses the client certificate: {reason}")
        )
    return Failure(errors.UnreachableError(f"{what}: TLS failed: {reason}"), Retry.IF_REPEATABLE)


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
