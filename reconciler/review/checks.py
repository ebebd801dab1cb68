"""List of all checks."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from msgspec.structs import replace

from reconciler.addresses import IPSet, format_short
from reconciler.documents.document import Document
from reconciler.documents.findings import (
    Finding,
    Location,
    Severity,
    error,
    join_limited,
    ordered,
    shown,
    warning,
)
from reconciler.families import is_pool
from reconciler.families.fields import PLACE, former_of, written
from reconciler.gitio.interface import Source
from reconciler.gitio.repository import Repository
from reconciler.model.errors import GitError, LimitError
from reconciler.model.key import Key
from reconciler.model.settings import HOUR, PATH, Settings
from reconciler.planning import read
from reconciler.planning.evaluate import Evaluation, counts_of, held_releases, leaving
from reconciler.planning.limits import CAPACITY
from reconciler.planning.renames import REFUSED, DocumentName, Link, broken, is_there, links_of
from reconciler.planning.rules import OUTSIDE
from reconciler.reconcile.evaluation import (
    as_reconciled,
    held_by_limit,
    strays,
    with_found,
    with_overrides,
)
from reconciler.review import announcements, files, pools
from reconciler.review.change import Change, dated_back, gives, granted, record_changes
from reconciler.review.owners import handovers, reused_names, within
from reconciler.review.renames import dangling_requests, renames
from reconciler.review.result import Compared

CODE = "settings-changed"
# Fields of Settings, the most important first, with their names in `ipam.yaml`.
_FIELDS = {
    **dict.fromkeys(("branch", "retention", "gate", "thresholds"), ""),
    "max_release_percent": "brakes.maxReleasePercent",
    "min_records": "brakes.minRecords",
    **dict.fromkeys(("sources", "kinds", "records", "observed"), ""),
    "overlap_is_error": "poolOverlap",
    "implicit_is_error": "providerImplicit",
    "address_spaces": "addressSpaces",
    "pool_name": "metallb.poolName",
    "advertisement": "metallb.advertisement",
    **dict.fromkeys(("elastic", "intake"), ""),
    "applies_documents": "apply.documents",
    "inventory_namespace": "apply.inventoryNamespace",
    "committer": "",
    "skips_ci": "commit.skipCi",
    "limits": "",
    "docs_url": "docsUrl",
}


def settings_changed(change: Change) -> Iterator[Finding]:
    """Report edits of Settings, and records that the named folder does not have."""
    base, own = change.base_settings, change.own_settings
    if PATH in change.paths:
        fields = ", ".join(changed(base, own))
        message = f"Settings changed{fields and f' ({fields})'}; this check uses the Settings of"
        is_shorter = own.retention < base.retention
        message += f" {change.name}{', so addresses are free sooner than shown' * is_shorter}"
        yield warning(CODE, _place(change.settings), message)
    if own.branch not in ("", base.branch) and not change.repository.has_branch(own.branch):
        message = f"spec.branch is {shown(own.branch)}, which does not exist in this clone, so nothing would be reconciled"
        hint = f"correct spec.branch; if the branch is new, run git fetch REMOTE {own.branch}"
        yield error(CODE, own.location, message, hint)
    elif own.branch != base.branch:
        old, new = (shown(it) if it else "the default branch" for it in (base.branch, own.branch))
        message = f"the authoritative branch changes from {old} to {new} (spec.branch)"
        hint = f"also merge all of {change.name} into {new}, and run the reconcile job there"
        yield warning(CODE, _place(own), message, hint)
    if base.records != own.records:
        if read.has_records(change.head, base.records):
            yield read.left_over(change.settings, base.records)
        elif not change.head.entries([own.records]) and change.base.entries([base.records]):
            yield read.records_elsewhere(change.settings, base.records)


def wrong_by_own_settings(change: Change) -> Iterator[Finding]:
    """Report content that the Settings of the change make wrong, here and in later changes."""
    if PATH not in change.paths:
        return
    result, place = change.result, _place(change.own_settings)
    hint = "set the field back, or correct the content that it makes invalid"
    known = {(it.severity, it.code, it.location) for it in (*result.findings, *result.gates)}
    if result.brake is not None:
        known.add((Severity.GATE, _BRAKE, place))
    try:
        after = read.evaluate_source(
            change.head, read.EvaluationOptions(overrides=result.tree.overrides)
        )
    except LimitError as failure:
        yield error(CODE, place, f"with spec.limits of this change, {failure}", hint)
        return
    finally:
        change.head.bound(change.base_settings.limits)
    due = {it.path for it in leaving(result)}
    early = {it.range: it.claim.short for it in leaving(after) if it.range and it.path not in due}
    if early:
        rows = join_limited([f"{format_short(item)} of {claim}" for item, claim in early.items()])
        freed = gives(it for it in granted(after) if IPSet.of(early).overlapping(it[0]))
        message = f"with the Settings of this change, {rows} would be free at once{freed}"
        yield warning(CODE, place, message, "keep spec.retention until no Service uses them")
    for item in (*after.findings, *after.gates):
        is_known = (item.severity, item.code, item.location) in known
        if item.severity in (Severity.ERROR, Severity.GATE) and not is_known:
            message = f"{item.message} (with the Settings of this change)"
            yield replace(item, message=message, hint=item.hint or hint)


def _place(settings: Settings) -> Location:
    return settings.location if settings.location.path == PATH else Location(PATH, 1, 1)


def changed(earlier: Settings, own: Settings) -> Iterator[str]:
    """Return the fields in which Settings differ, with both values of the short ones."""
    for name, other in _FIELDS.items():
        before, now = getattr(earlier, name), getattr(own, name)
        if before != now:
            field = other or name
            values = [_value(name, it) for it in (before, now)]
            yield f"{field} from {values[0]} to {values[1]}" if all(values) else field


def _value(name: str, value: object) -> str:
    if name == "retention" and isinstance(value, int):
        return f"{value}s" if value % HOUR or not value else f"{value // HOUR}h"
    if name == "gate":
        return str(value or "never")
    if name.endswith("_is_error"):
        return "error" if value else "warn"
    if isinstance(value, str):
        return shown(value) if value else "none"
    return str(value).lower() if isinstance(value, int) else ""


def undone_renames(change: Change) -> Iterator[Finding]:
    """Report renames in the base whose records have the old name, and that the change undoes."""
    evaluation = change.result
    documents = evaluation.documents
    links = [it for it in links_of(documents) if _counts(it)]
    if not links and not any(map(former_of, change.before.documents.values())):
        return
    base, held = change.base_plan, dict[DocumentName, list[str]]()
    refused = {it.location for it in base.findings if it.code == REFUSED}
    for record in base.state.records:
        former = base.state.former.get(record.path)
        claim: Key = (former.claim if former is not None else None) or record.claim
        if record.is_live and record.range is not None:
            held.setdefault(claim.owner, []).append(format_short(record.range))
    taken = {
        it.before.owner for it in links if not is_there(it, documents) or broken(it, documents)
    }
    for link in filter(_counts, links_of(base.documents)):
        ranges = held.get(link.before.owner, [])
        if not ranges or link.before.owner in taken or link.document.at(*PLACE) in refused:
            continue
        if _stays(link, base, evaluation):
            continue
        message = f"on {change.name}, {link.now.short} takes over {join_limited(ranges)} of"
        message += f" {link.before.short}, but ipam reconcile has not renamed the records yet; with this change no document takes them over"
        hint = f"keep {written(link.before.namespace, link.before.name)} until ipam reconcile has renamed the records, even if the name changes again"
        for document in _successors(change, link, links):
            yield error(REFUSED, document.start, message, hint)


def _counts(link: Link) -> bool:
    return not is_pool(link.document.kind.id) and not link.document.unread


def _stays(link: Link, base: Evaluation, evaluation: Evaluation) -> bool:
    if not is_there(link, base.documents):
        return False
    path, key = broken(link, base.documents), link.before
    now = evaluation.documents.find(link.document.kind.id, key.namespace, key.name)
    return not path or (now is not None and not now.unread and now.path == path)


def _successors(change: Change, link: Link, links: list[Link]) -> Iterator[Document]:
    identity = link.document.identity
    now = change.after.documents.get(identity)
    mine = (it.document for it in links if it.document.identity == identity)
    if (there := now or next(mine, None)) is not None:
        yield there
    elif identity in change.before.documents:
        further = (it for it in links if it.before.owner == link.now.owner)
        yield from (it.document for it in further if it.now.owner != link.before.owner)


def missing_commits(change: Change) -> Iterator[Finding]:
    """Report a change that lacks commits of its base."""
    if not change.is_contained:
        message = f"{change.name} has commits that this revision lacks"
        hint = f"merge {change.name} first; the plan of the merge might differ"
        yield warning("base-ahead", Location("."), message, hint)


def overrides_used_at_once(change: Change) -> Iterator[Finding]:
    """Report a change that an Override of its own permits."""
    if claims := change.used_at_once:
        place = change.result.tree.overrides.coming[0].location
        named = join_limited([claim.short for claim in claims])
        message = f"an Override in this change permits the effect of this change on {named}"
        yield error(
            "override-added", place, message, "merge the Override first, in a separate change"
        )


CHECKS: tuple[Callable[[Change], Iterable[Finding]], ...] = (
    missing_commits,
    settings_changed,
    wrong_by_own_settings,
    lambda change: change.judging[1],
    pools.limits_changed,
    pools.shrunk,
    pools.newly_outside,
    pools.unreserved,
    pools.new_spaces,
    pools.moved_spaces,
    pools.overlaid_spaces,
    pools.given_twice,
    pools.filled_by_hand,
    files.shared_documents,
    files.manual_ranges,
    files.freed_ranges,
    renames,
    dangling_requests,
    reused_names,
    handovers,
    announcements.lost_announcements,
    announcements.replaced_ranges,
    announcements.renamed_cluster_pools,
    announcements.changed_cluster_objects,
    announcements.removed_pools,
    undone_renames,
    files.removed_while_broken,
    files.files_not_read,
    files.unusable_objects,
    record_changes,
    lambda it: strays(it.repository, it.head, it.result, it.base),
    dated_back,
    lambda it: held_by_limit(it.result, it.repository, it.head, it.held_by_base),
    overrides_used_at_once,
)
_UNCOMMITTED = (pools.shrunk, renames, record_changes)
# A finding of a check replaces a finding of the evaluation with the same code and place.
_REPLACES = ("announcement-moved", "reference-not-found", OUTSIDE)

_BRAKE = "brake"
# Findings about the change as a whole, though they have a place.
_OF_CHANGE = ("brake-held", "clock-ahead")
# An Override counts once it is in the base, and the change need not use it.
_WAITING = "override-unused"


def review(
    source: Source,
    repository: Repository,
    base: str | None = None,
    proposed: str | None = None,
    now: float = 0,
) -> Compared:
    """Evaluate a revision, and compare it with its base, whose Settings judge it but for folders.

    `proposed` is the tip of reconcile's branch, `now` the clock if a fast-forward is possible.
    """
    if base is None:
        evaluation = as_reconciled(source, repository)
        found = list(held_by_limit(evaluation, repository, source))
        if source.revision() is None:
            with suppress(GitError, LimitError):  # HEAD has no commit, or the clone is shallow
                change = Change(repository, "HEAD", source, None, 0)
                found += [it for check in _UNCOMMITTED if change.paths for it in check(change)]
        return Compared(with_overrides(with_found(evaluation, found), source))
    try:
        return review_change(Change(repository, base, source, proposed, now))
    except LimitError:
        if (limits := read.raised_limits(repository.source(base), source)) is None:
            raise
        # The base exceeds its own limits, so only a change that raises them can help.
        repository.git.reader.limits = limits
        return review_change(Change(repository, base, source, proposed, now))


def review_change(change: Change) -> Compared:
    """Return the review of a change: the findings of all checks, and the values next to them."""
    found = [finding for check in CHECKS for finding in check(change)]
    evaluation = change.result
    replaced = {(it.code, it.location) for it in found if it.code in _REPLACES}
    kept = [it for it in evaluation.findings if (it.code, it.location) not in replaced]
    evaluation = with_overrides(_with(evaluation, [*kept, *found, *evaluation.gates]), change.head)
    every = (*evaluation.findings, *evaluation.gates)
    inherited = preexisting(change, every)
    apart = set(map(id, inherited))
    evaluation = _with(evaluation, [it for it in every if id(it) not in apart])
    return Compared(evaluation, inherited, causes=change.causes, within=within(change))


def _with(evaluation: Evaluation, found: Iterable[Finding]) -> Evaluation:
    listed = ordered(found)
    return replace(
        evaluation,
        findings=tuple(it for it in listed if it.severity is not Severity.GATE),
        gates=tuple(it for it in listed if it.severity is Severity.GATE),
    )


def preexisting(change: Change, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings that the base has already: they do not fail the change.

    A finding is new if it is about a pool that becomes fuller, an error in a touched file, or in
    another place than in the base.
    """
    suspects = [
        it
        for it in findings
        if it.code == _BRAKE or (it.code not in _OF_CHANGE and it.location.path != ".")
    ]
    if not suspects:
        return ()
    base = change.base_plan
    gone = [it for it in base.tree.last_good.documents if it.path != it.unread]
    there = (*base.findings, *base.gates, *files.without(base, gone))
    known = Counter(_same(it, change.paths) for it in there)
    asked = Counter(_same(it, change.paths) for it in suspects)
    return tuple(
        item
        for item in suspects
        if item.code == _WAITING
        or (item.code == _BRAKE and _is_within_limit(change))
        or (
            item.code != _BRAKE
            and asked[same := _same(item, change.paths)] <= known[same]
            and not _is_worse(item, change.result, base)
            and not (item.severity is Severity.ERROR and item.location.path in change.paths)
        )
    )


def _is_within_limit(change: Change) -> bool:
    known, result = change.held_by_base, change.result
    if not known:
        return False
    added = sum(it.claim not in known for it in held_releases(result))
    counts = replace(counts_of(result), releases=added)
    is_over = counts.is_over(result.tree.settings) or added == counts.live - len(known)
    return not added or not is_over


def _same(item: Finding, changed: frozenset[str]) -> tuple[Severity, str, Location, str]:
    """Return the identity of a finding, without lines of edited files and figures of gates."""
    is_edited = item.location.path in changed
    place = replace(item.location, line=0, column=0) if is_edited else item.location
    message = item.message if is_edited or item.severity is not Severity.GATE else ""
    if item.code == CAPACITY:
        place, message = replace(item.location, line=0, column=0), ""
    return item.severity, item.code, place, message


def _is_worse(item: Finding, evaluation: Evaluation, base: Evaluation) -> bool:
    there = evaluation.state.pools.values() if item.code == CAPACITY else ()
    for key in (it.key for it in there if it.source == item.location):
        now, was = evaluation.plan.after[key], base.plan.after.get(key)
        used = now.allocated + now.held
        return was is None or used * was.total > (was.allocated + was.held) * now.total
    return False
