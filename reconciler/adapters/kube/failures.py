"""What it means that no answer came: an error of ours, and whether to ask again."""

import socket
import ssl
from collections.abc import Iterator

from reconciler.adapters.kube.answers import Again, Trouble
from reconciler.adapters.kube.deadline import Timeouts
from reconciler.ports import UnauthorizedError, UnreachableError


def judge_failure(what: str, failure: Exception, timeouts: Timeouts) -> Trouble:
    """What a connection that did not hold means. Text of the libraries is not passed on."""
    causes = list(_causes(failure))
    tls = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if tls is not None:
        return _tls(what, tls)
    unconnected = _unconnected(failure, causes, timeouts)
    if unconnected:
        return Trouble(UnreachableError(f"{what}: {unconnected}"), Again.ALWAYS)
    why = f"the connection ended before the answer did: {_strerror(causes)}"
    if any(isinstance(cause, TimeoutError) for cause in causes) or _is_slow(failure):
        why = f"no answer within {timeouts.read_seconds:g} seconds"
    return Trouble(UnreachableError(f"{what}: {why}"), Again.IF_REPEATABLE)


def _unconnected(failure: Exception, causes: list[BaseException], timeouts: Timeouts) -> str:
    """Why nothing was sent, or nothing when something may have been."""
    from urllib3 import exceptions as of

    if any(isinstance(cause, of.NameResolutionError | socket.gaierror) for cause in causes):
        return "the server's name is not known"
    if isinstance(failure, of.ProxyError):
        return "the proxy does not let us through"
    if isinstance(failure, of.NewConnectionError):
        return f"no connection: {_strerror(causes)}"
    if isinstance(failure, of.ConnectTimeoutError):
        return f"no connection within {timeouts.connect_seconds:g} seconds"
    return ""


def _is_slow(failure: Exception) -> bool:
    from urllib3.exceptions import ReadTimeoutError

    return isinstance(failure, ReadTimeoutError)


def _tls(what: str, failure: ssl.SSLError) -> Trouble:
    reason = (failure.reason or "").replace("_", " ").lower()
    if isinstance(failure, ssl.SSLCertVerificationError):
        why = f"the server's certificate is not trusted: {failure.verify_message}"
        return Trouble(UnreachableError(f"{what}: {why}", "certificate-authority-data"))
    if "alert" in reason and ("certif" in reason or "unknown ca" in reason):
        return Trouble(UnauthorizedError(f"{what}: the server refuses our certificate: {reason}"))
    return Trouble(UnreachableError(f"{what}: TLS failed: {reason}"), Again.IF_REPEATABLE)


def _strerror(causes: list[BaseException]) -> str:
    told = (cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror)
    return next(told, "it was closed").lower()


def _causes(failure: BaseException) -> Iterator[BaseException]:
    """An exception and what it came from, as urllib3 tells it in three ways."""
    seen: set[int] = set()
    waiting: list[object] = [failure]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, BaseException) and id(item) not in seen:
            seen.add(id(item))
            yield item
            waiting += [getattr(item, "reason", None), item.__cause__, item.__context__]
            waiting += item.args
