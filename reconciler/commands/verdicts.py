"""What a cache remembers of commits that say that reconcile made them: it spares their replay."""

from reconciler.model.verdict import Verdict
from reconciler.ports import Facts, Revision

_TABLE = "replayed"


def judged_before(facts: Facts | None, commit: str) -> Verdict | None:
    """What a cache knows of a commit."""
    known = facts.known(_TABLE, [commit]).get(commit) if facts is not None else None
    return Verdict(known) if known is not None else None


def note_judged(facts: Facts | None, commit: str, verdict: Verdict) -> None:
    """Remember what a replay of a commit showed."""
    # What is not here, or has a time that has not come, may be so one day.
    if facts is not None and verdict not in (Verdict.NOT_HERE, Verdict.NOT_YET):
        facts.note(_TABLE, {commit: verdict})


def note_made(facts: Facts | None, commit: Revision) -> None:
    """Remember a commit that this very run made: it need not be replayed."""
    note_judged(facts, commit.id, Verdict.SAME)
