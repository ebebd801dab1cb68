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
from tests.documentation import kind_example

RANGE = {"start": "10.0.0.1", "end": "10.0.0.9"}
# Fields that the documents in the documentation omit.
MORE: dict[str, dict[str, Any]] = {
    "NetworkPool": {"tenantAllocation": {"ranges": [RANGE]}},
    "ProxyVIP": {
        "address": "10.200.0.1/32", "ipv6Address": "2001:db8::1/128", "bfd": {"enabled": True},
    },
    "ProviderConfig": {
        "network": {
            "loadBalancer": {"initialPoolSize": 2, "growthIncrement": 2},
            "quotaPerTenant": {"maxNodeIPs": 5},
        }
    },
    "TenantCluster": {
        "kubernetesVersion": "v1.30", "addons": {"ingress": {"enabled": True}},
        "networking": {"loadBalancerPool": RANGE, "podCIDR": "x"},
    },
    "IPAllocation": {"count": 8},
    "Team": {},
    "Override": {"releases": 1},
    "Settings": {
        "elastic": {"pendingAfter": "2s", "shrinkAfter": "10m"}, "apply": {"documents": "pools"},
        "metallb": {"advertisement": "none"}, "committer": {"name": "a", "email": "a@b"},
        "kinds": {"pools": ["NetworkPool"]},
    },
}  # fmt: skip


def merged(one: dict[str, Any], two: dict[str, Any]) -> dict[str, Any]:
    inner = {key: merged(one[key], it) for key, it in two.items() if isinstance(one.get(key), dict)}
    return {**one, **two, **inner}


def valid(kind: str) -> dict[str, Any]:
    shown = yaml.safe_load(kind_example(kind))
    about = {"labels": {"a": "b"}, "annotations": {"a": "b"}}
    return merged(shown, {"metadata": about, "spec": MORE[kind]}) if kind in MORE else dict(shown)


VALID = {kind: valid(kind) for kind in schema_files()}
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
