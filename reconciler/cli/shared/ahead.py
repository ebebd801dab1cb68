"""What every review asks of git first, asked while the rest of the program is loaded.

A tenth of a second each, and neither needs the other. Answers are on the desk then, and objects
in the clone: who asks later gets the same at once, and meets whatever went wrong himself.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

from reconciler.adapters.children import Ended
from reconciler.adapters.git.past import history, knows
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.roots import GitRoots
from reconciler.commands.uncommitted import line_of
from reconciler.documents.suffix import is_yaml
from reconciler.model.settings import PATH
from reconciler.ports import Source

MOST = 1_000
"""Of a change with more files those that are read are fetched when it is known which they are."""


@contextmanager
def asked_ahead(repository: GitRepository, source: Source, base: str) -> Iterator[None]:
    """Ask meanwhile, in a thread. In here nothing else asks, and no process is forked.

    Args:
        repository: Where both are. Without a desk nothing is asked.
        source: The files of the change.
        base: As `--base`.
    """
    if repository.git.desk is None or source.revision() is None:
        yield
        return
    asking = Thread(target=_ask, args=(repository, source, base), daemon=True)
    asking.start()
    try:
        yield
    finally:
        asking.join()


def _ask(repository: GitRepository, source: Source, base: str) -> None:
    with suppress(Exception, Ended):
        git, before = repository.git, repository.source(base)
        start, end = before.revision(), source.revision()
        if start is None or end is None:
            return
        changed, _ = repository.changed(start.id, end.id)
        sides = [side for it in changed for side in (it.old, it.new) if side and side.is_file]
        own, theirs = before.standing([PATH]), source.standing([PATH]) or ()
        read = [it for it in sides if is_yaml(it.path)]
        source.bring([*own, *theirs, *(read if len(read) <= MOST else ())])
        line = next(repository.saying(start.id, on_line=True), "")
        next(repository.saying(start.id, holding=line), None)
        next(repository.saying(end.id, without=start.id), None)
        repository.is_whole(end.id, start.id)
        list(GitRoots(git).dropped(start.id, end.id))
        # What the commits say of what changed, and of the Settings, begins with these.
        tip = line_of(repository, before, source).revision() or end
        for commit in (start.id, tip.id) if own else (tip.id,):
            history(git, commit)
        knows(git, tip.id, [it.path for it in changed])
