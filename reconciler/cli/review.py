"""`check` and `plan`: the review of a revision, of a change, or of single files."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from reconciler import __version__
from reconciler.cli import opening, options, output
from reconciler.cli.commands import VerbCommand
from reconciler.cli.files import STDIN, read_file
from reconciler.cli.options import option, repeatable
from reconciler.documents.text import MAX_BYTES, is_yaml
from reconciler.gitio.interface import found_root, root_folder
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.settings import PATH as SETTINGS
from reconciler.model.settings import Settings
from reconciler.planning.documents import is_elsewhere, is_suspect
from reconciler.planning.settings import read_settings
from reconciler.reconcile.evaluation import as_reconciled, exit_code
from reconciler.reconcile.files import Place, check_alone
from reconciler.report import ci, json
from reconciler.report.findings import all_found
from reconciler.report.formats import json_text, yaml_text
from reconciler.report.maps import map_svg
from reconciler.report.markdown import at_top, markdown_text, marked
from reconciler.report.text.plan import causes_text, check_text, plan_text
from reconciler.report.text.table import Painter, explain_text, findings_text
from reconciler.review.preview import NOTHING, Preview, preview
from reconciler.review.result import Compared, with_emptiness

FORMATS = (
    *("text", "json", "yaml", "github", "gitlab"),
    *("sarif", "junit", "markdown", "svg", "dotenv"),
)
# Formats that show the result of the merge.
_DRAWN = ("markdown", "svg")
_OF_REVISIONS = ("repo", "rev", "worktree", "base", "plan_time", "allow_empty")
_WHOLE = "pass files or folders; to check the whole repository, run ipam check --worktree"
_read = partial(read_file, most=MAX_BYTES, hint=_WHOLE)
_ALONE = "note: checked only these files, without references, addresses in use, and capacity; to check everything, run ipam check --worktree"


class CheckResult(Struct, frozen=True):
    """Result of a check, with the root folder, and the result of the merge if a format shows it."""

    compared: Compared
    base: str | None = None
    root: str = ""
    preview: Preview = NOTHING

    def text(self, form: str, painter: Painter) -> str:
        """Return the check in one of `FORMATS`. Formats of forges have paths relative to the top."""
        compared, base = self.compared, self.base or ""
        if form == "text":
            return check_text(compared, painter, base)
        if form in ("json", "yaml", "dotenv"):
            plan = json.plan_document(compared.evaluation, base=self.base)
            document = json.check_document(compared, plan, exit_code(compared.evaluation))
            forms = {"json": json_text, "yaml": yaml_text, "dotenv": ci.dotenv_text}
            return forms[form](document)
        if form == "svg":
            return map_svg(self.preview.maps)
        compared = at_top(compared, self.root)
        if form == "markdown":
            text = markdown_text(compared, "check", base=self.base, preview=self.preview)
            return marked(text, self.root)
        if form == "github":
            return ci.github_text(compared.evaluation)
        whole = compared.whole(base)
        if form == "sarif":
            return ci.sarif_text(whole, __version__, self.root)
        return ci.gitlab_text(whole) if form == "gitlab" else ci.junit_text(whole)


@click.command(cls=VerbCommand)
@click.argument("files", metavar="[FILE|DIR]...", nargs=-1)
@options.reading
@opening.change_options
@repeatable("--also", "REV", "Compare with this other open change.")
@option(
    "--also-timeout",
    metavar="DURATION",
    default="60s",
    show_default=True,
    help="Limit the time of all comparisons.",
)
@option("--allow-empty", is_flag=True, help="Accept a repository without documents.")
@output.file(*FORMATS)
@output.options(*FORMATS)
def check(
    files: tuple[str, ...],
    reading: options.Reading,
    change: opening.ChangeOptions,
    also: tuple[str, ...],
    also_timeout: str,
    allow_empty: bool,
    outs: tuple[output.Out, ...],
    result: output.Result,
) -> int:
    """Check a revision or a change: errors, capacity limits, and release limits.

    With --base, the Settings of that revision apply. With --worktree, uncommitted edits of records
    are errors. Exit code 1: the content is invalid, or there is none. Exit code 3: the content is
    valid, but a limit blocks it. With FILE or DIR, only those files are checked, without a
    repository. Use - for stdin.
    """
    seconds = options.parse_seconds("--also-timeout", also_timeout)
    if also and (change.base is None or reading.worktree):
        hint = "pass the target branch as --base BRANCH"
        raise UsageError("--also needs --base, and cannot be combined with --worktree", hint)
    if files:
        checked = CheckResult(_alone(files))
        output.tell(_ALONE)
    else:
        found = opening.reviewed(reading, change)
        compared = with_emptiness(found.source, found.compared, allows=allow_empty)
        is_drawn = any(form in _DRAWN for form in (result.output, *(out.form for out in outs)))
        drawn = _preview(found, change) if is_drawn else NOTHING
        checked = CheckResult(compared, change.base, found.root, drawn)
    plain = Painter(is_on=False)

    def write() -> None:
        texts = ((out.path, checked.text(out.form, plain)) for out in outs)
        output.write_texts("--output-file", texts)

    if also:
        write()  # the verdict does not wait for other changes
        others = opening.compared_with_others(reading, change.base, also, seconds)
        checked = replace(checked, compared=replace(checked.compared, also=others))
    output.emit(checked.text(result.output, result.brush))
    write()
    return exit_code(checked.compared.evaluation)


def _preview(found: opening.Reviewed, change: opening.ChangeOptions) -> Preview:
    evaluation, repository = found.compared.evaluation, found.repository
    if change.base is None:
        return preview(evaluation)
    with output.progress("comparing"):
        source = opening.source_at(repository.source(change.base), change.plan_time)
        drawn = preview(evaluation, partial(as_reconciled, source, repository))
    return drawn._replace(base=repository.resolve(change.base).id)


def _alone(files: Sequence[str]) -> Compared:
    context = click.get_current_context()
    for name in _OF_REVISIONS:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            wrong = f"--{name.replace('_', '-')}"
            hint = f"omit {wrong}, or omit the files to check the whole repository"
            raise UsageError(f"{wrong} cannot be combined with files", hint)
    listed = [one for file in files for one in (_below(file) if Path(file).is_dir() else (file,))]
    named = {file if file == STDIN else os.path.normpath(file): file for file in listed}
    places = {shown: place for shown, file in named.items() if (place := _place(file)) is not None}
    data = {shown: _read(file) for shown, file in named.items()}
    return Compared(check_alone(data, places))


def _below(folder: str) -> list[str]:
    """Return the YAML files of a folder; in a root those that are read, or seem meant."""
    found = []

    def refuse(failed: OSError) -> None:
        raise UsageError(f"{failed.filename} cannot be read: {failed.strerror}", _WHOLE)

    for at, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in (f"{at}/{name}" for name in sorted(names) if is_yaml(name) and name[0] != "."):
            path, settings = _place(file) or ("", Settings())
            if not (path and is_elsewhere(path, settings)) or is_suspect(path, _read(file)):
                found.append(file)
    if not found:
        raise UsageError(f"{folder} has no file to check (.yaml, .yml)", _WHOLE)
    return found


def _place(file: str) -> Place | None:
    folder, name = Path(file).parent.resolve(), Path(file).name
    top = next((it for it in (folder, *folder.parents) if (it / ".git").exists()), None)
    if top is None or file == STDIN:
        return None
    asked = opening.asked_root()
    own = root_folder(asked) if asked is not None else found_root(folder, top, SETTINGS)
    root = top / own.path
    if not (folder / name).is_relative_to(root):
        return None
    path = root / SETTINGS
    data = read_file(str(path), MAX_BYTES) if path.is_file() else None
    settings, _ = read_settings(data)
    folders = (*settings.folders, settings.records)
    if data is None and not any((root / it).is_dir() for it in folders):
        return None  # the checkout is not an ipam root
    return (folder / name).relative_to(root).as_posix(), settings


@click.command(cls=VerbCommand)
@options.reading
@opening.change_options
@option("--all", "keeps", is_flag=True, help="Also show unchanged claims.")
@options.detailed_exitcode
@output.options("text", "json", "yaml", "markdown")
def plan(
    reading: options.Reading,
    change: opening.ChangeOptions,
    keeps: bool,
    detailed_exitcode: bool,
    result: output.Result,
) -> int:
    """Show the exact addresses that reconciling this revision would allocate.

    Exit code 1: the content is invalid. Exit code 2: changes are pending, with --detailed-exitcode.
    Exit code 3: a claim is refused, or a limit blocks the plan. Otherwise 0.
    """
    found, base = opening.reviewed(reading, change), change.base
    compared = found.compared
    if not (compared.evaluation.state.pools or compared.evaluation.plan.decisions):
        compared = with_emptiness(found.source, compared, allows=False)
    evaluation = compared.evaluation
    if result.output == "text":
        brush = result.brush
        # The plan contains refusals. Other findings that stop it are printed here.
        shown = ("capacity", "brake", "clock-ahead", "announcement-moved")
        refused = [item for item in evaluation.gates if item.code not in shown]
        others = [item for item in all_found(evaluation) if item not in refused]
        output.tell(findings_text(others, brush) + explain_text(others, brush)) if others else None
        output.emit(plan_text(evaluation, brush, keeps=keeps, causes=compared.causes))
        if compared.causes:
            output.emit(causes_text(compared.causes, brush))
    elif result.output == "markdown":
        text = markdown_text(at_top(compared, found.root), "plan", base=base, keeps=keeps)
        output.emit(marked(text, found.root))
    else:
        document = json.plan_document(evaluation, base=base, keeps=keeps)
        causes = {} if base is None else {"causes": json.causes_listed(compared.causes)}
        output.emit_document({**document, **causes}, result.output)
    code = exit_code(evaluation)
    is_pending = detailed_exitcode and bool(evaluation.changes)
    return ExitCode.CHANGES if code is ExitCode.OK and is_pending else code
