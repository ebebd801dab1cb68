"""Target clusters of an evaluation."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.elastic_growth import all_growers
from reconciler.apply.memory import Enrolled
from reconciler.apply.metallb import ranges_of
from reconciler.apply.target import ApplyOptions, Target, names_of
from reconciler.documents.document import Documents, GroupKind
from reconciler.documents.findings import has_error
from reconciler.families import families, family_of
from reconciler.families.fields import former_of
from reconciler.families.interface import ClusterKind
from reconciler.kube.resources import DesiredObject, desired_objects
from reconciler.model.claim import Allocation
from reconciler.model.errors import UsageError
from reconciler.model.objects import MANAGEMENT, Manifest, tenant_name
from reconciler.model.plan import Grant
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project
from reconciler.planning.settings import CLUSTER_TARGET

_BALANCER = "loadbalancer"
"""The type of records whose addresses Services get."""


@cache
def cluster_kinds() -> tuple[ClusterKind, ...]:
    """Return the kinds whose objects represent clusters."""
    return tuple(kind for family in families() if (kind := family.announcing.clusters) is not None)


def cluster_of(record: Allocation) -> str:
    """Return the cluster that announces the addresses of a record."""
    family = family_of(record.claim.family)
    if family is None:  # the kind is unknown to this version: use its owner, as for tenants
        return tenant_name(record.owner.namespace, record.owner.name)
    return family.announcing.cluster_of(record)


def balancer_records(records: Iterable[Allocation]) -> dict[str, list[Allocation]]:
    """Return the records of load-balancer addresses, by the cluster that announces them."""
    found: dict[str, list[Allocation]] = {}
    for record in records:
        if record.type == _BALANCER and record.range is not None:
            found.setdefault(cluster_of(record), []).append(record)
    return found


def announcer(manifest: Manifest) -> str | None:
    """Return the cluster that announces a record's copy in the management cluster, or None."""
    told = (family.announcing.announcer(manifest) for family in families())
    return next((cluster for cluster in told if cluster is not None), None)


def described_clusters(documents: Documents) -> frozenset[str]:
    """Return the names of the clusters that documents describe."""
    return frozenset(
        tenant_name(document.namespace, document.name)
        for kind in cluster_kinds()
        for document in documents.of(GroupKind(kind.resource.group, kind.resource.kind))
    )


def former_clusters(documents: Documents) -> dict[str, str]:
    """Return former names of clusters, by current name.

    A name counts only if no cluster has it now and one document lists it.
    """
    there = described_clusters(documents)
    found: dict[str, list[str]] = {}
    for kind in cluster_kinds():
        for document in documents.of(GroupKind(kind.resource.group, kind.resource.kind)):
            former = former_of(document)
            if former is not None and (before := tenant_name(*former)) not in there:
                now = tenant_name(document.namespace, document.name)
                found.setdefault(before, []).append(now)
    return {names[0]: before for before, names in found.items() if len(names) == 1}


def known_as_now(known: Mapping[str, Enrolled], former: Mapping[str, str]) -> dict[str, Enrolled]:
    """Return the registry with entries under new names that have none yet."""
    more = {now: known[old] for now, old in former.items() if old in known and now not in known}
    return {**known, **more}


def moved(known: Mapping[str, Enrolled], former: Mapping[str, str]) -> dict[str, Enrolled]:
    """Return the registry with entries under new names only."""
    gone = frozenset(former.values())
    now = known_as_now(known, former)
    return {name: enrolled for name, enrolled in now.items() if name not in gone}


class Claims(NamedTuple):
    """The addresses of a cluster and their address spaces."""

    spaces: tuple[str, ...]
    addresses: IPSet

    def meets(self, other: "Claims") -> bool:
        """Return whether two address spaces can overlap: equal, or one of them unknown."""
        if not self.spaces or not other.spaces:
            return True
        return any(space in other.spaces for space in self.spaces)


class _Span(NamedTuple):
    version: int
    first: int
    last: int
    is_wanted: bool
    cluster: str


def address_conflicts(
    announced: Mapping[str, Claims], wanted: Mapping[str, Claims]
) -> Mapping[str, tuple[str, ...]]:
    """Return the other clusters that might announce ranges of each cluster, by name.

    One sweep over all ranges, for thousands of clusters with thousands of ranges.
    """
    spans = [*_spans(announced, is_wanted=False), *_spans(wanted, is_wanted=True)]
    found: dict[str, dict[str, None]] = {}
    open_spans: list[_Span] = []
    for span in sorted(spans):
        open_spans = [
            item for item in open_spans if item.version == span.version and item.last >= span.first
        ]
        for item in open_spans:
            if item.is_wanted == span.is_wanted or item.cluster == span.cluster:
                continue
            wants, has = (span, item) if span.is_wanted else (item, span)
            if wanted[wants.cluster].meets(announced[has.cluster]):
                found.setdefault(wants.cluster, {})[has.cluster] = None
        open_spans.append(span)
    return {name: tuple(sorted(others)) for name, others in found.items()}


def _spans(claims: Mapping[str, Claims], *, is_wanted: bool) -> list[_Span]:
    return [
        _Span(*_ends(item), is_wanted, name)
        for name, claim in claims.items()
        for item in claim.addresses
    ]


def _ends(item: IPRange) -> tuple[int, int, int]:
    return item.version, item.first, item.last


def require_claims(evaluation: Evaluation, options: ApplyOptions) -> None:
    """Refuse a claim of an option that does not exist.

    Raises:
        UsageError: The claim does not exist.
    """
    if not options.forced_claims:
        return
    state = evaluation.state
    claims = {*state.claims, *(record.claim for record in state.records)}
    there = {name for claim in claims for name in names_of(claim)}
    for text in sorted(options.forced_claims - there):
        message = f"--force-withdraw-claim: there is no claim {text!r}"
        raise UsageError(message, "name it as NAMESPACE/NAME; ipam get allocations lists claims")


def targets(
    evaluation: Evaluation,
    desired: Mapping[str, Sequence[DesiredObject]],
    known: Mapping[str, Enrolled],
    options: ApplyOptions | None = None,
) -> list[Target]:
    """Return the clusters to apply to, by name.

    These are clusters with desired objects, clusters of earlier runs, and ClusterTargets. A tenant
    without addresses needs no cluster.

    Args:
        evaluation: The evaluation of the revision.
        desired: The desired objects of each cluster.
        known: Clusters of earlier runs.
        options: Options of the command.
    """
    tenants = described_clusters(evaluation.documents)
    named = frozenset(item.name for item in evaluation.documents.of(CLUSTER_TARGET.id))
    spaces, released = _records(evaluation)
    balancers = balancer_records(evaluation.state.records)
    whole = is_whole(evaluation)
    forced = _forced(evaluation, options) if options is not None and options.forced_claims else {}
    names = sorted(frozenset([*desired, *known, *named]) - {MANAGEMENT})
    return [
        Target(
            name,
            tuple(desired.get(name, ())),
            IPSet.of(released.get(name, ())),
            whole,
            spaces.get(name) or (known[name].spaces if name in known else ()),
            remembered=ranges_of(known[name].addresses if name in known else ()),
            is_described=name in tenants or name in named or name in desired,
            forced=IPSet.of(forced.get(name, ())),
            records=tuple(balancers.get(name, ())),
        )
        for name in names
    ]


def fingerprints(evaluation: Evaluation, default_port: int) -> dict[str, object]:
    """Return everything that rounds take from a revision, by cluster.

    A cluster whose fingerprint is the same in two revisions needs no round.
    """
    desired = desired_objects(project(evaluation, default_port=default_port))
    pools = tuple(evaluation.state.pools.items())
    settings, whole = evaluation.tree.settings, is_whole(evaluation)
    found: dict[str, object] = {
        item.name: (_hashes(item.desired), item.released, whole, item.spaces, item.is_described)
        for item in targets(evaluation, desired, {})
    }
    for grower in all_growers(evaluation):
        grows = (grower.claim(1, 1), grower.increment, settings.elastic)
        found[grower.cluster] = (found.get(grower.cluster), grows)
    found[MANAGEMENT] = (_hashes(desired.get(MANAGEMENT, ())), pools, settings, whole)
    return found


def _hashes(desired: Iterable[DesiredObject]) -> tuple[object, ...]:
    """Return objects without the revision that they come from."""
    return tuple((item.ref, item.hash, item.rests_on) for item in desired)


def is_whole(evaluation: Evaluation) -> bool:
    """Return whether the tree has no errors, so objects that it lacks can be withdrawn.

    If all records are missing (a moved folder, other Settings), no range would stay announced.
    """
    if has_error(evaluation.findings):
        return False
    claimed = any(isinstance(decision, Grant) for decision in evaluation.plan.decisions)
    return evaluation.brake is None and (bool(evaluation.state.records) or not claimed)


def _records(
    evaluation: Evaluation,
) -> tuple[dict[str, tuple[str, ...]], dict[str, list[IPRange]]]:
    """Return the address spaces of each cluster's records, and the released ranges."""
    spaces: dict[str, tuple[str, ...]] = {}
    released: dict[str, list[IPRange]] = {}
    for record in evaluation.state.records:
        if record.range is None:
            continue
        cluster = cluster_of(record)
        pool = evaluation.state.pools.get(record.pool)
        if pool is not None and pool.space not in spaces.get(cluster, ()):
            spaces[cluster] = tuple(sorted([*spaces.get(cluster, ()), pool.space]))
        if record.is_released and not record.announced:
            released.setdefault(cluster, []).append(record.range)
    return spaces, released


def _forced(evaluation: Evaluation, options: ApplyOptions) -> dict[str, list[IPRange]]:
    """Return ranges that are withdrawn from each cluster even if they are used."""
    found: dict[str, list[IPRange]] = {}
    for record in evaluation.state.records:
        rests = record.is_released and not record.announced
        if record.range is not None and rests and options.forces(record.claim):
            found.setdefault(cluster_of(record), []).append(record.range)
    return found


def claims_of(found: Iterable[Target]) -> dict[str, Claims]:
    """Return the ranges that clusters will announce."""
    return {item.name: Claims(item.spaces, item.addresses()) for item in found}


def remembered(known: Mapping[str, Enrolled]) -> dict[str, Claims]:
    """Return the ranges that clusters might announce according to the registry."""
    return {
        name: Claims(enrolled.spaces, ranges_of(enrolled.addresses))
        for name, enrolled in known.items()
    }
