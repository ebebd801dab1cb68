"""Beside Cluster API's real in-cluster IPAM provider: our addresses are ours, its claims are its."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.site import Ran, Site, require_quiet, versions
from tests.envtest.assets import CLUSTER_API
from tests.envtest.fixtures import CRDS
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer, Fleet
from tests.families.capi.trees import cluster, document, pool
from tests.world import CLOCK

GROUP = "ipam.cluster.x-k8s.io"
POOLS = f"/apis/{GROUP}/v1alpha2/globalinclusterippools"
ROOT = f"/apis/{GROUP}/v1beta1"
ADDRESSES, CLAIMS = (f"{ROOT}/namespaces/default/{it}" for it in ("ipaddresses", "ipaddressclaims"))
CP, INGRESS = "vip-cp-shop", "vip-ingress-shop"
DAY = 86_400


def shop(version: str, name: str = "shop") -> str:
    """A Cluster, which a person makes in the management cluster and writes into Git."""
    named = {"class": "web"} if version == "v1beta1" else {"classRef": {"name": "web"}}
    return cluster(name, class_="", version=version, topology={**named, "version": "v1.31.0"})


def vips(*excluded: str) -> str:
    return pool("vips", gateway="10.0.0.1", excludedAddresses=list(excluded))


DOORS = pool("doors", "10.0.0.100-10.0.0.110", role="ingress")


def files(version: str) -> dict[str, str | bytes]:
    variables = {"variables": [{"name": "clusterVip"}]}
    class_ = document("ClusterClass", f"cluster.x-k8s.io/{version}", {"name": "web"}, variables)
    return {
        "pools/vips.yaml": vips(),
        "pools/doors.yaml": DOORS,
        "clusters/web.yaml": class_,
        "clusters/shop.yaml": shop(version),
    }


def claim(name: str, pool: str = "vips", kind: str = "GlobalInClusterIPPool") -> str:
    """A claim that a person makes in the management cluster, and nowhere else."""
    reference = {"apiGroup": GROUP, "kind": kind, "name": pool}
    return document("IPAddressClaim", f"{GROUP}/v1beta1", {"name": name}, {"poolRef": reference})


@pytest.fixture(scope="module", params=CLUSTER_API)
def served(request: pytest.FixtureRequest, fleet: Fleet) -> Iterator[tuple[str, ApiServer]]:
    """A management cluster with Cluster API's CRDs of a version, and ours."""
    version = request.param
    fleet.start([f"capi-{version}"])
    server = fleet.servers.pop(f"capi-{version}")
    server.install_cluster_api(version)
    server.install_crds(CRDS)
    yield version, server
    server.stop_controllers()
    server.stop()


@pytest.fixture
def hub(served: tuple[str, ApiServer]) -> Iterator[ApiServer]:
    """The management cluster, with the provider, and a Cluster that a person made."""
    version, server = served
    server.wipe()
    server.start_ipam_provider()
    made(server, shop(version))
    yield server
    server.stop_controllers()


@pytest.fixture
def site(tmp_path: Path, served: tuple[str, ApiServer], hub: ApiServer) -> Site:
    return Site(tmp_path, hub, files(served[0]))


def made(server: ApiServer, *texts: str) -> None:
    for text in texts:
        done = server.kubectl("apply", "-f", "-", stdin=text)
        assert done.returncode == 0, done.stderr


def removed(server: ApiServer, kind: str, name: str) -> None:
    done = server.kubectl("delete", "--wait=false", kind, name)
    assert done.returncode == 0, done.stderr


def released(server: ApiServer, name: str) -> None:
    removed(server, "ipaddressclaim", name)
    until(lambda: there(server, ADDRESSES, name) is None, f"the provider releases {name}")


def there(server: ApiServer, path: str, name: str) -> dict[str, Any] | None:
    status, body = server.request("GET", f"{path}/{name}")
    return body if status == 200 else None


def answered(server: ApiServer, name: str) -> str:
    """The address that a claim got, once the provider has answered and taken it on."""

    def address() -> str:
        asked = there(server, CLAIMS, name) or {}
        found = there(server, ADDRESSES, name) or {"metadata": {}}
        is_owned = len(found["metadata"].get("ownerReferences", ())) == 2
        is_answered = (asked.get("status") or {}).get("addressRef") == {"name": name}
        return found["spec"]["address"] if is_owned and is_answered else ""

    text: str = until(address, f"the provider answers {name}")
    return text


def counted(server: ApiServer, *names: str, **wanted: int) -> None:
    def has_counted(name: str) -> bool:
        found = there(server, POOLS, name) or {"metadata": {}}
        counters = (found.get("status") or {}).get("ipAddresses") or {}
        is_taken_on = bool(found["metadata"].get("finalizers"))
        return is_taken_on and wanted.items() <= counters.items()

    for name in names or ("vips",):
        until(partial(has_counted, name), f"the provider counts {wanted} in {name}")


def settled(server: ApiServer) -> None:
    """Wait until the provider has handled all earlier events of pools.

    Counts in status do not show this: both controllers write the same ones, also later. The provider
    handles one pool at a time, so all earlier events are done when it has handled a new pool.
    """
    made(server, pool("last", "10.254.0.0/30"))
    counted(server, "last", used=0)
    removed(server, "globalinclusterippool", "last")
    until(lambda: there(server, POOLS, "last") is None, "the provider releases the last pool")


def endpoint(server: ApiServer, name: str = "shop") -> str:
    found = server.kubectl("get", "cluster", name, "-o", "jsonpath={.spec.controlPlaneEndpoint}")
    return str((yaml.safe_load(found.stdout) or {}).get("host", ""))


def still(server: ApiServer) -> dict[str, str]:
    return versions(server, (POOLS, f"{ROOT}/ipaddresses", f"{ROOT}/ipaddressclaims"))


def errors(ran: Ran) -> dict[str, str]:
    told = ran.objects("management").items()
    return {name.rpartition("/")[2]: item["error"] for name, item in told if item["error"]}


def test_the_provider_takes_on_what_we_made_and_nobody_fights(site: Site, hub: ApiServer) -> None:
    site.reconcile()
    assert [answered(hub, name) for name in (CP, INGRESS)] == ["10.0.0.10", "10.0.0.100"]
    assert endpoint(hub) == "10.0.0.10"
    settled(hub)
    counted(hub, "vips", "doors", total=11, free=10, used=1, outOfRange=0)
    before = still(hub)
    site.reconcile()  # now its finalizer shows that a provider is running
    require_quiet(site)
    assert still(hub) == before
    address, asked = there(hub, ADDRESSES, CP), there(hub, CLAIMS, CP)
    assert address is not None
    assert asked is not None
    assert [(it["kind"], it["controller"]) for it in address["metadata"]["ownerReferences"]] == [
        ("IPAddressClaim", True),
        ("GlobalInClusterIPPool", False),
    ]
    assert address["metadata"]["finalizers"] == [f"{GROUP}/ProtectAddress"]
    assert asked["metadata"]["finalizers"] == [f"{GROUP}/ReleaseAddress"]
    (ready,) = asked["status"]["conditions"]
    assert (ready["status"], ready["reason"]) == ("True", "AddressAllocated")


def test_claims_of_others_are_the_providers_in_its_own_pools_and_in_ours(
    site: Site, hub: ApiServer
) -> None:
    site.reconcile()
    theirs = pool("theirs", "10.9.0.5-10.9.0.6", namespace="default")
    made(hub, theirs, claim("one", "theirs", "InClusterIPPool"), claim("two"))
    assert answered(hub, "one") == "10.9.0.5"
    assert answered(hub, "two") == "10.0.0.11"  # the lowest free address: it respects ours
    site.reconcile()
    settled(hub)
    counted(hub, used=2, free=9)
    before = still(hub)
    require_quiet(site)
    assert still(hub) == before
    released(hub, "two")
    require_quiet(site)


def test_a_foreign_holder_is_named_and_never_overwritten_and_the_rest_goes_on(
    served: tuple[str, ApiServer], site: Site, hub: ApiServer
) -> None:
    site.reconcile()
    made(hub, claim("two"))
    assert answered(hub, "two") == "10.0.0.11"
    made(hub, shop(served[0], "zoo"))
    site.commit({"clusters/zoo.yaml": shop(served[0], "zoo")}, "zoo comes")
    ran = site.reconcile(code=5)
    said = f"foreign-holder: {GROUP}/IPAddress/default/two already has 10.0.0.11 of the record"
    assert errors(ran) == {"vip-cp-zoo": said}
    assert endpoint(hub, "zoo") == ""
    assert answered(hub, "two") == "10.0.0.11"
    assert there(hub, CLAIMS, "vip-cp-zoo") is None  # the provider would give it another one
    assert answered(hub, "vip-ingress-zoo") == "10.0.0.101"
    released(hub, "two")
    site.reconcile()
    assert answered(hub, "vip-cp-zoo") == endpoint(hub, "zoo") == "10.0.0.11"


def test_what_is_released_is_free_for_the_provider(site: Site, hub: ApiServer) -> None:
    site.reconcile()
    site.reconcile()
    answered(hub, CP)
    removed(hub, "cluster", "shop")
    site.commit({"clusters/shop.yaml": None}, "shop goes", CLOCK + DAY)
    site.reconcile("--allow-release", "2")
    assert answered(hub, CP) == "10.0.0.10"  # its retention runs
    site.commit({"README.md": "later\n"}, "time passes", CLOCK + 3 * DAY)
    site.reconcile()
    objects = [(path, name) for path in (ADDRESSES, CLAIMS) for name in (CP, INGRESS)]
    until(lambda: not any(there(hub, *it) for it in objects), "all that was ours is gone")
    counted(hub, used=0, free=11)
    made(hub, claim("next"))
    assert answered(hub, "next") == "10.0.0.10"


def test_a_provider_that_comes_later_finds_all_as_it_leaves_it(site: Site, hub: ApiServer) -> None:
    hub.stop_controllers()
    site.reconcile()
    require_quiet(site)
    there_before = there(hub, POOLS, "vips")
    assert there_before is not None
    assert there_before["status"]["ipAddresses"]["used"] == 1  # without a provider we are one
    hub.start_ipam_provider()
    answered(hub, CP)
    made(hub, claim("two"))
    assert answered(hub, "two") == "10.0.0.11"
    settled(hub)
    counted(hub, used=2)
    counted(hub, "doors", used=1)
    before = still(hub)
    site.reconcile()
    require_quiet(site)
    assert still(hub) == before
