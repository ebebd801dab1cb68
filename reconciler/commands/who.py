"""Who: what addresses are at a commit, and which commits and people made them that."""

from collections.abc import Callable, Iterator
from difflib import get_close_matches

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.asking.dates import moment_of
from reconciler.asking.happenings import Happening
from reconciler.asking.holders import Holder, bears, is_named, of_name, of_ranges
from reconciler.asking.holders import near as near_now
from reconciler.asking.parts import Sort
from reconciler.commands.annals import Caused, History
from reconciler.evaluate import Evaluation
from reconciler.model.instant import format_instant
from reconciler.ports import GitError, Repository, UsageError
from reconciler.ports.annals import Annals
from reconciler.report.standing import asked_range


class Answer(Struct, frozen=True):
    """What was asked, and what it is.

    Attributes:
        asked: What a person wrote.
        range: The addresses that it means; None for a name.
        holders: What they are, by address.
        brought: What made each record what it is, by its path.
        near: A name that is like one that nothing bears; else empty.
    """

    asked: str
    range: IPRange | None
    holders: tuple[Holder, ...]
    brought: dict[str, Caused]
    near: str = ""

    @property
    def is_known(self) -> bool:
        """Something of the repository stands there."""
        return any(it.part.sort is not Sort.OUTSIDE for it in self.holders)


def who(evaluation: Evaluation, history: History, asked: str) -> Answer:
    """What some addresses are, or the addresses of somebody.

    Args:
        evaluation: Of the revision.
        history: Its past.
        asked: An address, a CIDR, a range, or a name.
    """
    state, item = evaluation.state, asked_range(asked)
    holders = of_name(state, asked) if item is None else of_ranges(state, [item])
    brought = _brought(history, holders)
    like = "" if holders else near_now(state, asked)
    return Answer(asked, item, tuple(holders), brought, like)


def what_happened(history: History, asked: str) -> Iterator[Caused]:
    """All that ever happened to some addresses, or to those of somebody; newest first."""
    return history.told(_concerning(asked))


def near(history: History, asked: str) -> str:
    """A name of the past, as far as it was read, that is like one that nothing bore; else empty."""
    facts = [fact for fact in history.known.values() if fact is not None]
    owners = {name for it in facts for name in (it.owner, it.owner.rpartition("/")[2])}
    names = owners | {it.pool.rpartition("/")[2] for it in facts} | {it.record for it in facts}
    return next(iter(get_close_matches(asked, sorted(names), 1)), "")


def _concerning(asked: str) -> Callable[[Happening], bool]:
    item = asked_range(asked)
    return _Named(asked) if item is None else (lambda it: it.concerns([item]))


class _Named:
    """What happened to a name, newest first; before a rename that it came by, to the claim renamed.

    What else bore a former name may be somebody else's, so it is that claim alone.
    """

    def __init__(self, asked: str) -> None:
        self.asked = asked
        self.former: set[str] = set()

    def __call__(self, item: Happening) -> bool:
        claims = {item.fact.claim, item.heir.claim if item.heir is not None else ""}
        is_its = bears(item, self.asked) or not self.former.isdisjoint(claims)
        if is_its and item.heir is not None:
            self.former = self.former - claims | {item.fact.claim}
        return is_its or is_named(item, self.asked)


def _brought(history: History, holders: list[Holder]) -> dict[str, Caused]:
    """What made records what they are: the newest that happened to each."""
    missing = {it.part.record.path for it in holders if it.part.record is not None}
    paths = frozenset(missing)
    found: dict[str, Caused] = {}
    if not missing:
        return found
    for caused in history.told(only=lambda path: path in paths):
        item = caused[0]
        for path in [it.path for it in item.row.touched if it.path in missing]:
            fact = history.known.get((_new(item, path), path))
            told = item.heir or item.fact
            if fact is not None and (fact.claim, fact.phase) == (told.claim, told.phase):
                found[path] = caused
                missing.discard(path)
        if not missing:
            break
    return found


def _new(item: Happening, path: str) -> str:
    return next(it.new for it in item.row.touched if it.path == path)


def revision_at(repository: Repository, annals: Annals, rev: str, at: str | None) -> str:
    """The revision that `--at` means: that of a moment on the line of `--rev`, or one by its name.

    Raises:
        UsageError: It is neither, or the line begins later.
    """
    if at is None:
        return rev
    head = repository.resolve(rev)
    moment = moment_of(at, head.clock, is_end=True)
    if moment is None:
        try:
            return repository.resolve(at).id
        except GitError as error:
            hint = "write 2026-02-15, 2026-02-15T10:00Z, 30d (before the revision), or a revision"
            raise UsageError(f"--at {at!r} is neither a time nor a revision", hint) from error
    found = annals.before(head.id, moment)
    if found is None:
        raise UsageError(f"no commit of {rev} is as old as {format_instant(moment)}")
    return found.id
