"""What of a change causes what its plan decides: in sentences and as data."""

from collections.abc import Iterator, Sequence
from typing import Any

from reconciler.model.cause import Cause


def elsewhere(causes: Sequence[Cause]) -> list[Cause]:
    """Those that the change causes by something else than the claim's own document."""
    return [it for it in causes if it.is_caused and it.reason]


def not_caused(causes: Sequence[Cause]) -> list[Cause]:
    """Those that the change does not cause."""
    return [it for it in causes if not it.is_caused]


def sentence_of(cause: Cause) -> str:
    """Why it is decided."""
    words = [f"{cause.claim._replace(slot='').short} ({cause.claim.slot}): "]
    if cause.place is not None:
        words.append(f"{place_of(cause)}: ")
    return "".join([*words, cause.reason])


def place_of(cause: Cause) -> str:
    """File, line and commit; empty for a decision that the change does not cause."""
    if cause.place is None:
        return ""
    commit = f" ({cause.short})" if cause.commit else ""
    return f"{cause.place.path}:{cause.place.line}{commit}"


def blocks(causes: Sequence[Cause]) -> Iterator[tuple[str, list[Cause]]]:
    """What has to be told beside the documents of the claims themselves, with its title."""
    for title, found in (
        ("Caused elsewhere in this change", elsewhere(causes)),
        ("Not caused by this change", not_caused(causes)),
    ):
        if found:
            yield title, found


def causes_listed(causes: Sequence[Cause]) -> list[dict[str, Any]]:
    """All of them as data, in the order of the plan."""
    return [
        {
            "claim": str(it.claim),
            "path": it.place.path if it.place is not None else None,
            "line": it.place.line if it.place is not None else None,
            "commit": it.commit or None,
            "caused": it.is_caused,
            "reason": it.reason,
        }
        for it in causes
    ]
