"""Reading the copy of a live object gives the same claims, pools and addresses as reading all of it."""

import re
from collections.abc import Mapping
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from reconciler.apply.intake import ObjectCopy, copy_of
from reconciler.documents.document import Document, Documents
from reconciler.documents.load import load
from reconciler.documents.validators import schema
from reconciler.documents.yaml import dump
from reconciler.families import family_of_kind
from reconciler.families.importing import copied
from reconciler.families.interface import FamilyReading
from reconciler.model.settings import Settings
from reconciler.planning.documents import source_kinds
from tests.examples import scaled
from tests.families.live import IPAM, VIP, intake, live

NAMES = st.sampled_from(["web", "db", "shop"])
ADDRESS = st.integers(1, 40).map(lambda last: f"10.0.0.{last}")
ENTRY = st.one_of(ADDRESS, ADDRESS.map(lambda it: f"{it}-10.0.0.60"))
ADDRESSES = st.lists(ENTRY, min_size=1, max_size=3)
CIDR = st.sampled_from(["10.0.0.0/24", "10.244.0.0/16", "x"])
NOISE = st.sampled_from([None, {}, {"token": "secret"}, [{"secret": "x"}], "secret", 7, True])
SLOT = {"cidrBlocks": st.lists(CIDR, max_size=2)}


def some(needed: Mapping[str, Any] | None = None, **fields: Any) -> st.SearchStrategy[Any]:
    """Return a mapping with some of these fields, and unknown ones."""
    inner = {
        key: it if isinstance(it, st.SearchStrategy) else some(**it) for key, it in fields.items()
    }
    noise = st.dictionaries(st.sampled_from(["zebra", "quux", "secretRef"]), NOISE, max_size=2)
    known = st.fixed_dictionaries(dict(needed or {}), optional=inner)
    return st.builds(lambda one, other: {**other, **one}, known, noise)


def texts(**fields: Any) -> st.SearchStrategy[Any]:
    named = {key.replace("__", "/"): it for key, it in fields.items()}
    odd = {"note": st.just("secret"), "example.org/token": st.just("secret")}
    return st.fixed_dictionaries({}, optional={**named, **odd})


def marks(*names: str, values: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return texts(**{name.replace("/", "__"): values for name in names})


YES = st.sampled_from(["true", "false", "", "web", "web,db", "control-plane", "ingress", "7"])
POOL_MARKS = [
    *("cluster.x-k8s.io/paused", f"{VIP}cluster-class", f"{VIP}role"),
    *(f"gitops-ipam.dev/{it}" for it in ("gate", "warning", "address-space", "exhausted")),
]
REFERENCE = some({
    "apiGroup": st.sampled_from([IPAM, "other.io"]), "name": NAMES,
    "kind": st.sampled_from(["GlobalInClusterIPPool", "InClusterIPPool", "Other"]),
})  # fmt: skip
POOL = some(
    {"addresses": ADDRESSES, "prefix": st.sampled_from([24, 24, 26])},
    gateway=st.one_of(ADDRESS, st.just("")), excludedAddresses=ADDRESSES,
    allocateReservedIPAddresses=st.booleans(), addressReuseGracePeriodSeconds=st.sampled_from([0, 9]),
)  # fmt: skip
SPECS: Mapping[str, st.SearchStrategy[Any]] = {
    "InClusterIPPool": POOL,
    "GlobalInClusterIPPool": POOL,
    "IPAddressClaim": some({"poolRef": REFERENCE}, clusterName=st.one_of(NAMES, st.just(""))),
    "IPAddress": some({"poolRef": REFERENCE, "address": ADDRESS}, prefix=st.just(24)),
    "ClusterClass": some(variables=st.lists(some({"name": NAMES}), max_size=2)),
    "Cluster": some(
        paused=st.booleans(),
        controlPlaneEndpoint={"host": st.one_of(ADDRESS, st.just("")), "port": st.just(0)},
        topology={
            "class": st.one_of(NAMES, st.just("")), "classNamespace": NAMES, "version": NOISE,
            "classRef": {"name": NAMES, "namespace": NAMES}, "variables": st.just([{"name": "x"}]),
        },
        clusterNetwork={"pods": SLOT, "services": SLOT},
    ),
    "TenantCluster": some(
        providerConfigRef=some({"name": NAMES}), teamRef=some({"name": NAMES}),
        workers={"replicas": st.integers(0, 9)}, controlPlane=NOISE,
        networking={
            "lbPoolSize": st.integers(1, 9), "podCIDR": CIDR, "serviceCIDR": CIDR,
            "loadBalancerPool": st.fixed_dictionaries({"start": ADDRESS, "end": ADDRESS}),
        },
        addons={"ingress": {"enabled": st.booleans()}, "cni": NOISE},
    ),
    "IPAllocation": some(
        {
            "poolRef": some({"name": NAMES}), "type": st.sampled_from(["nodes", "loadbalancer"]),
            "tenantClusterRef": some({"name": NAMES, "namespace": NAMES}),
        },
        count=st.integers(1, 9),
    ),
    "ProxyVIP": some(
        {"mode": st.just("BGP"), "ports": st.just([443])},
        poolRef=some({"name": NAMES}), address=ADDRESS, bfd=NOISE, bgpConfig=NOISE,
        addressFamily=st.sampled_from(["ipv4", "dual", "ipv6"]),
    ),
}  # fmt: skip
ANNOTATIONS = [
    "cluster.x-k8s.io/paused", f"{VIP}ingress-enabled", "gitops-ipam.dev/adopt", "gitops-ipam.dev/address"
]  # fmt: skip


@st.composite
def objects(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from(sorted(SPECS)))
    values = st.one_of(YES, ADDRESS)
    labels = marks(f"{VIP}cluster-class", f"{VIP}role", "butler.butlerlabs.dev/team", values=YES)
    odd = [*ANNOTATIONS, *POOL_MARKS] if draw(st.booleans()) else ANNOTATIONS
    more = {"annotations": draw(marks(*odd, values=values)), "labels": draw(labels)}
    if draw(st.booleans()):
        more["deletionTimestamp"] = "2026-02-15T10:00:00Z"
    return live(kind, draw(NAMES), draw(SPECS[kind]), **more)


def document(body: Any, kind: Any, namespace: str) -> Document:
    name = body["metadata"]["name"]
    return Document("x.yaml", 0, 1, kind, namespace, name, body, dump(body).encode())


def describe(document: Document) -> list[str]:
    """Return the content that a family reads of a document, and findings by code and severity."""
    family = family_of_kind(document.kind.id)
    assert family is not None
    found: FamilyReading = family.read(Documents([document]), {}, Settings())
    parts = (
        found.pools,
        found.claims,
        found.blocked,
        found.gateways,
        found.inside,
        found.protected,
    )
    codes = [(it.code, it.severity, it.message) for it in found.findings]
    return [re.sub(r"Location\([^)]*\)", "", repr(part)) for part in (*parts, codes)]


@given(objects())
@settings(max_examples=scaled(300))
def test_reading_the_copy_gives_the_same_as_reading_the_whole_object(manifest: Any) -> None:
    own = intake(manifest["kind"])
    copy = copy_of(manifest, own, Settings())
    assume(isinstance(copy, ObjectCopy))
    assert isinstance(copy, ObjectCopy)
    event(manifest["kind"])
    (read,) = load("x.yaml", copy.data, source_kinds()).documents
    namespace = manifest["metadata"].get("namespace", "")
    body = {key: manifest[key] for key in ("metadata", "spec")}
    assert describe(read) == describe(document(body, read.kind, namespace))


@given(objects())
@settings(max_examples=scaled(100))
def test_a_copy_holds_no_field_that_its_schema_does_not_name(manifest: Any) -> None:
    body = copied(manifest, intake(manifest["kind"]))
    kind = next(it for it in intake(manifest["kind"]).kinds if it.api_version == body["apiVersion"])
    assert "secret" not in repr(body)
    _require_named(body, schema(kind.schema))


def _require_named(value: Any, part: Mapping[str, Any]) -> None:
    for key, item in value.items() if isinstance(value, dict) else ():
        if key != "gitops-ipam.dev/uid":
            assert key in part["properties"]
            assert not part["properties"][key].get("x-unread")
            _require_named(item, part["properties"][key])
