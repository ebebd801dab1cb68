"""The shipped schemas: valid themselves, read alike by both validators, and closed."""

import copy
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from reconciler.documents import load as schemas
from reconciler.documents.document import Document, Kind
from reconciler.documents.validators import acceptor, schema
from reconciler.planning.documents import schema_files
from tests.documentation import ROOT, blocks


def _page(kind: str) -> str:
    return (ROOT / "docs" / "kinds" / f"{kind}.md").read_text(encoding="utf-8")


META: dict[str, Any] = {"name": "a", "labels": {"a": "b"}, "annotations": {"a": "b"}}
VERSION = "butler.butlerlabs.dev/v1alpha1"
OWN = "gitops-ipam.dev/v1alpha1"
SPACED = {**META, "namespace": "n"}
RANGE = {"start": "10.0.0.1", "end": "10.0.0.9"}
VALID: dict[str, dict[str, Any]] = {
    "NetworkPool": {
        "apiVersion": VERSION, "kind": "NetworkPool", "metadata": SPACED,
        "spec": {
            "cidr": "10.0.0.0/24",
            "reserved": [{"cidr": "10.0.0.0/28", "description": "x"}],
            "tenantAllocation": {
                **RANGE, "ranges": [RANGE],
                "defaults": {"nodesPerTenant": 5, "lbPoolPerTenant": 8},
            },
        },
    },
    "ProxyIPPool": {
        "apiVersion": "novaedge.io/v1alpha1", "kind": "ProxyIPPool", "metadata": META,
        "spec": {"cidrs": ["10.200.0.0/24"], "addresses": ["10.201.0.1/32"], "autoAssign": True},
    },
    "ProxyVIP": {
        "apiVersion": "novaedge.io/v1alpha1", "kind": "ProxyVIP", "metadata": META,
        "spec": {
            "mode": "BGP", "addressFamily": "dual", "ports": [80], "poolRef": {"name": "a"},
            "address": "10.200.0.1/32", "ipv6Address": "2001:db8::1/128",
            "bgpConfig": {"localAS": 65000}, "bfd": {"enabled": True},
        },
    },
    "ProviderConfig": {
        "apiVersion": VERSION, "kind": "ProviderConfig", "metadata": SPACED,
        "spec": {
            "provider": "harvester",
            "network": {
                "mode": "ipam", "poolRefs": [{"name": "a", "priority": 1}],
                "loadBalancer": {"defaultPoolSize": 8, "allocationMode": "static",
                                 "initialPoolSize": 2, "growthIncrement": 2},
                "quotaPerTenant": {"maxNodeIPs": 5, "maxLoadBalancerIPs": 8},
            },
        },
    },
    "TenantCluster": {
        "apiVersion": VERSION, "kind": "TenantCluster", "metadata": SPACED,
        "spec": {
            "providerConfigRef": {"name": "a", "namespace": "b"}, "teamRef": {"name": "t"},
            "workers": {"replicas": 3}, "kubernetesVersion": "v1.30",
            "networking": {"lbPoolSize": 8, "loadBalancerPool": RANGE, "podCIDR": "x"},
            "addons": {"ingress": {"enabled": True}},
        },
    },
    "IPAllocation": {
        "apiVersion": VERSION, "kind": "IPAllocation", "metadata": SPACED,
        "spec": {
            "poolRef": {"name": "a"}, "tenantClusterRef": {"name": "a", "namespace": "b"},
            "type": "nodes", "count": 8,
            "pinnedRange": {"startAddress": "10.0.0.1", "endAddress": "10.0.0.9"},
        },
    },
    "Team": {"apiVersion": VERSION, "kind": "Team", "metadata": META, "spec": {}},
    "ClusterTarget": {
        "apiVersion": OWN, "kind": "ClusterTarget", "metadata": META, "spec": {"description": "x"}
    },
    "Override": {
        "apiVersion": OWN, "kind": "Override", "metadata": META,
        "spec": {"kind": "brake", "releases": 1, "reason": "x", "expires": "2026-02-20T12:00:00Z"},
    },
    "Settings": {
        "apiVersion": OWN, "kind": "Settings", "metadata": META,
        "spec": {
            "sources": ["pools"], "records": "allocations",
            "thresholds": {"warning": 70, "critical": 85, "exhausted": 95}, "gate": "never",
            "retention": "24h", "poolOverlap": "warn", "providerImplicit": "error",
            "addressSpaces": ["default"], "kinds": {"pools": ["NetworkPool"]},
            "brakes": {"maxReleasePercent": 30, "minRecords": 10},
            "elastic": {"pendingAfter": "2s", "shrinkAfter": "10m"},
            "metallb": {"advertisement": "none"}, "apply": {"documents": "pools"}, "committer": {"name": "a", "email": "a@b"},
        },
    },
}  # fmt: skip
# Kinds of which the page shows a whole document have that one.
VALID |= {
    kind: yaml.safe_load(next(it.text for it in blocks(_page(kind)) if it.language == "yaml"))
    for kind in schema_files()
    if kind not in VALID
}
KINDS = sorted(VALID)
OTHER_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 101, 2**31, "", "x", "x\n", "1", "24h\n", "\u0663h", "x" * 600,
    [], [1], ["x", "x"], {}, {"x": 1}, {"name": "x"}, Decimal("4.0"), Decimal("nan"),
    Decimal("Infinity"), Decimal("1E+99999"),
)  # fmt: skip


def parts(schema_part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema_part, dict):
        yield schema_part
        for below in schema_part.values():
            yield from parts(below)
    elif isinstance(schema_part, list):
        for below in schema_part:
            yield from parts(below)


def places(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for step, below in pairs:
        yield (*steps, step)
        if isinstance(below, dict | list):
            yield from places(below, (*steps, step))


def mutations(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A document with one part of it removed, replaced, renamed or joined by another."""
    for steps in places(body):
        for other in (*OTHER_VALUES, "remove", "rename", "add"):
            changed = copy.deepcopy(body)
            around = changed
            for step in steps[:-1]:
                around = around[step]
            last = steps[-1]
            if other == "remove":
                del around[last]
            elif other == "rename" and isinstance(around, dict):
                around[f"{last}x"] = around.pop(last)
            elif other == "add" and isinstance(around[last], dict):
                around[last]["unknown"] = 1
            elif other == "add" and isinstance(around[last], list):
                around[last] *= 20
            else:
                around[last] = other
            yield changed


def document_of(kind: str, body: dict[str, Any]) -> Document:
    found = Kind(str(body.get("apiVersion", "")), kind, schema_files()[kind], None)
    return Document("a.yaml", 0, 1, found, "", "a", body, b"")


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_is_valid_against_its_meta_schema(kind: str) -> None:
    Draft202012Validator.check_schema(schema(schema_files()[kind]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_uses_nothing_that_a_validator_may_read_otherwise(kind: str) -> None:
    for part in parts(schema(schema_files()[kind])):
        assert not {"$ref", "$dynamicRef", "format", "oneOf", "anyOf", "if"} & set(part)
        pattern = part.get("pattern")
        if isinstance(pattern, str):
            assert pattern.startswith("^")
            assert pattern.endswith("$")
            assert "\\d" not in pattern
            assert part.get("maxLength") or "+" not in pattern.replace("{1,6}", "")


def test_every_kind_that_is_read_has_a_valid_document_here() -> None:
    assert sorted(schema_files()) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_a_valid_document_has_no_findings(kind: str) -> None:
    assert schemas.check_schema(document_of(kind, VALID[kind])) == []


@pytest.mark.parametrize("kind", KINDS)
def test_all_validators_agree_on_every_mutation_and_each_refusal_is_explained(kind: str) -> None:
    name = schema_files()[kind]
    accepts, explains = acceptor(name), schemas._validator(name)
    refused = 0
    for body in mutations(VALID[kind]):
        failures = list(explains.iter_errors(body))
        assert accepts(body) is not bool(failures), body
        if failures:
            refused += 1
            found = schemas.check_schema(document_of(kind, body))
            assert found
            assert len(set(found)) == len(found)
            for item in found:
                assert "does not fit its schema" not in item.message
                assert len(item.message) < 500
    assert refused > 100
