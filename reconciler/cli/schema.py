"""`schema`: the JSON Schema of a kind, for editors and for people; and whose folder is whose."""

import json
from pathlib import Path

import click

from reconciler.cli.shared.opening import open_source
from reconciler.cli.shared.options import debug_option, option, reading_options
from reconciler.cli.shared.output import emit, note, painter, tell_errors
from reconciler.commands.codeowners import codeowners_text
from reconciler.commands.reading.reader import evaluate_source
from reconciler.documents.shipped import schema as read_schema
from reconciler.families import families
from reconciler.findings import has_error
from reconciler.ownership import contracts_of
from reconciler.ports import ExitCode, UsageError
from reconciler.report.machine import json_text
from reconciler.sources import schema_files

_EXAMPLE = families()[0].kinds[0].name


@click.command(
    help=f"""Print the JSON Schema of a kind; without one, list the kinds.

    Editors take them: `# yaml-language-server: $schema=../.schemas/{_EXAMPLE}.json`.
    """
)
@click.argument("kind", required=False)
@click.option(
    "--all",
    "folder",
    type=click.Path(path_type=Path),
    envvar="IPAM_SCHEMA_ALL",  # IPAM_ALL is the flag of plan
    help="Write all of them to this folder.",
)
@option("--codeowners", is_flag=True, help="Print CODEOWNERS: whose folder is whose, by the teams.")
@reading_options
@debug_option
def schema(
    kind: str | None, folder: Path | None, codeowners: bool, repo: Path, rev: str, worktree: bool
) -> int:
    """Print the JSON Schema of a kind, or write all of them; or whose folder is whose."""
    if codeowners:
        if kind is not None or folder is not None:
            raise UsageError("--codeowners goes with no kind, and not with --all", "leave them out")
        return _codeowners(repo, rev, worktree=worktree)
    files = schema_files()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, path in files.items():
            text = json.dumps(read_schema(path), indent=2, ensure_ascii=False) + "\n"
            (folder / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")
        note(f"wrote {len(files)} schemas to {folder}")
        return ExitCode.OK
    if kind is None:
        emit("".join(f"{name}\n" for name in files))
        return ExitCode.OK
    by_lower = {name.lower(): name for name in files}
    if kind.lower() not in by_lower:
        versions = [name for name in files if name.lower().startswith(f"{kind.lower()}.")]
        raise UsageError(f"no kind {kind!r}", f"there are: {', '.join(versions or files)}")
    emit(json_text(read_schema(files[by_lower[kind.lower()]])))
    return ExitCode.OK


def _codeowners(repo: Path, rev: str, *, worktree: bool) -> int:
    """Print what follows from the documents of teams; nothing where something is wrong."""
    # A schema needs no repository.

    read = open_source(repo, rev, worktree=worktree)
    evaluation = evaluate_source(read.source)
    if has_error(evaluation.findings):
        tell_errors(evaluation.findings, painter("auto"))
        return ExitCode.WRONG
    emit(codeowners_text(contracts_of(evaluation.documents), read.repository.roots.own))
    return ExitCode.OK
