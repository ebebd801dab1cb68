"""`completion`: the completion script of a shell, and completion of values."""

import contextlib
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ZshComplete

from reconciler.cli import opening, options, output
from reconciler.cli.commands import VERBS, VerbCommand, ipam
from reconciler.codes import CODES
from reconciler.planning.documents import schema_files
from reconciler.planning.evaluate import Evaluation
from reconciler.report.listing import items, listings

Values = dict[str, Any]
ValueSource = Callable[[Values], Iterable[str]]

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
_MAX_VALUES = 200


@click.command(cls=VerbCommand)
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@options.debug
def completion(shell: str) -> int:
    """Print the completion script of a shell: `eval "$(ipam completion bash)"`."""
    output.emit(_SHELLS[shell](ipam, {}, "ipam", "_IPAM_COMPLETE").source() + "\n")
    return 0


def _revisions(values: Values) -> Iterable[str]:
    listed = opening.open_here(_reading(values).repo).git.run(
        "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/remotes"
    )
    names = listed.out.decode("utf-8", "replace").splitlines()
    yield from ("HEAD", "HEAD~1")
    yield from (name.split("/", 2)[2] for name in names if not name.endswith("/HEAD"))


def _claims(values: Values) -> Iterable[str]:
    for key in (decision.claim for decision in _evaluation(values).plan.decisions):
        yield f"{key.namespace}/{key.name}" if key.namespace else key.name


def _pools(values: Values) -> Iterable[str]:
    return [key.name for key in _evaluation(values).plan.before]


def _teams(values: Values) -> Iterable[str]:
    return [it.owner.team for it in _evaluation(values).state.records if it.owner.team]


def _names(values: Values) -> Iterable[str]:
    found = items(_evaluation(values), listings()[values["what"]])
    return [item.name for item in found if item.name not in values["names"]]


BY_NAME: dict[str, tuple[ValueSource, ...]] = {
    **dict.fromkeys(("rev", "base", "reach", "branch", "DATE|REV"), (_revisions,)),
    **dict.fromkeys(("pool", "pools"), (_pools,)),
    "claim": (_claims,),
    "[CLAIM|CODE]": (_claims, lambda _: CODES),
    "asked": (_claims, _teams, _pools),
    "what": (lambda _: listings(),),
    "names": (_names,),
    "team": (_teams,),
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


def _reading(values: Values) -> options.Reading:
    repo, rev = values.get("repo") or Path(), values.get("rev") or "HEAD"
    return options.Reading(repo, rev, bool(values.get("worktree")))


def _evaluation(values: Values) -> Evaluation:
    return opening.open_source(_reading(values)).evaluation(output.painter("never"))
