"""`init`: create a repository with Settings, an example, and CI."""

import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from reconciler.cli.commands import VerbCommand
from reconciler.cli.opening import asked_root, open_source
from reconciler.cli.options import Reading, color_options, dry_run_option, option
from reconciler.cli.output import emit, painter
from reconciler.gitio.config import root_folder
from reconciler.gitio.files import TargetDirectory, installed_from
from reconciler.gitio.opening import Site, checkout_around, find_site, make_repository
from reconciler.model.errors import ExitCode, UsageError
from reconciler.reconcile.evaluation import exit_code
from reconciler.reconcile.init import (
    SCHEMAS,
    UNNAMED,
    WORKFLOWS,
    Beginning,
    FileState,
    Forge,
    InitOptions,
    WantedFile,
    documents,
    forge_in,
    forge_of,
    groups,
    has_own_documents,
    is_schema,
    lay,
    survey,
    wanted,
)
from reconciler.report.text.plan import check_text
from reconciler.report.text.runs import next_text, rows_text, shown_text
from reconciler.report.text.table import Painter
from reconciler.review.checks import review


def is_terminal() -> bool:
    """Report whether a user can answer questions."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _choose(question: str, answers: Mapping[str, str], default: str) -> str:
    """Return one of several answers, each shown with its meaning."""
    click.echo(question, err=True)
    width = max(map(len, answers))
    for answer, meaning in answers.items():
        click.echo(f"  {answer.ljust(width)}   {meaning}".rstrip(), err=True)
    choice = click.Choice(list(answers))
    picked: str = click.prompt("  ", type=choice, default=default, err=True, show_choices=False,
                               prompt_suffix=" ")  # fmt: skip
    return picked


def _agreement(brush: Painter, *, asks: bool) -> Callable[[list[WantedFile]], bool]:
    """Return a function that shows files and asks whether to write them: yes, no, all, or quit."""

    def agrees(group: list[WantedFile]) -> bool:
        nonlocal asks
        if not asks:
            return True
        emit(_shown(group, brush))
        choice = click.Choice(["y", "n", "a", "q"], case_sensitive=False)
        answer = click.prompt(f"Write {_title(group)}? (yes, no, all, quit)", type=choice,
                              default="y", err=True, show_choices=False)  # fmt: skip
        if answer == "q":
            raise click.Abort
        asks = answer != "a"
        return bool(answer != "n")

    return agrees


_NONE = "none"
_FORGES = [*(forge.value for forge in Forge), _NONE]
_HAVE = {
    "nothing": "nothing yet: begin with an example to change",
    "clusters": "clusters, whose addresses ipam import cluster reads",
    "list": "a CSV, or an export of NetBox, which ipam import reads",
}
_IMPORTS = {
    "clusters": ("ipam import cluster KUBECONFIG --out .", "what your clusters have, as files"),
    "list": ("ipam import csv FILE --out .", "what the list has, as files; netbox FILE likewise"),
}


_FROM_NOTHING = (
    ("$EDITOR pools/ providers/", "describe a pool, and who gives out of it"),
    ("ipam import --help", "what is in use already: clusters, a CSV or NetBox, as files"),
    ("$EDITOR tenants/", "describe who needs addresses"),
)


@click.command(cls=VerbCommand)
@click.argument("folder", type=click.Path(path_type=Path), default=".", metavar="[DIR]")
@option(
    "--forge", type=click.Choice(_FORGES), help="Forge of the CI. Default: as the remote names it."
)
@option("--branch", help="Main branch. Default: the checked out one, or main.")
@option("--package", metavar="SPEC", help="Package of ipam that CI installs, as pip takes it.")
@option("--empty", is_flag=True, help="Leave out the example pool, provider and tenant.")
@option("-y", "--yes", is_flag=True, help="Ask nothing, as without a terminal.")
@dry_run_option
@color_options
def init(
    folder: Path,
    forge: str | None,
    branch: str | None,
    package: str | None,
    empty: bool,
    yes: bool,
    dry_run: bool,
    color: str,
) -> int:
    """Begin a repository in DIR: Settings, folders with an example, CI, what editors need.

    Makes the folder and the Git repository where there is none. Writes no file that is there
    already, and commits nothing. On a terminal it shows each file and asks. Ends with a check of
    what is there; run it again, and it adds what is missing.
    """
    site = find_site(_asked(folder), dict(os.environ))
    ground = TargetDirectory(site.folder)
    asks = is_terminal() and not (yes or dry_run)
    if not (asks or yes or dry_run):
        _require_named(site)
    beginning, have = _beginning(ground, asks=asks, empty=empty)
    hosted = _forge(forge, site, asks=asks)
    source = package or installed_from() or UNNAMED
    chosen = InitOptions(branch or site.branch or "main", hosted, source, beginning, site.root)
    items = survey(wanted(chosen), ground)
    brush = painter(color)
    if dry_run:
        emit("".join(_shown(group, brush) for group in groups(items)))
        return ExitCode.OK
    if site.repository is None:
        make_repository(site, dict(os.environ), chosen.branch)
    written, declined = lay(items, ground, _agreement(brush, asks=asks))
    made = "A new repository" if site.repository is None else "The repository"
    emit(f"{made} in {folder}, branch {chosen.branch}\n")
    emit(rows_text(_rows(items, written, declined), brush))
    emit(_ci_note(chosen, items))
    code = _checked(site, ground, brush)
    if written:
        emit(next_text(_steps(folder, chosen, have, written), brush))
    return code


def _require_named(site: Site) -> None:
    """Refuse an implicit folder with foreign files if no user can confirm it.

    Raises:
        UsageError: DIR is not given, and the folder is neither a checkout nor empty.
    """
    source = click.get_current_context().get_parameter_source("folder")
    is_named = source is not click.core.ParameterSource.DEFAULT
    if is_named or site.repository is not None or not any(site.folder.iterdir()):
        return
    message = f"{site.folder} has files already, and is no checkout"
    raise UsageError(
        message, "name the folder: ipam init DIR; or ipam init . (or --yes) for this one"
    )


def _asked(folder: Path) -> Path:
    """Return the folder that DIR names. In a checkout, it is the one that `--root` names."""
    named = root_folder(asked_root() or "").path
    if not named:
        return folder
    around = checkout_around(folder.resolve(), dict(os.environ))
    if around is None:
        hint = f"make the repository first (git init); or ipam init {named}, a repository by itself"
        raise UsageError(f"{folder} is in no checkout, of which --root could be a folder", hint)
    return around / named


def _beginning(ground: TargetDirectory, *, asks: bool, empty: bool) -> tuple[Beginning, str]:
    """Return the initial content, and the folder that the user already has elsewhere."""
    if has_own_documents(ground):
        return Beginning.OWN, "nothing"
    if empty:
        return Beginning.EMPTY, "nothing"
    have = "nothing"
    if asks:
        have = _choose("What do you have?", _HAVE, have)
    return (Beginning.EXAMPLES if have == "nothing" else Beginning.EMPTY), have


def _forge(named: str | None, site: Site, *, asks: bool) -> Forge | None:
    """Return the forge by option, remote, existing files, or answer, in this order."""
    if named is not None:
        return None if named == _NONE else Forge(named)
    remotes = site.remotes()
    url = remotes.get("origin") or next(iter(remotes.values()), "")
    there = [path.name for path in site.top.glob(".*")] if site.top.is_dir() else []
    found = forge_of(url) or forge_in(there)
    if found is None and asks:
        meanings = {forge.value: WORKFLOWS[forge] for forge in Forge} | {_NONE: "no CI yet"}
        picked = _choose("Whose CI shall check it?", meanings, _NONE)
        return None if picked == _NONE else Forge(picked)
    return found


def _title(group: Sequence[WantedFile]) -> str:
    if is_schema(group[0]):
        return f"{SCHEMAS}/ ({len(group)} {'file' if len(group) == 1 else 'files'})"
    return group[0].path


def _shown(group: Sequence[WantedFile], brush: Painter) -> str:
    if is_schema(group[0]):
        return shown_text(_title(group), f"as ipam schema --out {SCHEMAS} writes them\n", brush)
    return shown_text(group[0].path, group[0].text, brush)


def _rows(
    items: Sequence[WantedFile], written: Sequence[WantedFile], declined: Sequence[WantedFile]
) -> list[tuple[str, str, str]]:
    """Return a row per file. Schemas with the same state share a row."""
    states = {item.path: "wrote" for item in written} | {it.path: "not wanted" for it in declined}
    ordered = sorted(items, key=is_schema)
    rows: dict[tuple[str, str, str], list[WantedFile]] = {}
    for item in ordered:
        state = states.get(item.path, item.state.value)
        about = (state, SCHEMAS if is_schema(item) else item.path, _why(item))
        rows.setdefault(about, []).append(item)
    return [(state, _title(group), why) for (state, _, why), group in rows.items()]


def _why(item: WantedFile) -> str:
    if item.state is FileState.YOURS:
        return "; ".join(filter(None, ("differs, and stays as it is", item.why)))
    return item.why


def _ci_note(chosen: InitOptions, items: Sequence[WantedFile]) -> str:
    if chosen.forge is None:
        names = "|".join(forge.value for forge in Forge)
        return f"No CI: no remote names a forge. ipam init --forge {names} writes it.\n"
    workflow = chosen.workflow
    holds = any(it.path == workflow and UNNAMED in it.text for it in items if it.state != "yours")
    if chosen.package == UNNAMED and holds:
        return (
            f"CI cannot install ipam yet: name what pip takes as IPAM_PACKAGE in {workflow}.\n"
            "  A wheel, a name in your index, or git+https:// with the address of a clone.\n"
        )
    return ""


def _checked(site: Site, ground: TargetDirectory, brush: Painter) -> ExitCode:
    """Check the work tree, and print the result."""
    if not documents(ground):
        emit("Nothing to check yet: no pool, no provider and no tenant is there.\n")
        return ExitCode.OK
    read = open_source(Reading(site.folder, worktree=True))
    evaluation = review(read.source, read.repository, None, None).evaluation
    emit(check_text(evaluation, brush))
    return exit_code(evaluation)


def _steps(
    folder: Path, chosen: InitOptions, have: str, written: Sequence[WantedFile]
) -> list[tuple[str, str]]:
    # Files outside of the folder.
    around = "".join(f" {shlex.quote(it.path)}" for it in written if it.path.startswith("../"))
    steps = [] if folder.resolve() == Path.cwd() else [(f"cd {shlex.quote(str(folder))}", "")]
    if chosen.beginning is Beginning.EXAMPLES:
        steps.append(("$EDITOR pools/ tenants/", "1., 2. and 3. mark what to change"))
    if have in _IMPORTS:
        steps.append(_IMPORTS[have])
    elif chosen.beginning is Beginning.EMPTY:
        steps += _FROM_NOTHING
    return [
        *steps,
        ("ipam plan --worktree", "the exact addresses"),
        (f"git add .{around} && git commit", "once it is right"),
        ("ipam reconcile", "records who holds which addresses; with CI, each merge does it"),
    ]
