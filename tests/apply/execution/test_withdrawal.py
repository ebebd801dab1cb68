"""What is taken out of clusters, when, and what keeps it there."""

from reconciler.apply.plan import Applied, ObjectOutcome
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    FIRST,
    MERGE,
    POOLS,
    Site,
    address_pool,
    announced,
    service,
    without,
    world,
)

EDITED = f"{ADDRESS_POOLS}/default-pool"


def kept(applied: Applied) -> ObjectOutcome:
    """What is said of the pool that Services keep."""
    (found,) = [item for item in applied.outcomes if "is not withdrawn: Service" in item.error]
    return found


def test_who_changed_a_pool_that_only_services_keep_is_told(site: Site) -> None:
    """Nothing asks for the pool any more, so nothing but its owner says that it was changed."""
    site.apply(world("web", "shop"))
    one = site.tenants[FIRST]
    files = without(world("web", "shop"), "web")
    service(one, "shop", "10.0.0.5")
    assert kept(site.apply(files, "b")[FIRST]).drift is None
    patch = {"spec": {"addresses": ["10.0.0.5/32"]}}
    assert one.request("PATCH", f"{EDITED}?fieldManager=kubectl-edit", patch, MERGE)[0] == 200
    drift = kept(site.apply(files, "b")[FIRST]).drift
    assert drift is not None
    assert (drift.manager, drift.fields) == ("kubectl-edit", ("spec.addresses",))


def test_a_released_range_leaves_even_while_the_repository_has_errors(site: Site) -> None:
    site.apply(world("web", "shop"))
    files = without(world("web", "shop"), "web") | {"tenants/broken.yaml": "what is this"}
    site.apply(files, "b")
    assert announced(site.tenants[FIRST]) is None


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
