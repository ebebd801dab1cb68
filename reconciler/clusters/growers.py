"""Those who may grow, of all families, and what is left of those who are gone."""

from collections.abc import Iterator

from reconciler.evaluate import Evaluation
from reconciler.families import families
from reconciler.families._demand import DEMAND, growth_index
from reconciler.families._objects import Grower
from reconciler.observed import path_of
from reconciler.records.changes import Change


def all_growers(evaluation: Evaluation) -> Iterator[Grower]:
    """Those who may grow, of all families, by the documents of a whole tree."""
    for family in families():
        if family.objects.growers is not None:
            yield from family.objects.growers(evaluation.documents, evaluation.tree.settings)


def abandoned(evaluation: Evaluation) -> Iterator[Change]:
    """Demands of nobody: their owners are gone, and no growth of theirs holds anything.

    Else who has the name one day would begin with all that another one grew by.
    """
    if evaluation.state.unclear or evaluation.state.halted:
        return
    grown = {
        (record.claim.namespace, record.claim.name)
        for record in evaluation.state.records
        if growth_index(record)
    }
    documents, folder = evaluation.documents, evaluation.tree.settings.observed
    for demand in documents.of(DEMAND.id):
        name = demand.namespace, demand.name
        path = path_of(folder, (DEMAND.id.group, DEMAND.name, *name))
        if name in grown or demand.doubt or demand.file != path:
            continue
        owns = (family.objects.may_own for family in families())
        if not any(may_own(documents, *name) for may_own in owns if may_own is not None):
            yield Change(path, None)
