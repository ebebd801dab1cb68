"""`schema`, `demo`: for those who write, and those who begin."""

import json
import shutil
from pathlib import Path

import click

from reconciler.cli.options import debug_option, option
from reconciler.cli.shared import emit, tell
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
        tell(f"wrote {len(files)} schemas to {folder}")
        return ExitCode.OK
    if kind is None:
        emit("".join(f"{name}\n" for name in files))
        return ExitCode.OK
    by_lower = {name.lower(): name for name in files}
    if kind.lower() not in by_lower:
        raise UsageError(f"no kind {kind!r}", f"there are: {', '.join(files)}")
    emit(json_text(read_schema(files[by_lower[kind.lower()]])))
    return ExitCode.OK


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default="demo", metavar="[DIR]")
@option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@debug_option
def demo(folder: Path, color: str) -> int:
    """Run the whole job on the example repository in DIR, told step by step.

    DIR is made; a second run goes on with what the first left.
    """
    from reconciler.cli.demo import run_demo

    if shutil.which("git") is None:
        raise UsageError("git is not installed")
    return run_demo(folder, color)
