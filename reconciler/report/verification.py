"""What `verify` shows: of each commit that touches records whether it is what its plan makes."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from reconciler.model.instant import format_instant
from reconciler.model.verdict import Verdict
from reconciler.report.machine import envelope


class Verified(Struct, frozen=True):
    """One commit of a branch that touches records, or what was looked at.

    Attributes:
        commit: Its id.
        verdict: What a replay says of it.
        clock: Its committer date, in seconds since 1970; None for one that cannot be read.
        author: Who wrote it.
        subject: The first line of its message.
        version: The version that it says made it.
        files: What differs; of a foreign one the records that it touches.
        claims: It says that reconcile made it.
    """

    commit: str
    verdict: Verdict
    clock: int | None
    author: str
    subject: str
    version: str = ""
    files: tuple[str, ...] = ()
    claims: bool = True

    @property
    def is_wrong(self) -> bool:
        """It says that reconcile made it, and that is not so."""
        is_foreign = self.claims and self.verdict is Verdict.FOREIGN
        return self.verdict is Verdict.DIFFERENT or is_foreign


def verification_document(
    revision: str, found: Sequence[Verified], exit_code: int
) -> dict[str, Any]:
    """All commits, newest first."""
    counts = {verdict.value: 0 for verdict in Verdict}
    for item in found:
        counts[item.verdict.value] += 1
    return {
        **envelope("Verification"),
        "revision": revision,
        "exitCode": int(exit_code),
        "summary": counts,
        "commits": [_commit(item) for item in found],
    }


def _commit(item: Verified) -> dict[str, Any]:
    return {
        "commit": item.commit,
        "verdict": item.verdict.value,
        "wrong": item.is_wrong,
        "date": None if item.clock is None else format_instant(item.clock),
        "author": item.author,
        "subject": item.subject,
        "version": item.version or None,
        "files": list(item.files),
    }
