"""Edits of records in a change, and in its base since the last reconcile commit."""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reconciler.commands import carried as carrying
from reconciler.commands.braked_base import as_merged, with_base_brake
from reconciler.commands.by_hand import strays
from reconciler.commands.freed_before import Since, records_since_made, with_freed_before
from reconciler.commands.handwork import records_beside
from reconciler.commands.record_changes import allowing, ranges_after, with_moves
from reconciler.evaluate import Evaluation, with_freed
from reconciler.findings import Finding, ordered
from reconciler.model.plan import Release
from reconciler.records.by_hand import Records, as_left, freed, told
from reconciler.review.result import Compared

if TYPE_CHECKING:
    from reconciler.review.change import Change


class RecordEdits:
    """Edits of records in a change, and in its base since the last reconcile commit."""

    def __init__(self, change: "Change") -> None:
        self._change = change

    @cached_property
    def _since(self) -> Since | None:
        change = self._change
        return records_since_made(change.repository, change.base, change.base_settings)

    @cached_property
    def history(self) -> carrying.Carried:
        """Commits of the change that claim to be reconcile commits."""
        it = self._change
        tip = it.repository.resolve(it.proposed).id if it.proposed is not None else None
        return carrying.carried(it.repository, it.base, it.head, it.settings).beside(tip)

    @cached_property
    def records(self) -> Records:
        """The records that differ between the base and the change."""
        it = self._change
        sides = (it.base, it.base_settings), (it.head, it.settings)
        files = () if self.history.is_proposed else it.files
        return replace(
            records_beside(*sides, files, lambda: it.base_plan),
            made=self.history.newest if it.is_contained else "",
            left=as_left(self._since.records) if self._since is not None else {},
        )

    def merged(self, evaluation: Evaluation) -> Evaluation:
        """Return the evaluation with the records that reconcile restores after the merge."""
        if self._since is None:
            return evaluation
        it = self._change
        return as_merged(it.repository, it.base, it.head, evaluation)

    def braked(self, evaluation: Evaluation) -> Evaluation:
        """Return the evaluation with a release limit that counts the edits of both sides."""
        it = self._change
        after = ranges_after(self.records, evaluation)
        evaluation = with_moves(self.records, evaluation)
        allows = allowing(evaluation)
        found = [*evaluation.findings, *told(self.records, it.name, after, allows)]
        evaluation = with_freed(evaluation, freed(self.records, allows))
        evaluation = replace(evaluation, findings=ordered(found))
        return with_base_brake(it.name, lambda: it.base_plan, evaluation)

    def findings(self) -> Iterator[Finding]:
        """Return the findings about reconcile commits and moved roots."""
        it = self._change
        is_release = any(isinstance(one, Release) for one in it.result.plan.decisions)
        releases = it.is_contained and is_release
        yield from carrying.told(self.history, it.name, releases=releases)
        yield from strays(it.repository, it.head, it.result, it.base)

    def concluded(self, compared: Compared) -> Compared:
        """Return the review with the findings that depend on all others."""
        it = self._change
        base = it.repository, it.base, it.base_settings
        compared = with_freed_before(compared, lambda: it.base_plan, base, self._since)
        return carrying.with_proposal(compared, self.history, it.name)


def record_edits(change: "Change") -> Iterator[Finding]:
    """Report reconcile commits in the change, and records left in another root."""
    return change.records.findings()
