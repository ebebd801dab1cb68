"""`check --also` predicts the result of reconcile after both changes are merged, in any order."""

import tempfile
from functools import partial
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.addresses import IPRange
from reconciler.gitio.merging import merge, quarantined
from reconciler.gitio.repository import Repository
from reconciler.model.errors import UnmergedError
from reconciler.model.key import Key
from reconciler.planning.read import evaluate_source
from reconciler.review.other_changes import SimulationRepository, compare_with_others
from reconciler.review.result import Second, Together
from tests.examples import scaled
from tests.properties.test_merging import START, edited, edits, opened, reconciled
from tests.world import CLOCK, commit, git, write

Held = dict[Key, IPRange]


@given(st.data())
@settings(max_examples=scaled(10))
def test_who_is_merged_second_gets_what_was_told(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        git(folder, "init", "-q", "-b", "main")
        first = data.draw(edits(START))
        write(folder, first)
        commit(folder)
        reconciled(folder)
        start = git(folder, "rev-parse", "HEAD")
        for name in ("ours", "theirs"):
            git(folder, "switch", "-q", "-c", name, start)
            edited(folder, first, data.draw(edits(first)), name, CLOCK + 10)
        git(folder, "switch", "-q", "main")
        told = _describe(opened(folder))
        for name, seconds in (("ours", told.ours), ("theirs", told.theirs)):
            _is_as_told(folder, start, told, name, seconds)


def _describe(repository: Repository) -> Together:
    apart = quarantined(repository)
    thought = SimulationRepository(apart, partial(merge, apart))
    (found,) = compare_with_others(thought, "main", repository.resolve("ours"), ["theirs"])
    return found


def _is_as_told(
    folder: Path, start: str, told: Together, last: str, seconds: tuple[Second, ...]
) -> None:
    """Merge both changes, this one last, and only this one. Compare both with the prediction."""
    other = "theirs" if last == "ours" else "ours"
    alone, _ = _merged(folder, start, last)
    both, conflicts = _merged(folder, start, other, last)
    if conflicts or told.conflicts:
        assert bool(conflicts) == bool(told.conflicts)
        return
    assert not told.why
    for second in seconds:
        assert alone.get(second.claim) == second.alone
        assert both.get(second.claim) == second.then
    before = _held(folder, start)
    others, _ = _merged(folder, start, other)
    known = {it.claim for it in seconds}
    for claim in alone.keys() - before.keys() - others.keys() - known:
        assert both.get(claim) == alone[claim], "the result depends on the order without a finding"


def _merged(folder: Path, start: str, *names: str) -> tuple[Held, bool]:
    """Merge and reconcile branches one by one. Return addresses by claim, and any conflict."""
    work = f"work{len(git(folder, 'branch').splitlines())}"  # an earlier date would be refused
    git(folder, "switch", "-q", "-c", work, start)
    for name in names:
        repository = opened(folder)
        base, head = repository.resolve(work), repository.resolve(name)
        try:
            if not repository.is_in(base.id, head.id):
                merge(repository, base, head)
        except UnmergedError:
            return {}, True
        git(folder, "merge", "-q", "--no-ff", "-m", name, name, clock=CLOCK + 20)
        reconciled(folder)
    return _held(folder, work), False


def _held(folder: Path, rev: str) -> Held:
    records = evaluate_source(opened(folder).source(rev)).state.records
    return {it.claim: it.range for it in records if it.range is not None and not it.is_released}
