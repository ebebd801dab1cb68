"""Evaluation of a repository: planner input, plan, findings, and limits."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace as replace_document
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.addresses import IPRange, literal_ranges
from reconciler.documents.document import Document, Documents, GroupKind, Identity
from reconciler.documents.findings import Finding, Location, Severity, has_error, ordered, warning
from reconciler.documents.load import Loaded, duplicate
from reconciler.documents.text import legible
from reconciler.documents.yaml import dump
from reconciler.families import families, family_of, family_of_kind, is_pool, meant_in
from reconciler.families.demand import growth_index
from reconciler.families.interface import FamilyReading
from reconciler.families.metallb import hold_back
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation, Claim, Owner, current_records
from reconciler.model.key import Key
from reconciler.model.plan import (
    Blocked,
    Decision,
    Expire,
    FormerRecord,
    Grant,
    Keep,
    Plan,
    Release,
    State,
    Usage,
)
from reconciler.model.pool import Pool, Thresholds
from reconciler.model.settings import PATH, OverrideKind, Settings, stricter_gate
from reconciler.planning import limits, rules
from reconciler.planning.documents import Tree, counting_of, taken_over
from reconciler.planning.ownership import owned
from reconciler.planning.planner import plan as make_plan
from reconciler.planning.renames import links_of, rename_owners, rename_pools
from reconciler.planning.retention import moves, retention_end
from reconciler.planning.settings import check_targets
from reconciler.planning.space import Holdings, usage
from reconciler.records.changes import (
    changes,
    claimed,
    findings_of,
    givers,
    moving,
    renames,
    retained,
)


class Evaluation(Struct, frozen=True):
    """The result of evaluating a tree.

    Attributes:
        findings: Errors and warnings, by place.
        gates: Refusals of valid content by a limit, by place.
        changes: The files that carry out the plan.
        brake: The finding of the release limit if it is exceeded, else None.
        moves: Claims that get another range, with their previous records.
    """

    tree: Tree
    documents: Documents
    reading: FamilyReading
    state: State
    plan: Plan
    changes: tuple[FileChange, ...]
    findings: tuple[Finding, ...]
    gates: tuple[Finding, ...]
    brake: Finding | None = None
    moves: Mapping[Key, Allocation] = field(default_factory=dict)


def evaluate(tree: Tree) -> Evaluation:
    """Evaluate a tree."""
    tree = replace(tree, overrides=tree.overrides.afresh())
    documents, doubled = documents_of(tree)
    links = links_of(documents)
    renamed = rename_owners(tree, documents, records_of(tree, documents), links)
    held = held_by(renamed.records)
    readings = [family.read(documents, held, tree.settings) for family in families()]
    reading = owned(renamed.applied(join_documents(readings)), documents, tree.contracts)
    renamed = rename_pools(tree, documents, renamed, links, reading.pools)
    records = claimed(renamed.records, reading.claims)
    state = state_of(tree, reading, records, renamed.former, givers(renamed.records, records))
    state = replace(state, along=renamed.along)
    plan = make_plan(state)
    findings = ordered(
        [
            *tree.findings,
            *tree.last_good.findings,
            *(found for source in tree.sources for found in source.findings),
            *(found for item in tree.records for found in item.findings),
            *doubled,
            *check_targets(documents),
            *without_causes(state, reading, plan),
            *renamed.findings,
            *shrinkable(
                rules.check_rules(
                    state, plan, strict=tree.settings.overlap_is_error, missing=reading.missing
                ),
                tree,
                state,
            ),
            *findings_of(plan, state, tree.settings.records),
            *renames(plan, state),
            *tree.overrides.findings,
            *retained(tree.held_back),
            *moving(state, plan, tree.left, tree.overrides),
        ]
    )
    settings, overrides = tree.settings, tree.overrides
    ahead = limits.clock(tree.clock_ahead, tree.clock)
    gates = [
        *ahead,
        *limits.refusals(plan),
        *limits.capacity(state, plan, settings, overrides),
    ]
    evaluation = Evaluation(
        tree=tree,
        documents=documents,
        reading=reading,
        state=state,
        plan=plan,
        changes=_changes(plan, state, tree),
        findings=findings,
        gates=ordered(gates),
        moves=moves(plan, state, tree.overrides),
    )
    return with_brake(evaluation)


def with_brake(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with the finding of the release limit, by the Settings of its tree."""
    tree = evaluation.tree
    brake = limits.brake(counts_of(evaluation), tree.settings, tree.allow_release, tree.overrides)
    gates = [item for item in evaluation.gates if item is not evaluation.brake]
    gates += [brake] if brake else []
    return replace(evaluation, gates=ordered(gates), brake=brake)


def counts_of(evaluation: Evaluation) -> limits.Counts:
    """Return the numbers that the release limit compares."""
    return limits.Counts(
        releases=sum(is_braked(it, evaluation) for it in evaluation.plan.decisions),
        live=sum(it.is_live for it in evaluation.state.records),
        reserved=_reserved(evaluation),
    )


def _reserved(evaluation: Evaluation) -> int:
    """Return the number of Released records whose retention has not ended.

    Growth and the ranges that a move leaves do not count: no claim gave them up.
    """
    state, clock = evaluation.state, evaluation.tree.clock
    stays = {record.claim for record in state.records if record.is_live}
    found = 0
    for record in state.records:
        if record.is_released and record.claim not in stays and record.path not in state.grown:
            end = retention_end(record, state)
            found += end is None or end > clock
    return found


def is_braked(decision: Decision, evaluation: Evaluation) -> bool:
    """Return whether the release limit counts a decision.

    It counts releases, except for growth whose claim stays, the ranges that a move leaves, and the
    claims of objects that are proven to be deleted.
    """
    return (
        isinstance(decision, Release)
        and decision.allocation.path not in evaluation.state.grown
        and decision.allocation.path not in evaluation.state.unused
        and decision.claim.owner not in evaluation.tree.gone
    )


def is_held(decision: Decision, evaluation: Evaluation) -> bool:
    """Return whether the release limit holds a decision back."""
    return evaluation.brake is not None and is_braked(decision, evaluation)


def let_pass(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with only the part of its plan that is carried out.

    If the release limit is exceeded, all releases that it counts are held back.
    """
    if evaluation.brake is None:
        return evaluation
    plan = evaluation.plan
    rest = tuple(item for item in plan.decisions if not is_braked(item, evaluation))
    plan = Plan(rest, plan.before, plan.after)
    written = _changes(plan, evaluation.state, evaluation.tree)
    return replace(evaluation, plan=plan, changes=written)


def without_expiries(evaluation: Evaluation) -> tuple[FileChange, ...]:
    """Return the files that reconcile would write for a plan, except for expiries."""
    passed = let_pass(evaluation)
    plan = passed.plan
    rest = tuple(item for item in plan.decisions if not isinstance(item, Expire))
    if len(rest) == len(plan.decisions):
        return passed.changes
    return _changes(Plan(rest, plan.before, plan.after), passed.state, passed.tree)


def held_releases(evaluation: Evaluation) -> list[Allocation]:
    """Return the records that the release limit keeps, as they would be released."""
    decisions = evaluation.plan.decisions
    return [
        item.allocation
        for item in decisions
        if isinstance(item, Release) and is_held(item, evaluation)
    ]


def _changes(plan: Plan, state: State, tree: Tree) -> tuple[FileChange, ...]:
    """Return the files that carry out a plan, and deletions of replaced observed files."""
    written = changes(plan, state, tree.settings.records)
    gone = tuple(FileChange(path, None) for path in taken_over(tree))
    return tuple(sorted((*written, *gone))) if gone else written


def leaving(evaluation: Evaluation) -> list[Allocation]:
    """Return records whose retention has ended, and which the plan deletes."""
    going = (item.allocation for item in evaluation.plan.decisions if isinstance(item, Expire))
    return [record for record in going if record.range is not None]


def left_behind(evaluation: Evaluation) -> list[Allocation]:
    """Return records that claims moved away from; clusters announce them until they are unused."""
    return [record for record in evaluation.state.records if record.announced]


def released(evaluation: Evaluation) -> list[Allocation]:
    """Return the records that the plan releases, in their released form."""
    return [it.allocation for it in evaluation.plan.decisions if isinstance(it, Release)]


def matching(evaluation: Evaluation, text: str) -> list[Key]:
    """Return the claims that a text matches.

    The text is a key, `namespace/name`, a tenant's name, or a record's name.
    """
    decided = {decision.claim for decision in evaluation.plan.decisions}
    decided |= {record.claim for record in evaluation.state.records}
    found = []
    named = {record.name: record.claim for record in evaluation.state.records}
    named |= {claim.name: key for key, claim in evaluation.state.claims.items()}
    for key in sorted(decided):
        owner = f"{key.namespace}/{key.name}"
        if text in (str(key), owner, key.name, f"{owner}/{key.slot}") or named.get(text) == key:
            found.append(key)
    return found


_WORD = re.compile(r"[-a-z0-9]+")


class _Broken(Struct, frozen=True):
    """A broken file: its words, and the identities that its references might mean."""

    source: Loaded
    words: frozenset[str]
    meant: frozenset[tuple[str, str, str]]


def documents_of(tree: Tree) -> tuple[Documents, list[Finding]]:
    """Return all documents, and findings about duplicates.

    Of two documents for one object, the older one is effective. Its owner keeps its addresses and
    gets nothing new, because the second document might be the intended one. A source document
    replaces an observed document without a finding.
    """
    first, second, _ = counting_of(tree)
    found: list[Finding] = []
    for document in second:
        other = first[document.identity]
        found.append(duplicate(document, other))
        if not other.twice:
            first[document.identity] = replace_document(other, twice=document.path)
    for document in tree.last_good.documents:
        first.setdefault(document.identity, document)
    broken = {
        identity: source.path
        for source in tree.sources
        for identity in source.broken
        if identity not in first
    }
    return Documents(first.values(), broken), found


def records_of(tree: Tree, documents: Documents) -> tuple[Allocation, ...]:
    """Return all readable records, by path.

    Records are identified by their claim, not by name. A record that was copied from a cluster
    names no claim, and only the documents determine which claim its text means.
    """
    records = [item.allocation for item in tree.records if item.allocation is not None]
    if not any(record.adopted for record in records):
        return tuple(records)
    return tuple(_adopt(record, documents) if record.adopted else record for record in records)


def _adopt(record: Allocation, documents: Documents) -> Allocation:
    """Return the record with the claim that its family derives from all documents."""
    family = family_of(record.claim.family)
    claim = record.claim if family is None else family.adopt(record, documents)
    return replace(record, claim=claim)


def held_by(records: Iterable[Allocation]) -> Mapping[Key, Allocation]:
    """Return the current record of each claim, including records without addresses."""
    return current_records(records)


def join_documents(readings: list[FamilyReading]) -> FamilyReading:
    """Return the joined readings of all families."""
    gateways = tuple(item for reading in readings for item in reading.gateways)
    every = {key: pool for reading in readings for key, pool in reading.pools.items()}
    frozen = {key: path for reading in readings for key, path in reading.frozen.items()}
    pools, held_back = hold_back(every, gateways, frozen)
    return FamilyReading(
        pools=pools,
        claims={key: claim for reading in readings for key, claim in reading.claims.items()},
        findings=(*(found for reading in readings for found in reading.findings), *held_back),
        blocked=tuple(item for reading in readings for item in reading.blocked),
        gateways=gateways,
        inside=tuple(item for reading in readings for item in reading.inside),
        protected=frozenset().union(*(reading.protected for reading in readings)),
        frozen=frozen,
        growing=frozenset().union(*(reading.growing for reading in readings)),
        missing={found: key for reading in readings for found, key in reading.missing.items()},
        presumed={found: keys for each in readings for found, keys in each.presumed.items()},
    )


class DescribedFiles(Struct, frozen=True):
    """Contents of some source files, without the rest of the tree.

    Attributes:
        documents: Valid documents.
        broken: Recognized documents with errors.
        pools: The pools.
        by_hand: Manual ranges, by the title of their holder.
        unread: Paths of files with broken content.
    """

    documents: Mapping[Identity, Document] = MappingProxyType({})
    broken: frozenset[Identity] = frozenset()
    pools: Mapping[Key, Pool] = MappingProxyType({})
    by_hand: Mapping[str, Blocked] = MappingProxyType({})
    unread: frozenset[str] = frozenset()


def described_files(sources: Iterable[Loaded], settings: Settings) -> DescribedFiles:
    """Return the contents of some source files, without the rest of the tree."""
    files = list(sources)
    documents = {item.identity: item for file in files for item in file.documents}
    every = Documents(documents.values())
    reading = join_documents([family.read(every, {}, settings) for family in families()])
    return DescribedFiles(
        documents,
        frozenset(identity for file in files for identity in file.broken),
        reading.pools,
        {item.title: item for item in reading.blocked if item.by_hand is not None},
        frozenset(file.path for file in files if file.is_broken),
    )


def state_of(
    tree: Tree,
    reading: FamilyReading,
    records: tuple[Allocation, ...],
    former: Mapping[str, FormerRecord] = MappingProxyType({}),
    givers: Mapping[str, Owner] = MappingProxyType({}),
) -> State:
    """Return the planner input; `former` and `givers` hold previous names and owners of records."""
    _, second, _ = counting_of(tree)
    broken = {
        (family.name, kind, namespace, name)
        for group, kind, namespace, name in (
            *(identity for source in tree.sources for identity in source.broken),
            *(document.identity for document in second),
        )
        if (family := family_of_kind(GroupKind(group, kind))) is not None
    }
    unclear = [source for source in tree.sources if source.unclear]
    never = {source.path for source in _never_read(tree)}
    pools = {key: pool.source.path for key, pool in reading.pools.items()}
    return State(
        pools={key: reading.pools[key] for key in sorted(reading.pools)},
        claims=_describe(tree, reading.claims),
        records=records,
        clock=tree.clock,
        retention=tree.settings.retention,
        blocked=reading.blocked,
        gateways=reading.gateways,
        inside=reading.inside,
        off_limits=tuple(_off_limits(tree, second)),
        unreadable=tuple(item.unreadable for item in tree.records if item.unreadable),
        protected=reading.protected | broken,
        frozen={**reading.frozen, **{key: path for key, path in pools.items() if path in never}},
        unclear=bool(unclear) or has_error(tree.findings),
        unknown=any(source.path not in tree.last_good.files for source in unclear),
        halted=tree.last_good.halted,
        retained=frozenset(tree.retained).union(_not_expiring(tree, records)),
        grown=frozenset(_grown(reading, records)),
        growth_retention=tree.settings.elastic.retention,
        movable=frozenset(_movable(tree)),
        unused=frozenset(path for path, why in tree.left.items() if not why),
        former=former,
        givers=givers,
    )


def _movable(tree: Tree) -> Iterator[Key]:
    """Yield claims that an Override permits to move and whose cluster can announce two ranges."""
    for item in tree.overrides.counting:
        claim = Key.parse(item.scope) if item.kind == OverrideKind.MOVE else None
        family = family_of(claim.family) if claim is not None else None
        if claim is not None and family is not None and family.moves:
            yield claim


def _grown(reading: FamilyReading, records: Iterable[Allocation]) -> Iterator[str]:
    """Yield paths of growth records of existing tenants."""
    if reading.growing:
        for record in records:
            if growth_index(record) and record.claim.owner in reading.growing:
                yield record.path


def _not_expiring(tree: Tree, records: Iterable[Allocation]) -> Iterator[str]:
    """Yield all released records if the clock is not trustworthy."""
    return (item.path for item in records if item.is_released and tree.clock_ahead is not None)


def _never_read(tree: Tree) -> Iterator[Loaded]:
    """Yield broken files without a readable version, whose readable parts get nothing new."""
    return (
        source for source in tree.sources if source.text and source.path not in tree.last_good.files
    )


def _off_limits(tree: Tree, second: Iterable[Document]) -> Iterator[Blocked]:
    """Yield addresses in files without a readable version, and in duplicate documents.

    A duplicate pool is excluded: its usable ranges are not in use.
    """
    texts = [(it.path, text) for it in _never_read(tree) for text in legible(it.text)]
    texts += [
        (document.path, dump(document.body)) for document in second if not is_pool(document.kind.id)
    ]
    for path, text in texts:
        for item in literal_ranges(text):
            yield _unread(path, item)


def _unread(path: str, item: IPRange) -> Blocked:
    return Blocked(item, f"{path} (which cannot be read)", Location(path, 1, 1))


def _describe(tree: Tree, claims: Mapping[Key, Claim]) -> dict[Key, Claim]:
    """Return the claims, without new allocations for claims that an unreadable file might affect.

    A claim is affected if a broken file without a readable version contains it or names its record.
    An open claim is also affected if such a file names its owner.
    """
    named: dict[str, Loaded] = {}
    broken: list[_Broken] = []
    for source in tree.sources:
        if source.text:
            words = _WORD.findall("\n".join(legible(source.text)))
            broken.append(_Broken(source, frozenset(words), meant_in(source.text)))
            for word in words:
                named.setdefault(word, source)
    never = {source.path: source for source in _never_read(tree)}
    owners = {
        document.identity[1:]: source for source in never.values() for document in source.documents
    }
    found = {key: claims[key] for key in sorted(claims)}
    for key, claim in found.items() if named or never else ():
        why = never.get(claim.source.path) or owners.get((key.kind, key.namespace, key.name))
        if why is None and claim.name != key.name:
            why = named.get(claim.name) or _naming(broken, claim)
        if why is not None and not claim.doubt:
            found[key] = replace(claim, doubt=why.path, doubt_line=_line_of_error(why))
    return found


def _naming(broken: Iterable[_Broken], claim: Claim) -> Loaded | None:
    """Return the broken file that names the owner of an open claim, or might refer to it."""
    if not claim.is_open:
        return None
    owner, family = claim.owner[:2], claim.key.family
    return next(
        (
            it.source
            for it in broken
            if it.words.issuperset(owner)
            or not it.meant.isdisjoint({(family, owner[0], ""), (family, "", owner[1])})
        ),
        None,
    )


def _line_of_error(source: Loaded) -> int:
    return next((it.location.line for it in source.findings if it.severity is Severity.ERROR), 0)


def without_causes(state: State, reading: FamilyReading, plan: Plan) -> Iterator[Finding]:
    """Yield findings without errors that only follow from a file without a readable version.

    Errors that follow from a missing pool with records are also dropped, because that pool has one
    finding. A finding that presumes an allocation is dropped if the claim is refused.
    """
    removed = rules.removed_pools(state) if reading.missing else {}
    given = set[Key]()
    if reading.presumed:
        given = {it.claim for it in plan.decisions if isinstance(it, Grant | Keep)}
    for found in reading.findings:
        if not reading.presumed.get(found, frozenset()) <= given:
            continue
        follows = found.code == "reference-not-found" and found.severity is Severity.ERROR
        if not (state.unknown and follows) and reading.missing.get(found) not in removed:
            yield found


def shrinkable(found: Iterable[Finding], tree: Tree, state: State) -> Iterator[Finding]:
    """Yield the findings, with a warning for each shrunk pool that an Override permits."""
    places = {str(pool.source): str(key) for key, pool in state.pools.items()}
    for item in found:
        scope = places.get(str(item.location)) if item.code == rules.OUTSIDE else None
        if scope is not None and tree.overrides.allow(OverrideKind.SHRINK, scope):
            message = f"{item.message}; an Override lets it shrink: it holds them until it goes"
            yield replace(item, severity=Severity.WARNING, message=message)
        else:
            yield item


def judged_by_base(pools: Mapping[Key, Pool], evaluation: Evaluation) -> Evaluation:
    """Return an evaluation in which pools keep the limits and thresholds of the base.

    Args:
        pools: Pools of the base that the change touches.
        evaluation: The evaluation of the change.
    """
    state, plan = evaluation.state, evaluation.plan
    judged = {
        key: replace(now, gate=old.gate, thresholds=old.thresholds)
        for key, old in pools.items()
        if (now := state.pools.get(key)) is not None and _limits(now) != _limits(old)
    }
    if not judged:
        return evaluation
    state = replace(state, pools={**state.pools, **judged})
    plan = Plan(plan.decisions, tiered(plan.before, judged), tiered(plan.after, judged))
    tree = evaluation.tree
    others = (item for item in evaluation.gates if item.code != limits.CAPACITY)
    gates = ordered([*others, *limits.capacity(state, plan, tree.settings, tree.overrides)])
    return replace(evaluation, state=state, plan=plan, gates=gates)


def _limits(pool: Pool) -> tuple[object, ...]:
    return pool.gate, pool.thresholds


def tiered(usages: Mapping[Key, Usage], judged: Mapping[Key, Pool]) -> dict[Key, Usage]:
    """Return usages with tiers by other thresholds."""
    found = dict(usages)
    for key, pool in judged.items():
        used = found[key].allocated + found[key].held
        found[key] = replace(found[key], tier=pool.thresholds.tier(used, found[key].total))
    return found


def with_sizes_of_base(pools: Mapping[Key, Pool], evaluation: Evaluation) -> Evaluation:
    """Return an evaluation with usage before the plan by the pools of the base."""
    state, plan = evaluation.state, evaluation.plan
    old = {
        key: pool
        for key, pool in pools.items()
        if key in plan.before and key in state.pools and state.pools[key].usable != pool.usable
    }
    if not old:
        return evaluation
    holdings = Holdings({**state.pools, **old}, state.records)
    before = {**plan.before, **{key: usage(pool, holdings) for key, pool in old.items()}}
    return replace(evaluation, plan=Plan(plan.decisions, before, plan.after))


def held_to(evaluation: Evaluation, earlier: Settings, name: str) -> Evaluation:
    """Return an evaluation by the stricter of its own limits and earlier ones.

    Args:
        evaluation: The evaluation by its own Settings.
        earlier: The Settings of the last reconcile commit.
        name: The id of that commit.
    """
    tree, state, plan = evaluation.tree, evaluation.state, evaluation.plan
    own, strict = tree.settings, tree.settings.held_to(earlier)
    if strict == own:
        return evaluation
    judged = {key: _judged(pool, own, strict) for key, pool in state.pools.items()}
    there = {key: pool for key, pool in judged.items() if key in plan.after}
    full = Plan(plan.decisions, plan.before, tiered(plan.after, there))
    capacity = limits.capacity(replace(state, pools=judged), full, strict, tree.overrides)
    others = (item for item in evaluation.gates if item.code != limits.CAPACITY)
    settings = replace(
        own, max_release_percent=strict.max_release_percent, min_records=strict.min_records
    )
    found = replace(
        evaluation,
        tree=replace(tree, settings=settings),
        gates=ordered([*others, *capacity]),
        findings=ordered([*evaluation.findings, *loosened(own, earlier, name)]),
    )
    return with_brake(found)


def loosened(own: Settings, earlier: Settings, name: str) -> Iterator[Finding]:
    """Return the finding for Settings that are looser than in the last reconcile commit."""
    strict = own.held_to(earlier)
    fields = (
        ("brakes.maxReleasePercent", own.max_release_percent, strict.max_release_percent),
        ("brakes.minRecords", own.min_records, strict.min_records),
        ("gate", own.gate or "never", strict.gate or "never"),
        ("thresholds", _listed(own.thresholds), _listed(strict.thresholds)),
    )
    told = [f"{field} {now} (there {then})" for field, now, then in fields if now != then]
    if told:
        place = own.location if own.location.path == PATH else Location(PATH, 1, 1)
        yield warning(
            "settings-loosened",
            place,
            f"looser than in commit {name}, the newest reconcile commit: {', '.join(told)};"
            " the stricter counts until reconcile has committed something by these",
            "to let something pass now: an Override, or ipam reconcile --allow-release",
        )


def _judged(pool: Pool, own: Settings, strict: Settings) -> Pool:
    """Return a pool with the stricter Settings for all limits that are not its own."""
    gate = stricter_gate(pool.gate, strict.gate) if pool.gate is own.gate else pool.gate
    levels = zip(
        pool.thresholds.levels, own.thresholds.levels, strict.thresholds.levels, strict=True
    )
    thresholds = Thresholds(*(then if now == of else now for now, of, then in levels))
    return replace(pool, gate=gate, thresholds=thresholds)


def _listed(levels: Thresholds) -> str:
    return "/".join(map(str, levels.levels))
