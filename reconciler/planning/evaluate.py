"""Evaluation of a repository: planner input, plan, findings, and limits."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.addresses import IPSet, format_short, literal_ranges
from reconciler.documents.document import Document, Documents, GroupKind, Identity
from reconciler.documents.findings import (
    Finding,
    Location,
    Severity,
    has_error,
    join_limited,
    ordered,
    warning,
)
from reconciler.documents.load import Loaded, duplicate
from reconciler.documents.text import MAX_BYTES, legible
from reconciler.documents.yaml import dump
from reconciler.families import families_in, family_of, family_of_kind, is_pool, possible_owners
from reconciler.families.demand import growth_index
from reconciler.families.interface import FamilyReading
from reconciler.model.change import FileChange
from reconciler.model.claim import NO_RECORD, Allocation, Claim, current_records
from reconciler.model.key import Key
from reconciler.model.plan import (
    Blocked,
    Decision,
    Expire,
    Gateway,
    Grant,
    Keep,
    Plan,
    Refuse,
    Release,
    State,
    Usage,
)
from reconciler.model.pool import Pool, Thresholds
from reconciler.model.settings import PATH, OverrideKind, Settings, stricter_gate
from reconciler.planning import limits, rules
from reconciler.planning.documents import EffectiveDocuments, Tree, effective_documents, taken_over
from reconciler.planning.ownership import owned
from reconciler.planning.planner import plan as make_plan
from reconciler.planning.refusals import elsewhere
from reconciler.planning.renames import links_of, rename_entries, rename_owners, rename_pools
from reconciler.planning.retention import moves, retention_end
from reconciler.planning.settings import check_targets
from reconciler.planning.space import Holdings, usage
from reconciler.records import changes

_WORD = re.compile(r"[-a-z0-9]+")


class Evaluation(Struct, frozen=True):
    """The result: `gates` refuse valid content by a limit, `brake` is the exceeded release limit.

    `moves` are claims that get another range, with their previous records.
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
    settings, overrides = tree.settings, tree.overrides
    effective = effective_documents(tree)
    documents, doubled = _documents_of(tree, effective)
    links = links_of(documents)
    renamed = rename_owners(tree, documents, records_of(tree, documents), links)
    renamed = rename_entries(documents, renamed)
    held = current_records(renamed.records)
    reading = _read(documents, held, settings)
    reading = owned(renamed.applied(reading), documents, tree.contracts)
    renamed = rename_pools(tree, documents, renamed, links, reading.pools)
    records = changes.claimed(renamed.records, reading.claims)
    state = replace(
        _state_of(tree, effective.second, reading, records),
        former=renamed.former,
        givers=changes.givers(renamed.records, records),
        along=renamed.along,
    )
    plan = make_plan(state)
    written = _changes(plan, state, tree)
    while refused := _beyond_limits(plan, state, tree, written):
        state = replace(state, claims={**state.claims, **refused})
        plan = make_plan(state)
        written = _changes(plan, state, tree)
    strict, missing = settings.overlap_is_error, reading.missing
    findings = (
        *tree.findings,
        *tree.last_good.findings,
        *(found for source in tree.sources for found in source.findings),
        *(found for item in tree.records for found in item.findings),
        *doubled,
        *check_targets(documents),
        *rules.check_namespaces(documents, records),
        *_without_causes(state, reading, plan),
        *renamed.findings,
        *rules.check_rules(state, plan, strict=strict, missing=missing),
        *changes.findings_of(plan, state, settings.records, overrides),
        *changes.renames(plan, state),
        *overrides.findings,
        *changes.retained(tree.held_back),
        *changes.moving(state, plan, tree.left, overrides),
    )
    gates = (
        *limits.clock(tree.clock_ahead, tree.clock),
        *limits.refusals(plan, findings),
        *limits.capacity(state, plan, settings, overrides),
    )
    evaluation = Evaluation(
        tree=tree,
        documents=documents,
        reading=reading,
        state=state,
        plan=plan,
        changes=written,
        findings=ordered(findings),
        gates=gates,
        moves=moves(plan, state, overrides),
    )
    return _with_brake(evaluation)


def _with_brake(evaluation: Evaluation) -> Evaluation:
    tree = evaluation.tree
    counts = counts_of(evaluation)
    brake = limits.brake(counts, tree.settings, tree.allow_release, tree.overrides)
    gates = [item for item in evaluation.gates if item is not evaluation.brake]
    gates += [brake] if brake else []
    return replace(evaluation, gates=ordered(gates), brake=brake)


def counts_of(evaluation: Evaluation) -> limits.Counts:
    """Return the numbers for the release limit. Growth and ranges that a move leaves are excluded."""
    state, clock = evaluation.state, evaluation.tree.clock
    held = [it for it in state.records if it.is_released and it.path not in state.grown]
    live = (record.claim for record in state.records if record.is_live)
    stays = state.elastic.union(live) if held else ()
    ends = [retention_end(it, state) for it in held if it.claim not in stays]
    return limits.Counts(
        releases=sum(is_braked(it, evaluation) for it in evaluation.plan.decisions),
        live=sum(it.is_live for it in state.records),
        reserved=sum(end is None or end > clock for end in ends),
    )


def is_braked(decision: Decision, evaluation: Evaluation) -> bool:
    """Return whether the limit counts a release: not growth, moves, and proven deletions."""
    return (
        isinstance(decision, Release)
        and decision.allocation.path not in evaluation.state.grown
        and decision.allocation.path not in evaluation.state.unused
        and decision.claim not in evaluation.state.elastic
        and not (decision.allocation.announced and decision.claim in evaluation.state.claims)
        and decision.claim.owner not in evaluation.tree.gone
    )


def is_held(decision: Decision, evaluation: Evaluation) -> bool:
    """Return whether the release limit holds a decision back."""
    return evaluation.brake is not None and is_braked(decision, evaluation)


def let_pass(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with only the part of its plan that is carried out."""
    return _only(evaluation, lambda it: not is_held(it, evaluation))


def without_expiries(evaluation: Evaluation) -> tuple[FileChange, ...]:
    """Return the files that reconcile would write for a plan, except for expiries."""
    return _only(let_pass(evaluation), lambda it: not isinstance(it, Expire)).changes


def _only(evaluation: Evaluation, is_kept: Callable[[Decision], bool]) -> Evaluation:
    plan = evaluation.plan
    rest = tuple(filter(is_kept, plan.decisions))
    if len(rest) == len(plan.decisions):
        return evaluation
    plan = replace(plan, decisions=rest)
    written = _changes(plan, evaluation.state, evaluation.tree)
    return replace(evaluation, plan=plan, changes=written)


def _changes(plan: Plan, state: State, tree: Tree) -> tuple[FileChange, ...]:
    written = changes.changes(plan, state, tree.settings.records)
    gone = tuple(FileChange(path, None) for path in taken_over(tree))
    return tuple(sorted((*written, *gone))) if gone else written


def _beyond_limits(
    plan: Plan, state: State, tree: Tree, written: Sequence[FileChange]
) -> dict[Key, Claim]:
    """Return claims whose new records would exceed the read limits of later runs, refused."""
    files, size = tree.spare.files, tree.spare.bytes
    if sum(isinstance(it, Grant | Refuse) for it in plan.decisions) <= min(
        files, size // MAX_BYTES
    ):
        return {}
    there, found = {it.path for it in state.records}, dict[Key, Claim]()
    sizes = {path: len(data or b"") for path, data in written}
    new = {path: length for path, length in sizes.items() if length and path not in there}
    files += sum(not length for length in sizes.values()) - len(new)
    size -= sum(sizes.values())
    folder, is_beyond = tree.settings.records, min(files, size) < 0
    after = changes.records_after(plan, state, folder) if is_beyond else ()
    for record in reversed(after):
        claim = state.claims.get(record.claim) if min(files, size) < 0 else None
        if record.path in new and claim is not None and claim.refusal != NO_RECORD:
            files, size = files + 1, size + new[record.path]
            found[claim.key] = replace(claim, refusal=NO_RECORD)
    return found


def held_releases(evaluation: Evaluation) -> list[Allocation]:
    """Return the records that the release limit keeps, as they would be released."""
    return released(evaluation, lambda it: is_held(it, evaluation))


def released(
    evaluation: Evaluation, is_meant: Callable[[Decision], bool] = lambda _: True
) -> list[Allocation]:
    """Return the records that the plan releases, in their released form."""
    decisions = evaluation.plan.decisions
    return [it.allocation for it in decisions if isinstance(it, Release) and is_meant(it)]


def leaving(evaluation: Evaluation) -> list[Allocation]:
    """Return records whose retention has ended, and which the plan deletes."""
    going = (item.allocation for item in evaluation.plan.decisions if isinstance(item, Expire))
    return [record for record in going if record.range is not None]


def left_behind(evaluation: Evaluation) -> list[Allocation]:
    """Return records that claims moved away from; clusters announce them until they are unused."""
    return [record for record in evaluation.state.records if record.announced]


def matching(evaluation: Evaluation, text: str) -> list[Key]:
    """Return the claims that a name of theirs, or the name of a tenant or record, matches."""
    # If there is none, return the claims of others, such as requests, for an owner of that name.
    every = [(it.claim, it.name, it.owner) for it in evaluation.state.records]
    every += [(it.key, it.name, it.owner) for it in evaluation.state.claims.values()]
    named = {name: key for key, name, _ in every}
    claims = sorted({it.claim for it in evaluation.plan.decisions} | {it[0] for it in every})
    found = [key for key in claims if text in key.names or named.get(text) == key]
    return found or sorted({key for key, _, it in every if text in (it.short, it.name)})


def _documents_of(tree: Tree, effective: EffectiveDocuments) -> tuple[Documents, list[Finding]]:
    """Return documents, and findings on duplicates. The owner of a duplicate gets nothing new."""
    first, second, _ = effective
    found: list[Finding] = []
    for document in second:
        other = first[document.identity]
        found.append(duplicate(document, other))
        if not other.twice:
            first[document.identity] = replace(other, twice=document.path)
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
    """Return all readable records, by path; their family finds the claim of a copied record."""

    def adopted(record: Allocation) -> Allocation:
        family = family_of(record.claim.family) if record.adopted else None
        return replace(record, claim=family.adopt(record, documents)) if family else record

    return tuple(adopted(item.allocation) for item in tree.records if item.allocation is not None)


def _read(
    documents: Documents, held: Mapping[Key, Allocation], settings: Settings
) -> FamilyReading:
    reading = FamilyReading()
    for family in families_in(documents, held):
        reading.add(family.read(documents, held, settings))
    return _without_gateways(reading)


def _without_gateways(reading: FamilyReading) -> FamilyReading:
    """Return the reading with pools without gateways, and findings except for frozen pools."""
    routers: dict[str, list[Gateway]] = {}
    for gateway in reading.gateways:
        for space in gateway.spaces(reading.pools):
            routers.setdefault(space, []).append(gateway)
    addresses = {space: IPSet.of(it.range for it in found) for space, found in routers.items()}
    kept, findings = dict(reading.pools), list(reading.findings)
    for key, pool in reading.pools.items():
        if not (held := pool.allocatable & addresses.get(pool.space, IPSet())):
            continue
        usable, blocks = pool.usable - held, pool.blocks - held
        kept[key] = replace(pool, usable=usable, blocks=blocks, reserved=pool.reserved | held)
        if key not in reading.frozen:
            named = [
                f"{format_short(it.range)}, {it.title} at {it.source}"
                for it in sorted(routers[pool.space])
                if held.covers(it.range)
            ]
            message = (
                f"pool {key.name} contains {join_limited(named, '; ')}, which will not be allocated"
            )
            hint = "exclude it from the pool, or put the two networks into different address spaces"
            findings.append(warning("gateway-in-pool", pool.source, message, hint))
    return replace(reading, pools=kept, findings=findings)


class DescribedFiles(Struct, frozen=True):
    """Contents of some source files; manual ranges by holder, `unread` are paths of broken files."""

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
    reading = _read(every, {}, settings)
    return DescribedFiles(
        documents,
        frozenset(identity for file in files for identity in file.broken),
        reading.pools,
        {item.title: item for item in reading.blocked if item.by_hand is not None},
        frozenset(file.path for file in files if file.is_broken),
    )


def owners_of(identities: Iterable[Identity]) -> frozenset[tuple[str, str, str, str]]:
    """Return the owners of claims that documents describe, by their identities."""
    return frozenset(
        (family.name, kind, namespace, name)
        for group, kind, namespace, name in identities
        if (family := family_of_kind(GroupKind(group, kind))) is not None
    )


def _state_of(
    tree: Tree, second: list[Document], reading: FamilyReading, records: tuple[Allocation, ...]
) -> State:
    broken = owners_of(identity for source in tree.sources for identity in source.broken)
    broken |= owners_of((*(document.identity for document in second), *reading.invalid))
    unclear = [source for source in tree.sources if source.unclear]
    never = _never_read(tree)
    pools = {key: pool.source.path for key, pool in reading.pools.items()}
    # Nothing expires while the clock is not trustworthy.
    kept = (item.path for item in records if item.is_released and tree.clock_ahead is not None)
    grown = (
        record.path
        for record in (records if reading.growing else ())
        if growth_index(record) and record.claim.owner in reading.growing
    )
    return State(
        pools={key: reading.pools[key] for key in sorted(reading.pools)},
        claims=_doubted(tree, reading.claims),
        records=records,
        clock=tree.clock,
        retention=tree.settings.retention,
        blocked=tuple(reading.blocked),
        gateways=tuple(reading.gateways),
        inside=tuple(reading.inside),
        off_limits=tuple(_off_limits(tree, second)),
        unreadable=tuple(item.unreadable for item in tree.records if item.unreadable),
        protected=frozenset(reading.protected | broken),
        frozen={**reading.frozen, **{key: path for key, path in pools.items() if path in never}},
        # A duplicate replaces an unknown document if its name is a mistake.
        unclear=bool(unclear or second) or has_error(tree.findings),
        unknown=any(source.path not in tree.last_good.files for source in unclear),
        halted=tree.last_good.halted,
        retained=frozenset(tree.retained).union(kept),
        grown=frozenset(grown),
        elastic=frozenset(reading.elastic),
        growth_retention=tree.settings.elastic.retention,
        movable=frozenset(_movable(tree)),
        unused=frozenset(path for path, why in tree.left.items() if not why),
        announcing=frozenset(reading.announcing),
    )


def _movable(tree: Tree) -> Iterator[Key]:
    for item in tree.overrides.counting:
        claim = Key.parse(item.scope) if item.kind == OverrideKind.MOVE else None
        family = family_of(claim.family) if claim is not None else None
        if claim is not None and family is not None and family.relocate is not None:
            yield claim


def _never_read(tree: Tree) -> dict[str, Loaded]:
    files = tree.last_good.files
    return {it.path: it for it in tree.sources if it.text and it.path not in files}


def _off_limits(tree: Tree, second: Iterable[Document]) -> Iterator[Blocked]:
    """Yield addresses in unreadable files, and in duplicates except for pools."""
    texts = [(path, text) for path, it in _never_read(tree).items() for text in legible(it.text)]
    texts += [(it.path, dump(it.body)) for it in second if not is_pool(it.kind.id)]
    for path, text in texts:
        for item in literal_ranges(text):
            yield Blocked(item, f"the unreadable file {path}", Location(path, 1, 1))


def _doubted(tree: Tree, claims: Mapping[Key, Claim]) -> dict[Key, Claim]:
    """Return the claims, with a doubt for each that an unreadable file might contain or name."""
    broken = [source for source in tree.sources if source.text]
    words = [frozenset(_WORD.findall("\n".join(legible(it.text)))) for it in broken]
    named: dict[str, Loaded] = {}
    for source, found_words in zip(broken, words, strict=True):
        named.update((word, source) for word in found_words if word not in named)
    references = [possible_owners(source.text) for source in broken]
    never = _never_read(tree)
    owners = {document.identity[1:]: it for it in never.values() for document in it.documents}

    def naming_owner(claim: Claim) -> Loaded | None:
        namespace, name, family = *claim.owner.pair, claim.key.family
        halves = {(family, namespace, ""), (family, "", name)}
        for source, found, refers in zip(broken, words, references, strict=True):
            if found.issuperset((namespace, name)) or not refers.isdisjoint(halves):
                return source
        return None

    found = {key: claims[key] for key in sorted(claims)}
    for key, claim in found.items() if broken else ():
        why = never.get(claim.source.path) or owners.get((key.kind, key.namespace, key.name))
        if why is None and claim.name != key.name:
            why = named.get(claim.name) or (naming_owner(claim) if claim.is_open else None)
        if why is not None and not claim.doubt:
            errors = (it for it in why.findings if it.severity is Severity.ERROR)
            line = next((it.location.line for it in errors), 0)
            found[key] = replace(claim, doubt=why.path, doubt_line=line)
    return found


def _without_causes(state: State, reading: FamilyReading, plan: Plan) -> Iterator[Finding]:
    """Yield findings without those that only follow from another finding or refusal."""
    removed = rules.removed_pools(state, rules.holding_by_pool(state)) if reading.missing else {}
    named = elsewhere(state.pools) if reading.missing else {}
    given = {it.claim for it in plan.decisions if reading.presumed and isinstance(it, Grant | Keep)}
    for found in reading.findings:
        follows = found.code == "reference-not-found" and found.severity is Severity.ERROR
        if (
            reading.presumed.get(found, frozenset()) <= given
            and not (state.unknown and follows)
            and (pool := reading.missing.get(found)) not in removed
        ):
            yield replace(found, message=found.message + named.get(pool.name if pool else "", ""))


def judged_by_base(pools: Mapping[Key, Pool], evaluation: Evaluation) -> Evaluation:
    """Return an evaluation in which pools keep the limits and thresholds of the base."""
    state, plan = evaluation.state, evaluation.plan
    judged = {
        key: replace(now, gate=old.gate, thresholds=old.thresholds)
        for key, old in pools.items()
        if (now := state.pools.get(key)) is not None
        and (now.gate, now.thresholds) != (old.gate, old.thresholds)
    }
    if not judged:
        return evaluation
    state = replace(state, pools={**state.pools, **judged})
    plan = Plan(plan.decisions, _tiered(plan.before, judged), _tiered(plan.after, judged))
    gates = _with_capacity(evaluation, state, plan, evaluation.tree.settings)
    return replace(evaluation, state=state, plan=plan, gates=gates)


def _tiered(usages: Mapping[Key, Usage], judged: Mapping[Key, Pool]) -> dict[Key, Usage]:
    found = dict(usages)
    for key, pool in judged.items():
        used = found[key].allocated + found[key].held
        found[key] = replace(found[key], tier=pool.thresholds.tier(used, found[key].total))
    return found


def _with_capacity(
    evaluation: Evaluation, state: State, plan: Plan, settings: Settings
) -> tuple[Finding, ...]:
    others = (item for item in evaluation.gates if item.code != limits.CAPACITY)
    return ordered([*others, *limits.capacity(state, plan, settings, evaluation.tree.overrides)])


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
    holdings = Holdings({**state.pools, **old}, state.records, state.blocked)
    before = {**plan.before, **{key: usage(pool, holdings) for key, pool in old.items()}}
    return replace(evaluation, plan=replace(plan, before=before))


def held_to(evaluation: Evaluation, earlier: Settings, name: str) -> Evaluation:
    """Return an evaluation by the stricter of its own and an earlier commit's limits."""
    tree, state, plan = evaluation.tree, evaluation.state, evaluation.plan
    own, strict = tree.settings, tree.settings.held_to(earlier)
    if strict == own:
        return evaluation
    judged = {key: _stricter(pool, own, strict) for key, pool in state.pools.items()}
    there = {key: pool for key, pool in judged.items() if key in plan.after}
    full = replace(plan, after=_tiered(plan.after, there))
    settings = replace(
        own, max_release_percent=strict.max_release_percent, min_records=strict.min_records
    )
    found = replace(
        evaluation,
        tree=replace(tree, settings=settings),
        gates=_with_capacity(evaluation, replace(state, pools=judged), full, strict),
        findings=ordered([*evaluation.findings, *loosened(own, earlier, name)]),
    )
    return _with_brake(found)


def loosened(own: Settings, earlier: Settings, name: str) -> Iterator[Finding]:
    """Return the finding for Settings that are looser than in the last reconcile commit."""
    strict = own.held_to(earlier)
    levels = ["/".join(map(str, it.levels)) for it in (own.thresholds, strict.thresholds)]
    fields = (
        ("brakes.maxReleasePercent", own.max_release_percent, strict.max_release_percent),
        ("brakes.minRecords", own.min_records, strict.min_records),
        ("gate", own.gate or "never", strict.gate or "never"),
        ("thresholds", *levels),
    )
    looser = [f"{field} from {then} to {now}" for field, now, then in fields if now != then]
    if looser:
        yield warning(
            "settings-loosened",
            own.location if own.location.path == PATH else Location(PATH, 1, 1),
            f"Settings are less strict than in the newest reconcile commit {name}: {', '.join(looser)}; the stricter values apply until the next reconcile commit",
            "merge an Override or run ipam reconcile --allow-release N to permit a change now",
        )


def _stricter(pool: Pool, own: Settings, strict: Settings) -> Pool:
    gate = stricter_gate(pool.gate, strict.gate) if pool.gate is own.gate else pool.gate
    levels = zip(
        pool.thresholds.levels, own.thresholds.levels, strict.thresholds.levels, strict=True
    )
    thresholds = Thresholds(*(then if now == of else now for now, of, then in levels))
    return replace(pool, gate=gate, thresholds=thresholds)
