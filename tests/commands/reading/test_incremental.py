"""One case for each link that makes parts of a tree bear on each other."""

import pytest
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.commands.reading import incremental, parallel
from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.commands.reading.whole import read_tree
from reconciler.evaluate import evaluate
from reconciler.records.emit import record_text
from reconciler.records.recall import recall
from tests.memory import MemoryFacts, MemorySource
from tests.properties.test_incremental import DAY, TEAM, carried_out, island, member, shown
from tests.properties.trees import Files
from tests.world import AHEAD, CLOCK, SMALL, pool, provider, raw, request, tenant

RECORD = "allocations/NetworkPool/butler-system.p{0}/team-a/{1}{0}.loadbalancer.yaml"


def settled(*more: Files) -> Files:
    """Two islands and more, reconciled."""
    files: Files = {**island(0), **island(1)}
    for part in more:
        files |= part
    return carried_out(files, evaluate(read_tree(MemorySource(files))))


def same_in_turn(*revisions: Files, clocks: tuple[int, ...] = ()) -> None:
    """Each revision evaluates alike with what was learnt from those before it, and without.

    Also where it is told what changed in a folder since, which then is not listed.
    """
    for is_told in (False, True):
        facts = MemoryFacts()
        for number, files in enumerate(revisions):
            before = revisions[:number] if is_told else ()
            source = MemorySource(files, clocks[number] if clocks else CLOCK, before)
            found = shown(evaluate_incrementally(source, facts))
            assert found == shown(evaluate(read_tree(source)))


def without(files: Files, *paths: str) -> Files:
    return {path: data for path, data in files.items() if path not in paths}


def test_a_record_outside_its_pool_counts_where_it_lies() -> None:
    files = settled()
    files["pools/p0.yaml"] = pool("p0", "10.9.0.0/26")
    files["pools/p1.yaml"] = pool("p1", "10.0.0.0/15")
    same_in_turn(files, without(files, RECORD.format(0, "a")))


def test_names_that_join_alike_are_told_apart_over_components() -> None:
    first: Files = {"tenants/y.yaml": member("y-z", 0, "x")}
    files = settled(first)
    second: Files = {"tenants/z.yaml": member("z", 1, "x-y")}
    same_in_turn(files, {**files, **second})


def test_retention_ends_with_the_clock_alone() -> None:
    files = without(settled(), "tenants/a0.yaml")
    files = carried_out(files, evaluate(read_tree(MemorySource(files))))
    same_in_turn(files, files, files, clocks=(CLOCK, CLOCK + 60, CLOCK + 2 * DAY))


def test_nothing_expires_by_a_date_that_is_ahead_with_a_cache_or_without() -> None:
    files = without(settled(), "tenants/a0.yaml")
    files = carried_out(files, evaluate(read_tree(MemorySource(files))))
    source, facts = MemorySource(files, CLOCK + 2 * DAY), MemoryFacts()
    source.ahead = AHEAD
    for found in (
        evaluate(read_tree(source)),
        *(evaluate_incrementally(source, facts) for _ in "12"),
    ):
        assert (found.changes, [item.code for item in found.gates]) == ((), ["clock-ahead"])


@pytest.mark.parametrize("least", [1, 5_000])
def test_a_record_that_says_something_else_than_its_path(
    least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "LEAST_FILES", least)
    files = settled()
    moved = without(files, RECORD.format(1, "b"))
    moved[RECORD.format(0, "c")] = files[RECORD.format(1, "b")]
    same_in_turn(moved, without(moved, "tenants/b1.yaml"))


@pytest.mark.parametrize("least", [1, 5_000])
def test_a_second_record_of_a_claim_in_another_pool(
    least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "LEAST_FILES", least)
    files = settled()
    text = files[RECORD.format(0, "a")]
    assert isinstance(text, bytes)
    record = recall("allocations", RECORD.format(0, "a"), text).allocation
    assert record is not None
    second = replace(
        record,
        claim=record.claim._replace(name="b1"),
        owner=record.owner._replace(name="b1"),
        range=IPRange(4, (10 << 24) + 40, (10 << 24) + 47),
    )
    same_in_turn({**files, RECORD.format(0, "q"): record_text(second)})


@pytest.mark.parametrize("least", [1, 5_000])
def test_a_record_at_an_odd_depth(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "LEAST_FILES", least)
    files = settled()
    path = RECORD.format(0, "a")
    deep = without(files, path)
    deep[path.replace("team-a/", "team-a/deep/")] = files[path]
    same_in_turn(files, deep)


def test_settings_bear_on_everything() -> None:
    files = settled()
    text = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    levels = "{warning: 1, critical: 2, exhausted: 3}"
    same_in_turn(files, {**files, "ipam.yaml": f"{text}spec: {{thresholds: {levels}}}\n"})


def test_a_failed_record_goes_with_its_tenant() -> None:
    files = settled({"tenants/big.yaml": member("big", 0, networking="{lbPoolSize: 60}")})
    assert any("_unplaced" in path for path in files)
    same_in_turn(files, without(files, "tenants/big.yaml"))


def test_a_stray_file_among_the_records_is_seen() -> None:
    files = settled()
    same_in_turn(files, {**files, "allocations/stray.yaml": files[RECORD.format(0, "a")]})


def test_a_manual_range_bears_on_pools_of_every_address_space() -> None:
    space = "annotations: {gitops-ipam.dev/address-space: lab}"
    lab: Files = {
        "pools/p0.yaml": pool("p0", "10.1.0.0/26").replace("system}", f"system, {space}}}")
    }
    files = without(settled(lab), "tenants/a0.yaml", RECORD.format(0, "a"))
    manual = "{loadBalancerPool: {start: 10.1.0.24, end: 10.1.0.63}}"
    first = {**files, "tenants/m.yaml": member("m", 1, networking=manual)}
    first = carried_out(first, evaluate(read_tree(MemorySource(first))))
    new: Files = {"tenants/new.yaml": member("new", 0, networking="{lbPoolSize: 16}")}
    same_in_turn(files, first, {**first, **new})
    same_in_turn(first, {**first, **new})


MANUAL = "{loadBalancerPool: {start: 10.0.0.50, end: 10.0.0.55}}"


def routed(gateway: str) -> str:
    return provider("p1", "[{name: p1}]", gateway=gateway)


def test_a_router_outside_its_own_pools_bears_on_ranges_by_hand_and_they_on_it() -> None:
    hand: Files = {"tenants/m.yaml": member("m", 0, networking=MANUAL)}
    files = settled(hand)
    moved = {**files, "providers/p1.yaml": routed("10.0.0.52")}
    same_in_turn(files, moved, files)
    same_in_turn(files, {**files, "providers/p1.yaml": routed("10.1.0.52")})  # in its own pool
    before = settled({"providers/p1.yaml": routed("10.0.0.52")})
    same_in_turn(before, {**before, **hand}, before)
    codes = [item.code for item in evaluate(read_tree(MemorySource(moved))).findings]
    assert codes == ["gateway-in-pool", "gateway-in-pool", "manual-range"]


def test_ranges_by_hand_bear_on_each_other_where_no_pool_is() -> None:
    cloud = provider("cloud", "[]").replace("mode: ipam", "mode: cloud")
    files = settled({"providers/cloud.yaml": cloud, "providers/fog.yaml": cloud.replace("{name: cloud", "{name: fog")})  # fmt: skip
    manual = "{loadBalancerPool: {start: 10.99.0.1, end: 10.99.0.9}}"
    one: Files = {"tenants/m.yaml": tenant("m", networking=manual, providerConfigRef="{name: cloud}")}  # fmt: skip
    two: Files = {
        "tenants/mm.yaml": tenant("mm", networking=manual, providerConfigRef="{name: fog}")
    }
    same_in_turn({**files, **one}, {**files, **one, **two}, {**files, **two})
    found = evaluate(read_tree(MemorySource({**files, **one, **two}))).findings
    assert [item.code for item in found] == ["manual-range", "manual-range"]


def spaced(name: str, cidr: str, space: str) -> str:
    annotations = f"annotations: {{gitops-ipam.dev/address-space: {space}}}"
    return pool(name, cidr).replace("system}", f"system, {annotations}}}")


@pytest.mark.parametrize("space", ['"*"', '"a\\tb"', '"a\\nb"', '""', "'\"'"])
def test_address_spaces_of_odd_names_give_no_address_twice(space: str) -> None:
    odd: Files = {
        "pools/p0.yaml": spaced("p0", "10.0.0.0/26", space),
        "pools/p1.yaml": spaced("p1", "10.0.0.0/26", space),
    }
    files = settled(odd)
    # Once learnt, and once from what was learnt.
    same_in_turn(files, files, files, {**files, "tenants/new.yaml": member("new", 1)})


@pytest.mark.parametrize("least", [1, 5_000])
def test_a_record_outside_its_pool_but_inside_one_of_another_space(
    least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "LEAST_FILES", least)
    more: Files = {
        "pools/p0.yaml": spaced("p0", "10.0.0.0/26", "lab"),
        "pools/q.yaml": pool("q", "10.1.0.0/26"),
        "providers/p0.yaml": provider("p0", "[{name: p0}, {name: q, priority: 2}]"),
        "pools/p1.yaml": spaced("p1", "10.1.0.0/26", "lab"),
    }
    files = without(settled(more), "tenants/b0.yaml", RECORD.format(0, "b"))
    record = recall("allocations", RECORD.format(0, "a"), raw(files[RECORD.format(0, "a")]))
    assert record.allocation is not None
    stray = replace(record.allocation, range=IPRange(4, (10 << 24 | 1 << 16), (10 << 24 | 65543)))
    edited: Files = {**files, RECORD.format(0, "a"): record_text(stray)}
    same_in_turn(files, edited)
    same_in_turn(edited)


def test_a_request_that_bears_the_name_of_a_tenants_record() -> None:
    first: Files = {"tenants/r.yaml": request("a-x-lb-2-lb", "p0", count=2)}
    files = settled(first)
    same_in_turn(files, {**files, "tenants/z.yaml": member("x-lb-2", 1, "a")})


def test_a_record_that_has_the_name_of_another_owners() -> None:
    first: Files = {"tenants/o.yaml": member("q", 0, "x-o")}
    files = settled(first)
    path = "allocations/NetworkPool/butler-system.p0/x-o/q.loadbalancer.yaml"
    assert b"name: x-o-q-lb" in raw(files[path])
    same_in_turn(files, {**files, "tenants/z.yaml": member("o-q", 1, "x")})


def test_a_record_that_was_given_the_name_of_another_owners() -> None:
    first: Files = {"tenants/o.yaml": member("o", 0, "x"), "tenants/z.yaml": member("o-q", 1, "x")}
    files = settled(first)
    path = "allocations/NetworkPool/butler-system.p0/x/o.loadbalancer.yaml"
    edited = raw(files[path]).replace(b"name: x-o-lb", b"name: x-o-q-lb")
    same_in_turn(files, {**files, path: edited})
    mended = carried_out(files, evaluate(read_tree(MemorySource({**files, path: edited}))))
    assert mended == files


def test_a_provider_of_a_pool_that_is_missing() -> None:
    files = settled()
    lost: Files = {"providers/x.yaml": provider("x", "[{name: lost}]")}
    same_in_turn(files, {**files, **lost})


def test_what_is_known_stands_before_what_it_once_was_while_something_is_broken() -> None:
    before = settled()
    path = RECORD.format(0, "a")
    broken = {**before, "pools/p1.yaml": pool("p1", "10.1.0.0/25"), path: raw(before[path]) + b"}"}
    facts = MemoryFacts()
    for line in ([before], [before, broken]):
        source = MemorySource(broken, CLOCK, line)
        assert shown(evaluate_incrementally(source, facts)) == shown(evaluate(read_tree(source)))


def test_who_asks_for_what_is_missing_is_told_when_it_comes() -> None:
    files = settled({"tenants/r.yaml": request("late", "p0", count=2)})
    same_in_turn(files, {**files, "tenants/late.yaml": member("late", 1)})


def test_who_asks_for_all_of_a_kind_is_told_when_there_is_one_more() -> None:
    files = settled({"tenants/plain.yaml": tenant("plain")})
    more: Files = {
        "pools/new.yaml": pool("new", "10.9.0.0/26"),
        "providers/new.yaml": provider("aa", "[{name: new}]"),
    }
    same_in_turn(files, {**files, **more})


def test_a_second_description_bears_on_the_first() -> None:
    files = settled()
    same_in_turn(files, {**files, "pools/a.yaml": pool("p0", "10.77.0.0/26")})


def test_names_are_compared_when_nothing_changed_too() -> None:
    files = settled({"tenants/y.yaml": member("y-z", 0, "x")})
    files["tenants/z.yaml"] = member("z", 1, "x-y")
    same_in_turn(files, files, files)


@pytest.mark.parametrize("few", [0, incremental.FEW])
def test_names_are_compared_though_what_was_noted_was_noted_anew(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incremental, "FEW", few)
    files = settled({"tenants/y.yaml": member("y-z", 0, "x")})
    more = {**files, "tenants/more.yaml": member("more", 1)}
    same_in_turn(files, more, {**more, "tenants/z.yaml": member("z", 1, "x-y")})


def test_where_names_were_forgotten_each_group_may_have_a_new_one() -> None:
    files = settled({"tenants/y.yaml": member("y-z", 0, "x")})
    facts = MemoryFacts()
    evaluate_incrementally(MemorySource(files), facts)
    del facts.tables["names"]
    source = MemorySource({**files, "tenants/z.yaml": member("z", 1, "x-y")})
    assert shown(evaluate_incrementally(source, facts)) == shown(evaluate(read_tree(source)))


def test_what_was_removed_or_moved_away_is_no_part_any_more() -> None:
    files = settled({"tenants/t.yaml": member("t", 0)})
    gone = without(files, "tenants/t.yaml")
    moved = {**gone, "tenants/deep/t.yaml": files["tenants/t.yaml"]}
    same_in_turn(files, gone, moved, files)


@pytest.mark.parametrize("is_change", [False, True])
def test_what_a_change_gives_out_reaches_who_holds_it_in_another_address_space(
    *, is_change: bool
) -> None:
    lab = pool("lab").replace(
        "system}", "system, annotations: {gitops-ipam.dev/address-space: lab}}"
    )
    files: Files = {
        **SMALL,
        "pools/lab.yaml": lab,
        "providers/lab.yaml": provider("lab", "[{name: lab}]"),
    }
    files = carried_out(files, evaluate(read_tree(MemorySource(files))))
    facts = MemoryFacts()
    evaluate_incrementally(MemorySource(files), facts)
    more: Files = {**files, "tenants/two.yaml": tenant("two", providerConfigRef="{name: lab}")}
    found = evaluate_incrementally(MemorySource(more), facts, is_change=is_change)
    assert [it.claim.name for it in found.state.records] == ["one"] * is_change


def test_teams_bear_on_everything() -> None:
    files = settled({"tenants/t.yaml": member("t", 0, teamRef="{name: red}")})
    blue: Files = {"teams/t.yaml": TEAM}
    red: Files = {"teams/t.yaml": TEAM.replace("blue", "red")}
    far: Files = {"tenants/far.yaml": member("far", 1, teamRef="{name: red}")}
    orders: list[list[Files]] = [[blue], [blue, red], [red, blue], [blue, {**blue, **far}]]
    for turns in orders:
        same_in_turn(files, *({**files, **turn} for turn in turns))


def test_what_waited_for_a_broken_file_goes_on_when_it_is_mended() -> None:
    files = settled()
    gone = without(files, "tenants/a0.yaml")
    same_in_turn({**gone, "tenants/odd.yaml": "{"}, gone)
    new: Files = {**files, "tenants/new.yaml": member("new", 0)}
    same_in_turn({**new, "tenants/odd.yaml": "metadata: {name: team-a-new-lb"}, new)
