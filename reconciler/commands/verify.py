"""Verify: replay every reconcile commit of a branch, and list who else touched what reconcile writes."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile

from msgspec import Struct

from reconciler.commands.message import read_message
from reconciler.commands.reading.settings import folders_before, read_own_settings
from reconciler.commands.replay import replay
from reconciler.model.verdict import Verdict
from reconciler.ports import Made, Repository, Source, Step
from reconciler.report.verification import Verified

# The first lines are seen at once; then so many commits are read ahead.
_FIRST_LOOK, _NEXT_LOOK = 4, 64


def _nothing(commits: Sequence[str]) -> None:
    del commits


class Shared(Struct, frozen=True):
    """What replays of one branch share.

    Attributes:
        ahead: Reads at once what will be asked of some commits.
    """

    ahead: Callable[[Sequence[str]], None] = _nothing


def verify(
    repository: Repository, newest: str, shared: Shared, after: str | None = None
) -> Iterator[Verified]:
    """The commits of a branch that touch records or what was looked at, newest first.

    Told one by one, as they are replayed. What a commit says of itself is not believed on the way.

    Args:
        repository: Where they are.
        newest: The newest revision.
        shared: What replays share; nothing of it is from elsewhere.
        after: A revision; what its line has is left out.

    Raises:
        GitError: There is no such revision.
        LimitError: A commit changed more files than are read of a revision.
    """
    source = repository.trusting().source(newest)
    folders = _folders(source)
    last = _newest(repository.trusting().source(after), folders) if after is not None else ""
    steps = takewhile(lambda step: step.id != last, source.past(folders))
    size = _FIRST_LOOK
    while portion := list(islice(steps, size)):
        shared.ahead([step.id for step in portion])
        yield from _all_verified(repository, portion, source)
        size = _NEXT_LOOK


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


def _all_verified(
    repository: Repository, steps: Sequence[Step], source: Source
) -> Iterator[Verified]:
    """Some commits, on all processors when there are many; in order."""

    def share(commits: Sequence[str]) -> list[Verified]:
        return [_verified(repository, by_id[commit]) for commit in commits]

    by_id = {step.id: step for step in steps}
    commits = list(by_id)
    shares = source.spread(commits, share) if len(commits) > _FIRST_LOOK else [share(commits)]
    found = {item.commit: item for part in shares for item in part}
    return (found[commit] for commit in commits)


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
