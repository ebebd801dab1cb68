"""A committed tree to the objects of all clusters: what every family makes of it, and the records."""

from collections.abc import Mapping
from types import MappingProxyType

from reconciler.addresses import IPSet
from reconciler.evaluate import Evaluation
from reconciler.families import families
from reconciler.families._family import Projection, ProjectionInput
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.instant import format_instant
from reconciler.records.emit import record_document


def project(
    evaluation: Evaluation, withheld: Mapping[str, IPSet] = MappingProxyType({})
) -> tuple[Projection, ...]:
    """The objects of all clusters for the records of the tree as they stand, not as planned.

    Apply reads what was committed; what is not in Git cannot reach a cluster.

    Args:
        evaluation: Of the tree.
        withheld: What no cluster shall announce by a record, by the record's path.
    """
    records = evaluation.state.records
    given = ProjectionInput(
        evaluation.documents,
        evaluation.reading,
        records,
        evaluation.plan.before,
        format_instant(evaluation.tree.clock),
        evaluation.tree.settings.applies_documents,
        withheld,
    )
    found = [item for family in families() for item in family.project(given)]
    found += [Projection(MANAGEMENT, record_document(record)) for record in records]
    return tuple(found)
