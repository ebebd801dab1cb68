"""Findings for invalid fields: location, message, and hint."""

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
    ("text", "message", "hint"),
    [
        (pool(zzz="1"), "unknown field 'spec.zzz'", "use one of: cidr, reserved, tenantAllocation"),
        (pool(**{'"on"': "1"}), "unknown field 'spec.on'", "use one of"),
        (pool(reserved="[{cidr: 10.0.0.0/28, note: x}]"), "'spec.reserved[0].note'", "use one of"),
        (pool(tenantAllocation="{ranges: [{start: 10.0.0.1}]}"),
         "spec.tenantAllocation.ranges[0].end is missing", "add spec.tenantAllocation.ranges[0].end,"),
        (provider(pools="[{priority: 1}]"), "spec.network.poolRefs[0].name is missing", ""),
        (request("a").replace("{name: edge}", '{name: ""}'), "spec.poolRef.name is empty", ""),
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
    assert found.message == f"'{field}' has no effect here"
    assert found.hint == f"move it to {place}"


@pytest.mark.parametrize("written", ["1e3", "12e03", ".5", "True", "1.50", "-1E-3", "0"])
def test_what_is_to_be_quoted_is_told_as_it_was_written(written: str) -> None:
    for text in (
        tenant("a").replace("metadata: {", f"metadata: {{labels: {{x: {written}}}, "),
        tenant("a").replace("name: a", f"name: {written}"),
    ):
        (found,) = errors(text)
        assert found.hint == f'quote it: "{written}"'
        assert f" {written}, " in found.message
