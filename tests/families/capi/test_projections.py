"""Cluster API's pools as objects: counters as the provider has them, labels as a server takes them."""

from typing import Any

from reconciler.planning.projection import project
from tests.families.capi.trees import CLASS, ROLE, claim, of, pool
from tests.world import evaluation_of, reconciled


def projected(*texts: str, kind: str = "GlobalInClusterIPPool") -> list[dict[str, Any]]:
    found = project(evaluation_of(reconciled(of(*texts))))
    return [dict(item.manifest) for item in found if item.manifest["kind"] == kind]


def test_counters_stop_where_the_provider_stops() -> None:
    (vips,) = projected(pool("vips", "2001:db8::/32", prefix=32), claim())
    most = 2**63 - 1
    assert vips["status"]["ipAddresses"] == {
        "free": most,
        "total": most,
        "used": 1,
        "outOfRange": 0,
    }


def test_what_lies_outside_of_a_pool_is_used_and_told() -> None:
    files = reconciled(of(pool(), claim("one"), claim("two")))
    files["pools/00.yaml"] = pool("vips", "10.0.0.11")
    (vips,) = (
        item.manifest for item in project(evaluation_of(files)) if "IPPool" in item.manifest["kind"]
    )
    assert vips["status"] == {"ipAddresses": {"free": -1, "total": 1, "used": 2, "outOfRange": 1}}


def test_labels_that_no_server_takes_become_annotations() -> None:
    (vips,) = projected(pool(class_="web,api", role="control-plane,ingress"))
    assert vips["metadata"] == {
        "name": "vips",
        "labels": {CLASS: "true", ROLE: "true"},
        "annotations": {CLASS: "web,api", ROLE: "control-plane,ingress"},
    }
    (vips,) = projected(pool(annotations={"note": "x"}))
    assert vips["metadata"] == {
        "name": "vips",
        "labels": {CLASS: "web", ROLE: "control-plane"},
        "annotations": {"note": "x"},
    }
