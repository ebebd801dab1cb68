"""What is judged by what reconcile made last: the brake, and what it puts back.

A release that a brake holds back is not carried out. What somebody took out of a record is free
already, so its brake holds it back by putting the record back as reconcile left it. Then nobody
else can get it, now or later, until a person lets it go; and all else goes on.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.addresses.notation import format_short
from reconciler.commands.handwork import records_since
from reconciler.commands.let_go import without_let_go
from reconciler.commands.reading.mended import Mended
from reconciler.commands.reading.reader import read_tree
from reconciler.commands.reading.settings import read_own_settings
from reconciler.commands.record_changes import with_record_changes
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation, evaluate
from reconciler.findings import Finding, Location, ordered, warning
from reconciler.model.allocation import Allocation
from reconciler.model.override import OverrideKind
from reconciler.model.settings import PATH, Settings
from reconciler.ports import Repository, Source
from reconciler.records.by_hand import Records
from reconciler.records.hands import Paths
from reconciler.records.put_back import put_back
from reconciler.records.recall import recall
from reconciler.review.settings import held_to
from reconciler.withheld import with_put_back


class Anchor(Struct, frozen=True):
    """What reconcile made last.

    Attributes:
        commit: Its id.
        settings: Those that it has.
        is_proven: It is reconcile's for certain: what it left may be put back.
        told: What is told of the history up to the revision, whatever is put back.
    """

    commit: str
    settings: Settings
    is_proven: bool
    told: tuple[Finding, ...] = ()

    @property
    def name(self) -> str:
        """What it is called."""
        return self.commit[:12]


def with_records_since(
    evaluation: Evaluation, source: Source, records: Records, anchor: Anchor
) -> Evaluation:
    """An evaluation with what people did to records since reconcile went over them.

    Args:
        evaluation: Of the revision.
        source: Its files.
        records: Those that differ.
        anchor: What they differ from.
    """
    found = with_record_changes(anchor.name, records, evaluation)
    if found.brake is None:
        return found
    if not found.is_freed:  # a mark that somebody took away counts still, and a replay finds it
        return replace(found, anchor=anchor.commit) if found.freed.marks else found
    files = put_back(records, allowing(found))
    read = read_tree(Mended(source, files), overrides=found.tree.overrides)
    tree = replace(read, retained=found.tree.retained)
    mended = held_to(evaluate(tree, found.allow_release), anchor.settings, anchor.name)
    put_back(records, allowing(mended))  # so that Overrides are told as used there, too
    back = _stated(evaluation, files)
    why = "" if anchor.is_proven else f"that reconcile made commit {anchor.name} is not proven here"
    if why := why or _in_the_way(mended, back):
        return _stopped(found, why)
    paths = {item.path for item in back}
    # What a removal frees is said of others alone: here it frees nothing.
    told = [
        item
        for item in found.findings
        if item not in evaluation.findings
        and not (item.code == "record-removed" and item.location.path in paths)
    ]
    mended = with_put_back(found, mended, files)
    history = (item for item in anchor.told if item not in mended.findings)
    findings = [*mended.findings, *history, *told, *_told(back)]
    return replace(mended, findings=ordered(findings), anchor=anchor.commit)


def anchored(
    repository: Repository, base: str, commit: str, is_made: Callable[[str], bool]
) -> Callable[[Source, Evaluation], Evaluation]:
    """What adds to a plan of a base the records that a brake put back, for a replay.

    Nothing, unless reconcile made the commit that they are from, and the base holds it.

    Args:
        repository: Where they are.
        base: The base's id.
        commit: Where they are from, as somebody says; empty for nowhere.
        is_made: Whether reconcile made a commit.
    """
    if not commit or not is_made(commit) or not repository.changed(commit, base, [PATH])[1]:
        return lambda _, evaluation: evaluation
    return partial(_with_put_back_from, repository, commit)


def _with_put_back_from(
    repository: Repository, commit: str, source: Source, evaluation: Evaluation
) -> Evaluation:
    """An evaluation with what a brake put back, from a commit that is reconcile's for certain."""
    revision, settings = source.revision(), evaluation.tree.settings
    if revision is None:
        return evaluation
    before = repository.source(commit)
    before.bound(settings.limits)
    theirs = read_own_settings(before, settings).settings
    folders = [PATH, settings.records, theirs.records]
    changes, _ = repository.changed(commit, revision.id, folders, settings.limits)
    records = records_since((before, theirs), (source, settings), changes)
    allows = allowing(evaluation)
    records = without_let_go(repository, (source, settings), commit, records, allows)
    anchor = Anchor(commit, theirs, is_proven=True)
    return with_records_since(held_to(evaluation, theirs, anchor.name), source, records, anchor)


def allowing(evaluation: Evaluation) -> Callable[[str], bool]:
    """Whether an Override that counts lets pass what is done to a record, by its path or claim."""
    return partial(evaluation.tree.overrides.allow, OverrideKind.RECORD)


def _stated(evaluation: Evaluation, files: Paths) -> list[Allocation]:
    """The records that are put back."""
    folder = evaluation.tree.settings.records
    read = (recall(folder, path, data).allocation for path, data in files.items() if data)
    return [item for item in read if item is not None]


def _in_the_way(mended: Evaluation, back: Iterable[Allocation]) -> str:
    """Why records cannot be put back beside what else stands there; empty when they can.

    What a record holds that cannot be read is not known for certain: nothing is put beside it.
    """
    state, paths = mended.state, {item.path for item in back}
    others = [it for it in state.records if it.path not in paths and it.range is not None]
    unread = sorted({*state.unread, *(item.path for item in state.unreadable)})
    if unread:
        return f"nothing is put back beside a record that cannot be read: {unread[0]}"
    for item in back:
        if item.range is None:
            continue
        mine, space = IPSet((item.range,)), space_of(state.pools, item)
        for other in others:
            theirs = space_of(state.pools, other)
            is_near = space is None or theirs is None or space == theirs
            if is_near and other.range is not None and mine & IPSet((other.range,)):
                return f"{item.path} cannot be put back: {other.path} holds its addresses"
    return ""


def _stopped(found: Evaluation, why: str) -> Evaluation:
    """Nothing at all is carried out, and the brake says why."""
    brake = found.brake
    if brake is None:
        return found
    told = replace(brake, message=f"{brake.message}, nor is anything else: {why}")
    gates = [told if item is brake else item for item in found.gates]
    return replace(found, brake=told, gates=ordered(gates))


def _told(back: Iterable[Allocation]) -> Iterator[Finding]:
    for item in back:
        held = format_short(item.range) if item.range else "nothing"
        yield warning(
            "record-put-back",
            Location(item.path, 1, 1),
            f"reconcile puts it back: a brake holds back what taking it away frees;"
            f" {item.claim.short} keeps {held}",
            "to let it go: merge an Override of kind record for it or of kind brake, then remove"
            " it again",
        )
