"""Clusters that get a first range of their own because the claim that had one for them is gone.

Records stay what they are, and no claim moves. Yet the cluster goes from one range to another at
once, and nothing announces the old one any more.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from reconciler.clusters.announcing import cluster_of
from reconciler.evaluate import Evaluation, is_braked
from reconciler.families import known_as
from reconciler.findings import Finding, Severity, gate, ordered, warning
from reconciler.gathering import records_of
from reconciler.losses import kinds_of_clusters
from reconciler.model.allocation import Allocation
from reconciler.model.cluster import tenant_name
from reconciler.model.key import Key
from reconciler.model.override import OverrideKind
from reconciler.model.plan import Grant
from reconciler.records.findings import held_words

CODE = "claim-moves"
_AT_ONCE = "what uses the old range is cut off at the next apply"


def with_replaced(evaluation: Evaluation) -> Evaluation:
    """The evaluation of a change, with a gate for each cluster that goes to another range so.

    An Override of kind move for the cluster's own claim makes a warning of it.
    """
    pairs = list(_pairs(evaluation))
    if not pairs:
        return evaluation
    told = [_told(old, new, evaluation) for old, new in pairs]
    gates = [it for it in told if it.severity is Severity.GATE]
    findings = [it for it in told if it.severity is not Severity.GATE]
    return replace(
        evaluation,
        findings=ordered([*evaluation.findings, *findings]),
        gates=ordered([*evaluation.gates, *gates]),
    )


def _pairs(evaluation: Evaluation) -> Iterator[tuple[Allocation, Grant]]:
    """What each of them held by the claim of another, and what it gets now; by cluster."""
    firsts = {
        (cluster_of(it.allocation), it.allocation.type): it
        for it in evaluation.plan.decisions
        if isinstance(it, Grant) and it.replaces is None and it.leaves is None
        if it.allocation.range is not None
        if _is_own(_stood_for(it.claim, evaluation), cluster_of(it.allocation))
    }
    if not firsts:
        return
    stopped = evaluation.plan.decisions if evaluation.is_stopped else ()
    held = {it.claim for it in stopped if is_braked(it, evaluation)}
    for record in records_of(evaluation.tree, evaluation.documents):
        cluster = cluster_of(record)
        first = firsts.get((cluster, record.type))
        if first is None or not record.is_live or record.range is None:
            continue
        if record.claim in held or _is_own(record.claim, cluster):
            continue
        claim = evaluation.state.claims.get(record.claim)
        if claim is None or claim.type != record.type:
            yield record, first


def _stood_for(claim: Key, evaluation: Evaluation) -> Key:
    """The cluster's own claim that a claim is made for by hand; else the claim itself."""
    found = evaluation.state.claims.get(claim)
    return found.stands_for or claim if found is not None else claim


def _is_own(claim: Key, cluster: str) -> bool:
    """The document that stands for the cluster makes the claim itself."""
    is_named = tenant_name(claim.namespace, claim.name) == cluster
    return is_named and known_as(claim.family, claim.kind) in kinds_of_clusters()


def _told(old: Allocation, new: Grant, evaluation: Evaluation) -> Finding:
    message = (
        f"{new.claim.short} moves from {held_words(old)}, which"
        f" {old.claim.short} had for it, to {held_words(new.allocation)}"
    )
    own = _stood_for(new.claim, evaluation)
    scope = str(own)
    if evaluation.tree.overrides.allow(OverrideKind.MOVE, scope):
        return warning(CODE, new.source, f"{message}; an Override lets it go", _AT_ONCE)
    owner = own._replace(slot="").short
    hint = (
        f"take {old.claim.short} as it was: ipam move {owner} --to POOL moves without a break; or"
    )
    hint += f" merge an Override of kind move for {scope} first: {_AT_ONCE}"
    return gate(CODE, new.source, message, hint)
