"""What is taken out of clusters, when, and what keeps it there."""

from tests.apply.execution.site import (
    ADDRESS_POOLS,
    FIRST,
    POOLS,
    Site,
    address_pool,
    announced,
    world,
)


def test_a_label_alone_makes_nothing_ours(site: Site) -> None:
    """Only what our label and our inventory both know is pruned."""
    one = site.tenants[FIRST]
    site.apply(world("web"))
    foreign = address_pool("theirs", "172.16.0.0/24")
    foreign["metadata"]["labels"] = {"gitops-ipam.dev/managed-by": "gitops-ipam"}
    one.put(foreign, path=ADDRESS_POOLS)
    site.apply(world("web"), "b")
    site.apply(world(), "c")
    assert announced(one, "theirs") == ["172.16.0.0/24"]


def test_a_pool_that_is_gone_from_git_goes_from_the_cluster(site: Site) -> None:
    site.apply(world())
    empty = {path: text for path, text in world().items() if not path.startswith("pools/")}
    del empty["providers/default.yaml"]
    site.apply(empty, "b")
    assert site.management.get(POOLS)["items"] == []


def test_a_pool_whose_document_is_broken_stays(site: Site) -> None:
    site.apply(world())
    site.apply({**world(), "pools/edge.yaml": "what is this"}, "b")
    assert len(site.management.get(POOLS)["items"]) == 1
