"""The last readable version replaces a broken file: a case for each earlier bug."""

from collections.abc import Mapping, Sequence

import pytest

from reconciler.families.butler.kinds import TENANT
from reconciler.model.plan import Expire, Keep
from reconciler.planning.evaluate import evaluate
from reconciler.planning.read import MAX_VERSIONS, read_tree
from tests.memory import MemorySource, evaluation_after
from tests.planning.outcome import Files, decided, without
from tests.world import CLOCK, SMALL, pool, provider, raw, reconciled, request, settings, tenant

DAY = 86_400
ONE = "team-a/one (loadbalancer)"
NEW = "team-a/new (loadbalancer)"
NEWCOMER = {"tenants/new.yaml": tenant("new")}
MANUAL = tenant("old", networking="{loadBalancerPool: {start: 10.40.0.8, end: 10.40.0.15}}")
HAND = f"{MANUAL}  providerConfigRef: {{name: cloud}}\n"  # no record holds the range
CLOUD = provider("cloud").replace("mode: ipam", "mode: cloud")
BY_HAND = {**SMALL, "providers/cloud.yaml": CLOUD, "tenants/old.yaml": HAND}


def after(before: Files, files: Files, clock: int = CLOCK) -> dict[str, str]:
    """Return the decisions for a revision that follows another one."""
    return decided(evaluation_after([before], files, clock))


def codes(before: Sequence[Files], files: Files) -> list[str]:
    return [item.code for item in evaluation_after(before, files).findings]


OTHER = {
    "pools/near.yaml": pool("near", "10.40.0.0/24"),
    "providers/other.yaml": provider("other", "[{name: near}]"),
}
HELD = reconciled(SMALL)
HANDS = reconciled(BY_HAND)
(RECORD,) = (path for path in HELD if path.startswith("allocations/"))
SPARE = {
    "pools/spare.yaml": pool("spare", "10.50.0.0/24"),
    "providers/zebra.yaml": provider("zebra", "[{name: spare}]"),
}
LIMIT = provider(quotaPerTenant="{maxLoadBalancerIPs: 8}")
EXTRA = (
    request("more", count=8)
    .replace("type: nodes", "type: loadbalancer")
    .replace("{name: more, namespace: team-a}", "{name: one, namespace: team-a}")
)
KEPT = "keep 10.40.0.0-10.40.0.7 of edge"
FIRST, BEHIND = (f"allocate 10.40.0.{ends} of edge" for ends in ("0-10.40.0.7", "16-10.40.0.23"))
FROZEN = "refuse pool-frozen"
# Files, an edit of them (None removes a file), and decisions for them with an additional tenant.
BROKEN: dict[str, tuple[Files, Mapping[str, str | bytes | None], dict[str, str]]] = {
    "a tenant frees no range by hand": (
        HANDS,
        {"tenants/old.yaml": "metadata: {name: old\n"},
        {NEW: BEHIND},
    ),
    "a tenant that also moved": (
        HANDS,
        {"tenants/old.yaml": None, "tenants/x/old.yaml": f"{HAND} {{"},
        {NEW: BEHIND},
    ),
    "a file into which a tenant moved": (
        HANDS,
        {"tenants/old.yaml": None, "tenants/one.yaml": f"{SMALL['tenants/one.yaml']}---\n{HAND}  {{\n"},
        {NEW: BEHIND, ONE: KEPT},
    ),
    "a provider frees no gateway": (
        reconciled({**SMALL, "providers/lab.yaml": provider("lab", gateway="10.40.0.8")}),
        {"providers/lab.yaml": "metadata: {name: lab\n"},
        {NEW: "allocate 10.40.0.9-10.40.0.16 of edge"},
    ),
    "a provider keeps its quota": (
        reconciled({**SMALL, "providers/default.yaml": LIMIT}),
        {"providers/default.yaml": f"{LIMIT}  typo\n", "tenants/r.yaml": EXTRA},
        {"butler-system/more (request)": "refuse quota-exceeded"},
    ),
    "the default provider makes no way for the next": (
        reconciled({**SMALL, **SPARE}),
        {"providers/default.yaml": "kind: ["},
        {NEW: FROZEN, ONE: KEPT},
    ),
    "a provider that contradicts itself": (
        HELD,
        {"providers/default.yaml": provider().replace("harvester", "aws")},
        {NEW: FROZEN, ONE: KEPT},
    ),
    "a pool keeps its records and gives nothing new": (
        HELD,
        {"pools/edge.yaml": f"{SMALL['pools/edge.yaml']}  reserved: none\n"},
        {NEW: FROZEN, ONE: KEPT},
    ),
    "a record freezes its pool": (
        HELD,
        {RECORD: raw(HELD[RECORD]).replace(b"endAddress: 10.40.0.7", b"endAddress: 10.40.0.15")},
        {NEW: FROZEN, ONE: FROZEN},
    ),
    "a request keeps the tenant waiting that it names": (
        SMALL,
        {"tenants/r.yaml": "metadata: {name: team-a-one-lb}\nspec: [\n"},
        {NEW: FIRST, ONE: FROZEN},
    ),
    "a new tenant is kept what it would get": (
        {**SMALL, **NEWCOMER},
        {"tenants/new.yaml": "{"},
        {NEW: FROZEN, ONE: "allocate 10.40.0.8-10.40.0.15 of edge"},
    ),
    "two descriptions": (
        {**SMALL, "tenants/old.yaml": tenant("old"), "tenants/z.yaml": MANUAL},
        {},
        {NEW: FIRST, "team-a/old (loadbalancer)": FROZEN, ONE: "allocate 10.40.0.24-10.40.0.31 of edge"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("before", "edit", "expected"), BROKEN.values(), ids=BROKEN)
def test_what_is_broken_counts_as_it_was(
    before: Files, edit: Mapping[str, str | bytes | None], expected: dict[str, str]
) -> None:
    files = {
        **before,
        **NEWCOMER,
        **{path: text for path, text in edit.items() if text is not None},
    }
    gone = [path for path, text in edit.items() if text is None]
    found = after(before, without(files, *gone))
    assert expected.items() <= found.items()


def test_a_typo_in_a_request_that_stands_for_a_tenant_gives_it_no_second_range() -> None:
    stands = request("team-a-one-lb", count=4).replace("type: nodes", "type: loadbalancer")
    stands = stands.replace(
        "{name: team-a-one-lb, namespace: team-a}", "{name: one, namespace: team-a}"
    )
    before = reconciled({**SMALL, "tenants/r.yaml": stands})
    assert list(after(before, before)) == ["butler-system/team-a-one-lb (request)"]
    for wrong in ("{", stands.replace("count: 4", "count: four")):
        found = after(before, {**before, "tenants/r.yaml": wrong})
        assert found == {
            "butler-system/team-a-one-lb (request)": "keep 10.40.0.0-10.40.0.3 of edge"
        }


def test_a_retention_does_not_end_while_who_returns_cannot_be_read() -> None:
    released = reconciled(without(reconciled(SMALL), "tenants/one.yaml"))
    back = {
        **released,
        "tenants/one.yaml": f"{SMALL['tenants/one.yaml']}  networking: {{lbPoolSize: x}}\n",
    }
    for text in (back["tenants/one.yaml"], "{", "kind: Unknown\n"):
        evaluation = evaluation_after(
            [released], {**back, "tenants/one.yaml": text}, CLOCK + 9 * DAY
        )
        assert evaluation.changes == ()
    mended = {**back, "tenants/one.yaml": SMALL["tenants/one.yaml"]}
    assert after(back, mended, CLOCK + 9 * DAY)[ONE].startswith("allocate 10.40.0.0-")


@pytest.mark.parametrize("text", ["spec: [\n", settings("{gate: sometimes}"), ""])
def test_with_broken_settings_nothing_is_given_released_or_expired(text: str) -> None:
    before = reconciled({**SMALL, "ipam.yaml": settings("{retention: 1h}")})
    broken = {**without(before, "tenants/one.yaml"), "ipam.yaml": text, **NEWCOMER}
    evaluation = evaluation_after([before], broken)
    assert decided(evaluation) == {
        NEW: "refuse pool-frozen",
        ONE: "keep 10.40.0.0-10.40.0.7 of edge",
    }
    assert evaluation.changes == ()
    assert evaluation.tree.settings.retention == 3600


def test_what_vanishes_later_while_a_file_is_broken_counts_as_it_was() -> None:
    before = reconciled(BY_HAND)
    broken = {**before, "tenants/x.yaml": "{"}
    gone = {**without(broken, "tenants/old.yaml"), **NEWCOMER}
    found = decided(evaluation_after([before, broken], gone))
    assert found[NEW] == "allocate 10.40.0.16-10.40.0.23 of edge"


@pytest.mark.parametrize("path", ["tenants/one.yaml", "providers/default.yaml", "pools/edge.yaml"])
def test_a_file_that_broke_and_is_renamed_later_counts_as_it_was(path: str) -> None:
    before = reconciled(SMALL)
    broken = {**before, path: raw(before[path]).replace(b"spec:", b"spek:")}
    new = f"{path.partition('/')[0]}/new-name.yaml"
    moved = {**without(broken, path), new: broken[path]}
    once = {**without(moved, new), path.replace(".yaml", "-3.yaml"): broken[path]}
    for line, now in (([before, broken], moved), ([before, broken, moved], once)):
        found = evaluation_after(line, now)
        assert decided(found) == {ONE: "keep 10.40.0.0-10.40.0.7 of edge"}
        assert "last-good" in [item.code for item in found.findings]
        whole = evaluation_after([], before)
        assert found.reading.pools.keys() == whole.reading.pools.keys()
        assert [item.identity for item in found.documents.of(TENANT)] == [
            item.identity for item in whole.documents.of(TENANT)
        ]


def test_the_last_version_that_was_wholly_good_counts_not_a_later_one_in_part() -> None:
    before = reconciled(BY_HAND)
    half = {**before, "tenants/old.yaml": f"{tenant('other')}---\n{HAND}  x: {{\n"}
    now = {**half, "tenants/old.yaml": "{", **NEWCOMER}
    found = decided(evaluation_after([before, half], now))
    assert found[NEW] == "allocate 10.40.0.16-10.40.0.23 of edge"
    assert "team-a/other (loadbalancer)" not in found


def test_no_more_than_a_hundred_versions_are_looked_at() -> None:
    before = reconciled({**SMALL, "tenants/old.yaml": MANUAL})
    line = [before]
    line += [{**before, "tenants/old.yaml": f"{{ {number}"} for number in range(MAX_VERSIONS)]
    assert "last-good" in codes(line[:-1], {**before, "tenants/old.yaml": "{ x"})
    assert "last-good" not in codes(line, {**before, "tenants/old.yaml": "{ x"})


def test_a_document_that_vanished_in_a_commit_of_reconcile_counts_as_it_was() -> None:
    """Only records in a reconcile commit come from `ipam`. Its other changes are of a person."""
    before = dict(reconciled(SMALL))
    source = MemorySource(
        {**without(before, "tenants/one.yaml"), "tenants/x.yaml": "{"}, before=[before]
    )
    source.ours = True
    found = evaluate(read_tree(source))
    assert decided(found)[ONE].startswith("keep ")


def test_a_record_that_breaks_is_not_released_and_does_not_end() -> None:
    before = without(reconciled(SMALL), "tenants/one.yaml")
    (path,) = (name for name in before if name.startswith("allocations/"))
    for files in (before, reconciled(before)):
        evaluation = evaluation_after([files], {**files, path: "{"}, CLOCK + 9 * DAY)
        assert evaluation.changes == ()
        assert not [item for item in evaluation.plan.decisions if not isinstance(item, Keep)]


def test_of_what_two_documents_describe_nothing_is_released() -> None:
    before = reconciled(SMALL)
    none = provider("none").replace("mode: ipam", "mode: cloud")
    double = {"providers/none.yaml": none}
    double["tenants/a.yaml"] = tenant("one", providerConfigRef="{name: none}")
    assert after(before, {**before, **double}) == {ONE: "keep 10.40.0.0-10.40.0.7 of edge"}
    alone = without({**before, **double}, "tenants/one.yaml")
    assert after(before, alone)[ONE].startswith("release")


def test_what_a_pool_that_breaks_would_give_is_kept_for_it() -> None:
    files = {**SMALL, **OTHER, "tenants/z.yaml": tenant("z", providerConfigRef="{name: other}")}
    z = "team-a/z (loadbalancer)"
    broken = {**files, "pools/edge.yaml": f"{SMALL['pools/edge.yaml']}  reserved: none\n"}
    assert after(files, files)[z] == "allocate 10.40.0.8-10.40.0.15 of near"
    assert after(files, broken) == {
        ONE: "refuse pool-frozen",
        z: "allocate 10.40.0.8-10.40.0.15 of near",
    }


def test_a_retention_does_not_end_while_the_provider_of_who_returns_cannot_be_read() -> None:
    released = reconciled(without(reconciled({**SMALL, **OTHER}), "tenants/one.yaml"))
    back = {**released, "tenants/one.yaml": tenant("one", providerConfigRef="{name: other}")}
    broken = {**back, "providers/other.yaml": provider("other", "none")}
    found = evaluation_after([back], broken, CLOCK + 9 * DAY)
    assert not [item for item in found.plan.decisions if isinstance(item, Expire)]
    assert found.changes == ()
