"""The record of a claim without a place, as a real API server takes it: of each family."""

from pathlib import Path

import pytest
import yaml

from reconciler.families import families, needs_hub
from reconciler.families.interface import Family
from reconciler.model.plan import Refuse
from tests.apply.execution.site import ALLOCATIONS, Files, Site, failures
from tests.envtest.servers import ApiServer
from tests.families.capi.trees import cluster, of, pool
from tests.world import evaluation_of, reconciled

EXAMPLES = Path(__file__).parent / "examples"
with_a_hub = [it for it in families() if needs_hub(it.name)]
every_family = pytest.mark.parametrize("family", with_a_hub, ids=lambda family: family.name)


def without_pools(family: Family) -> Files:
    """The reconciled example of a family, of which no pool was ever there."""
    folder = EXAMPLES / family.name
    files: dict[str, str | bytes] = {}
    for path in sorted(folder.rglob("*.yaml")):
        there = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
        kept = [item for item in there if item["kind"] not in family.pool_kinds]
        files[path.relative_to(folder).as_posix()] = yaml.safe_dump_all(kept)
    return reconciled(files)


def refused(files: Files) -> set[str]:
    decisions = evaluation_of(files).plan.decisions
    return {str(item.claim) for item in decisions if isinstance(item, Refuse)}


def failed(server: ApiServer) -> set[str]:
    return {
        item["metadata"]["annotations"]["gitops-ipam.dev/claim"]
        for item in server.get(ALLOCATIONS)["items"]
        if item["status"]["phase"] == "Failed"
    }


@every_family
def test_a_server_takes_the_record_of_every_refused_claim(
    family: Family, management: ApiServer
) -> None:
    files = without_pools(family)
    assert refused(files)
    applied = Site(management).apply(files)["management"]
    assert [name for name in failures(applied) if "/IPAllocation/" in name] == []
    assert failed(management) == refused(files)


def test_one_cluster_that_no_pool_is_labelled_for_spoils_no_other(management: ApiServer) -> None:
    files = reconciled(of(pool(), cluster("kube1", class_="small")))
    applied = Site(management).apply(files)["management"]
    assert [name for name in failures(applied) if "/IPAllocation/" in name] == []
    pools = {item["spec"]["poolRef"]["name"] for item in management.get(ALLOCATIONS)["items"]}
    assert pools == {"none"}
