"""Files of `overrides/`: valid fields, valid paths, and effective Overrides."""

from collections.abc import Mapping

import pytest

from reconciler.documents.findings import Severity
from reconciler.model.settings import Overrides
from reconciler.planning.documents import source_reader
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import evaluate_source
from reconciler.planning.settings import (
    EarlierOverrides,
    as_findings,
    overrides_of,
    read_override,
    read_settings,
)
from reconciler.reconcile.evaluation import with_overrides
from tests.hostile.test_overrides import BRAKE, FULL, GATE, GATES, MORE, POOL, override
from tests.memory import MemorySource
from tests.planning.outcome import without
from tests.world import CLOCK, raw, reconciled, settings_text, tenant

CLAIM = "butler/TenantCluster/team-a/one/loadbalancer"
VIP = "novaedge/ProxyVIP/_/web/vip"
EXPIRES = 1_772_323_200  # 2026-03-01T00:00:00Z


def wrong(text: str, path: str = GATE) -> list[str]:
    found, said = read_override(path, text.encode())
    assert found is None
    assert {item.severity for item in said} == {Severity.ERROR}
    return [f"{item.code}: {item.message}; {item.hint}" for item in said]


def files_of(*parts: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    return {path: data for part in parts for path, data in part.items()}


def after(*versions: Mapping[str, str | bytes], clock: int = CLOCK) -> Evaluation:
    return with_overrides(evaluate_source(MemorySource(versions[-1], clock, versions[:-1])))


def codes(evaluation: Evaluation) -> list[str]:
    return [it.code for it in (*evaluation.findings, *evaluation.gates)]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ({"kind": "gate", "scope": CLAIM}, "expected a pool, or Settings;"),
        ({"kind": "gate", "scope": "edge"}, "expected a pool, or Settings;"),
        ({"kind": "move", "scope": POOL}, "expected a claim;"),
        (
            {"kind": "move", "scope": VIP},
            f"spec.scope is '{VIP}', which cannot move (one address each);",
        ),
        ({"kind": "shrink", "scope": CLAIM}, "expected a pool;"),
        ({"kind": "record", "scope": "../x.yaml"}, "expected the path of a record,"),
        ({"kind": "record", "scope": POOL}, "expected the path of a record,"),
        ({"kind": "gate"}, "spec.scope is missing, but required for kind gate;"),
        ({"kind": "brake"}, "spec.releases is missing, but required for kind brake;"),
        (
            {"kind": "brake", "releases": 1, "scope": POOL},
            "spec.scope is not a field of an Override of kind brake;",
        ),
        (
            {"kind": "gate", "scope": POOL, "releases": 1},
            "spec.releases is not a field of an Override of kind gate;",
        ),
    ],
)
def test_a_scope_that_its_kind_does_not_take_is_an_error(
    spec: dict[str, object], says: str
) -> None:
    (said,) = wrong(override(GATE, **spec))  # type: ignore[arg-type]
    assert says in said


def test_all_mistakes_of_one_file_are_told_at_once() -> None:
    text = override(GATE, "2026-02-30T00:00:00Z", kind="gate", scope="x")
    said = wrong(text.replace("agreed with the network team", '" "'))
    assert [it.split(":")[0] for it in said] == ["field-value"] * 3
    assert "spec.reason is empty; write why the exception is needed" in said[1]
    assert "RFC 3339 in UTC" in said[2]


@pytest.mark.parametrize(
    "path",
    [
        "overrides/edge-full.yaml",
        "overrides/2026-02-30-edge-full.yaml",
        "overrides/2026/2026-02-15-edge-full.yaml",
        "overrides",
    ],
)
def test_a_file_without_a_date_in_its_name_or_in_another_folder_permits_nothing(path: str) -> None:
    (said,) = wrong(override(GATE, kind="gate", scope=POOL), path)
    assert said.startswith(f"override-misplaced: '{path}' is not a valid path of an Override")


def test_its_name_is_that_of_its_file_and_it_stands_alone() -> None:
    text = override(GATE, kind="gate", scope=POOL)
    assert (
        "metadata.name is '2026-02-15-other', expected the name of 'overrides/2026-02-15-edge-full.yaml'; set metadata.name to 2026-02-15-edge-full"
        in wrong(text.replace("edge-full", "other"))[0]
    )
    second = text + "---\n" + override(BRAKE, kind="brake", releases=1)
    said = wrong(second)
    assert "override-misplaced: the file contains a second Override; move it to a file" in said[1]


def test_elsewhere_it_is_told_where_it_belongs() -> None:
    read = source_reader(read_settings(None)[0])
    (found,) = read("pools/x.yaml", GATES[GATE].encode()).findings
    assert (found.code, found.message) == (
        "kind-unexpected",
        "Override belongs in overrides/<date>-<slug>.yaml",
    )


@pytest.mark.parametrize("spec", ["{records: overrides}", "{sources: [overrides/more, pools]}"])
def test_no_other_folder_of_settings_holds_overrides(spec: str) -> None:
    _, (found,) = read_settings(settings_text(spec).encode())
    assert " overlaps overrides," in found.message


def test_it_counts_when_it_stood_before_just_so_and_time_is_left() -> None:
    now = {GATE: raw(GATES[GATE])}
    assert overrides_of(now, EarlierOverrides(now, EXPIRES - 1)).allow("gate", POOL)
    for stood, code in (
        (EarlierOverrides({}, CLOCK), "override-added"),
        (EarlierOverrides({GATE: b"x"}, CLOCK), "override-added"),
        (EarlierOverrides(now, EXPIRES), "override-expired"),
        (EarlierOverrides(now, CLOCK, is_cut=True), "history-cut"),
    ):
        found = overrides_of(now, stood)
        assert [item.code for item in found.findings] == [code]
        assert not found.allow("gate", POOL)


def test_a_gate_lets_its_pool_pass_and_no_other() -> None:
    old = files_of(FULL, GATES)
    assert codes(after(old, {**old, **MORE})) == ["override-used"]
    other = {GATE: override(GATE, kind="gate", scope=f"{POOL}-two")}
    old = files_of(FULL, other)
    assert codes(after(old, {**old, **MORE})) == ["override-unused", "capacity"]


def test_the_gate_of_settings_is_for_pools_that_go_by_it() -> None:
    old = files_of(FULL, {GATE: override(GATE, kind="gate", scope="Settings")})
    assert codes(after(old, {**old, **MORE})) == ["override-used"]
    own = raw(FULL["pools/edge.yaml"]).replace(
        b"namespace: butler-system}",
        b'namespace: butler-system, annotations: {gitops-ipam.dev/gate: "warning"}}',
    )
    old = {**old, "pools/edge.yaml": own}
    assert codes(after(old, {**old, **MORE})) == ["override-unused", "capacity"]


def test_a_brake_that_names_too_few_says_how_many_are_needed() -> None:
    tenants = {f"tenants/{name}.yaml": tenant(name, networking="{lbPoolSize: 1}") for name in "ab"}
    brake = {BRAKE: override(BRAKE, kind="brake", releases=1)}
    old = reconciled(files_of(FULL, tenants))
    new = without(old, *tenants)
    counting = after({**old, **brake}, {**new, **brake})
    coming = after(old, {**new, **brake})
    for found in (counting, coming):
        (short,) = (it for it in found.findings if it.code == "override-short")
        assert (short.severity, short.message) == (
            Severity.WARNING,
            "this Override permits 1 release, but this plan needs 2",
        )
        assert short.hint == "set spec.releases to 2"
        assert "override-unused" not in codes(found)
    asked = Overrides(counting.tree.overrides.counting)
    assert not asked.releases(6, 1)
    assert [it.message for it in as_findings(asked, ())] == [
        "this Override permits 1 release, but this plan needs 6 (1 in retention)"
    ]


def test_one_that_nothing_asks_for_is_a_warning() -> None:
    old = files_of(FULL, GATES)
    (found,) = after(old, {**old, "README.md": "x"}).findings
    assert (found.code, found.severity) == ("override-unused", Severity.WARNING)
    assert "this Override, which permits exceeding the" in found.message
    moves = files_of(FULL, {GATE: override(GATE, kind="move", scope=CLAIM)})
    (found,) = after(moves, {**moves, "README.md": "x"}).findings
    assert found.message.startswith(
        f"this Override, which permits a move of {CLAIM}, has no effect"
    )


def test_what_is_wrong_with_one_holds_back_no_other_part_of_the_plan() -> None:
    old = files_of(FULL, MORE, {GATE: "spec: [\n"})
    found = after(old, {**old, "README.md": "x"})
    assert "yaml-syntax" in codes(found)
    assert len(found.changes) == 1


def test_one_that_lasts_for_years_is_told() -> None:
    for expires, said in (
        (
            "2036-02-15T00:00:00Z",
            ["spec.expires is 3652 days after the date in the name, must be at most 92"],
        ),
        ("2026-05-01T00:00:00Z", []),
    ):
        files = files_of(FULL, {GATE: override(GATE, expires, kind="gate", scope=POOL)})
        found = [it for it in after(files, files).findings if it.code == "override-long"]
        assert [it.message.rpartition("for ")[2] for it in found] == said


@pytest.mark.parametrize(
    ("expires", "last"),
    [
        ("2026-12-01", 1_796_169_600),
        ("2026-12-01T00:00:00Z", 1_796_083_200),
        ("2026-02-30", None),
        ("2026-12-01T10:00", None),
    ],
)
def test_a_date_is_the_last_day_of_an_override(expires: str, last: int | None) -> None:
    data = override(GATE, expires, kind="gate", scope=POOL).encode()
    found, wrong = read_override(GATE, data)
    assert (None if found is None else found.expires) == last
    assert [it.location.pointer for it in wrong] == ["/spec/expires"] * (last is None)
    bare = data.replace(f'"{expires}"'.encode(), expires.encode())
    found, wrong = read_override(GATE, bare)
    assert (None if found is None else found.expires) == last, "also without quotes"
