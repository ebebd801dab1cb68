"""Target clusters and their desired state."""

from collections.abc import Iterable, Mapping, Sequence

from reconciler.addresses import IPRange, IPSet
from reconciler.clusters.announcing import Claims, balancer_records, cluster_of, described_clusters
from reconciler.clusters.desired import DesiredObject, desired_objects
from reconciler.clusters.growers import all_growers
from reconciler.clusters.memory import Enrolled
from reconciler.clusters.metallb import ranges_of
from reconciler.clusters.options import ApplyOptions, names_of
from reconciler.clusters.target import Target
from reconciler.evaluate import Evaluation
from reconciler.findings import has_error
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.plan import Grant
from reconciler.ports import UsageError
from reconciler.projecting import project
from reconciler.settings import CLUSTER_TARGET


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
