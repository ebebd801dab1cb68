"""What a shell completes: revisions, claims, pools, names, kinds, codes. Silent when something fails.

By the name of a parameter or the word for its value, so that a verb says nothing of it.
"""

import contextlib
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from reconciler.cli.shared.evaluating import evaluated
from reconciler.cli.shared.opening import open_here
from reconciler.cli.shared.verbs import VERBS
from reconciler.codes import CODES
from reconciler.evaluate import Evaluation
from reconciler.model.settings import Settings
from reconciler.report.listing.items import items, listings
from reconciler.sources import schema_files

_MOST = 200
# Beyond so many files a plan would keep a person waiting: records alone are looked at then.
FEW_FILES = 2_000


def revisions(values: dict[str, Any]) -> Iterable[str]:
    """Branches and tags, and what stands for them."""
    git = _repository(values).git
    listed = git.run(
        "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/remotes"
    )
    names = listed.out.decode("utf-8", "replace").splitlines()
    yield from ("HEAD", "HEAD~1")
    yield from (name.split("/", 2)[2] for name in names if not name.endswith("/HEAD"))


def claims(values: dict[str, Any]) -> Iterable[str]:
    """Who holds addresses, or asks for some, as namespace/name."""
    paths = _paths(values)
    for parts in _records(paths):
        owner = parts[-1].rpartition(".")[0].rpartition(".")[0]
        yield owner if parts[-2] == "_" else f"{parts[-2]}/{owner}"
    if len(paths) <= FEW_FILES:
        for decision in _evaluation(values).plan.decisions:
            key = decision.claim
            yield f"{key.namespace}/{key.name}" if key.namespace else key.name


def pools(values: dict[str, Any]) -> Iterable[str]:
    """The names of pools."""
    paths = _paths(values)
    yield from (parts[-3].partition(".")[2] or parts[-3] for parts in _records(paths))
    if len(paths) <= FEW_FILES:
        yield from (key.name for key in _evaluation(values).plan.before)


def listed(values: dict[str, Any]) -> Iterable[str]:
    """What can be listed, in the plural."""
    del values
    return listings()


def named(values: dict[str, Any]) -> Iterable[str]:
    """The names of what is listed: of a kind that somebody chose already."""
    found = items(_evaluation(values), listings()[values["what"]])
    return [item.name for item in found if item.name not in values["names"]]


def teams(values: dict[str, Any]) -> Iterable[str]:
    """Teams that hold addresses."""
    return [record.owner.team for record in _evaluation(values).state.records]


def verbs(values: dict[str, Any]) -> Iterable[str]:
    """The verbs, for the help of one."""
    del values
    return VERBS


def kinds(values: dict[str, Any]) -> Iterable[str]:
    """The kinds that have a schema."""
    del values
    return schema_files()


def codes(values: dict[str, Any]) -> Iterable[str]:
    """The codes of findings."""
    del values
    return CODES


Source = Callable[[dict[str, Any]], Iterable[str]]
BY_NAME: dict[str, tuple[Source, ...]] = {
    "rev": (revisions,),
    "base": (revisions,),
    "reach": (revisions,),
    "branch": (revisions,),
    "claim": (claims,),
    "pool": (pools,),
    "pools": (pools,),
    "what": (listed,),
    "kind": (kinds,),
    "code": (codes,),
    "asked": (claims, pools),
    "names": (named,),
    "team": (teams,),
    "verb": (verbs,),
    "[CLAIM|CODE]": (claims, codes),
    "DATE|REV": (revisions,),
    "[POOL]": (pools,),
}
"""What completes a parameter, by the word for its value or its name, whatever the verb."""


def complete_by_name(command: click.Command) -> None:
    """Let the parameters of a verb complete their values."""
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        complete_by_name(inner)
    for param in command.params:
        sources = BY_NAME.get(param.metavar or "") or BY_NAME.get(param.name or "")
        if sources:
            vars(param)["shell_complete"] = _completer(sources)


def _completer(
    sources: Sequence[Source],
) -> Callable[[click.Context, str], list[CompletionItem]]:
    def complete(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found: dict[str, None] = {}
        for source in sources:
            is_silent = contextlib.redirect_stderr(io.StringIO())
            with contextlib.suppress(Exception), is_silent, ctx.scope(cleanup=False):
                for value in source(ctx.params):
                    if value.startswith(incomplete) and value.isprintable():
                        found[value] = None
        return [CompletionItem(value) for value in sorted(found)[:_MOST]]

    return complete


def _repository(values: dict[str, Any]) -> Any:

    return open_here(values.get("repo") or Path())


def _paths(values: dict[str, Any]) -> list[str]:
    """The paths of all files of the revision."""
    git = _repository(values).git
    rev = values.get("rev") or "HEAD"
    names = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", "--end-of-options")
    listed = git.run(*names, rev, *git.root.inside([]))
    paths: list[str] = listed.out.decode("utf-8", "replace").split("\0")
    return [git.root.outside(path) for path in paths]


def _records(paths: Iterable[str]) -> list[list[str]]:
    """The parts of the paths of records: pool, owner's namespace, owner and slot are in them."""
    parts = [path.split("/") for path in paths if path.startswith(f"{Settings().records}/")]
    return [it for it in parts if len(it) >= 5]


def _evaluation(values: dict[str, Any]) -> Evaluation:

    worktree, rev = bool(values.get("worktree")), values.get("rev") or "HEAD"
    repo = values.get("repo") or Path()
    return evaluated(repo, rev, "never", worktree=worktree)
