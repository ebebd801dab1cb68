"""The message of a reconcile commit: written and read here, and nowhere else.

What it says is a claim. Anybody can write it; whether it is true, a replay tells.
"""

import re

from msgspec import Struct

from reconciler.model.instant import format_instant, parse_instant

SKIP_CI = " [skip ci]"
"""What asks CI to leave a commit out, at the end of its subject."""

_MESSAGE = re.compile(r"ipam: [^\n]+\n\n((?:Ipam-[A-Za-z-]+: [^\n]+\n)+)\n*", re.ASCII)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)


class Said(Struct, frozen=True):
    """What a reconcile commit says of itself.

    Attributes:
        plan: Digest of the plan.
        base: The revision that was planned.
        version: The program's; empty for one that did not say so yet.
        allow_release: How many releases a person expected, or None.
        clock: The plan's clock, where it is not the base's committer date; else None.
        seen: What was seen of clusters, in the words of who looked; empty for nothing.
        put_back: The commit of reconcile's whose records a brake put back; empty for none.
    """

    plan: str
    base: str
    version: str = ""
    allow_release: int | None = None
    clock: int | None = None
    seen: str = ""
    put_back: str = ""


def message_of(subject: str, said: Said) -> str:
    """The message: `ipam: allocate 2`, and a trailer for each thing that is said.

    What stands in the subject is for people, and for CI: nobody here reads it back.
    """
    trailers = {"Ipam-Plan": said.plan, "Ipam-Base": said.base, "Ipam-Version": said.version}
    if said.allow_release is not None:
        trailers["Ipam-Allow-Release"] = str(said.allow_release)
    if said.clock is not None:
        trailers["Ipam-Clock"] = format_instant(said.clock)
    trailers["Ipam-Put-Back"] = said.put_back
    trailers["Ipam-Observed"] = said.seen
    listed = "".join(f"{name}: {value}\n" for name, value in trailers.items() if value)
    return f"ipam: {subject}\n\n{listed}"


def read_message(message: str) -> Said | None:
    """What a message says that has just this form; None for any other one.

    A text that only quotes trailers, such as that of a merge, is no such message. Trailers of
    other names, as later versions may write them, are let be.
    """
    found = _MESSAGE.fullmatch(message)
    if found is None:
        return None
    listed = [line.partition(": ") for line in found.group(1).splitlines()]
    told = {name: value for name, _, value in listed}
    plan, base = told.get("Ipam-Plan", ""), told.get("Ipam-Base", "")
    allowed, clock = told.get("Ipam-Allow-Release"), told.get("Ipam-Clock")
    back = told.get("Ipam-Put-Back", "")
    is_sound = (
        len(told) == len(listed)
        and _DIGEST.fullmatch(plan)
        and _COMMIT.fullmatch(base)
        and (allowed is None or _NUMBER.fullmatch(allowed))
        and (not back or _COMMIT.fullmatch(back))
        and (clock is None or parse_instant(clock) is not None)
    )
    if not is_sound:
        return None
    number = int(allowed) if allowed is not None else None
    instant = parse_instant(clock) if clock is not None else None
    version, seen = told.get("Ipam-Version", ""), told.get("Ipam-Observed", "")
    return Said(plan, base, version, number, instant, seen, back)
