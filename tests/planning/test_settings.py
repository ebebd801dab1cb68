import pytest

from reconciler.documents.findings import Location
from reconciler.model.pool import Thresholds, Tier
from reconciler.model.settings import PATH, Limits, Settings
from reconciler.planning.settings import read_settings

HEAD = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"


def settings_of(spec: str) -> Settings:
    settings, findings = read_settings(f"{HEAD}spec: {spec}\n".encode())
    assert findings == ()
    return settings


def mistakes(text: str) -> list[tuple[str, int, str]]:
    _, findings = read_settings(text.encode())
    return [(found.code, found.location.line, found.message) for found in findings]


def test_commits_are_marked_for_ci_where_settings_say_so() -> None:
    assert not settings_of("{commit: {}}").skips_ci
    assert settings_of("{commit: {skipCi: true}}").skips_ci


def test_every_field_is_read() -> None:
    spec = """
  sources: [here, there/inside]
  records: given
  thresholds: {warning: 1, critical: 2, exhausted: 3}
  gate: warning
  retention: 7d
  poolOverlap: error
  providerImplicit: error
  addressSpaces: [default, lab]
  kinds: {there/inside: [Team, ClusterTarget], here: []}
  brakes: {maxReleasePercent: 0, minRecords: 99}
  committer: {name: The Bot, email: bot@example.com}"""
    assert settings_of(spec) == Settings(
        sources=("here", "there/inside"),
        records="given",
        thresholds=Thresholds(1, 2, 3),
        gate=Tier.WARNING,
        retention=7 * 86_400,
        overlap_is_error=True,
        implicit_is_error=True,
        address_spaces=("default", "lab"),
        kinds=(("here", ()), ("there/inside", ("Team", "ClusterTarget"))),
        max_release_percent=0,
        min_records=99,
        committer=("The Bot", "bot@example.com"),
        location=Location(PATH, 1, 1),
    )


@pytest.mark.parametrize(
    ("text", "gate"), [("critical", Tier.CRITICAL), ("exhausted", Tier.EXHAUSTED), ("never", None)]
)
def test_the_gate_is_a_tier_or_never(text: str, gate: Tier | None) -> None:
    assert settings_of(f"{{gate: {text}}}").gate is gate


@pytest.mark.parametrize(
    ("spec", "code", "part"),
    [
        ("{thresholds: {warning: 90}}", "field-value", "must rise from warning to exhausted"),
        ("{thresholds: {warning: 0}}", "field-value", "at least 1"),
        ("{thresholds: {warning: 101, critical: 101, exhausted: 101}}", "field-value", "at most"),
        ("{sources: []}", "field-value", "at least 1 item"),
        ("{sources: [a, a]}", "field-value", "lists an item twice"),
        ("{sources: [../a]}", "field-value", "spec.sources[0]"),
        ("{sources: [-rf]}", "field-value", "spec.sources[0]"),
        ("{sources: [allocations]}", "field-value", "overlaps source"),
        ("{records: pools/records}", "field-value", "overlaps source"),
        ("{records: .git}", "field-value", "spec.records"),
        ("{gate: warn}", "field-value", "expected warning"),
        ('{retention: "24h\\n"}', "field-value", "spec.retention"),
        ("{poolOverlap: yes}", "field-value", "expected error or warn"),
        ("{metallb: {advertisement: bgp}}", "field-value", "expected l2 or none"),
        ("{brakes: {maxReleasePercent: 101}}", "field-value", "at most 100"),
        ("{brakes: {maxReleasePercent: 2.5}}", "field-type", "expected an integer"),
        ("{brakes: {minRecords: 1e99999999999999999999}}", "yaml-number", "39 digits"),
        ("{addressSpaces: []}", "field-value", "at least 1 item"),
        ("{kinds: {pool: [Team]}}", "field-value", "'pool' is not in a source folder"),
        ("{kinds: {teams: [Teams]}}", "kind-unknown", "unknown kind 'Teams'"),
        ("{brake: {minRecords: 1}}", "field-unknown", "unknown field 'spec.brake'"),
        ('{committer: {name: "a\\n"}}', "field-value", "spec.committer.name"),
        ('{committer: {email: "a b"}}', "field-value", "spec.committer.email"),
        ("{elastic: {pendingAfter: soon}}", "field-value", "spec.elastic.pendingAfter"),
        ("[]", "field-type", "spec is a list"),
    ],
)
def test_a_mistake_is_found_at_its_line(spec: str, code: str, part: str) -> None:
    found = mistakes(f"{HEAD}spec: {spec}\n")
    assert any(given == code and line == 4 and part in message for given, line, message in found), (
        found
    )


def test_wrong_settings_are_the_defaults_and_raise_nothing() -> None:
    settings, findings = read_settings(f"{HEAD}spec: {{retention: soon, gate: warning}}\n".encode())
    assert settings == Settings()
    assert findings[0].location == Location(PATH, 4, 19, "/spec/retention")


def test_thresholds_that_fall_are_replaced_and_all_else_is_kept() -> None:
    spec = "{thresholds: {warning: 90}, retention: 1h}"
    settings, _ = read_settings(f"{HEAD}spec: {spec}\n".encode())
    assert (settings.thresholds, settings.retention) == (Thresholds(), 3_600)


def test_of_two_settings_the_first_counts_and_the_second_is_a_finding() -> None:
    text = f"{HEAD}spec: {{retention: 1h}}\n---\n{HEAD}spec: {{retention: 2h}}\n"
    settings, findings = read_settings(text.encode())
    assert settings.retention == 3_600
    assert [(found.code, found.location.line) for found in findings] == [("document-duplicate", 6)]


def test_limits_are_a_number_and_an_amount() -> None:
    assert settings_of("{limits: {files: 7}}").limits == Limits(7, 1 << 30)
    for text, count in (('"512"', 512), ("3Ki", 3 << 10), ("3Mi", 3 << 20), ("3Gi", 3 << 30)):
        assert settings_of(f"{{limits: {{bytes: {text}}}}}").limits == Limits(200_000, count)


def test_a_kind_that_cannot_be_taken_in_is_told_with_one_that_can() -> None:
    text = f"{HEAD}spec:\n  intake:\n    - {{kind: Cluster}}\n    - {{kind: Clutser}}\n    - {{kind: Team}}\n"
    _, findings = read_settings(text.encode())
    assert [(it.code, it.location.line, it.hint[:20]) for it in findings] == [
        ("kind-unknown", 7, "did you mean Cluster"),
        ("kind-unknown", 8, "use one of: Cluster,"),
    ]
    assert "'Clutser' is not a kind that intake supports" in findings[0].message
