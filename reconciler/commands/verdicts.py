"""Verdicts of this process about reconcile commits, so that each is replayed once."""

from reconciler.model.verdict import Verdict
from reconciler.ports import Repository, Revision


def judged_before(repository: Repository, commit: str) -> Verdict | None:
    """Return the verdict about a commit, if it is known."""
    return repository.verdicts.get(commit)


def note_judged(repository: Repository, commit: str, verdict: Verdict) -> None:
    """Remember the verdict of a replay."""
    # A missing commit can be fetched later, and a future date can pass.
    if verdict not in (Verdict.NOT_HERE, Verdict.NOT_YET):
        repository.verdicts[commit] = verdict


def note_made(repository: Repository, commit: Revision) -> None:
    """Remember a commit that this process made."""
    note_judged(repository, commit.id, Verdict.SAME)
