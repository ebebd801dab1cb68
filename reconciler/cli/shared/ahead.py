"""What every review asks of git first, asked while the rest of the program is loaded.

A tenth of a second each, and neither needs the other. Answers are on the desk then, and objects
in the clone: who asks later gets the same at once, and meets whatever went wrong himself.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread

from reconciler.adapters.children import Ended
from reconciler.adapters.git.past import history, knows
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.roots import GitRoots
from reconciler.cli.shared.opening import Read
from reconciler.commands.uncommitted import line_of
from reconciler.documents.suffix import is_yaml
from reconciler.model.settings import PATH
from reconciler.ports import Facts, ReconcilerError, Source

MOST = 1_000
"""Of a change with more files those that are read are fetched when it is known which they are."""


@contextmanager
def asked_ahead(read: Read, base: str, *, is_known: bool) -> Iterator[None]:
    """Ask meanwhile, in threads. In here nothing else asks, and no process is forked.

    Args:
        read: The change. Without a desk nothing is asked.
        base: As `--base`.
        is_known: What the cache knows is asked for, too.
    """
    questions = [*_questions(read.repository, read.source, base)]
    questions += [partial(_open, read.facts)] if is_known else []
    asking = [Thread(target=ask, daemon=True) for ask in questions]
    for it in asking:
        it.start()
    try:
        yield
    finally:
        for it in asking:
            it.join()


def _questions(
    repository: GitRepository, source: Source, base: str
) -> Iterator[Callable[[], None]]:
    """What is asked side by side; one of them alone looks objects up."""
    with suppress(ReconcilerError):
        before = repository.source(base)
        start, end = before.revision(), source.revision()
        if repository.git.desk is not None and start is not None and end is not None:
            own = before.standing([PATH])
            yield partial(_bring, repository, (before, start.id), (source, end.id))
            yield partial(_ask, repository, start.id, end.id, has_settings=bool(own))


def _bring(repository: GitRepository, base: tuple[Source, str], change: tuple[Source, str]) -> None:
    """What differs, fetched as far as a filter left it out, and the line of what is merged."""
    (before, start), (source, end) = base, change
    with suppress(Exception, Ended):
        changed, _ = repository.changed(start, end)
        sides = [side for it in changed for side in (it.old, it.new) if side and side.is_file]
        own = [it for side in (before, source) for it in side.standing([PATH]) or ()]
        read = [it for it in sides if is_yaml(it.path)]
        source.bring([*own, *read] if len(read) <= MOST else own)
        repository.is_whole(end, start)
        tip = line_of(repository, before, source).revision()
        if tip is not None:
            history(repository.git, tip.id)
            knows(repository.git, tip.id, [it.path for it in changed])


def _ask(repository: GitRepository, start: str, end: str, *, has_settings: bool) -> None:
    """What commits say of themselves, and which files are gone."""
    with suppress(Exception, Ended):
        line = next(repository.saying(start, on_line=True), "")
        next(repository.saying(start, holding=line), None)
        next(repository.saying(end, without=start), None)
        list(GitRoots(repository.git).dropped(start, end))
        if has_settings:  # of what was never there nothing more is asked
            history(repository.git, start)


def _open(facts: Callable[[], Facts]) -> None:
    """The cache: which program this is is told by all its files."""
    with suppress(Exception):
        facts()
