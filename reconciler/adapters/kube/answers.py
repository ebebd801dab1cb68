"""What a server's refusal means: an error of ours, and whether to ask again.

Kubernetes answers with a `Status`; its code alone is not enough. A 500 may be for good (a field
that is not in the schema), a 404 may mean the object, its namespace or its kind, and a 403 may be
a lack of rights, a webhook's no, or a namespace that is going away.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, NamedTuple

from reconciler.adapters.kube.parsing import parsed
from reconciler.ports import (
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


class Again(Enum):
    """Whether a request may be sent again."""

    NEVER = auto()
    IF_REPEATABLE = auto()  # it may have been carried out
    ALWAYS = auto()  # it was surely not


class Answer(NamedTuple):
    """What a server said.

    Attributes:
        weight: How much memory its body takes at most when it is read.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    weight: int


class Trouble(NamedTuple):
    """An answer that is none, as an error."""

    error: ClusterError
    again: Again = Again.NEVER
    after_seconds: float = 0.0


@dataclass(frozen=True)
class _Said:
    """A refusal, read."""

    what: str
    code: int
    reason: str
    message: str
    details: Mapping[str, Any]
    causes: tuple[Mapping[str, Any], ...]
    is_status: bool

    def told(self, why: str = "") -> str:
        """The message for people: what was asked, and why it was not done."""
        return f"{self.what}: {why or self.message}"


def judge(what: str, answer: Answer) -> Trouble | None:
    """What is the matter with an answer; None when it is fine.

    Args:
        what: What was asked, for the message.
        answer: The answer; its body may be anything.
    """
    if 200 <= answer.status < 300:
        return None
    said = _read(what, answer)
    if _DENIED.match(said.message):
        return Trouble(RejectedError(said.told()))
    judged = _BY_CODE.get(said.code, _other)(said)
    if answer.body.strip() == _NO_PAGE and said.code == 404:
        judged = Trouble(NoSuchKindError(said.told("the cluster does not know the kind")))
    return judged


class ExpiredError(ClusterError):
    """The state that a list goes on from is gone (410)."""


def _read(what: str, answer: Answer) -> _Said:
    try:
        body = parsed(answer.body)
    except ValueError:
        body = {}
    is_status = body.get("kind") == "Status"
    status = body if is_status else {}
    details = status.get("details")
    details = details if isinstance(details, dict) else {}
    causes = details.get("causes")
    causes = causes if isinstance(causes, list) else []
    message = status.get("message")
    return _Said(
        what,
        answer.status,
        _text(status.get("reason")),
        _text(message) or f"the server answered {answer.status}",
        details,
        tuple(cause for cause in causes if isinstance(cause, dict)),
        is_status,
    )


def _text(value: object) -> str:
    text = value if isinstance(value, str) else ""
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


_RENEW = "they are missing, wrong or expired: put a new token into the kubeconfig"


def _unauthorized(said: _Said) -> Trouble:
    why = "the server does not accept the credentials"
    error = UnauthorizedError(said.told(why), _RENEW)
    return Trouble(error, Again.ALWAYS)  # with other credentials


def _forbidden(said: _Said) -> Trouble:
    for cause in said.causes:
        if cause.get("reason") == "NamespaceTerminating":
            return Trouble(RejectedError(said.told(_going(said, cause))))
    if "because it is being terminated" in said.message:
        return Trouble(RejectedError(said.told()))
    if not said.is_status or _RBAC.search(said.message):
        return Trouble(UnauthorizedError(said.told()))
    return _invalid(said)


def _going(said: _Said, cause: Mapping[str, Any]) -> str:
    named = re.search(r"namespace (\S+) is being terminated", _text(cause.get("message")))
    return f"namespace {named.group(1)} is being terminated" if named else said.message


def _not_found(said: _Said) -> Trouble:
    name, kind = _text(said.details.get("name")), _text(said.details.get("kind"))
    if said.is_status and name:
        if kind == "namespaces":
            return Trouble(NoSuchObjectError(said.told(f"there is no namespace {name}")))
        return Trouble(NoSuchObjectError(said.told("there is no such object")))
    if _NO_KIND in said.message:
        return Trouble(NoSuchKindError(said.told("the cluster does not know the kind")))
    return Trouble(ClusterError(said.told()))


def _conflict(said: _Said) -> Trouble:
    owners = [
        (_unquoted(found.group(1)), _text(cause.get("field")).removeprefix("."))
        for cause in said.causes
        if cause.get("reason") == "FieldManagerConflict"
        and (found := _CONFLICT.search(_text(cause.get("message"))))
    ]
    if not owners and "Apply failed with" in said.message:
        lone = _LONE_CONFLICT.findall(said.message)
        owners = [(_unquoted(manager), field.removeprefix(".")) for manager, field in lone]
    if owners:
        names = ", ".join(sorted({manager for manager, _ in owners}))
        why = _text(f"owned by {names}: {', '.join(field for _, field in owners)}")
        return Trouble(OwnedError(said.told(why), owners))
    if said.reason == "AlreadyExists":
        return Trouble(StaleError(said.told("an object of that name is there already")))
    return Trouble(StaleError(said.told()))


def _unquoted(text: str) -> str:
    """What Go's `%q` quoted; other escapes stay, lest they hide what was taken out."""
    return _QUOTED.sub(r"\1", text[1:-1])


def _expired(said: _Said) -> Trouble:
    return Trouble(ExpiredError(said.told()))


def _too_large(said: _Said) -> Trouble:
    return Trouble(RejectedError(said.told("the object is too large for the server")))


def _invalid(said: _Said) -> Trouble:
    """What rules refuse, each with the field that it is about."""
    if any(cause.get("field") == "metadata.uid" for cause in said.causes):
        # An apply that names the uid of an object which was made anew meanwhile.
        return Trouble(StaleError(said.told("another object has the name by now")))
    told = [
        f"{_text(cause.get('field'))}: {_text(cause.get('message'))}"
        for cause in said.causes
        if cause.get("field")
    ]
    missing = [line for line in told if line.split(":")[0] not in said.message]
    why = said.message if not missing else f"{said.message} ({'; '.join(missing)})"
    return Trouble(RejectedError(said.told(_text(why))))


def _internal(said: _Said) -> Trouble:
    if _UNTYPED in said.message:
        return Trouble(RejectedError(said.told()))
    if any(text in said.message for text in _TOO_LARGE):
        return _too_large(said)
    if _FULL in said.message:
        return Trouble(RejectedError(said.told("the cluster's etcd is full (its space quota)")))
    webhook = _webhook(said.message)
    if webhook:
        hint = "nothing is wrong with the object; apply again when the webhook answers"
        return Trouble(ClusterError(said.told(f"{webhook} is unavailable"), hint), Again.ALWAYS)
    return _unavailable(said)


def _webhook(message: str) -> str:
    """The webhook that the server could not call, or nothing."""
    if found := _WEBHOOK.search(message):
        name = found.group(1)
        return "MetalLB's webhook" if name.endswith(".metallb.io") else f"webhook {name}"
    found = _CONVERSION.search(message)
    return f"the conversion webhook of {found.group(1)}" if found else ""


def _unavailable(said: _Said) -> Trouble:
    return Trouble(UnreachableError(said.told(_coded(said))), Again.IF_REPEATABLE)


def _busy(said: _Said) -> Trouble:
    why = f"the server has too many requests ({_coded(said)})"
    return Trouble(UnreachableError(said.told(why)), Again.ALWAYS)


def _coded(said: _Said) -> str:
    code = str(said.code)
    return said.message if code in said.message else f"{code}: {said.message}"


def _other(said: _Said) -> Trouble:
    if said.code in range(300, 400):
        return Trouble(ClusterError(said.told(f"redirects are not followed ({said.code})")))
    return Trouble(ClusterError(said.told(_coded(said))))


_BY_CODE: Mapping[int, Callable[[_Said], Trouble]] = {
    400: _invalid,
    401: _unauthorized,
    403: _forbidden,
    404: _not_found,
    409: _conflict,
    410: _expired,
    413: _too_large,
    415: _invalid,
    422: _invalid,
    429: _busy,
    500: _internal,
    502: _unavailable,
    503: _unavailable,
    504: _unavailable,
}
