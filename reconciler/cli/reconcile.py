"""`reconcile`: plan, commit the records, push, apply; once, or again and again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import click
from msgspec.structs import replace

from reconciler.adapters.git.proposing import open_proposing
from reconciler.adapters.git.repository import GitRepository
from reconciler.cli.shared import clock
from reconciler.cli.shared.cluster_options import Reach, reaching_options, wishing_options
from reconciler.cli.shared.daemon import Order, run_daemon
from reconciler.cli.shared.failures import told
from reconciler.cli.shared.listening import Listening, listening_options
from reconciler.cli.shared.loop import loop
from reconciler.cli.shared.metrics_file import require_folder, write_metrics
from reconciler.cli.shared.opening import open_branch
from reconciler.cli.shared.options import (
    Number,
    option,
    output_options,
    parse_identity,
    parse_seconds,
    repository_option,
)
from reconciler.cli.shared.output import note, painter
from reconciler.cli.shared.outs import Out, result_outs_option
from reconciler.cli.shared.progress import progress
from reconciler.cli.shared.told_rounds import (
    applied_in,
    code_of,
    emit_rounds,
    tell_round,
    write_rounds,
)
from reconciler.cli.shared.watch_options import Watch, are_asked, watch_options
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import Applied
from reconciler.commands.applying.expiry import confirmed, require_named, too_early
from reconciler.commands.looking.elastic import LookOptions
from reconciler.commands.looking.run import LookingRun, Newest
from reconciler.commands.reconcile import Reconciled, ReconcileOptions
from reconciler.commands.reconcile import reconcile as run_reconcile
from reconciler.commands.rewritten import is_in_history
from reconciler.commands.rounds import Round, rounds
from reconciler.commands.truth import require_at_start
from reconciler.ports import BugError, ExitCode, Revision, UsageError


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
            if not any_branch:  # a daemon on another branch would only ever say so
                require_at_start(repository)
            return repository

        order = Order(opened, options, reach if is_asked else None, wish, watch, seconds)
        told = None if output == "text" else emit_line
        return run_daemon(replace(order, applies=not no_apply, emit=told), listening)
    listening.require_nothing()
    if seconds is None:
        job = begin()
        job.require_named()  # of a loop not: what is said is done in its first round
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
    """Refuse options that do not go together.

    Args:
        branch: As `--branch`.
        watch: As `--watch` and what belongs to it.
        unwatched: As `--to-branch` and `--out`, which a daemon has not.
        any_branch: As `--any-branch`.

    Raises:
        UsageError: They do not.
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
    """One reconcile, of which a loop makes many. Clusters are connected to anew each time.

    Attributes:
        reach: The clusters; None when none is named.
        applies: Whether they are applied to.
        metrics: Where metrics are written, or None.
        bugs: Those that were met in this run while clusters were asked.
        whole: Reads a revision whole: a loop on a branch that stands still reads it once.
    """

    repository: GitRepository
    options: ReconcileOptions
    reach: Reach | None
    wish: ApplyOptions
    applies: bool = True
    metrics: Path | None = None
    bugs: list[BugError] = field(default_factory=list)
    whole: Newest = field(init=False)
    _run: LookingRun | None = None

    def __post_init__(self) -> None:
        self.whole = Newest(self.repository)

    @property
    def to(self) -> str:
        """The branch that gets the commits instead; empty for none."""
        return self.options.to.name if self.options.to is not None else ""

    def require_named(self) -> None:
        """Refuse what a person says of claims and clusters that are not there.

        Of clusters that are asked the inventory knows more than Git; it is not read for that.

        Raises:
            UsageError: There is none.
        """
        if self.reach is None and self.wish.says_withdrawn:
            require_named(self.whole(self.repository.fetch().id), self.wish)

    def tell_too_early(self, head: Revision) -> None:
        """Say which addresses may not go yet, though a person says that nobody uses them."""
        if self.wish.says_withdrawn and clock.now is not None:
            for text in too_early(self.whole(head.id), self.wish, head.clock, int(clock.now())):
                note(f"{text} Say so again then.")

    def rounds(self) -> Iterator[Round]:
        """Git and clusters; twice when addresses come free at once."""
        self.bugs.clear()
        # Clusters that are only asked have had no time to withdraw anything, and of what is only
        # proposed they know nothing.
        is_one = bool(self.to) or (self.reach is not None and not self.applies)
        return rounds(self.reconcile, self.apply, most=1 if is_one else 2)

    def reconcile(self) -> Reconciled:
        """Git, after the clusters were asked about addresses that would come free."""
        options, reach = replace(self.options, now=clock.now), self.reach
        if reach is None:
            if self.wish.says_withdrawn:
                said = partial(confirmed, options=self.wish)
                options = replace(options, still_announced=said)
            with progress("reconciling"):
                return run_reconcile(self.repository, options)
        asked = LookOptions(self.wish, writes=self.applies)
        self._run = LookingRun(self.whole, reach.open, asked, clock.now, self.bugs)
        with progress("reconciling"):
            return self._run.reconcile(options)

    def apply(self, done: Reconciled) -> list[Applied] | None:
        """The clusters; None when none is named, or none shall be applied to."""
        if self._run is None or not self.applies:
            return None
        with progress("applying"):
            return self._run.apply(done.head.id, partial(is_in_history, self.repository))


def _once(job: _Job, wanted: tuple[str, tuple[Out, ...]], color: str, *, looped: bool) -> int:
    """One run: told as text round by round, else as one document when all is done."""
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
        if done:  # what the first round did is done
            _tell(job, done, told(failed).code, wanted, looped=looped)
        raise
    _tell(job, done, code, wanted, looped=looped)
    if done[0].applied is None:
        why = "none is named" if job.applies else "--no-apply"
        note(f"Nothing was applied to clusters: {why}.")
    job.tell_too_early(done[-1].done.head)
    if job.metrics is not None:
        head = done[-1].done.head.id
        write_metrics(job.metrics, head, job.whole(head), applied_in(done), code)
    job.repository.tidy()  # last of all: it may take long, and clusters wait for nothing
    return code


def _tell(
    job: _Job,
    done: Sequence[Round],
    code: int,
    wanted: tuple[str, tuple[Out, ...]],
    *,
    looped: bool,
) -> None:
    """All rounds as one document: on stdout unless people read it, and in files."""
    output, outs = wanted
    if output != "text":
        emit_rounds(done, code, output, looped=looped, to=job.to)
    write_rounds(outs, done, code, job.to)
