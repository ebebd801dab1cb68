"""Verify: replay every reconcile commit of a branch, and list who else touched what reconcile writes."""

from collections.abc import Iterator
from itertools import takewhile

from reconciler.commands.message import read_message
from reconciler.commands.reading.settings import folders_before, read_own_settings
from reconciler.commands.replay import replay
from reconciler.model.verdict import Verdict
from reconciler.ports import Made, Repository, Source, Step
from reconciler.report.verification import Verified


def verify(repository: Repository, newest: str, after: str | None = None) -> Iterator[Verified]:
    """Return the commits of a branch that touch files of reconcile, newest first.

    Args:
        repository: The repository.
        newest: The newest revision.
        after: A revision whose commits are left out.

    Raises:
        GitError: There is no such revision.
        LimitError: A commit changed more files than are read of a revision.
    """
    source = repository.source(newest)
    folders = _folders(source)
    last = _newest(repository.source(after), folders) if after is not None else ""
    for step in takewhile(lambda step: step.id != last, source.past(folders)):
        parents = repository.made(step.id).parents
        merged = list(repository.plan_commits(step.id, parents[:1])) if parents[1:] else []
        if not merged or repository.changed(merged[0], step.id, folders)[0]:
            yield _verified(repository, step)
        for commit in merged:
            changed, _ = repository.changed(f"{commit}^", commit, folders)
            yield _verified(repository, Step(commit, tuple(changed)))


def revisions_of(reach: str) -> tuple[str, str | None]:
    """The newest revision of a range, and the one behind which it begins: `A..B`, `A..` or `B`."""
    before, dots, newest = reach.rpartition("..")
    return newest or "HEAD", before if dots and before else None


def _folders(source: Source) -> list[str]:
    """The folders that reconcile writes, also those that earlier Settings named."""
    settings = read_own_settings(source).settings
    return list(dict.fromkeys([settings.records, settings.observed, *folders_before(source)]))


def _newest(source: Source, folders: list[str]) -> str:
    """The newest commit of a line that touches something; empty when none does."""
    return next((step.id for step in source.past(folders)), "")


def _verified(repository: Repository, step: Step) -> Verified:
    made = repository.made(step.id)
    touched = tuple(item.path for item in step.changed)
    if step.is_cut:
        return _told(made, Verdict.NOT_HERE)
    claims = read_message(made.message) is not None
    if not claims:
        return _told(made, Verdict.FOREIGN, files=touched, claims=False)
    found = replay(repository, step.id)
    files = touched if found.verdict is Verdict.FOREIGN else found.files
    return _told(made, found.verdict, version=found.version, files=files)


def _told(
    made: Made,
    verdict: Verdict,
    *,
    version: str = "",
    files: tuple[str, ...] = (),
    claims: bool = True,
) -> Verified:
    subject = made.message.partition("\n")[0]
    return Verified(
        made.id, verdict, made.clock, made.author, subject, version, files, claims=claims
    )
