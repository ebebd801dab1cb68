"""Which pools in clusters a change gives another name: who uses one keeps it from being renamed."""

from collections.abc import Iterator

from msgspec.structs import replace

from reconciler.clusters.announcing import balancer_records
from reconciler.comparison import Base, Compared
from reconciler.evaluate import Evaluation
from reconciler.families._metallb import NAMED
from reconciler.findings import Finding, Location, ordered, warning
from reconciler.losses import kinds_of_clusters
from reconciler.model.cluster import tenant_name
from reconciler.model.settings import PATH, Settings

_THEN = (
    "it keeps its old name while Services use it, and ipam apply says so (exit code 5);"
    " else the old one goes and the new one comes"
)
_HINT = "keep the name, unless no Service has an address of it while this is applied"


def with_cluster_pools(
    base: Base, settings: tuple[Settings, Settings], compared: Compared
) -> Compared:
    """A comparison with the pools in clusters that get another name.

    Args:
        base: The base.
        settings: Those of the base, and those of the change.
        compared: What the comparison found. Where the Settings differ in that it has read all.
    """
    names = settings[0].metallb_pool, settings[1].metallb_pool
    found = [*_renamed(base, names, compared.evaluation)]
    if not found:
        return compared
    evaluation = compared.evaluation
    findings = ordered([*evaluation.findings, *found])
    return replace(compared, evaluation=replace(evaluation, findings=findings))


def _renamed(base: Base, names: tuple[str, str], evaluation: Evaluation) -> Iterator[Finding]:
    """What is said of each document, and of Settings with all that say nothing themselves."""
    alive = balancer_records(it for it in evaluation.state.records if it.is_live)
    described = base.described.documents
    by_settings = 0
    for kind in kinds_of_clusters():
        for document in evaluation.documents.of(kind):
            old = described.get(document.identity, document)
            if tenant_name(document.namespace, document.name) not in alive:
                continue
            said = old.annotations().get(NAMED), document.annotations().get(NAMED)
            before, now = said[0] or names[0], said[1] or names[1]
            if said == (None, None):
                by_settings += before != now
            elif before != now:
                message = f"the IPAddressPool in the cluster of {document.title} is called {now}"
                message += f" in place of {before}: {_THEN}"
                place = document.at("metadata", "annotations", NAMED)
                yield warning("cluster-pool-renamed", place, message, _HINT)
    if by_settings:
        whose = f"{by_settings} tenant{'' if by_settings == 1 else 's'}"
        message = f"spec.metallb.poolName: the IPAddressPool of {whose} is called {names[1]}"
        place, message = Location(PATH, 1, 1), f"{message} in place of {names[0]}: {_THEN}"
        yield warning("cluster-pool-renamed", place, message, _HINT)
