"""`schema`: JSON Schemas and CODEOWNERS."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import click

from reconciler.cli.opening import open_source
from reconciler.cli.options import debug_option, option, reading_options
from reconciler.cli.output import emit, note, painter, tell_errors
from reconciler.documents.findings import has_error, join_limited
from reconciler.documents.validators import schema as read_schema
from reconciler.families import families
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.pool import Contract
from reconciler.planning.documents import schema_files
from reconciler.planning.ownership import contracts_of
from reconciler.planning.read import evaluate_source
from reconciler.report.json import json_text

_HEAD = """\
# Whose folder is whose, by the documents of teams; ipam schema --codeowners writes it. The last match wins.
"""
# Paths without characters that forges interpret as patterns.
_PLACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*", re.ASCII)


def codeowners_text(contracts: Sequence[Contract], place: str) -> str:
    """Return a CODEOWNERS line for each folder, nested ones after the enclosing one.

    Args:
        contracts: Documents of teams.
        place: The root folder, or empty for the top.

    Raises:
        UsageError: A team has folders but no reviewers, or no team has any. A nested folder without
            a line would be reviewed by the team around it.
    """
    if place and _PLACE.fullmatch(place) is None:
        hint = "name the root by letters, digits, -, _ and ."
        raise UsageError("the root has a name that no CODEOWNERS file can hold", hint)
    lacking = [it.team for it in contracts if it.folders and not it.owners]
    if lacking:
        hint = 'gitops-ipam.dev/owners: "@acme/payments"'
        raise UsageError(f"nobody reviews the folders of {join_limited(lacking)}", hint)
    owners: dict[str, set[str]] = {}
    for contract in contracts:
        for folder in contract.folders:
            owners.setdefault(folder, set()).update(contract.owners)
    if not owners:
        hint = "say in its Team which are: gitops-ipam.dev/folders: tenants/payments"
        raise UsageError("no team has folders of its own", hint)
    top = f"/{place}/" if place else "/"
    lines = [f"{top}{folder} {' '.join(sorted(owners[folder]))}\n" for folder in sorted(owners)]
    return "".join([_HEAD, *lines])


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
    """Print CODEOWNERS from the documents of teams, or nothing if they have errors."""
    read = open_source(repo, rev, worktree=worktree)
    evaluation = evaluate_source(read.source)
    if has_error(evaluation.findings):
        tell_errors(evaluation.findings, painter("auto"))
        return ExitCode.WRONG
    emit(codeowners_text(contracts_of(evaluation.documents), read.repository.roots.own))
    return ExitCode.OK
