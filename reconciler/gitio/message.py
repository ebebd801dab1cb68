"""Messages of reconcile commits."""

import re

from msgspec import Struct

from reconciler.model.instant import format_instant, parse_instant

SKIP_CI = " [skip ci]"
"""Suffix of the subject that makes CI skip a commit."""

_TRAILER = re.compile(r"^(?P<name>Ipam-[A-Za-z-]+): (?P<value>[^\n]+)$", re.MULTILINE | re.ASCII)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)


class CommitTrailers(Struct, frozen=True):
    """Trailers of a reconcile commit. `seen` is the observed state of clusters.

    `clock` is set if it is not the base's committer date. `accepts` is the commit that the user
    accepted as lost.
    """

    plan: str
    base: str
    version: str = ""
    allow_release: int | None = None
    clock: int | None = None
    seen: str = ""
    accepts: str = ""


def message_of(subject: str, trailers: CommitTrailers) -> str:
    """Return a message: a subject, which is never parsed, and a trailer for each value."""
    values = {
        "Ipam-Plan": trailers.plan,
        "Ipam-Base": trailers.base,
        "Ipam-Version": trailers.version,
    }
    if trailers.allow_release is not None:
        values["Ipam-Allow-Release"] = str(trailers.allow_release)
    if trailers.clock is not None:
        values["Ipam-Clock"] = format_instant(trailers.clock)
    values["Ipam-Accepts"] = trailers.accepts
    values["Ipam-Observed"] = trailers.seen
    listed = "".join(f"{name}: {value}\n" for name, value in values.items() if value)
    return f"ipam: {subject}\n\n{listed}"


def read_message(message: str) -> CommitTrailers | None:
    """Return the trailers, or None if incomplete or repeated. A squash merge adds others."""
    listed = [(it["name"], it["value"].rstrip("\r")) for it in _TRAILER.finditer(message)]
    found = dict(listed)
    plan, base = found.get("Ipam-Plan", ""), found.get("Ipam-Base", "")
    allowed, clock = found.get("Ipam-Allow-Release"), found.get("Ipam-Clock")
    accepts = found.get("Ipam-Accepts", "")
    is_sound = (
        len(found) == len(listed)
        and _DIGEST.fullmatch(plan)
        and _COMMIT.fullmatch(base)
        and (allowed is None or _NUMBER.fullmatch(allowed))
        and (not accepts or _COMMIT.fullmatch(accepts))
        and (clock is None or parse_instant(clock) is not None)
    )
    if not is_sound:
        return None
    number = int(allowed) if allowed is not None else None
    instant = parse_instant(clock) if clock is not None else None
    version, seen = found.get("Ipam-Version", ""), found.get("Ipam-Observed", "")
    return CommitTrailers(plan, base, version, number, instant, seen, accepts)
