"""`completion`: the completion script of a shell, and completion of values."""

import contextlib
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ZshComplete

from reconciler.cli.commands import VERBS, VerbCommand, ipam
from reconciler.cli.opening import evaluated, open_here
from reconciler.cli.options import Reading, debug_option
from reconciler.cli.output import emit
from reconciler.codes import CODES
from reconciler.gitio.repository import GitRepository
from reconciler.model.settings import Settings
from reconciler.planning.documents import schema_files
from reconciler.planning.evaluate import Evaluation
from reconciler.report.listing import items, listings

Values = dict[str, Any]
ValueSource = Callable[[Values], Iterable[str]]

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
_MAX_VALUES = 200
SMALL_FILES = 2_000
"""For more files, planning would make completion slow, so only records are read."""


@click.command(cls=VerbCommand)
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@debug_option
def completion(shell: str) -> int:
    """Print the completion script of a shell: `eval "$(ipam completion bash)"`."""
    emit(_SHELLS[shell](ipam, {}, "ipam", "_IPAM_COMPLETE").source() + "\n")
    return 0


def revisions(values: Values) -> Iterable[str]:
    """Yield branches, tags, and special revision names."""
    listed = _repository(values).git.run(
        "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/remotes"
    )
    names = listed.out.decode("utf-8", "replace").splitlines()
    yield from ("HEAD", "HEAD~1")
    yield from (name.split("/", 2)[2] for name in names if not name.endswith("/HEAD"))


def claims(values: Values) -> Iterable[str]:
    """Yield owners that hold or request addresses, as namespace/name."""
    paths = _paths(values)
    for parts in _records(paths):
        owner = parts[-1].rpartition(".")[0].rpartition(".")[0]
        yield owner if parts[-2] == "_" else f"{parts[-2]}/{owner}"
    if len(paths) <= SMALL_FILES:
        for key in (decision.claim for decision in _evaluation(values).plan.decisions):
            yield f"{key.namespace}/{key.name}" if key.namespace else key.name


def pools(values: Values) -> Iterable[str]:
    """Yield the names of pools."""
    paths = _paths(values)
    yield from (parts[-3].partition(".")[2] or parts[-3] for parts in _records(paths))
    if len(paths) <= SMALL_FILES:
        yield from (key.name for key in _evaluation(values).plan.before)


def names(values: Values) -> Iterable[str]:
    """Return the names of listed objects, of the kind already typed."""
    found = items(_evaluation(values), listings()[values["what"]])
    return [item.name for item in found if item.name not in values["names"]]


def teams(values: Values) -> Iterable[str]:
    """Return teams that hold addresses."""
    return [record.owner.team for record in _evaluation(values).state.records]


BY_NAME: dict[str, tuple[ValueSource, ...]] = {
    **dict.fromkeys(("rev", "base", "reach", "branch", "DATE|REV"), (revisions,)),
    **dict.fromkeys(("pool", "pools"), (pools,)),
    "claim": (claims,),
    "[CLAIM|CODE]": (claims, lambda _: CODES),
    "asked": (claims, pools),
    "what": (lambda _: listings(),),
    "names": (names,),
    "team": (teams,),
    "kind": (lambda _: schema_files(),),
    "verb": (lambda _: VERBS,),
}
"""Completion of a parameter, by its metavar or its name, for every command."""


def complete_by_name(command: click.Command) -> None:
    """Add value completion to the parameters of a command."""
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        complete_by_name(inner)
    for param in command.params:
        sources = BY_NAME.get(param.metavar or "") or BY_NAME.get(param.name or "")
        if sources:
            vars(param)["shell_complete"] = _completer(sources)


def _completer(
    sources: Sequence[ValueSource],
) -> Callable[[click.Context, str], list[CompletionItem]]:
    def complete(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found: dict[str, None] = {}
        for source in sources:
            silence = contextlib.redirect_stderr(io.StringIO())
            with contextlib.suppress(Exception), silence, ctx.scope(cleanup=False):
                for value in source(ctx.params):
                    if value.startswith(incomplete) and value.isprintable():
                        found[value] = None
        return [CompletionItem(value) for value in sorted(found)[:_MAX_VALUES]]

    return complete


def _reading(values: Values) -> Reading:
    repo, rev = values.get("repo") or Path(), values.get("rev") or "HEAD"
    return Reading(repo, rev, bool(values.get("worktree")))


def _repository(values: Values) -> GitRepository:
    return open_here(_reading(values).repo)


def _paths(values: Values) -> list[str]:
    git = _repository(values).git
    words = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", "--end-of-options")
    listed = git.run(*words, _reading(values).rev, *git.root.inside([]))
    return [git.root.outside(path) for path in listed.out.decode("utf-8", "replace").split("\0")]


def _records(paths: Iterable[str]) -> list[list[str]]:
    """Return the path parts of records: they contain pool, owner's namespace, owner, and slot."""
    parts = [path.split("/") for path in paths if path.startswith(f"{Settings().records}/")]
    return [it for it in parts if len(it) >= 5]


def _evaluation(values: Values) -> Evaluation:
    return evaluated(_reading(values), "never")
