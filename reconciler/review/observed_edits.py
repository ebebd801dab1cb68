"""Edits of the observed folder that reconcile did not make."""

from collections.abc import Iterable
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from reconciler.commands.reading.files import reader_of
from reconciler.commands.reading.reader import evaluate_source
from reconciler.documents.document import Identity
from reconciler.documents.suffix import is_yaml
from reconciler.evaluate import Evaluation, let_pass
from reconciler.findings import Finding, error, ordered
from reconciler.model.override import OverrideKind
from reconciler.model.settings import PATH, Settings
from reconciler.observed import Seen, by_hand, is_observed
from reconciler.ports import Changed, Entry, Source
from reconciler.settings import within

Side = tuple[Source, Settings]
"""A revision, and the Settings that say where its files are."""


class Beside(Struct, frozen=True):
    """A revision and an earlier one.

    Attributes:
        name: The name of the earlier one.
        is_base: It is the base of a change, so every byte counts, and edits that reconcile would make
            are expected.
    """

    name: str
    before: Side
    now: Side
    is_base: bool = False


def with_observed_edits(
    evaluation: Evaluation,
    beside: Beside,
    changes: Iterable[Changed],
) -> Evaluation:
    """Return an evaluation with the edits of the observed folder.

    Args:
        evaluation: The evaluation of the later revision.
        beside: Both revisions.
        changes: The files that differ.
    """
    (_, ours), is_base = beside.now, beside.is_base
    listed = list(changes)
    sides = _sides(beside, listed)
    found = _left(beside) if is_base else []
    if any(sides):
        allows = partial(evaluation.tree.overrides.allow, OverrideKind.RECORD)
        made = _made(beside.before[0]) if is_base else {}
        gone = any(path not in sides[1] for path in sides[0])
        described = _described(beside.now, listed) if gone else frozenset()
        told = by_hand(ours.observed, sides, made, described)
        found += [
            item.finding(beside.name if is_base else "", weighs=not allows(item.path))
            for item in told
            if is_base or item.is_news
        ]
    if not found:
        return evaluation
    return replace(evaluation, findings=ordered([*evaluation.findings, *found]))


def _sides(beside: Beside, changes: list[Changed]) -> tuple[dict[str, Seen], dict[str, Seen]]:
    """Return the files that differ, on both sides, by path below the folder."""
    (base, theirs), (source, ours) = beside.before, beside.now
    was = [it.old for it in changes if is_observed(theirs, it.path)]
    now = [it.new for it in changes if is_observed(ours, it.path)]
    return _seen(base, theirs, was), _seen(source, ours, now)


def _below(settings: Settings, path: str) -> str:
    return path.removeprefix(f"{settings.observed}/")


def _seen(source: Source, settings: Settings, entries: Iterable[Entry | None]) -> dict[str, Seen]:
    """Return the entries that are YAML files."""
    there = [it for it in entries if it is not None and it.is_file and is_yaml(it.path)]
    reader = reader_of(source, settings)

    def read(path: str, data: bytes) -> Seen:
        return Seen(data, reader.read_source(path, data).documents)

    found = source.each(there, read)
    return {_below(settings, it.path): seen for it, seen in zip(there, found, strict=True)}


def _made(base: Source) -> dict[str, bytes | None]:
    """Return the edits that reconcile makes to the folder of a base, by path below it."""
    planned = let_pass(evaluate_source(base))
    settings = planned.tree.settings
    files = (it for it in planned.changes if is_observed(settings, it.path))
    return {_below(settings, it.path): it.data for it in files}


def _described(side: Side, changes: list[Changed]) -> frozenset[Identity]:
    """Return the identities that changed files in source folders describe."""
    source, settings = side
    reader = reader_of(source, settings)
    there = [
        it.new
        for it in changes
        if it.new is not None
        and it.new.is_file
        and is_yaml(it.path)
        and any(within(it.path, folder) for folder in settings.sources)
    ]
    read = source.each(there, reader.read_source)
    return frozenset(document.identity for file in read for document in file.documents)


def _left(beside: Beside) -> list[Finding]:
    """Report files that are left in another folder than Settings name."""
    (_, theirs), (source, ours) = beside.before, beside.now
    if theirs.observed == ours.observed or not source.entries([theirs.observed]):
        return []
    message = f"spec.observed names {ours.observed}/, but files are left in {theirs.observed}/"
    hint = f"git mv {theirs.observed} {ours.observed} in the same commit, or set it back"
    return [error("settings-changed", ours.location._replace(path=PATH), message, hint)]
