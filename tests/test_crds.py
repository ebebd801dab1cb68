"""The CRDs are what Butler's are, structural, bounded, and take every object that is rendered."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from jsonschema import Draft202012Validator

from reconciler.apply.render import rendered
from reconciler.families.butler.kinds import OBSERVED
from reconciler.families.butler.objects import observe
from reconciler.kube.resources import ref_of
from reconciler.model.objects import Manifest
from reconciler.planning.projection import project
from tests.envtest.servers import ApiServer
from tests.world import SMALL, evaluation_of, planned, pool, provider, request, tenant

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "schemas" / "crds"
EXAMPLE = ROOT / "example-repo"
BUTLER = ROOT / "tests" / "crds" / "butler"
MORE_COLUMNS = ("Team", "Workers")
CRDS: Mapping[str, Any] = {
    crd["spec"]["names"]["kind"]: crd
    for crd in (yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*.yaml")))
}
SEEDS = {
    # An elastic pool, requests, and a pool of Butler (docs/reference/butler.md).
    "pools/dc1.yaml": pool(
        "dc1", "10.92.90.0/23", tenantAllocation="{start: 10.92.90.49, end: 10.92.90.80}"
    ),
    "pools/lab.yaml": pool(
        "lab-pool",
        "10.40.0.0/21",
        reserved='[{cidr: 10.40.0.0/28, description: "Management cluster"}]',
        tenantAllocation="{start: 10.40.0.64, end: 10.40.7.254,"
        " defaults: {nodesPerTenant: 5, lbPoolPerTenant: 8}}",
    ),
    "providers/p.yaml": provider("default", "[{name: lab-pool}, {name: dc1, priority: 1}]"),
    "tenants/one.yaml": tenant("one"),
    "tenants/nodes.yaml": request("my-cluster-nodes", "lab-pool", count="5"),
    "tenants/lb.yaml": request("my-cluster-lb", "lab-pool"),
    "tenants/pin.yaml": request(
        "legacy-cluster-nodes",
        "lab-pool",
        pinnedRange="{startAddress: 10.40.0.100, endAddress: 10.40.0.109}",
    ),
}
# One Service, Node and Machine, which all use one reserved address of the pool.
ADDRESSES = {"addresses": [{"type": "InternalIP", "address": "10.40.0.5"}]}
USERS: tuple[list[Manifest], ...] = (
    [
        {
            "metadata": {"name": "traefik", "namespace": "traefik"},
            "spec": {"type": "LoadBalancer"},
            "status": {"loadBalancer": {"ingress": [{"ip": "10.40.0.5"}]}},
        }
    ],
    [{"metadata": {"name": "node-1"}, "status": ADDRESSES}],
    [{"metadata": {"name": "node-1", "namespace": "metal"}, "status": ADDRESSES}],
)
TREES: Mapping[str, Mapping[str, str | bytes]] = {
    "example": {
        path.relative_to(EXAMPLE).as_posix(): path.read_bytes()
        for path in sorted(EXAMPLE.rglob("*.yaml"))
    },
    "seeds": SEEDS,
    "small": SMALL,
    "refused": {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")},
}


def version(crd: Any) -> Any:
    (only,) = crd["spec"]["versions"]
    return only


def json_schema(part: Any) -> Any:
    """Return an OpenAPI v3 schema of a CRD as JSON Schema.

    An API server silently drops fields that are not in a CRD. Here they are errors.
    """
    if isinstance(part, list):
        return [json_schema(item) for item in part]
    if not isinstance(part, dict):
        return part
    found = {
        key: json_schema(value)
        for key, value in part.items()
        if key == "properties" or not key.startswith("x-kubernetes-")
    }
    if found.pop("nullable", False):
        found["type"] = [found["type"], "null"]
    if "properties" in found and isinstance(found.get("type"), str):
        found["additionalProperties"] = part.get("x-kubernetes-preserve-unknown-fields", False)
    return found


def objects(tree: Mapping[str, str | bytes]) -> list[Any]:
    """Return the objects of a reconciled tree for the management cluster, without CRDs."""
    found = rendered(planned(evaluation_of(tree)))
    return [
        yaml.safe_load(text)
        for path, text in found.items()
        if path.startswith("management/") and "/crds/" not in path and "kustom" not in path
    ]


@pytest.mark.parametrize("path", sorted(BUTLER.glob("*.yaml")), ids=lambda path: path.stem)
def test_names_columns_and_subresource_are_butlers(path: Path) -> None:
    theirs = yaml.safe_load(path.read_text())
    crd = CRDS[theirs["spec"]["names"]["kind"]]
    for field in ("group", "names", "scope"):
        assert crd["spec"][field] == theirs["spec"][field]
    ours, other = version(crd), version(theirs)
    assert (ours["name"], ours["served"], ours["storage"]) == ("v1alpha1", True, True)
    assert ours["subresources"] == other["subresources"]
    columns = [it for it in ours["additionalPrinterColumns"] if it["name"] not in MORE_COLUMNS]
    assert columns == other["additionalPrinterColumns"]


@pytest.mark.parametrize("name", sorted(TREES))
def test_rendered_objects_fit_their_crds(name: str) -> None:
    found = objects(TREES[name])
    assert found
    for item in found:
        if item["kind"] not in CRDS:  # another API's, which ships its own
            continue
        crd = CRDS[item["kind"]]
        assert item["apiVersion"] == f"{crd['spec']['group']}/v1alpha1"
        schema = json_schema(version(crd)["schema"]["openAPIV3Schema"])
        spaced = ["namespace"] if crd["spec"]["scope"] == "Namespaced" else []
        schema["properties"]["metadata"] = {"type": "object", "required": ["name", *spaced]}
        assert [error.message for error in Draft202012Validator(schema).iter_errors(item)] == []


def undeclared(value: Any, schema: Any, at: str = "") -> Iterator[str]:
    """Fields of a value that a schema does not describe, even where it would keep them."""
    if isinstance(value, list):
        for item in value:
            yield from undeclared(item, schema.get("items", {}), f"{at}[]")
    elif isinstance(value, Mapping):
        for key, below in value.items():
            described = schema.get("properties", {})
            if key in described:
                yield from undeclared(below, described[key], f"{at}.{key}")
            else:
                yield f"{at}.{key}"


@pytest.mark.parametrize("name", sorted(TREES))
def test_every_status_that_is_written_is_described(name: str) -> None:
    evaluation = planned(evaluation_of(TREES[name]))
    users = observe(evaluation.state.pools.values(), dict(zip(OBSERVED, USERS, strict=True)))
    kinds: dict[object, None] = {}
    for item in project(evaluation):
        if item.cluster != "management":
            continue
        ref = ref_of(item.manifest)
        if ref.resource.kind not in CRDS:
            continue
        schema = version(CRDS[ref.resource.kind])["schema"]["openAPIV3Schema"]["properties"]
        status = {**cast("Manifest", item.manifest["status"]), **users.get(ref, {})}
        assert list(undeclared(status, schema["status"])) == []
        assert Draft202012Validator(json_schema(schema["status"])).is_valid(status)
        conditions = schema["status"]["properties"]["conditions"]
        assert conditions["x-kubernetes-list-map-keys"] == ["type"]
        kinds[ref.resource.kind] = None
    if name == "example":
        assert kinds.keys() == CRDS.keys()


def test_render_hands_out_the_crds_as_they_are() -> None:
    found = rendered(evaluation_of(SMALL))
    crds = {Path(path).name: text for path, text in found.items() if "/crds/" in path}
    assert crds == {it.name: it.read_text() for it in FOLDER.glob("*butlerlabs.dev_*.yaml")}


POOLS = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/default/networkpools"


def network(cidr: str) -> dict[str, object]:
    return {
        "apiVersion": "butler.butlerlabs.dev/v1alpha1",
        "kind": "NetworkPool",
        "metadata": {"name": "edge"},
        "spec": {"cidr": cidr},
    }


def change(server: ApiServer, path: str, patch: dict[str, object]) -> int:
    return server.request("PATCH", path, patch, "application/merge-patch+json")[0]


@pytest.mark.parametrize(
    ("spec", "status"),
    [
        ({"cidr": "10.0.0.0/23"}, 200),
        ({"cidr": "10.0.0.0/24"}, 200),
        ({"cidr": "10.0.0.0/25"}, 422),
        ({"cidr": "10.0.1.0/24"}, 422),
        ({"cidr": "10.0.0.1/23"}, 422),
        ({"cidr": "010.0.0.0/23"}, 422),
        ({"reserved": [{"cidr": "10.0.0.1/28"}]}, 422),
        ({"tenantAllocation": {"start": "10.0.0.010", "end": "10.0.0.9"}}, 422),
        ({"tenantAllocation": {"ranges": [{"start": "10.0.0.1", "end": "10.0.0.09"}]}}, 422),
    ],
)
def test_a_pool_grows_and_never_shrinks_and_its_addresses_are_canonical(
    management: ApiServer, spec: dict[str, object], status: int
) -> None:
    management.put(network("10.0.0.0/24"), path=POOLS)
    assert change(management, f"{POOLS}/edge", {"spec": spec}) == status


def test_the_spec_of_an_allocation_is_fixed_once_it_has_its_addresses(
    management: ApiServer,
) -> None:
    path = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/default/ipallocations"
    allocation = {
        "apiVersion": "butler.butlerlabs.dev/v1alpha1",
        "kind": "IPAllocation",
        "metadata": {"name": "web-lb"},
        "spec": {
            "poolRef": {"name": "edge"},
            "tenantClusterRef": {"name": "web", "namespace": "team-a"},
            "type": "loadbalancer",
            "count": 8,
        },
    }
    management.put(allocation, path=path)
    assert change(management, f"{path}/web-lb", {"spec": {"count": 4}}) == 200
    assert change(management, f"{path}/web-lb/status", {"status": {"phase": "Allocated"}}) == 200
    assert change(management, f"{path}/web-lb", {"spec": {"count": 2}}) == 422
    assert change(management, f"{path}/web-lb", {"metadata": {"labels": {"a": "b"}}}) == 200
