"""`reconcile`: commit records and apply them, once or in a loop."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click
from msgspec import Struct
from msgspec.structs import replace

from reconciler.apply.expiry import confirmed, require_named, too_early
from reconciler.apply.growth import abandoned
from reconciler.apply.targets import ApplyOptions
from reconciler.cli import cluster_options, opening, options, output
from reconciler.cli.commands import VerbCommand
from reconciler.cli.daemon import DaemonOptions, Order, are_asked, daemon_options, run_daemon
from reconciler.cli.entry import describe
from reconciler.cli.files import write_uids
from reconciler.cli.options import option
from reconciler.daemon.metrics import textfile
from reconciler.families.demand import DEMAND
from reconciler.gitio.interface import Revision
from reconciler.gitio.process import pause
from reconciler.gitio.remotes import open_proposing
from reconciler.gitio.repository import Repository
from reconciler.kube.clusters import KubeClusters
from reconciler.loadbalancers.interface import DEFAULT
from reconciler.model.applied import Applied, together
from reconciler.model.change import Observation, Proposed
from reconciler.model.errors import BugError, ExitCode, UsageError
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.branch import is_in_history
from reconciler.reconcile.discovery import LookOptions, ObservingRun, whole_of
from reconciler.reconcile.evaluation import reconciled_code
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, Round, rounds
from reconciler.reconcile.reconcile import reconcile as run_reconcile
from reconciler.reconcile.writing import RunCommit, has_wrong_settings
from reconciler.report import json as report_json
from reconciler.report import metrics
from reconciler.report.formats import json_line, json_text, yaml_text
from reconciler.report.text import runs
from reconciler.report.text.plan import plan_text
from reconciler.report.text.table import CARRIED_OUT, Painter, explain_text, findings_text

_log = logging.getLogger(__name__)


@click.command(cls=VerbCommand)
@options.repository
@options.remote
@options.branch
@option(
    "--any-branch", is_flag=True, help="With --branch: accept a branch that is not authoritative."
)
@option("--to-branch", metavar="NAME", help="Commit to this branch, for a pull request.")
@option("--no-apply", is_flag=True, help="Commit and push only.")
@cluster_options.reach
@cluster_options.apply
@option(
    "--lb-class",
    metavar="CLASS",
    default="",
    help=f"Set the class of Services that {DEFAULT} serves.",
)
@option(
    "--allow-release",
    metavar="N",
    type=click.IntRange(0),
    help="Release at most N records. Also sets --allow-delete.",
)
@option("--accept-history", metavar="SHA", help="Accept the rewritten history up to this head.")
@option(
    "--author", metavar="'NAME <EMAIL>'", help="Commit as this author. Default: as in Settings."
)
@option("--sign", metavar="KEY", default="", help="Sign with this GPG key ID or SSH key file.")
@option(
    "--interval",
    metavar="DURATION",
    help="Repeat the run at this interval. With --watch: poll Git.",
)
@daemon_options
@option(
    "--metrics-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write metrics here, for node_exporter's textfile collector.",
)
@output.file("json", "yaml")
@output.options("text", "json", "yaml")
def reconcile(
    repo: Path,
    remote: str | None,
    branch: str | None,
    any_branch: bool,
    to_branch: str | None,
    no_apply: bool,
    reach: KubeClusters,
    wanted: ApplyOptions,
    lb_class: str,
    allow_release: int | None,
    accept_history: str | None,
    author: str | None,
    sign: str,
    interval: str | None,
    daemon: DaemonOptions | None,
    metrics_file: Path | None,
    outs: tuple[output.Out, ...],
    result: output.Result,
) -> int:
    """Plan the newest revision, commit the records, push them, and apply them to the clusters.

    In a checkout, ipam uses its remote, and updates a clean work tree. If another commit is pushed
    first, ipam plans again. Exit code 3: all other decisions were committed, but a claim was
    refused, a pool is past its capacity limit, the commit is dated in the future, or the release
    limit holds releases back.
    """
    if any_branch and branch is None:
        raise UsageError("--any-branch needs --branch NAME", "name the branch with --branch NAME")
    if daemon is not None:
        _require_unwatched(to_branch, outs)
    seconds = options.parse_seconds("--interval", interval) if interval is not None else None
    _require_folder(metrics_file)
    allow_delete = allow_release if wanted.allow_delete is None else wanted.allow_delete
    wanted = replace(
        wanted, lb_class=lb_class, allow_release=allow_release, allow_delete=allow_delete
    )
    run_options = ReconcileOptions(
        *(allow_release, sign, _identity(author), accept_history), any_branch=any_branch
    )
    applies = not no_apply
    read_reach = reach if are_asked(reach, applies=applies, watches=daemon is not None) else None

    opened = partial(opening.open_branch, repo, remote, branch)
    if daemon is not None:
        lines = _Printer(result, (), "", is_looped=True).finish if result.is_document else None
        order = Order(opened, run_options, read_reach, wanted, daemon, seconds, applies, lines)
        return run_daemon(order)
    printer = _Printer(result, outs, to_branch or "", is_looped=seconds is not None)

    def begin() -> _Job:
        repository = opened()
        propose = open_proposing(repository, to_branch).bring if to_branch is not None else None
        own_options = replace(run_options, propose=propose)
        whole = whole_of(repository)
        rest = (read_reach, wanted, applies, metrics_file, printer, whole)
        return _Job(repository, own_options, *rest)

    if seconds is not None:
        return _loop(begin, interval or "", seconds)
    job = begin()
    job.require_named()  # not in a loop: its first run already acted on them
    return job.run()


def _require_unwatched(to_branch: str | None, outs: Sequence[output.Out]) -> None:
    if outs:
        hint = "-o json prints one line per round"
        raise UsageError("--output-file and --watch exclude each other", hint)
    if to_branch is not None:
        hint = "--interval also repeats the run"
        raise UsageError("--to-branch and --watch exclude each other", hint)


def _identity(author: str | None) -> tuple[str, str] | None:
    if author is None:
        return None
    name, opened, rest = author.partition(" <")
    email, closed, after = rest.partition(">")
    if not (name.strip() and opened and email and closed and not after) or not author.isprintable():
        raise UsageError(f"--author {author!r} is not 'Name <address>'")
    return name.strip(), email


def _loop(begin: "Callable[[], _Job]", interval: str, seconds: int) -> NoReturn:
    """Run until a signal. Only a usage error in the first run ends the loop."""
    job: _Job | None = None
    is_first = True
    while True:
        try:
            job = begin() if job is None else job
            job.run()
        except Exception as failed:
            if is_first and isinstance(failed, UsageError):
                raise
            _log.debug("this run failed", exc_info=failed)
            with suppress(OSError):  # stderr can be closed
                output.tell(f"ipam: {describe(failed).line}; next try in {interval}")
        is_first = False
        pause(seconds)


@dataclass(slots=True)
class _Job:
    repository: Repository
    run_options: ReconcileOptions
    reach: KubeClusters | None
    wanted: ApplyOptions
    applies: bool
    metrics: Path | None
    printer: "_Printer"
    newest: Callable[[str], Evaluation]  # a loop reads an unchanged branch only once
    bugs: list[BugError] = field(default_factory=list)
    _run: ObservingRun | None = None

    def require_named(self) -> None:
        if self.reach is None and self.wanted.says_withdrawn:
            require_named(self.newest(self.repository.fetch().id), self.wanted)

    def run(self) -> int:
        done: list[Round] = []
        code = ExitCode.OK
        self.bugs.clear()
        # Clusters that are only read had no time to withdraw anything, and know nothing of a
        # proposal. If addresses become free at once, there is a second run.
        is_one = self.run_options.propose is not None or (
            self.reach is not None and not self.applies
        )
        try:
            for item in rounds(self._reconcile, self._apply, most=1 if is_one else 2):
                done.append(item)
                last, applied = item.done, applied_in(done)
                code = reconciled_code(last.code, last.evaluation, applied)
                code = ExitCode.BUG if self.bugs else code
                self.printer.show(item, self.repository)
        except Exception as failed:
            if done:  # the first commit stays even if a later step fails
                self.printer.finish(done, describe(failed).code)
            raise
        self.printer.finish(done, code)
        if done[0].applied is None:
            why = "no cluster configured" if self.applies else "--no-apply"
            output.note(f"Not applied: {why}.")
        head = done[-1].done.head
        self._follow_up(done, head)
        if self.metrics is not None:
            write_metrics(self.metrics, head.id, self.newest(head.id), applied_in(done), code)
        self.repository.tidy()  # last, because it can be slow, and clusters must not wait for it
        return code

    def _follow_up(self, done: Sequence[Round], head: Revision) -> None:
        if enrolled := [it for it in applied_in(done) or () if it.cluster in self.wanted.enroll]:
            write_uids(self.repository, self.newest(head.id), enrolled)
        if self.wanted.says_withdrawn and options.now is not None:
            now = int(options.now())
            for text in too_early(self.newest(head.id), self.wanted, head.clock, now):
                output.note(f"{text} Run the command again then.")

    def _reconcile(self) -> Reconciled:
        run_options = replace(self.run_options, now=options.now)
        with output.progress("reconciling"):
            if self.reach is None:
                run_options = replace(run_options, look=self._look)
                if self.wanted.says_withdrawn:
                    still = partial(confirmed, options=self.wanted)
                    run_options = replace(run_options, still_announced=still)
                return run_reconcile(self.repository, run_options)
            look = LookOptions(self.wanted, writes=self.applies)
            self._run = ObservingRun(
                self.repository, self.newest, self.reach, look, options.now, self.bugs
            )
            return self._run.reconcile(run_options)

    def _look(self, part: RunCommit) -> Observation:
        """Remove Demands of deleted tenants: without clusters, nothing else can be observed."""
        found = part.planned.evaluation
        if part.commit is not None and any(found.documents.of(DEMAND.id)):
            found = self.newest(part.commit.id)
        return Observation(found.tree.clock, tuple(abandoned(found)))

    def _apply(self, done: Reconciled) -> list[Applied] | None:
        if self._run is None or not self.applies:
            return None
        with output.progress("applying"):
            return self._run.apply(done.head.id, partial(is_in_history, self.repository))


class _Printer(Struct, frozen=True):
    result: output.Result
    outs: tuple[output.Out, ...]
    to: str
    is_looped: bool

    def show(self, item: Round, repository: Repository) -> None:
        if self.result.is_document:
            return
        brush, evaluation = self.result.brush, item.done.evaluation
        found = [*evaluation.findings, *evaluation.gates]
        words = {} if has_wrong_settings(evaluation) else CARRIED_OUT
        if found:
            output.tell(findings_text(found, brush, words) + explain_text(found, brush))
        output.emit("".join(self._texts(item, repository, brush)), flushes=True)

    def _texts(self, item: Round, repository: Repository, brush: Painter) -> Iterator[str]:
        done, branch = item.done, repository.branch
        if not done.parts:
            evaluation = done.evaluation
            yield plan_text(evaluation, brush)
            is_wrong = has_wrong_settings(evaluation)
            sentence = f"Nothing to commit on {done.base.id[:12]}."
            if is_wrong:
                sentence = "Nothing was committed: ipam.yaml has errors."
            is_braked = evaluation.brake is not None and not is_wrong
            yield runs.reconcile_text(sentence, brush, is_braked=is_braked)
        for part in done.parts:
            evaluation, head = part.planned.evaluation, part.head.id
            yield plan_text(evaluation, brush)
            if done.proposed is None:
                sentence = runs.committed_sentence(
                    head,
                    branch,
                    has_remote=repository.remote is not None,
                    is_checkout=repository.worktree is not None,
                )
                is_braked = evaluation.brake is not None
                yield runs.reconcile_text(sentence, brush, is_braked=is_braked)
        if done.proposed is not None:
            commit = done.commit.id if done.commit is not None else ""
            how = done.proposed or Proposed.NONE
            sentence = runs.proposed_sentence(done.base.id, commit, (branch, self.to), how)
            yield runs.reconcile_text(sentence, brush)
        if item.applied is not None:
            yield runs.applied_text(item.applied, brush)

    def finish(self, done: Sequence[Round], code: int) -> None:
        if not (self.result.is_document or self.outs):
            return
        document = _document(done, code, self.to)
        if self.result.is_document and self.is_looped:
            output.emit(json_line(document), flushes=True)
        elif self.result.is_document:
            output.emit_document(document, self.result.output)
        texts = {"json": json_text, "yaml": yaml_text}
        files = ((it.path, texts[it.form](document)) for it in self.outs)
        output.write_texts("--output-file", files)


def applied_in(done: Sequence[Round]) -> list[Applied] | None:
    """Return the results of clusters in all runs."""
    found: list[Applied] | None = None
    for item in done:
        if item.applied is not None:
            found = together(found or [], item.applied)
    return found


def _document(done: Sequence[Round], code: int, to: str) -> dict[str, Any]:
    first, last = done[0].done, done[-1].done
    planned = [part.planned.evaluation for part in first.parts] or [first.evaluation]
    made = [item.done.commit.id for item in done if item.done.commit is not None]
    commit, attempts = made[-1] if made else None, sum(it.done.attempts - 1 for it in done) + 1
    document = report_json.reconcile_document(
        planned[0], first.base.id, commit, attempts=attempts, exit_code=code
    )
    if first.proposed is not None:
        document |= {"pushed": False, "proposed": {"branch": to, "state": str(first.proposed)}}
    every = [*planned, first.evaluation, last.evaluation]
    # An exceeded limit is the reason for exit code 3, and appears only here.
    found = dict.fromkeys(it for each in every for it in (*each.findings, *each.gates))
    document["plan"]["findings"] = report_json.listed_findings(
        tuple(found), last.evaluation.tree.settings
    )
    if (applied := applied_in(done)) is not None:
        heads = [item.done.head.id for item in done if item.applied is not None]
        document["apply"] = report_json.apply_document(applied, heads[-1], code)
    if waits := [wait for item in done for wait in item.served]:
        document["served"] = [{"cluster": it, "seconds": round(time, 1)} for it, time in waits]
    return document


def _require_folder(path: Path | None) -> None:
    if path is None:
        return
    cluster_options.require_clusters("--metrics-file")
    if not path.absolute().parent.is_dir():
        hint = "create the folder first"
        raise UsageError(f"--metrics-file {path}: the folder does not exist", hint)


def write_metrics(
    path: Path, head: str, evaluation: Evaluation, applied: Sequence[Applied] | None, code: ExitCode
) -> None:
    """Write the metrics of a run atomically. A failure does not change the result of the run."""
    is_bug = code is ExitCode.BUG
    parts = metrics.of_run(head, evaluation, applied or (), time.time(), is_bug=is_bug)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")  # collectors read only *.prom
    try:
        temporary.write_bytes(textfile(metrics.catalogue(), parts))
        temporary.chmod(0o644)  # the collector runs as another user
        temporary.replace(path)
    except OSError as failed:
        output.tell(f"ipam: --metrics-file {path} was not written: {failed.strerror}")
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
