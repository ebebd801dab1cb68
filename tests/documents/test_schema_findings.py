"""What a refused field is told: place, words and remedy."""

import pytest

from reconciler.documents.findings import Finding
from reconciler.documents.load import load
from reconciler.planning.documents import source_kinds
from tests.world import pool, provider, request, tenant


def findings(text: str) -> tuple[Finding, ...]:
    return load("a.yaml", text.encode(), source_kinds()).findings


def errors(text: str) -> list[Finding]:
    return [found for found in findings(text) if found.severity == "error"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0777", "integer required, got string '0777', which is not a decimal integer"),
        ("0o17", "integer required, got string '0o17', which is not a decimal integer"),
        ("0x10", "integer required, got string '0x10', which is not a decimal integer"),
        ("1:30", "integer required, got string '1:30'"),
        ("4.0", "integer required, got number 4.0"),
        ("1e3", "integer required, got number 1e3"),
        (".nan", "integer required, got number .nan"),
        ('"4"', "integer required, got string '4'"),
        ("true", "integer required, got boolean true"),
        ("null", "integer required, got null"),
        ("[]", "integer required, got list"),
        ("{}", "integer required, got mapping"),
        ("-0", "must be at least 1, got 0"),
        ("-1", "must be at least 1, got -1"),
        ("2147483648", "must be at most 2147483647, got 2147483648"),
    ],
)
def test_a_count_is_a_decimal_integer_from_one(value: str, message: str) -> None:
    (found,) = errors(request("a", count=value))
    assert found.message == f"spec.count: {message}"
    assert found.hint
    assert (found.location.line, found.location.column) == (8, 10)
    assert found.location.pointer == "/spec/count"


def test_a_number_in_quotes_is_told_how_to_be_written() -> None:
    (found,) = errors(request("a", count='"4"'))
    assert found.hint == "write 4 without quotes"


@pytest.mark.parametrize(
    ("value", "message", "hint"),
    [
        ("10.0", "string required, got number 10.0", 'quote it: "10.0"'),
        ("7", "string required, got integer 7", 'quote it: "7"'),
        ("true", "string required, got boolean true", 'quote it: "true"'),
        ("null", "string required, got null", ""),
        ("[]", "string required, got list", "network in CIDR"),
        (f'"{"x" * 65}"', "longer than 64 characters", "network in CIDR"),
    ],
)
def test_a_text_that_is_none_is_told_how_to_be_one(value: str, message: str, hint: str) -> None:
    (found,) = errors(pool(cidr=value))
    assert message in found.message
    assert hint in found.hint


def test_a_boolean_is_true_or_false() -> None:
    (found,) = errors(tenant("a", addons='{ingress: {enabled: "no"}}'))
    assert found.message == "spec.addons.ingress.enabled: boolean required, got string 'no'"
    assert found.hint == "write true or false"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (request("a").replace("type: nodes", "type: node"), "'node' is not one of nodes, loadba",
         "did you mean nodes?"),
        (request("a").replace("type: nodes", "type: xyz"), "'xyz' is not one of", "nodes"),
        (pool(reservd="[]"), "unknown field 'spec.reservd'", "did you mean reserved?"),
        (pool(cdir="10.0.0.0/8"), "unknown field 'spec.cdir'", "did you mean cidr?"),
        (pool(zzz="1"), "unknown field 'spec.zzz'", "known here: cidr, reserved, tenantAllocation"),
        (pool(**{'"on"': "1"}), "unknown field 'spec.on'", "known here"),
        (pool(reserved="[{cidr: 10.0.0.0/28, note: x}]"), "'spec.reserved[0].note'", "known here"),
        (pool(tenantAllocation="{ranges: [{start: 10.0.0.1}]}"),
         "spec.tenantAllocation.ranges[0].end: required", "Last address"),
        (provider(pools="[{priority: 1}]"), "spec.network.poolRefs[0].name: required", ""),
        (pool().partition("spec")[0], "spec: required", "What the pool holds"),
        (pool(tenantAllocation=f"{{ranges: [{', '.join(['{start: a, end: b}'] * 17)}]}}"),
         "more than 16 items", ""),
        (request("a").replace("{name: edge}", '{name: ""}'), "must not be empty", ""),
    ],
)  # fmt: skip
def test_a_field_that_does_not_fit_is_told_why(text: str, message: str, hint: str) -> None:
    found = errors(text)[0]
    assert message in found.message
    assert hint in found.hint


def test_a_missing_field_stands_at_what_lacks_it_and_points_to_itself() -> None:
    found = errors(pool(tenantAllocation="{ranges: [{}]}"))
    assert [item.location.pointer for item in found] == [
        "/spec/tenantAllocation/ranges/0/start",
        "/spec/tenantAllocation/ranges/0/end",
    ]
    assert {(item.location.line, item.location.column) for item in found} == {(6, 31)}


def test_fields_of_a_tenant_that_are_not_ours_are_accepted_unread() -> None:
    text = tenant("a", somethingElse="{deep: [1, 4.5, null]}", addons="{foo: {bar: 1}}")
    assert findings(text) == ()


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (tenant("a", netwroking="{}"), "unknown field 'spec.netwroking'", "networking"),
        (tenant("a", networking="{lbPoolsize: 8}"), "'spec.networking.lbPoolsize'", "lbPoolSize"),
        (tenant("a", addons="{ingres: {}}"), "unknown field 'spec.addons.ingres'", "ingress"),
        (tenant("a", network="{}"), "unknown field 'spec.network'", "networking"),
        (tenant("a", provider="{name: x}"), "unknown field 'spec.provider'", "providerConfigRef"),
        (tenant("a").replace("metadata: {name", "metadata: {lables: {}, name"),
         "'metadata.lables'", "labels"),
    ],
)  # fmt: skip
def test_a_misspelt_field_next_to_one_that_is_read_is_an_error(
    text: str, message: str, hint: str
) -> None:
    (found,) = errors(text)
    assert message in found.message
    assert found.hint == f"did you mean {hint}?"


@pytest.mark.parametrize(
    ("text", "field", "place"),
    [
        (tenant("a", loadBalancerPool="{start: 10.0.0.1, end: 10.0.0.2}"), "spec.loadBalancerPool",
         "spec.networking.loadBalancerPool"),
        (tenant("a", addons="{lbPoolSize: 8}"), "spec.addons.lbPoolSize",
         "spec.networking.lbPoolSize"),
        (tenant("a", networking="{providerConfigRef: {name: x}}"),
         "spec.networking.providerConfigRef", "spec.providerConfigRef"),
    ],
)  # fmt: skip
def test_a_field_that_stands_elsewhere_is_an_error(text: str, field: str, place: str) -> None:
    """It would be passed over, and a tenant that pins its addresses would get others."""
    (found,) = errors(text)
    assert found.message == f"'{field}' is not read here"
    assert found.hint == f"write {place}"


def test_a_part_that_is_no_mapping_is_told_once() -> None:
    (found,) = errors(tenant("a", networking="[]"))
    assert found.message == "spec.networking: mapping required, got list"


@pytest.mark.parametrize("written", ["1e3", "12e03", ".5", "True", "1.50", "-1E-3", "0"])
def test_what_is_to_be_quoted_is_told_as_it_was_written(written: str) -> None:
    for text in (
        tenant("a").replace("metadata: {", f"metadata: {{labels: {{x: {written}}}, "),
        tenant("a").replace("name: a", f"name: {written}"),
    ):
        (found,) = errors(text)
        assert found.hint == f'quote it: "{written}"'
        assert found.message.endswith(f" {written}")


@pytest.mark.parametrize(
    ("size", "hint"),
    [
        ("0", "set spec.networking.lbPoolSize to 1 or more; to have none: a provider of mode"),
        ("-1", "set spec.networking.lbPoolSize to 1 or more"),
    ],
)
def test_none_is_no_size_and_told_how_it_is_had(size: str, hint: str) -> None:
    (found,) = errors(tenant("a", networking=f"{{lbPoolSize: {size}}}"))
    assert found.hint.startswith(hint)
