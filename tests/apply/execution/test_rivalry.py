"""Two that want one address, and trees that ask for less than is meant."""

import pytest

from reconciler.families.butler.kinds import TENANT_CLUSTER
from reconciler.model.objects import Ref
from tests.apply.execution.site import ALL, FIRST, SECOND, Files, failures, results, world
from tests.fake_cluster import HUB
from tests.fake_clusters import POOL, FakeClusters

TENANT = Ref(TENANT_CLUSTER, "team-a", "web")
WEB = "allocations/NetworkPool/butler-system.edge/team-a/web.loadbalancer.yaml"
FILES = world("web", "shop")


def lacking(files: Files, *parts: str) -> Files:
    """The tree without the files whose paths begin with, or are, one of these."""
    return {path: text for path, text in files.items() if not path.startswith(parts)}


def disputed() -> Files:
    """Return the tree with a record of web that also contains the addresses of shop."""
    text = FILES[WEB]
    text = text if isinstance(text, str) else text.decode()
    for number in range(4):
        text = text.replace(f"10.0.0.{number + 4}\n", f"10.0.0.{number}\n")
    return {**FILES, WEB: text.replace("10.0.0.4/30", "10.0.0.0/30")}


def test_of_two_records_of_one_address_neither_is_announced_anew(clusters: FakeClusters) -> None:
    applied = clusters.run(disputed())
    for name, other in ((FIRST, SECOND), (SECOND, FIRST)):
        assert f"{other} might still announce" in failures(applied[name])[str(POOL)]
        assert clusters.announced(name) is None


def test_of_two_records_of_one_address_the_one_that_is_announced_stays(
    clusters: FakeClusters,
) -> None:
    clusters.run(FILES)
    clusters.run(disputed(), "b")
    assert clusters.announced(SECOND) == ["10.0.0.0-10.0.0.3"]
    assert clusters.announced(FIRST) != ["10.0.0.0-10.0.0.3"]


def test_nothing_is_withdrawn_where_all_records_are_out_of_sight(clusters: FakeClusters) -> None:
    """Settings that name another folder of records, say."""
    clusters.run(FILES)
    applied = clusters.run(lacking(FILES, "allocations/"), "b", allow_delete=9)
    assert "is not withdrawn" in failures(applied[FIRST])[str(POOL)]
    assert clusters.announced(FIRST) == ["10.0.0.4-10.0.0.7"]
    assert clusters.announced(SECOND) == ["10.0.0.0-10.0.0.3"]


@pytest.mark.parametrize(
    ("lacks", "allowed"), [(("ipam.yaml", "tenants/", WEB), 9), (("tenants/",), None)]
)
def test_documents_stay_where_settings_go_back_to_pools_or_a_release_limit_stops_the_plan(
    clusters: FakeClusters, lacks: tuple[str, ...], allowed: int | None
) -> None:
    files = world("web", "shop", **{"ipam.yaml": ALL})
    clusters.run(files)
    assert TENANT in clusters.objects[HUB]
    applied = clusters.run(lacking(files, *lacks), "b", allow_delete=allowed)[HUB]
    assert str(TENANT) not in results(applied)
    assert TENANT in clusters.objects[HUB]
    assert allowed or any("kept while" in note for note in applied.notes)
