"""Opening, reading, and review of repositories."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from reconciler.cli import options, output
from reconciler.cli.options import option
from reconciler.documents.findings import join_limited
from reconciler.documents.text import escape
from reconciler.gitio import repository as repositories
from reconciler.gitio.files import CacheFile
from reconciler.gitio.history import CommitLog
from reconciler.gitio.interface import Source
from reconciler.gitio.merging import merge, quarantined
from reconciler.gitio.process import ObjectReader, time_limit
from reconciler.gitio.remote_state import LastSeen
from reconciler.gitio.remotes import bringing, open_mirror, with_remote
from reconciler.gitio.repository import Repository
from reconciler.history.commits import History
from reconciler.history.who import revision_at
from reconciler.model.errors import GitError, UsageError
from reconciler.model.instant import format_instant, parse_instant
from reconciler.model.settings import OVERRIDES, PATH, Settings
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import as_of, evaluate_source
from reconciler.reconcile.commits import newest
from reconciler.report.text.table import Painter
from reconciler.review.checks import review
from reconciler.review.merging import merged
from reconciler.review.other_changes import SimulationRepository, compare_with_others
from reconciler.review.result import Compared, Together


class ReadRevision(Struct, frozen=True):
    """Repository, and the files of it that a command reads."""

    repository: Repository
    source: Source

    @property
    def ground(self) -> Path | None:
        """The path of the root in the checkout."""
        return repositories.ground(self.repository)

    def evaluation(self, painter: Painter) -> Evaluation:
        """Return the evaluation. Print its errors to stderr."""
        with output.progress("reading"):
            evaluation = evaluate_source(self.source)
        output.tell_errors(evaluation.findings, painter)
        return evaluation

    def history(self, settings: Settings) -> History:
        """Return the history. For a work tree, it is the history of HEAD."""
        head = self.source.revision() or self.repository.resolve("HEAD")
        source = self.repository.source(head.id)
        return History(CommitLog(self.repository.git), source, settings, head.id)


def asked_root() -> str | None:
    """Return the folder that `--root` names, or None if it is not given."""
    context = click.get_current_context(silent=True)
    return context.meta.get(options.ROOT) if context is not None else None


def open_here(repo: Path, branch: str | None = None) -> Repository:
    """Return the repository of `--repo`, `--root`, and `--branch`."""
    return _leading(repositories.open_repository(repo, dict(os.environ), branch, asked_root()))


def open_there(remote: str, branch: str | None) -> Repository:
    """Return the mirror of the remote of `--remote`, `--root`, and `--branch`."""
    if (cache := _cache()) is None:
        raise UsageError("this user has no home folder for the cache", "set XDG_CACHE_HOME or HOME")
    return _leading(open_mirror(remote, cache, dict(os.environ), branch, asked_root()))


def open_branch(repo: Path, remote: str | None, branch: str | None) -> Repository:
    """Return the branch of `--repo`, `--remote`, and `--branch`, with its remote."""
    if remote is not None:
        return open_there(remote, branch)
    return with_remote(open_here(repo, branch))


def _cache() -> Path | None:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    return None if base.startswith("~") else Path(base) / "gitops-ipam"


def _leading(repository: Repository) -> Repository:
    if (cache := _cache()) and cache.is_absolute():
        place = f"{repository.git.git_dir.resolve()}\n{repository.git.root.path}"
        name = sha256(os.fsencode(place)).hexdigest()[:32]
        repository.parsed.kept = CacheFile(cache / "parsed" / name)
    if (context := click.get_current_context(silent=True)) is not None:
        context.call_on_close(repository.git.reader.close)

    def leads(repository: Repository, revision: str) -> str:
        try:
            return newest(repository, revision)
        except GitError:
            if repository.is_shallow():
                return ""  # a shallow clone follows the first parents
            raise

    return replace(repository, leads=leads)


def open_source(reading: options.Reading, *, fetches: bool = False) -> ReadRevision:
    """Return the files of `--repo`, `--rev`, and `--worktree`, and fetch filtered objects."""
    repository = open_here(reading.repo)
    if fetches:
        repository = bringing(repository)
    if reading.worktree and reading.rev != "HEAD":
        raise UsageError("--worktree and --rev exclude each other")
    if reading.worktree:
        return ReadRevision(repository, repositories.open_worktree(repository, reading.repo))
    return ReadRevision(repository, repositories.open_revision(repository, reading.rev))


def open_past(reading: options.Reading, at: str | None) -> ReadRevision:
    """Return the files of a revision, or of the one before it that `--at` names."""
    if reading.worktree and at is not None:
        raise UsageError("--worktree and --at exclude each other")
    read = open_source(reading)
    if at is None:
        return read
    found = revision_at(read.repository, CommitLog(read.repository.git), reading.rev, at)
    return open_source(options.Reading(reading.repo, found))


def apart(repository: Repository, revision: str) -> ReadRevision:
    """Return a revision for another thread that shares no mutable state with other readers."""
    git = replace(repository.git, reader=ObjectReader())
    own = replace(repository, git=git, seen=LastSeen())
    return ReadRevision(own, own.source(revision))


class ChangeOptions(Struct, frozen=True):
    """Options of the comparison with a base."""

    base: str | None = None
    plan_time: str | None = None
    proposed: str | None = None
    fetch_missing: bool = False


change_options: options.Decorator[Any] = options.gathered(
    "change",
    ChangeOptions,
    options.base,
    option(
        "--plan-time", metavar="TIME", help="Plan for a later time: now, or a time in RFC 3339."
    ),
    option("--fetch-missing", is_flag=True, help="Fetch objects missing from a partial clone."),
    option(
        "--proposed", metavar="REV", help="With --base: accept records that this branch proposes."
    ),
)
"""Adds the options of a change, and passes them as `change`."""


class Reviewed(Struct, frozen=True):
    """Review with its files, its root folder, and the repository of both sides."""

    compared: Compared
    source: Source
    root: str
    repository: Repository


def reviewed(reading: options.Reading, change: ChangeOptions) -> Reviewed:
    """Return the evaluation of a revision, compared with its base if there is one."""
    base = change.base
    if change.proposed is not None and base is None:
        raise UsageError("--proposed needs --base", "pass the target branch as --base")
    read = open_source(reading, fetches=change.fetch_missing)
    repository: Repository = read.repository
    with output.progress("planning"):
        if base is None:
            source = source_at(read.source, change.plan_time)
            compared = review(source, repository, None)
        else:
            repository.parsed.kept = None  # a check relies on nothing but the repository
            found = merged(repository, read.source, base, partial(merge, read.repository))
            source, repository = source_at(found.source, change.plan_time), found.repository
            now = options.now() if options.now and not found.head else 0
            compared = review(source, repository, base, change.proposed, now)
            compared = found.reviewed(compared, base)
    if reading.rev == "HEAD" and not reading.worktree:
        settings = compared.evaluation.tree.settings
        paths = [PATH, OVERRIDES, *settings.folders, settings.records]
        if new := repositories.uncommitted(read.repository, paths):
            are, were = ("file is", "was") if len(new) == 1 else ("files are", "were")
            left = f"{len(new)} {are} not committed, and {were} not read: {join_limited(new)}"
            output.note(f"note: {escape(left)}; to read the work tree, pass --worktree")
    return Reviewed(compared, read.source, read.repository.git.root.path, repository)


def compared_with_others(
    reading: options.Reading, base: str | None, also: Sequence[str], seconds: int
) -> tuple[Together, ...]:
    """Return the comparison with other open changes, without those for which time is too short."""
    own = quarantined(open_source(reading).repository)
    own.parsed.kept = None
    simulation, found = SimulationRepository(own, partial(merge, own)), list[Together]()
    with output.progress("comparing"), time_limit(seconds):
        found.extend(compare_with_others(simulation, str(base), own.resolve(reading.rev), also))
    late = list(dict.fromkeys(also))[len(found) :]
    return (*found, *(Together(it, why="the comparison took too long") for it in late))


def source_at(source: Source, time: str | None) -> Source:
    """Return a source whose clock is the later time of `--plan-time`, if that is given."""
    if time is None:
        return source
    own, machine = source.clock(), options.now
    clock = max(own, int(machine() if machine else 0)) if time == "now" else parse_instant(time)
    if clock is None:
        hint = "write it as 2026-02-15T10:00:30Z (RFC 3339, in UTC), or now"
        raise UsageError(f"--plan-time {time!r} is not a time", hint)
    if clock < own:
        message = f"--plan-time {time} is before the date of the revision, {format_instant(own)}"
        raise UsageError(message, "plan an earlier revision with --rev")
    return as_of(source, clock, source.clock_ahead())
