"""What is told of addresses that clusters lose by a change: a warning, or a gate.

A record may go from one cluster to another, or may no longer be announced, while no claim
is granted or released: the plan alone does not show that. Whoever uses the addresses is cut off.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses.notation import format_count, format_short
from reconciler.clusters.announcing import described_clusters
from reconciler.clusters.renamed import former_clusters
from reconciler.comparison import Base
from reconciler.documents.document import Document, Identity
from reconciler.evaluate import Evaluation
from reconciler.families import family_of_kind, known_as
from reconciler.families._former import written
from reconciler.findings import Finding, Location, Severity, few, gate, ordered, warning
from reconciler.gathering import Described
from reconciler.losses import Loss, Touches, kinds_of_clusters, losses
from reconciler.model.cluster import tenant_name
from reconciler.model.override import OverrideKind
from reconciler.records.findings import HANDED_OVER


def with_losses(
    base: Base, evaluation: Evaluation, planned: Callable[[], Evaluation]
) -> Evaluation:
    """The evaluation of a change, with what clusters lose by it.

    Of a cluster that the change takes away only what another one gets at once: all else goes
    with it, and the plan tells that.

    Args:
        base: The base.
        evaluation: Of the change.
        planned: The evaluation of the base, whose own losses are none of the change. It is asked
            for only where there are losses.
    """
    teller = _Teller(base, evaluation)
    touches = Touches(base.described, base.described_now, teller.became)
    found = [it for it in losses(evaluation, touches) if it.to or it.cluster not in teller.gone]
    if not found:
        return evaluation
    known = {
        (touches.name(it.cluster), it.path): (it.addresses, touches.name(it.to))
        for it in losses(planned())
    }
    new = [it for it in found if known.get((it.cluster, it.path)) != (it.addresses, it.to)]
    told = [teller.told(loss) for loss in new]
    # What an evaluation says by itself of who gets a record is said here, beside the base.
    said = {teller.place(loss) for loss in found}
    alone = [it for it in evaluation.findings if it.code != HANDED_OVER or it.location not in said]
    gates = [item for item in told if item.severity is Severity.GATE]
    findings = [item for item in told if item.severity is not Severity.GATE]
    return replace(
        evaluation,
        findings=ordered([*alone, *findings]),
        gates=ordered([*evaluation.gates, *gates]),
    )


class _Teller(Struct, frozen=True, dict=True):
    """Tells what clusters lose by a change."""

    base: Base
    evaluation: Evaluation

    @cached_property
    def _before(self) -> frozenset[str]:
        """The clusters that changed and removed files described."""
        return _clusters(self.base.described)

    @cached_property
    def _there(self) -> frozenset[str]:
        """The clusters that documents of the change describe, also one that is wrong."""
        sources = self.evaluation.tree.sources
        broken = _named(identity for source in sources for identity in source.broken)
        now = _clusters(self.base.described_now)
        return described_clusters(self.evaluation.documents) | broken | now

    @cached_property
    def gone(self) -> frozenset[str]:
        """The clusters that the change takes away."""
        return self._before - self._there if self._before else frozenset()

    @cached_property
    def became(self) -> Mapping[str, str]:
        """The names that clusters have by now, by those that they had.

        Only what is a rename for sure: a document that is new says so, and the plan takes records
        over, or both are of one team. Whoever was there, or is of another team, hides no loss.
        """
        stated = self._tenants(self.base.described_now)
        new = {name: it for name, it in stated.items() if name not in self._before}
        if not new:
            return {}

        old, every = self._tenants(self.base.described), former_clusters(self.evaluation.documents)
        taken = self._taken_over()
        return {
            was: name
            for name, was in every.items()
            if name in new
            if was in taken or (was in old and self._team(old[was]) == self._team(new[name]))
        }

    def _taken_over(self) -> frozenset[str]:
        """The clusters whose records the plan takes over under another name."""
        kinds, former = kinds_of_clusters(), self.evaluation.state.former.values()
        keys = [it.claim for it in former if it.claim is not None]
        mine = (key for key in keys if known_as(key.family, key.kind) in kinds)
        return frozenset(tenant_name(key.namespace, key.name) for key in mine)

    def _tenants(self, described: Described) -> dict[str, Document]:
        kinds = kinds_of_clusters()
        return {_name(it): it for it in described.documents.values() if it.kind.id in kinds}

    def _team(self, document: Document) -> str:
        family = family_of_kind(document.kind.id)
        return "" if family is None else family.team(document, self.evaluation.documents)

    @cached_property
    def _documents(self) -> Mapping[str, Document]:
        """The documents of the change that stand for clusters, by name."""
        documents = self.evaluation.documents
        return {_name(it): it for kind in kinds_of_clusters() for it in documents.of(kind)}

    def told(self, loss: Loss) -> Finding:
        """What is said of a loss."""
        size = loss.addresses.size
        what = few([format_short(item) for item in loss.addresses])
        what += f" ({format_count(size)} {'address' if size == 1 else 'addresses'})"
        place, state = self.place(loss), self._state_of(loss.cluster)
        if not loss.to:
            is_known = loss.cluster in self._there
            message = f"{state}, and {'' if is_known else 'it '}no longer announces {what}"
            hint = "what uses them there is cut off at the next apply; take back the edit that does"
            return warning("announcement-lost", place, message, f"{hint} this, unless nobody does")
        message = f"{state}, and {what} would go from it to {loss.to} at once"
        if loss.claim is None:
            hint = "take it away in a change of its own first, and give it when it is not used any"
            return gate(HANDED_OVER, place, message, f"{self._same(loss)}{hint} more")
        scope = str(loss.claim)
        if self.evaluation.tree.overrides.allow(OverrideKind.MOVE, scope):
            return warning(HANDED_OVER, place, f"{message}; an Override lets it go")
        hint = f"{self._same(loss)}what uses them is cut off: make a claim of its own for the other"
        hint += f" cluster, or merge an Override of kind move for {scope} first"
        return gate(HANDED_OVER, place, message, hint)

    def _state_of(self, cluster: str) -> str:
        """What becomes of the cluster itself, as the beginning of a sentence."""
        if cluster in self._there:
            return f"cluster {cluster} stays"
        if cluster in self.gone:
            return f"cluster {cluster} goes"
        return f"no document describes cluster {cluster}"

    def _same(self, loss: Loss) -> str:
        """What is to be done where a cluster that goes, and a new one, are one and the same."""
        new = self._tenants(self.base.described_now)
        if loss.cluster not in self.gone or loss.to not in new or loss.to in self._before:
            return ""
        line = written(*loss.cluster.split("/", 1))
        return f"if {loss.to} is the same cluster, add to its metadata.annotations: {line}; else "

    def place(self, loss: Loss) -> Location:
        """What the claim says by now, or its record; of a range set by hand where that stands.

        Or where who gets that stands, when nothing is left of who had it.
        """
        if loss.claim is None:
            named = map(self._documents.get, (loss.cluster, loss.to))
            document = next((it for it in named if it is not None), None)
            return document.start if document else self.evaluation.tree.settings.location
        if (claim := self.evaluation.state.claims.get(loss.claim)) is not None:
            return claim.source
        return Location(loss.path, 1, 1)


def _clusters(described: Described) -> frozenset[str]:
    """The clusters that documents stand for, also one that is wrong."""
    return _named((*described.documents, *described.broken))


def _named(identities: Iterable[Identity]) -> frozenset[str]:
    kinds = kinds_of_clusters()
    return frozenset(tenant_name(*it[2:]) for it in identities if it[:2] in kinds)


def _name(document: Document) -> str:
    return tenant_name(document.namespace, document.name)
