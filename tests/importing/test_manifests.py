"""Output of kubectl as files: lists, documents and JSON, of one cluster or of several."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
import yaml

from reconciler.importing.assembling import Imported
from reconciler.importing.manifests import clusters_in
from reconciler.importing.run import ImportSource, looked
from reconciler.importing.sources import ImportedSource
from tests.importing.sources import conflicts, imported, lines
from tests.reconcile.test_importing import BUTLER, made, metallb, service

HUB = [
    made(BUTLER, "NetworkPool", "edge", {"cidr": "10.0.0.0/16"}, "butler-system"),
    made("cluster.x-k8s.io/v1beta1", "Cluster", "one", {}, "team-a"),
    made("novaedge.io/v1alpha1", "ProxyIPPool", "vips", {"cidrs": ["10.9.0.0/24"]}),
]
POOL = metallb("default-pool", "10.0.1.0/28", "2001:db8::/120")
WEB = service("front", "10.0.1.3", "2001:db8::5")


def listed(*objects: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "List", "items": list(objects), **more}


def brought(*files: tuple[str, str | bytes], namespace: str = "") -> ImportedSource:
    read = [
        (("team-a", owner), f"{owner}.yaml", text.encode() if isinstance(text, str) else text)
        for owner, text in files
    ]
    clusters, more = clusters_in(read)
    looks = [ImportSource(owner, cluster) for owner, cluster in clusters.items()]
    return looked(looks, "default-pool", namespace).with_more(more)


def documents(objects: Iterable[Any]) -> str:
    return yaml.safe_dump_all(objects)


def of_type(kind: str, *objects: Mapping[str, Any]) -> dict[str, Any]:
    """A list as the API gives it: its items have no kind."""
    items = [{key: it[key] for key in it if key not in ("apiVersion", "kind")} for it in objects]
    return {"apiVersion": objects[0]["apiVersion"], "kind": f"{kind}List", "items": items}


@pytest.mark.parametrize(
    "text",
    [
        documents([listed(*HUB, POOL, WEB)]),
        json.dumps(listed(*HUB, POOL, WEB), indent="\t"),
        json.dumps([*HUB, POOL, WEB]),
        documents([*HUB, POOL, WEB]),
        documents([listed(*HUB), listed(listed(POOL), WEB)]),
        documents([listed(*HUB), of_type("IPAddressPool", POOL), of_type("Service", WEB)]),
        documents([listed(*HUB, POOL, WEB)]).encode("utf-16"),
    ],
)
def test_each_form_of_kubectl_output_is_the_same_import(text: str | bytes) -> None:
    result = imported(brought(("web", text)))
    assert conflicts(result) == []
    assert "team-a/web loadbalancer edge 10.0.1.0-10.0.1.15 10.0.1.0-10.0.1.15" in lines(result)
    assert {"pools/edge.yaml", "pools/vips.yaml", "clusters/team-a/one.yaml"} <= set(result.files)
    assert result.lines[0].users == ("default/front (10.0.1.3)",)
    assert (
        "cluster team-a/web IPAddressPool default-pool: IPv6 is not imported:"
        " 2001:db8::/120 of team-a/web"
    ) in result.notes


def test_files_of_several_clusters_are_apart_and_one_hub_can_be_in_several_files() -> None:
    other = metallb("default-pool", "10.0.2.0/28")
    files = [("web", listed(POOL)), ("shop", listed(other)), ("hub", listed(*HUB))]
    result = imported(brought(*((owner, documents([it])) for owner, it in files)))
    assert conflicts(result) == []
    assert sorted(line.owner for line in result.lines) == ["team-a/shop", "team-a/web"]


def test_metallb_is_found_in_any_namespace_and_several_are_a_conflict() -> None:
    elsewhere = json.loads(json.dumps(POOL))
    elsewhere["metadata"]["namespace"] = "lb"
    one = brought(("web", json.dumps(listed(elsewhere, WEB))))
    assert one.conflicts == ()
    assert (
        "cluster team-a/web: MetalLB is in namespace lb; ipam apply writes to metallb-system"
        in one.notes
    )
    both = json.dumps(listed(elsewhere, metallb("old", "10.7.0.0/28")))
    assert conflicts(brought(("web", both))) == [
        "cluster team-a/web: the cluster has IPAddressPools in several namespaces: lb, metallb-system"
    ]
    (held, _) = brought(("web", both), namespace="lb").holdings
    assert held.title == "team-a/web"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "web.yaml:2: did not find expected node content"),
        ("a: &x 1\nb: *x\n", "web.yaml:1: anchors and aliases are not allowed"),
        ("- 1\n", "web.yaml: /0 is not a Kubernetes manifest with apiVersion, kind, and metadata.name"),
        ('{"kind": "List", "items": [{"kind": 1}]}', "web.yaml: /0/items/0 is not a Kubernetes manifest with apiVersion, kind, and metadata.name"),
        (json.dumps([POOL, metallb("default-pool", "10.7.0.0/28")]), "web.yaml: /1: metallb.io/IPAddressPool/metallb-system/default-pool appears twice with different content"),
    ],
)  # fmt: skip
def test_what_is_no_output_of_kubectl_is_told(text: str, said: str) -> None:
    found = conflicts(brought(("web", text)))
    assert len(found) == 1
    assert found[0].startswith(said.partition(" is there")[0])


WRONG: list[tuple[dict[str, Any], str]] = [
    (listed() | {"items": 5}, "web.yaml: /0/items/0 is not a Kubernetes manifest"),
    ({**POOL, "spec": [1]}, "web.yaml: cluster team-a/web: its pools or Services cannot be read"),
    ({**POOL, "spec": {"addresses": [5]}}, "web.yaml: cluster team-a/web: its pools or Services"),
    (listed(POOL, {**WEB, "status": [1]}), "web.yaml: cluster team-a/web: its pools or Services"),
    ({**HUB[0], "spec": 5}, "pools/edge.yaml:8: field-type: spec"),
    (
        made(BUTLER, "IPAllocation", "x", [1], "butler-system"),
        "web.yaml: /0: cluster team-a/web IPAllocation",
    ),
]


@pytest.mark.parametrize(("item", "said"), WRONG)
def test_an_object_that_no_server_has_is_a_conflict(item: dict[str, Any], said: str) -> None:
    first = conflicts(imported(brought(("web", json.dumps(item)))))[0]
    assert first.startswith(said)


def test_kinds_that_are_not_imported_are_named() -> None:
    found: Imported = imported(brought(("web", json.dumps(listed(made("v1", "Pod", "x"))))))
    assert "web.yaml: not read: Pod of v1" in found.notes
