"""`schema`: the JSON Schema of a kind, for editors and for people."""

import json
from pathlib import Path

import click

from reconciler.cli.shared.options import debug_option
from reconciler.cli.shared.output import emit, note
from reconciler.documents.shipped import schema as read_schema
from reconciler.families import families
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
@debug_option
def schema(kind: str | None, folder: Path | None) -> int:
    """Print the JSON Schema of a kind, or write all of them."""
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
