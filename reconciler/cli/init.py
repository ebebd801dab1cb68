"""`init`: create a repository with Settings, an example, and CI."""

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from reconciler.cli import opening, options
from reconciler.cli.commands import VerbCommand
from reconciler.cli.options import option
from reconciler.cli.output import emit, painter
from reconciler.documents.findings import plural
from reconciler.gitio.files import TargetDirectory, installed_from
from reconciler.gitio.interface import root_folder
from reconciler.gitio.repository import Site, checkout_around, find_site, make_repository
from reconciler.model.errors import ExitCode, UsageError
from reconciler.reconcile import init as initial
from reconciler.reconcile.evaluation import exit_code
from reconciler.report.text.plan import check_text
from reconciler.report.text.runs import next_text, rows_text, shown_text
from reconciler.report.text.table import Painter
from reconciler.review.checks import review

_NONE = "none"
_FORGES = [*(forge.value for forge in initial.Forge), _NONE]
_STARTS = [start.value for start in initial.Start]
_FROM_NOTHING = {
    initial.Start.PLAIN: (
        ("$EDITOR pools/", "describe your networks"),
        ("$EDITOR clusters/ claims/", "describe the clusters and claims that need addresses"),
    ),
    initial.Start.BUTLER: (
        ("$EDITOR pools/ providers/", "describe a pool and its provider"),
        ("ipam import --help", "write files for addresses in use: clusters, CSV, NetBox"),
        ("$EDITOR tenants/", "describe the clusters that need addresses"),
    ),
}


@click.command(cls=VerbCommand)
@click.argument("folder", type=click.Path(path_type=Path), default=".", metavar="[DIR]")
@option(
    "--forge",
    type=click.Choice(_FORGES),
    help="Write a CI workflow for this forge. Default: detect from the remote.",
)
@option(
    "--branch", metavar="NAME", help="Set the main branch. Default: the checked-out one, or main."
)
@option("--to-branch", metavar="NAME", help="Let CI propose records on this branch.")
@option("--package", metavar="SPEC", help="Install ipam in CI from this pip requirement.")
@option(
    "--family", type=click.Choice(_STARTS), help="Use these kinds of documents. Default: plain."
)
@option("--empty", is_flag=True, help="Leave out the example documents.")
@option("-y", "--yes", is_flag=True, help="Skip all questions.")
@options.dry_run
@options.color
def init(
    folder: Path,
    forge: str | None,
    branch: str | None,
    to_branch: str | None,
    package: str | None,
    family: str | None,
    empty: bool,
    yes: bool,
    dry_run: bool,
    color: str,
) -> int:
    """Create a repository in DIR: Settings, an example, CI, and editor schemas.

    ipam creates the folder and the Git repository if they do not exist. It never overwrites a
    file, and commits nothing. On a terminal, it asks before it writes. At the end, it checks the
    documents. Run it again to add missing files.
    """
    site = find_site(_site_folder(folder), dict(os.environ))
    target, brush = TargetDirectory(site.folder), painter(color)
    asks = is_terminal() and not (yes or dry_run)
    if not (asks or yes or dry_run):
        _require_named(site)
    started = initial.Beginning.EMPTY if empty else initial.Beginning.EXAMPLES
    beginning = initial.Beginning.OWN if initial.has_own_documents(target) else started
    branch = branch or initial.named_branch(target) or site.branch or "main"
    ci = _forge(forge, site, asks=asks)
    to_branch = to_branch or _to_branch(branch, site, asks=asks and ci is not None)
    chosen = initial.InitOptions(
        branch,
        ci,
        package or installed_from() or initial.UNNAMED,
        beginning,
        site.root,
        to_branch,
        initial.Start(family) if family else initial.start_in(target),
    )
    items = [initial.judged(*it, target) for it in initial.wanted(chosen).items()]
    count = sum(it.state is initial.FileState.NEW for it in items)
    if asks and count:
        question = f"Write {count} new files? ipam init --dry-run shows them"
        click.confirm(question, default=True, abort=True, err=True)
    if dry_run:
        emit("".join(shown_text(title, text, brush) for title, text in _shown(items)))
    elif site.repository is None:
        make_repository(site, dict(os.environ), chosen.branch)
    written = [] if dry_run else initial.lay(items, target)
    made = "New repository" if site.repository is None else "Repository"
    emit(f"{made} in {folder}, branch {chosen.branch}\n")
    emit(rows_text(_rows(items, written), brush) + _ci_note(chosen, items))
    if dry_run and (count or site.repository is None):
        emit(f"Nothing was written: without --dry-run, ipam writes {plural(count, 'file')}.\n")
        return ExitCode.OK
    code = _check(site, target, brush)
    if written:
        emit(next_text(*_steps(folder, chosen, written), brush))
    return code


def is_terminal() -> bool:
    """Report whether a user can answer questions."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _require_named(site: Site) -> None:
    source = click.get_current_context().get_parameter_source("folder")
    is_named = source is not click.core.ParameterSource.DEFAULT
    if not (is_named or site.repository is not None) and any(site.folder.iterdir()):
        hint = "run ipam init DIR for another folder, or ipam init . for this one"
        raise UsageError(f"{site.folder} already has files, but is not a Git checkout", hint)


def _site_folder(folder: Path) -> Path:
    named = root_folder(opening.asked_root() or "").path
    if not named:
        return folder
    around = checkout_around(folder.resolve(), dict(os.environ))
    if around is None:
        hint = f"run git init first, or run ipam init {named} for a repository of its own"
        raise UsageError(f"--root needs a Git checkout, but {folder} is not in one", hint)
    return around / named


def _forge(named: str | None, site: Site, *, asks: bool) -> initial.Forge | None:
    if named is None:
        remotes = site.remotes()
        url = remotes.get("origin") or next(iter(remotes.values()), "")
        there = [path.name for path in site.top.glob(".*")] if site.top.is_dir() else []
        found = initial.forge_of(url) or initial.forge_in(there)
        if found is not None or not asks:
            return found
        question = f"Which CI service checks pull requests? ({', '.join(_FORGES)})"
        choice = click.Choice(_FORGES)
        named = click.prompt(question, type=choice, default=_NONE, err=True, show_choices=False)
    return None if named == _NONE else initial.Forge(named)


def _to_branch(branch: str, site: Site, *, asks: bool) -> str:
    question = (
        f"Is {branch} protected, so that it accepts pull requests only? CI then proposes records"
    )
    asks = asks and bool(site.remotes()) and click.confirm(question, default=False, err=True)
    return initial.PROPOSALS if asks else ""


def _shown(items: Sequence[initial.WantedFile]) -> list[tuple[str, str]]:
    is_new, shown = initial.FileState.NEW, (initial.FileState.NEW, initial.FileState.YOURS)
    schemas = [it for it in items if initial.is_schema(it) and it.state is is_new]
    found = [
        (it.path if it.state is is_new else f"{it.path} (not written: your file differs)", it.text)
        for it in items
        if it.state in shown and not initial.is_schema(it)
    ]
    if schemas:
        found.append((_title(schemas), f"the output of ipam schema --out {initial.SCHEMAS}\n"))
    return found


def _title(group: Sequence[initial.WantedFile]) -> str:
    if initial.is_schema(group[0]):
        return f"{initial.SCHEMAS}/ ({plural(len(group), 'file')})"
    return group[0].path


def _rows(
    items: Sequence[initial.WantedFile], written: Sequence[initial.WantedFile]
) -> list[tuple[str, str, str]]:
    states = {item.path: "wrote" for item in written}
    rows: dict[tuple[str, str, str], list[initial.WantedFile]] = {}
    for item in sorted(items, key=initial.is_schema):
        why = item.why
        if item.state is initial.FileState.YOURS:
            why = "; ".join(filter(None, ("differs, not changed", why)))
        place = initial.SCHEMAS if initial.is_schema(item) else item.path
        rows.setdefault((states.get(item.path, item.state.value), place, why), []).append(item)
    return [(state, _title(group), why) for (state, _, why), group in rows.items()]


def _ci_note(chosen: initial.InitOptions, items: Sequence[initial.WantedFile]) -> str:
    if chosen.forge is None:
        names = "|".join(forge.value for forge in initial.Forge)
        return (
            f"No CI workflow: the forge is unknown. To write one, run ipam init --forge {names}.\n"
        )
    workflow = chosen.workflow
    made = [it for it in items if it.path == workflow and it.state != "yours"]
    if chosen.package != initial.UNNAMED or not any(initial.UNNAMED in it.text for it in made):
        return ""
    return f"CI cannot install ipam yet: set IPAM_PACKAGE in {workflow} to a wheel, a package name, or a git+https:// URL.\n"


def _check(site: Site, target: TargetDirectory, brush: Painter) -> ExitCode:
    if not initial.documents(target):
        emit("Nothing to check yet: the repository has no documents.\n")
        return ExitCode.OK
    read = opening.open_source(options.Reading(site.folder, worktree=True))
    compared = review(read.source, read.repository, None, None)
    emit(check_text(compared, brush))
    return exit_code(compared.evaluation)


def _steps(
    folder: Path, chosen: initial.InitOptions, written: Sequence[initial.WantedFile]
) -> tuple[list[tuple[str, str]], str]:
    outside = "".join(f" {shlex.quote(it.path)}" for it in written if it.path.startswith("../"))
    steps = [] if folder.resolve() == Path.cwd() else [(f"cd {shlex.quote(str(folder))}", "")]
    if chosen.beginning is initial.Beginning.EXAMPLES:
        folders = "pools/ clusters/" if chosen.start is initial.Start.PLAIN else "pools/ tenants/"
        steps.append((f"$EDITOR {folders}", "edit the lines marked 1., 2., and 3."))
    elif chosen.beginning is initial.Beginning.EMPTY:
        steps += _FROM_NOTHING[chosen.start]
    return steps, f".{outside}"
