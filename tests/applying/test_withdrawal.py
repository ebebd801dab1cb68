"""What is taken out of clusters, when, and what keeps it there."""

from reconciler.clusters.outcome import Applied, Outcome, State
from reconciler.clusters.target import UNCLEAR
from tests.applying.site import (
    ADDRESS_POOLS,
    ALLOCATIONS,
    FIRST,
    INVENTORY,
    MERGE,
    METALLB,
    POOLS,
    SECOND,
    Site,
    address_pool,
    announced,
    failures,
    results,
    service,
    unclear,
    without,
    world,
)
from tests.world import CLOCK, reconciled

POOL = "metallb.io/IPAddressPool/metallb-system/default-pool"
EDITED = f"{ADDRESS_POOLS}/default-pool"
HOUR = 3_600


def kept(applied: Applied) -> Outcome:
    """What is said of the pool that Services keep."""
    (found,) = [item for item in applied.outcomes if "is not withdrawn: Service" in item.error]
    return found


def test_a_released_range_leaves_the_cluster(site: Site) -> None:
    site.apply(world("web", "shop"))
    applied = site.apply(without(world("web", "shop"), "web"), "b")
    assert results(applied[FIRST]) == {
        POOL: "deleted",
        "metallb.io/L2Advertisement/metallb-system/default": "deleted",
    }
    one = site.tenants[FIRST]
    assert announced(one) is None
    assert one.request("GET", f"{METALLB}/l2advertisements/default")[0] == 404
    assert announced(site.tenants[SECOND]) == ["10.0.0.0-10.0.0.3"]
    record = site.management.get(f"{ALLOCATIONS}/team-a-web-lb")
    assert record["status"]["phase"] == "Released"
    data = site.management.get(f"/api/v1/namespaces/butler-system/{INVENTORY}")["data"]
    assert "cluster.team-a.web" not in data


def test_the_object_goes_with_its_record(site: Site) -> None:
    files = without(world("web", "shop"), "web")
    site.apply(files)
    path = f"{ALLOCATIONS}/team-a-web-lb"
    assert site.management.get(path)["status"]["phase"] == "Released"
    later = reconciled(files, CLOCK + 25 * HOUR)
    applied = site.apply(later, "b")
    assert (
        results(applied["management"])[
            "butler.butlerlabs.dev/IPAllocation/butler-system/team-a-web-lb"
        ]
        == "deleted"
    )
    assert site.management.request("GET", path)[0] == 404


def test_addresses_that_a_service_uses_stay(site: Site) -> None:
    site.apply(world("web", "shop"))
    one = site.tenants[FIRST]
    service(one, "shop", "10.0.0.5")
    files = without(world("web", "shop"), "web")
    applied = site.apply(files, "b")[FIRST]
    assert failures(applied) == {
        POOL: "10.0.0.4-10.0.0.7 is not withdrawn: Service default/shop uses 10.0.0.5;"
        " delete it, or --force-withdraw"
    }
    assert announced(one) == ["10.0.0.4-10.0.0.7"]
    assert one.request("GET", f"{METALLB}/l2advertisements/default")[0] == 200
    site.apply(files, "b", force_withdraw=True)
    assert announced(one) is None


def test_who_changed_a_pool_that_services_keep_is_told(site: Site) -> None:
    """Addresses that somebody added, and that a Service uses by now, are kept, and owned by us."""
    site.apply(world("web"))
    one = site.tenants[FIRST]
    patch = {"spec": {"addresses": ["10.0.0.0/30", "172.16.0.0/24"]}}
    assert one.request("PATCH", f"{EDITED}?fieldManager=kubectl-edit", patch, MERGE)[0] == 200
    service(one, "shop", "172.16.0.1")
    drift = kept(site.apply(world("web"))[FIRST]).drift
    assert drift is not None
    assert (drift.manager, drift.fields) == ("kubectl-edit", ("spec.addresses",))
    assert drift.time.endswith("Z")
    assert announced(one) == ["10.0.0.0-10.0.0.3", "172.16.0.0-172.16.0.255"]
    assert kept(site.apply(world("web"))[FIRST]).drift is None


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


def test_nothing_is_withdrawn_while_the_repository_has_errors(site: Site) -> None:
    """A record that vanished, and an error somewhere: what is wanted is not clear."""
    files = world("web", "shop")
    site.apply(files)
    applied = site.apply(unclear(files, "shop"), "b")
    assert announced(site.tenants[FIRST]) == ["10.0.0.4-10.0.0.7"]
    assert "is not withdrawn: the repository has errors" in failures(applied[FIRST])[POOL]
    note = f"1 objects stay while {UNCLEAR}"
    assert note in applied["management"].notes


def test_a_released_range_leaves_even_while_the_repository_has_errors(site: Site) -> None:
    site.apply(world("web", "shop"))
    files = without(world("web", "shop"), "web") | {"tenants/broken.yaml": "what is this"}
    site.apply(files, "b")
    assert announced(site.tenants[FIRST]) is None


def test_too_many_objects_are_not_deleted_without_a_word(site: Site) -> None:
    names = [f"t{number}" for number in range(7)]
    files = world(*names)
    site.apply(files)
    vanished = {path: text for path, text in files.items() if not path.startswith("tenants/")}
    vanished = {path: text for path, text in vanished.items() if "/team-a/" not in path}
    applied = site.apply(vanished, "b")["management"]
    assert applied.state is State.APPLIED  # 8 objects: fewer than the Settings' minRecords
    files = world(*names, *(f"u{number}" for number in range(1)), **{"ipam.yaml": SETTINGS})
    site.apply(files, "c")
    vanished = {path: text for path, text in files.items() if not path.startswith("tenants/")}
    vanished = {path: text for path, text in vanished.items() if "/team-a/" not in path}
    applied = site.apply(vanished, "d")["management"]
    assert applied.error == "8 of 9 objects would be deleted"
    assert applied.hint == "if that is meant: --allow-release 8"
    assert len(site.management.get(ALLOCATIONS)["items"]) == 8
    site.apply(vanished, "d", allow_release=8)
    assert site.management.get(ALLOCATIONS)["items"] == []


SETTINGS = """\
apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
spec: {brakes: {maxReleasePercent: 30, minRecords: 9}}
"""


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


def test_what_lost_its_label_is_not_deleted_but_told(site: Site) -> None:
    """A cluster that goes on announcing what nobody asks for is no quiet matter."""
    site.apply(world("web"))
    one = site.tenants[FIRST]
    patch = {"metadata": {"labels": {"gitops-ipam.dev/managed-by": None}}}
    one.request("PATCH", f"{ADDRESS_POOLS}/default-pool", patch, MERGE)
    applied = site.apply(without(world("web"), "web"), "b")[FIRST]
    assert failures(applied) == {
        POOL: "it shall go, but its label gitops-ipam.dev/managed-by was taken off; delete it"
    }
    assert announced(one) == ["10.0.0.0-10.0.0.3"]
    one.request("DELETE", f"{ADDRESS_POOLS}/default-pool")
    assert not site.apply(without(world("web"), "web"), "b")[FIRST].is_failed


def test_orphans_go_after_a_grace(site: Site) -> None:
    """Ours by label and manager, but in no inventory: a run that was killed left it."""
    site.apply(world("web"))
    one = site.tenants[FIRST]
    orphan = address_pool("left", "172.16.0.0/24")
    orphan["metadata"]["labels"] = {"gitops-ipam.dev/managed-by": "gitops-ipam"}
    path = f"{ADDRESS_POOLS}/left?fieldManager=gitops-ipam"
    assert one.request("PATCH", path, orphan, "application/apply-patch+yaml")[0] == 201
    site.apply(world("web"))
    inventory = f"/api/v1/namespaces/metallb-system/{INVENTORY}"
    lines = one.get(inventory)["data"]["objects"]
    assert "/left " in lines
    assert announced(one, "left") == ["172.16.0.0/24"]
    _, _, rest = lines.partition("orphan-since-")
    since = rest.partition("\n")[0]
    aged = lines.replace(since, str(int(since) - 601))
    one.request("PATCH", inventory, {"data": {"objects": aged}}, MERGE)
    site.apply(world("web"))
    assert announced(one, "left") is None


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
