"""Changes of the folders that reconcile owns: records and observed files (ADR 0016)."""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from reconciler.commands.by_hand import strays
from reconciler.commands.edited_records import edited, moved_from, restoring, uncovered
from reconciler.commands.reading.settings import has_records, read_own_settings
from reconciler.commands.reconcile_commits import (
    Side,
    differing,
    newest,
    require_whole,
    settings_at,
)
from reconciler.evaluate import without_expiries
from reconciler.findings import Finding, Location, error, few, info
from reconciler.model.instant import format_instant
from reconciler.model.plan import Release
from reconciler.ports import Entry, Repository, Source

if TYPE_CHECKING:
    from reconciler.review.change import Change

# Clocks of people's machines differ by minutes.
_SKEW_SECONDS = 3_600
_PLAIN = "100644"

Pairs = dict[str, tuple[Entry | None, Entry | None]]


class RecordChanges:
    """The files of both folders that differ between the base and the merge result."""

    def __init__(self, change: "Change") -> None:
        self._change = change

    @cached_property
    def _sides(self) -> tuple[Side, Side]:
        it = self._change
        base = it.base, read_own_settings(it.base).settings
        head, revision = (it.head, it.settings), it.head.revision()
        if revision is not None and not has_records(*_folder_of(base)):
            # The records of a root that the change moves are compared where they were.
            moved = moved_from(it.repository, revision.id, head)
            base = moved[1] if moved is not None else base
        return base, head

    @cached_property
    def pairs(self) -> Pairs:
        """The files that differ, by path in the merge result."""
        it = self._change
        if it.is_contained:
            return differing(*self._sides)
        # The merge cannot be simulated: these are the edits since the merge base.
        (_, then), (_, now) = self._sides
        inside = tuple(f"{at}/" for at in (then.records, then.observed, now.records, now.observed))
        return {one.path: (one.old, one.new) for one in it.files if one.path.startswith(inside)}

    @cached_property
    def _ends(self) -> tuple[str, str]:
        """The ids of the base and of the merge result; of a work tree its HEAD."""
        it = self._change
        base, head = it.base.revision(), it.head.revision() or it.repository.resolve("HEAD")
        return base.id if base is not None else "", head.id

    @cached_property
    def carried(self) -> list[str]:
        """The commits of the change that have an `Ipam-Plan` line of this root, newest first.

        Raises:
            GitError: The clone is too shallow.
        """
        base, head = self._ends
        if base == head:
            return []
        require_whole(self._change.repository, head, [base])
        return list(self._change.repository.plan_commits(head, [base]))

    @cached_property
    def is_output(self) -> bool:
        """The folders are as reconcile would commit them on the base, or as it proposes."""
        return self._is_proposed or self._is_plan_of_base

    @property
    def _is_proposed(self) -> bool:
        it = self._change
        if it.proposed is None:
            return False
        return self._is_as(it.repository.resolve(it.proposed).id)

    def _is_as(self, commit: str) -> bool:
        """Whether the folders of the merge result equal the folders of a commit."""
        source = self._change.repository.source(commit)
        settings = settings_at(source)
        return settings is not None and not differing((source, settings), self._sides[1])

    @property
    def _is_plan_of_base(self) -> bool:
        (base, then), (head, now) = self._sides
        if base is not self._change.base:
            return False
        if (then.records, then.observed) != (now.records, now.observed):
            return False
        wanted = {it.path: it.data for it in without_expiries(self._change.base_plan)}
        if not self.pairs.keys() <= wanted.keys():
            return False
        folders = [now.records, now.observed]
        there = {entry.path: entry for entry in head.entries(folders) if entry.path in wanted}
        made = {path: data for path, data in wanted.items() if data is not None}
        if there.keys() != made.keys() or any(it.mode != _PLAIN for it in there.values()):
            return False
        return head.read(list(there.values())) == [made[path] for path in there]

    @cached_property
    def is_restored(self) -> bool:
        """The base is stopped because of edited records, and the change restores them."""
        it = self._change
        base, _ = self._ends
        last = newest(it.repository, base)
        if not last or not any(True for _ in edited(it.repository, it.base, it.base_plan)):
            return False
        return self._is_as(last)

    @cached_property
    def is_import(self) -> bool:
        """The change brings the first records of a root, and removes none of any root."""
        it = self._change
        base, head = self._ends
        (source, settings), _ = self._sides
        if any(was is not None for was, _ in self.pairs.values()) or self.carried:
            return False
        if newest(it.repository, base) or next(it.repository.plan_commits(base), ""):
            return False
        if has_records(source, settings.records) or next(source.past([settings.records]), None):
            return False
        inside = f"/{settings.records}/"
        dropped = it.repository.roots.dropped(base, head)
        return not any(inside in f"/{path}" for path in dropped)

    @cached_property
    def uncovered(self) -> Pairs:
        """The files that differ, except for those that an Override of the base covers."""
        return dict(uncovered(self.pairs, self._change.result.tree.overrides, self._sides[1][1]))

    def restoring(self) -> str:
        """Return the command that restores the folders of the base."""
        return restoring(self._ends[0][:12], self._sides)

    def is_line(self) -> bool:
        """Whether the carried commits are a line on the base that ends with the merge result."""
        if not self.carried or not self.is_output or not self._is_as(self.carried[0]):
            return False
        repository, base = self._change.repository, self._ends[0]
        parents = [repository.made(commit).parents for commit in self.carried]
        following = [(commit,) for commit in self.carried[1:]]
        is_row = all(len(it) == 1 for it in parents) and parents[:-1] == following
        return is_row and _is_in(repository, parents[-1][0], base)


def _folder_of(side: Side) -> tuple[Source, str]:
    return side[0], side[1].records


def _is_in(repository: Repository, commit: str, base: str) -> bool:
    return commit == base or repository.is_in(commit, base)


def record_changes(change: "Change") -> Iterator[Finding]:
    """Report records that reconcile did not write, and commits that look like its commits."""
    found = RecordChanges(change)
    yield from _edited_records(found)
    yield from _carried_commits(found, change.name)


def _edited_records(found: RecordChanges) -> Iterator[Finding]:
    if not found.pairs or found.is_restored or found.is_output:
        return
    place = Location(next(iter(found.pairs)))
    if found.is_import:
        message = f"{len(found.pairs)} files of records are imported; reconcile owns them from now"
        yield info("records-imported", place, f"{message} on")
        return
    pairs = found.uncovered
    if not pairs:
        return
    many = "1 file" if len(pairs) == 1 else f"{len(pairs)} files"
    place = Location(next(iter(pairs)))
    message = f"this change edits {many} that only reconcile writes: {few(list(pairs))}"
    hint = (
        f"to undo: {found.restoring()} && git commit -m 'Restore records'; to permit it, merge an"
    )
    hint += " Override of kind record first; a proposal of reconcile needs --proposed"
    yield error("records-changed", place, message, hint)


def _carried_commits(found: RecordChanges, base: str) -> Iterator[Finding]:
    if not found.carried or found.is_line():
        return
    more = f" and {len(found.carried) - 1} more" if found.carried[1:] else ""
    message = f"commit {found.carried[0][:12]}{more} of this change has an Ipam-Plan line, and"
    message += f" {base} lacks it"
    hint = f"if {base} is behind: git fetch, then --base origin/main; else drop the commits"
    hint += f" that git log --grep ^Ipam-Plan {base}.. lists: git rebase -i {base}"
    yield error("commit-carried", Location("."), message, hint)


def moved_roots(change: "Change") -> Iterator[Finding]:
    """Report records of a root that was moved or removed."""
    yield from strays(change.repository, change.head, change.result, change.base)


def dated_back(change: "Change") -> Iterator[Finding]:
    """Report a change with releases that is dated before its base."""
    if change.head.revision() is None or not change.is_contained:
        return
    own, before = change.head.clock(), change.base.clock()
    is_release = any(isinstance(it, Release) for it in change.result.plan.decisions)
    if is_release and own + _SKEW_SECONDS < before:
        message = f"this revision is dated {format_instant(own)}, and {change.name}"
        message += f" {format_instant(before)}: released addresses would be free too early"
        hint = "git commit --amend --no-edit dates it anew"
        yield error("commit-dated-back", Location("."), message, hint)
