"""NetworkPool: its usable set, and each rule that it must keep (docs/reference/butler.md)."""

import pytest

from reconciler.addresses import format_short
from tests.planning.outcome import codes, outcome
from tests.world import SMALL, evaluation_of, pool, reconciled

LB = "team-a/one (loadbalancer)"


def usable(text: str) -> list[str]:
    pools = evaluation_of({"pools/edge.yaml": text}).state.pools
    return [format_short(item) for found in pools.values() for item in found.usable]


def ranges(*pairs: tuple[str, str]) -> str:
    listed = ", ".join(f"{{start: {start}, end: {end}}}" for start, end in pairs)
    return f"{{ranges: [{listed}]}}"


def reserved(*blocks: str) -> str:
    return f"[{', '.join(f'{{cidr: {block}}}' for block in blocks)}]"


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ({}, "10.40.0.0-10.40.0.255"),
        ({"reserved": reserved("10.40.0.0/28", "10.40.0.128/25")}, "10.40.0.16-10.40.0.127"),
        ({"tenantAllocation": "{start: 10.40.0.8, end: 10.40.0.9}"}, "10.40.0.8-10.40.0.9"),
        (
            {"tenantAllocation": ranges(("10.40.0.0", "10.40.0.3"), ("10.40.0.4", "10.40.0.7"))},
            "10.40.0.0-10.40.0.7",
        ),
    ],
)
def test_usable_addresses(spec: dict[str, str], found: str) -> None:
    assert usable(pool(**spec)) == [found]


RULES = [
    ("reserved elsewhere", {"reserved": reserved("10.41.0.0/24")}, ["reserved-outside-pool"]),
    ("range elsewhere", {"tenantAllocation": ranges(("10.41.0.0", "10.41.0.255"))},
     ["range-outside-pool"]),
    ("range reversed", {"tenantAllocation": ranges(("10.40.0.200", "10.40.0.100"))},
     ["range-reversed"]),
    ("start of another version", {"tenantAllocation": "{start: '::1', end: 10.40.0.1}"},
     ["family-mismatch"]),
    ("reserved unreadable", {"reserved": reserved("10.40.0.0")}, ["cidr-invalid"]),
    ("range unreadable", {"tenantAllocation": ranges(("10.40.0.00", "10.40.0.9"))},
     ["address-invalid"]),
    ("unsorted", {"tenantAllocation": ranges(
        ("10.40.0.128", "10.40.0.255"), ("10.40.0.0", "10.40.0.63"))}, ["ranges-unsorted"]),
    ("overlapping", {"tenantAllocation": ranges(
        ("10.40.0.0", "10.40.0.100"), ("10.40.0.50", "10.40.0.200"))}, ["ranges-unsorted"]),
    ("reserved inside a range", {"reserved": reserved("10.40.0.8/29"),
      "tenantAllocation": ranges(("10.40.0.0", "10.40.0.63"))}, []),
    ("reserved over all of a range", {"reserved": reserved("10.40.0.0/26"),
      "tenantAllocation": ranges(("10.40.0.8", "10.40.0.15"), ("10.40.0.70", "10.40.0.71"))}, []),
    ("reserved across the end of a range", {"reserved": reserved("10.40.0.16/28"),
      "tenantAllocation": ranges(("10.40.0.0", "10.40.0.19"))}, ["reserved-straddles-range"]),
    ("reserved twice", {"reserved": reserved("10.40.0.0/28", "10.40.0.8/29")},
     ["reserved-overlap"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "expected"), [rule[1:] for rule in RULES], ids=[r[0] for r in RULES]
)
def test_each_rule_of_a_pool_is_a_finding(spec: dict[str, object], expected: list[str]) -> None:
    text = pool("edge", "10.40.0.0/24", "butler-system", **spec)
    assert [code for _, code in codes({"pools/edge.yaml": text})] == expected


@pytest.mark.parametrize(
    ("cidr", "code"),
    [
        ("10.40.0.0", "cidr-invalid"),
        ("10.40.0.5/24", "cidr-invalid"),
        ("'2001:db8::/64'", "family-mismatch"),
        ("224.0.0.0/24", "special-purpose"),
        ("10.0.0.0/7", "pool-too-large"),
    ],
)
def test_a_network_that_cannot_be_given_out_is_an_error(cidr: str, code: str) -> None:
    assert [found for _, found in codes({"pools/edge.yaml": pool(cidr=cidr)})] == [code]


WRONG = {
    "schema": pool(cidr="7"),
    "cidr": pool(cidr="10.40.0.5/24"),
    "reserved": pool(reserved=reserved("10.40.0.5/28")),
    "range": pool(tenantAllocation=ranges(("10.40.0.9", "10.40.0.1"))),
    "annotation": pool().replace(
        "{name: edge,", "{annotations: {gitops-ipam.dev/gate: x}, name: edge,"
    ),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_wrong_pool_gives_nothing_out_and_takes_nothing_away(text: str) -> None:
    assert outcome({**SMALL, "pools/edge.yaml": text}) == {}
    files = {**reconciled(SMALL), "pools/edge.yaml": text}
    assert outcome(files) == {LB: "keep 10.40.0.0-10.40.0.7 of edge"}
    assert [severity for severity, _ in codes(files)] == ["error"]


def annotated(**values: str) -> str:
    listed = ", ".join(f"gitops-ipam.dev/{name}: '{value}'" for name, value in values.items())
    return pool().replace("{name: edge,", f"{{annotations: {{{listed}}}, name: edge,")


def test_annotations_of_a_pool_override_the_thresholds_and_the_gate() -> None:
    text = annotated(warning="10", critical="20", exhausted="30", gate="warning")
    (found,) = evaluation_of({"pools/edge.yaml": text}).state.pools.values()
    assert (*found.thresholds.levels, found.gate) == (10, 20, 30, "warning")
    (found,) = evaluation_of({"pools/edge.yaml": annotated(gate="never")}).state.pools.values()
    assert found.gate is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("warning", "0"),
        ("critical", "101"),
        ("exhausted", "9\u0663"),
        ("warning", "many"),
        ("gate", "ok"),
    ],
)
def test_an_annotation_that_cannot_be_used_is_an_error(name: str, value: str) -> None:
    evaluation = evaluation_of({"pools/edge.yaml": annotated(**{name: value})})
    (found,) = evaluation.findings
    assert found.code == "annotation-invalid"
    assert found.location.pointer == f"/metadata/annotations/gitops-ipam.dev~1{name}"
    assert f"gitops-ipam.dev/{name} is {value!r}, expected" in found.message
