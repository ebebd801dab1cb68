"""A committed tree to the objects of all clusters: what every family makes of it, and the records."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from reconciler.addresses import IPSet
from reconciler.documents.document import Identity
from reconciler.engine.by_hand import WRONG as BY_HAND
from reconciler.evaluate import Evaluation
from reconciler.families import families
from reconciler.families._family import DEFAULT_PORT, Projection, ProjectionInput, Reading
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.instant import format_instant
from reconciler.model.plan import Release
from reconciler.records.claimed import apart
from reconciler.records.emit import record_document
from reconciler.records.forms import form_of


def project(
    evaluation: Evaluation,
    withheld: Mapping[str, IPSet] = MappingProxyType({}),
    default_port: int = DEFAULT_PORT,
) -> tuple[Projection, ...]:
    """The objects of all clusters for the records of the tree as they stand, not as planned.

    Apply reads what was committed; what is not in Git cannot reach a cluster. Nor does what a
    person wrote into a record, which is an error: what clusters have by then stays.

    Args:
        evaluation: Of the tree.
        withheld: What no cluster shall announce by a record, by the record's path.
        default_port: Of an endpoint that names none.
    """
    records = apart(evaluation.state.records, evaluation.state.claims)
    given = ProjectionInput(
        evaluation.documents,
        _without_wrong_ranges(evaluation),
        records,
        evaluation.plan.before,
        format_instant(evaluation.tree.clock),
        evaluation.tree.settings.applies_documents,
        {**withheld, **_nobodys(evaluation), **evaluation.unproven},
        default_port,
    )
    found = [item for family in families() for item in family.project(given)]
    found += [
        Projection(MANAGEMENT, record_document(record))
        for record in records
        if record.path not in evaluation.unproven
    ]
    return tuple(_others(found, evaluation))


def _others(found: Iterable[Projection], evaluation: Evaluation) -> Iterator[Projection]:
    """The objects; of those that somebody made in a cluster, and that Git has a copy of, the status.

    The copy is not what they shall be: it is what they were seen to be.
    """
    theirs = _observed(evaluation)
    for item in found:
        if not theirs or item.is_part or _identity(item.manifest) not in theirs:
            yield item
        elif "status" in item.manifest:
            yield replace(item, is_status_only=True)


def _observed(evaluation: Evaluation) -> frozenset[Identity]:
    """What the copies in the tree describe."""
    folder = f"{evaluation.tree.settings.observed}/"
    kinds = dict.fromkeys(kind.id for family in families() for kind in family.kinds)
    every = (document for kind in kinds for document in evaluation.documents.of(kind))
    return frozenset(it.identity for it in every if it.path.startswith(folder))


def _identity(manifest: Mapping[str, Any]) -> Identity:
    group, _, _ = manifest["apiVersion"].rpartition("/")
    metadata = manifest["metadata"]
    return group, manifest["kind"], metadata.get("namespace", ""), metadata["name"]


def _without_wrong_ranges(evaluation: Evaluation) -> Reading:
    """The reading without ranges set by hand that are wrong: no cluster gets those.

    One that has it keeps it: while something is wrong, nothing is withdrawn.
    """
    reading = evaluation.reading
    wrong = {found.location for found in evaluation.findings if found.code == BY_HAND}
    if not wrong:
        return reading
    return replace(
        reading, blocked=tuple(item for item in reading.blocked if item.source not in wrong)
    )


def _nobodys(evaluation: Evaluation) -> dict[str, IPSet]:
    """What records hold whose claim is gone, and which nothing but their own text says whose it is."""
    gone = (item.allocation for item in evaluation.plan.decisions if isinstance(item, Release))
    return {
        record.path: IPSet((record.range,))
        for record in gone
        if record.range is not None
        and form_of(record.claim.family).record.type_of(record.claim.slot) is None
    }
