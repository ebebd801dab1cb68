"""`reconcile`: commit records and apply them, once or in a loop."""

import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from msgspec.structs import replace

from reconciler.apply.expiry import confirmed, require_named, too_early
from reconciler.apply.plan import Applied, together
from reconciler.apply.target import ApplyOptions
from reconciler.cli import options as cli_options
from reconciler.cli import output as cli_output
from reconciler.cli.cluster_options import (
    Reach,
    Watch,
    are_asked,
    reaching_options,
    watch_options,
    wishing_options,
)
from reconciler.cli.daemon import Order, run_daemon
from reconciler.cli.failures import describe
from reconciler.cli.files import require_clusters
from reconciler.cli.listening import Listening, listening_options
from reconciler.cli.opening import open_branch
from reconciler.cli.options import (
    Number,
    option,
    output_options,
    parse_identity,
    parse_seconds,
    repository_option,
)
from reconciler.cli.output import (
    Out,
    emit,
    emit_document,
    note,
    painter,
    progress,
    result_outs_option,
    tell,
    write_texts,
)
from reconciler.gitio.interface import Revision
from reconciler.gitio.processes import pause
from reconciler.gitio.remotes import open_proposing
from reconciler.gitio.repository import GitRepository
from reconciler.model.change import Proposed
from reconciler.model.errors import BugError, ExitCode, UsageError
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.branch import is_in_history, require_at_start
from reconciler.reconcile.discovery import LookOptions, Newest, ObservingRun
from reconciler.reconcile.evaluation import reconciled_code
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, Round, rounds
from reconciler.reconcile.reconcile import reconcile as run_reconcile
from reconciler.reconcile.writing import RunCommit, has_wrong_settings
from reconciler.report import metrics
from reconciler.report.json import (
    apply_document,
    json_line,
    json_text,
    listed_findings,
    reconcile_document,
    served_listed,
    yaml_text,
)
from reconciler.report.text.plan import plan_text
from reconciler.report.text.runs import (
    applied_text,
    nothing_sentence,
    proposed_sentence,
    published_sentence,
    reconcile_text,
    unpushed_sentence,
)
from reconciler.report.text.table import CARRIED_OUT, Painter, findings_text

T = TypeVar("T")

_log = logging.getLogger(__name__)


def loop(
    begin: Callable[[], T], once: Callable[[T], object], interval: str, seconds: int
) -> NoReturn:
    """Run in a loop. Only a signal, or a usage error in the first run, ends it.

    A failure ends only one run. It is reported in one line, and can be fixed while the loop runs.

    Args:
        begin: Opens the repository of each run, with retries until it succeeds.
        once: Performs a run.
        interval: Time between runs, as the user wrote it.
        seconds: Time between runs in seconds.
    """
    job: T | None = None
    is_first = True
    while True:
        try:
            job = begin() if job is None else job
            once(job)
        except Exception as failed:
            if is_first and isinstance(failed, UsageError):
                raise
            _log.debug("this run failed", exc_info=failed)
            with suppress(OSError):  # stderr can be closed
                tell(f"ipam: {describe(failed).line}; next try in {interval}")
        is_first = False
        pause(seconds)


_READABLE = 0o644
"""File mode that lets the collector read, which runs as another user."""


def require_folder(path: Path | None) -> None:
    """Refuse a path that cannot be written, before any work.

    Raises:
        UsageError: The folder does not exist, or the metrics library is not installed.
    """
    if path is None:
        return
    require_clusters("--metrics-file")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"--metrics-file {path}: no such folder", "make the folder first")


def write_metrics(
    path: Path,
    head: str,
    evaluation: Evaluation,
    applied: Sequence[Applied] | None,
    code: ExitCode,
) -> None:
    """Write the metrics file atomically. A failure does not change the result of the run.

    Args:
        path: The file.
        head: The current revision of the branch.
        evaluation: The evaluation of that revision.
        applied: Results of clusters, or None without an apply.
        code: Exit code of the run.
    """
    # The import is slow, and only this option needs it.
    from reconciler.daemon.prometheus import textfile

    parts = metrics.of_run(
        head, evaluation, applied or (), time.time(), is_bug=code is ExitCode.BUG
    )
    text = textfile(metrics.catalogue(), parts)
    try:
        _replace(path, text)
    except OSError as failed:
        tell(f"ipam: --metrics-file {path}: {failed.strerror}; it was not written")


def _replace(path: Path, text: bytes) -> None:
    """Replace a file atomically. The collector reads only names that end with .prom."""
    handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
            os.fchmod(file.fileno(), _READABLE)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def tell_round(item: Round, repository: GitRepository, brush: Painter, to: str = "") -> None:
    """Print a run as text.

    Args:
        item: The run.
        repository: Repository of the branch.
        brush: Colors.
        to: The branch that gets the commits instead, or empty.
    """
    evaluation = item.done.evaluation
    found = [*evaluation.findings, *evaluation.gates]
    words = {} if has_wrong_settings(evaluation) else CARRIED_OUT
    tell(findings_text(found, brush, words)) if found else None
    if not item.done.parts:
        emit(plan_text(evaluation, brush))
        emit(reconcile_text(_nothing(item.done), brush))
    for part in item.done.parts:
        emit(plan_text(part.planned.evaluation, brush))
        if item.done.proposed is None:
            emit(reconcile_text(_published(part, repository), brush))
    if item.done.proposed is not None:
        emit(reconcile_text(_proposed(item.done, repository.branch, to), brush))
    emit(applied_text(item.applied, brush)) if item.applied is not None else None
    cli_output.flush()


def code_of(done: Sequence[Round]) -> ExitCode:
    """Return the exit code of all runs."""
    last = done[-1].done
    return reconciled_code(last.code, last.evaluation, applied_in(done))


def applied_in(done: Sequence[Round]) -> list[Applied] | None:
    """Return the results of clusters in all runs."""
    found: list[Applied] | None = None
    for item in done:
        if item.applied is not None:
            found = together(found or [], item.applied)
    return found


def rounds_document(done: Sequence[Round], code: int, to: str = "") -> dict[str, Any]:
    """Return the plan on the base, the last commit, and the final state of clusters."""
    first, last = done[0].done, done[-1].done
    planned = [part.planned.evaluation for part in first.parts] or [first.evaluation]
    made = [item.done.commit.id for item in done if item.done.commit is not None]
    attempts = sum(item.done.attempts - 1 for item in done) + 1
    document = reconcile_document(
        planned[0],
        first.base.id,
        made[-1] if made else None,
        attempts=attempts,
        exit_code=code,
    )
    if first.proposed is not None:
        document |= {"pushed": False, "proposed": {"branch": to, "state": str(first.proposed)}}
    every = [*planned, first.evaluation, last.evaluation]
    # An exceeded limit is the reason for exit code 3, and appears only here.
    found = dict.fromkeys(it for each in every for it in (*each.findings, *each.gates))
    document["plan"]["findings"] = listed_findings(tuple(found))
    if (applied := applied_in(done)) is not None:
        heads = [item.done.head.id for item in done if item.applied is not None]
        document["apply"] = apply_document(applied, heads[-1], code)
    if waits := [wait for item in done for wait in item.served]:
        document["served"] = served_listed(waits)
    return document


def emit_rounds(
    done: Sequence[Round], code: int, output: str, *, looped: bool, to: str = ""
) -> None:
    """Print one document of all runs."""
    document = rounds_document(done, code, to)
    if looped:
        emit(json_line(document))
    else:
        emit_document(document, output)
    cli_output.flush()  # print each run of a loop as soon as it ends


def write_rounds(outs: Sequence[Out], done: Sequence[Round], code: int, to: str = "") -> None:
    """Write the files of `--out`.

    Raises:
        UsageError: A file cannot be written.
    """
    if not outs:
        return
    document = rounds_document(done, code, to)
    texts = {"json": json_text, "yaml": yaml_text}
    write_texts((out.path, texts[out.form](document)) for out in outs)


def _nothing(done: Reconciled) -> str:
    wrong, is_braked = has_wrong_settings(done.evaluation), done.evaluation.brake is not None
    return nothing_sentence(done.base.id, is_braked=is_braked, has_wrong_settings=wrong)


def _proposed(done: Reconciled, branch: str, to: str) -> str:
    commit = done.commit.id if done.commit is not None else ""
    how = done.proposed or Proposed.NOTHING
    return proposed_sentence(done.base.id, commit, (branch, to), how)


def _published(part: RunCommit, repository: GitRepository) -> str:
    base, head, branch = part.planned.base.id, part.head.id, repository.branch
    is_braked = part.planned.evaluation.brake is not None
    if repository.remote is None and repository.worktree is not None:
        return unpushed_sentence(base, head, branch, is_braked=is_braked)
    where = (
        f"branch {branch} of the remote" if repository.remote is not None else f"branch {branch}"
    )
    return published_sentence(base, head, where, is_braked=is_braked)


@click.command()
@repository_option
@option("--remote", metavar="URL", help="Reconcile this remote (https, ssh, file, or a path).")
@option("--branch", help="Branch; else the one that is checked out, or the remote's default.")
@option("--any-branch", is_flag=True, help="With --branch: one that is not the truth, too.")
@option("--to-branch", metavar="NAME", help="Commit to this branch, for a pull request.")
@option("--no-apply", is_flag=True, help="Commit and push only.")
@reaching_options
@wishing_options
@option("--lb-class", metavar="CLASS", default="", help="Of Services that MetalLB serves.")
@option("--allow-release", type=Number(), help="Release up to so many records.")
@option("--accept-history", metavar="SHA", help="Accept this rewritten head.")
@option("--author", metavar="'NAME <EMAIL>'", help="Who commits; else as Settings say.")
@option("--sign", metavar="KEY", default="", help="Sign with this GPG key id or SSH key file.")
@option(
    "--interval",
    metavar="DURATION",
    help="Loop, for example every 60s; with --watch: look at the remote.",
)
@watch_options
@listening_options
@option(
    "--metrics-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write metrics here, for node_exporter's textfile collector.",
)
@result_outs_option
@output_options("text", "json", "yaml")
def reconcile(
    repo: Path,
    remote: str | None,
    branch: str | None,
    any_branch: bool,
    to_branch: str | None,
    no_apply: bool,
    reach: Reach,
    wish: ApplyOptions,
    lb_class: str,
    allow_release: int | None,
    accept_history: str | None,
    author: str | None,
    sign: str,
    interval: str | None,
    watch: Watch | None,
    listening: Listening,
    metrics_file: Path | None,
    outs: tuple[Out, ...],
    output: str,
    color: str,
) -> int:
    """Plan the newest revision, commit the records, push them, and apply them to the clusters.

    A checkout is taken with its remote; its work tree follows when it is clean. A race for the
    branch that is lost is answered by planning again. Exit code 3: all other decisions are
    committed, but some claim was refused, a pool is filled up to its gate, the head is dated ahead,
    or a brake holds releases back.
    """
    _require_fitting(branch, watch, (to_branch, outs), any_branch=any_branch)
    seconds = parse_seconds("--interval", interval) if interval is not None else None
    require_folder(metrics_file)
    wish = replace(wish, lb_class=lb_class, allow_release=allow_release)
    options = ReconcileOptions(
        *(allow_release, sign, parse_identity(author), accept_history), any_branch=any_branch
    )
    is_asked = are_asked(reach, watch, applies=not no_apply)

    def begin() -> _Job:
        repository = open_branch(repo, remote, branch)
        asked = reach if is_asked else None
        own = replace(wish, root=repository.git.root.path)
        to = open_proposing(repository, to_branch) if to_branch is not None else None
        wanted = replace(options, to=to)
        return _Job(repository, wanted, asked, own, not no_apply, metrics_file)

    if watch is not None:

        def emit_line(done: Sequence[Round], code: int) -> None:
            emit_rounds(done, code, "json", looped=True)

        def opened() -> GitRepository:
            repository = open_branch(repo, remote, branch)
            if not any_branch:  # a daemon on another branch would only repeat this message
                require_at_start(repository)
            return repository

        order = Order(opened, options, reach if is_asked else None, wish, watch, seconds)
        told = None if output == "text" else emit_line
        return run_daemon(replace(order, applies=not no_apply, emit=told), listening)
    listening.require_nothing()
    if seconds is None:
        job = begin()
        job.require_named()  # not in a loop: its first run already acted on them
        return _once(job, (output, outs), color, looped=False)
    again = partial(_once, wanted=(output, outs), color=color, looped=True)
    return loop(begin, again, interval or "", seconds)


def _require_fitting(
    branch: str | None,
    watch: Watch | None,
    unwatched: tuple[str | None, tuple[Out, ...]],
    *,
    any_branch: bool,
) -> None:
    """Refuse options that exclude each other.

    Args:
        branch: As `--branch`.
        watch: As `--watch` and its related options.
        unwatched: As `--to-branch` and `--out`, which a daemon lacks.
        any_branch: As `--any-branch`.

    Raises:
        UsageError: The options exclude each other.
    """
    if any_branch and branch is None:
        raise UsageError("--any-branch needs --branch NAME", "say which branch is meant")
    to_branch, outs = unwatched
    if watch is not None and outs:
        hint = "-o json tells each round in a line"
        raise UsageError("--out and --watch exclude each other", hint)
    if to_branch is not None and watch is not None:
        hint = "--interval looks again and again, too"
        raise UsageError("--to-branch and --watch exclude each other", hint)


@dataclass(slots=True)
class _Job:
    """Reconcile of one run, repeated in a loop with new connections to clusters.

    Attributes:
        reach: The clusters, or None if none is named.
        applies: Whether ipam applies to them.
        metrics: The metrics file, or None.
        bugs: Bugs met in this run while clusters were read.
        whole: Reads a complete revision. A loop reads an unchanged branch only once.
    """

    repository: GitRepository
    options: ReconcileOptions
    reach: Reach | None
    wish: ApplyOptions
    applies: bool = True
    metrics: Path | None = None
    bugs: list[BugError] = field(default_factory=list)
    whole: Newest = field(init=False)
    _run: ObservingRun | None = None

    def __post_init__(self) -> None:
        self.whole = Newest(self.repository)

    @property
    def to(self) -> str:
        """The branch that gets the commits instead, or empty."""
        return self.options.to.name if self.options.to is not None else ""

    def require_named(self) -> None:
        """Refuse options that name claims or clusters that do not exist.

        If clusters are read, the inventory knows more than Git. It is not read for this check.

        Raises:
            UsageError: A name does not exist.
        """
        if self.reach is None and self.wish.says_withdrawn:
            require_named(self.whole(self.repository.fetch().id), self.wish)

    def tell_too_early(self, head: Revision) -> None:
        """Print the addresses that must not be released yet, although the user reports them unused."""
        if self.wish.says_withdrawn and cli_options.now is not None:
            for text in too_early(
                self.whole(head.id), self.wish, head.clock, int(cli_options.now())
            ):
                note(f"{text} Say so again then.")

    def rounds(self) -> Iterator[Round]:
        """Yield runs of Git and clusters. If addresses become free at once, there is a second run."""
        self.bugs.clear()
        # Clusters that are only read had no time to withdraw anything, and know nothing of a
        # proposal.
        is_one = bool(self.to) or (self.reach is not None and not self.applies)
        return rounds(self.reconcile, self.apply, most=1 if is_one else 2)

    def reconcile(self) -> Reconciled:
        """Reconcile Git, after reading the clusters for addresses that would become free."""
        options, reach = replace(self.options, now=cli_options.now), self.reach
        if reach is None:
            if self.wish.says_withdrawn:
                said = partial(confirmed, options=self.wish)
                options = replace(options, still_announced=said)
            with progress("reconciling"):
                return run_reconcile(self.repository, options)
        asked = LookOptions(self.wish, writes=self.applies)
        self._run = ObservingRun(
            self.repository, self.whole, reach.open, asked, cli_options.now, self.bugs
        )
        with progress("reconciling"):
            return self._run.reconcile(options)

    def apply(self, done: Reconciled) -> list[Applied] | None:
        """Apply to the clusters, or return None if none is named or none is applied to."""
        if self._run is None or not self.applies:
            return None
        with progress("applying"):
            return self._run.apply(done.head.id, partial(is_in_history, self.repository))


def _once(job: _Job, wanted: tuple[str, tuple[Out, ...]], color: str, *, looped: bool) -> int:
    """Perform one run: print text as it proceeds, or one document at its end."""
    output = wanted[0]
    done: list[Round] = []
    brush = painter(color)
    code = ExitCode.OK
    try:
        for item in job.rounds():
            done.append(item)
            code = ExitCode.BUG if job.bugs else code_of(done)
            if output == "text":
                tell_round(item, job.repository, brush, job.to)
    except Exception as failed:
        if done:  # the first commit stays even if a later step fails
            _tell(job, done, describe(failed).code, wanted, looped=looped)
        raise
    _tell(job, done, code, wanted, looped=looped)
    if done[0].applied is None:
        why = "none is named" if job.applies else "--no-apply"
        note(f"Nothing was applied to clusters: {why}.")
    job.tell_too_early(done[-1].done.head)
    if job.metrics is not None:
        head = done[-1].done.head.id
        write_metrics(job.metrics, head, job.whole(head), applied_in(done), code)
    job.repository.tidy()  # last, because it can be slow, and clusters must not wait for it
    return code


def _tell(
    job: _Job,
    done: Sequence[Round],
    code: int,
    wanted: tuple[str, tuple[Out, ...]],
    *,
    looped: bool,
) -> None:
    """Write all results as one document, to stdout unless the output is text, and to files."""
    output, outs = wanted
    if output != "text":
        emit_rounds(done, code, output, looped=looped, to=job.to)
    write_rounds(outs, done, code, job.to)
