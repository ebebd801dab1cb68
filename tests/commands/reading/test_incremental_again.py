"""What once went wrong with what was known, or with shares of the work: each as it was found."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.commands.reading import parallel
from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.commands.reading.parts import Parts
from reconciler.commands.reading.whole import read_tree
from reconciler.documents.document import node
from reconciler.evaluate import Evaluation, evaluate
from reconciler.families.butler.kinds import POOL
from reconciler.incremental.group import bearing
from reconciler.model.plan import Grant
from reconciler.records.emit import record_text
from reconciler.records.recall import recall
from tests.commands.reading.test_incremental import RECORD, same_in_turn, settled, spaced, without
from tests.memory import MemoryFacts, MemorySource
from tests.properties.test_incremental import carried_out, member, shown
from tests.properties.trees import Files
from tests.world import CLOCK, pool, provider, raw, request, tenant


def granted(evaluation: Evaluation) -> list[object]:
    return [item.allocation.range for item in evaluation.plan.decisions if isinstance(item, Grant)]


def test_records_moved_between_pools_of_one_name_give_no_address_twice() -> None:
    lab = spaced("p0", "10.0.0.0/26", "lab").replace("butler-system", "team-a")
    files = settled({"pools/lab.yaml": lab})
    moved = dict(files)
    path = RECORD.format(0, "a")
    moved[path.replace("butler-system.p0", "team-a.p0")] = moved.pop(path)
    new: Files = {"tenants/new.yaml": member("new", 0)}
    same_in_turn(files, moved, {**moved, **new})


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_a_tenant_that_names_a_default_that_is_not_there(
    processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "LEAST_FILES", 1)
    files = without(settled(), "tenants/a0.yaml")
    files["tenants/x.yaml"] = tenant("x", providerConfigRef="{name: default}")
    files["tenants/y.yaml"] = tenant("y")
    files["pools/q.yaml"] = pool("q", "10.0.0.0/25")
    source = MemorySource(files)
    source.processes = processes
    assert shown(evaluate_incrementally(source, MemoryFacts())) == shown(
        evaluate(read_tree(MemorySource(files)))
    )


def test_records_that_were_brought_in_by_hand_hold_their_addresses() -> None:
    files = settled()
    path = RECORD.format(0, "a")
    files["allocations/imported/old.yaml"] = files.pop(path)
    del files["tenants/a0.yaml"]
    files["tenants/new.yaml"] = member("new", 0)
    facts = MemoryFacts()
    for _ in range(2):
        (given,) = granted(evaluate_incrementally(MemorySource(files), facts))
        assert str(given) != str(evaluate(read_tree(MemorySource(files))).state.records[0].range)
    same_in_turn(files, files)


def test_an_unreadable_record_of_one_pool_freezes_no_other_on_the_second_run() -> None:
    files = {**settled(), RECORD.format(0, "z"): "{", "tenants/new.yaml": member("new", 1)}
    facts = MemoryFacts()
    for _ in range(2):
        assert len(granted(evaluate_incrementally(MemorySource(files), facts))) == 1


def test_one_refused_claim_or_one_broken_file_does_not_make_all_be_read() -> None:
    files = settled()
    odd: Files = {
        "tenants/large.yaml": member("large", 0, networking="{lbPoolSize: 900}"),
        "tenants/broken.yaml": "{",
    }
    files = carried_out({**files, **odd}, evaluate(read_tree(MemorySource({**files, **odd}))))
    facts = MemoryFacts()
    evaluate_incrementally(MemorySource(files), facts)
    again = MemorySource(files, CLOCK)
    evaluate_incrementally(again, facts)
    read = again.reads
    whole = MemorySource(files)
    read_tree(whole)
    assert read < whole.reads
    same_in_turn(files, files, {**files, "providers/p9.yaml": provider("p9", "[{name: p1}]")})


def test_a_team_that_nothing_else_is_known_of_stays_known() -> None:
    team = "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: Team\nmetadata: {name: known}\n"
    files = settled({"teams/known.yaml": team})
    files["tenants/new.yaml"] = member("new", 0, teamRef="{name: gone}")
    same_in_turn(files, files, files)


def test_a_warning_stays_while_something_else_cannot_be_read() -> None:
    files = settled({"tenants/r.yaml": request("nobody", "p0", count=1)})
    odd: Files = {**files, "tenants/odd.yaml": "{"}
    same_in_turn(files, odd, odd, files)
    same_in_turn(odd, files)


def test_each_record_that_was_brought_in_beside_others_bears_on_its_pool() -> None:
    files = settled()
    first, second = "allocations/imported/a.yaml", "allocations/imported/b.yaml"
    files[first] = files.pop(RECORD.format(0, "b"))
    there = recall("allocations", first, raw(files[first])).allocation
    assert there is not None
    grown = replace(
        there,
        claim=there.claim._replace(slot="loadbalancer-1"),
        range=IPRange(4, (10 << 24) + 32, (10 << 24) + 39),
        role="growth",
        name="team-a-b0-lb-1",
    )
    files[second] = record_text(grown)
    asks = bearing(evaluate(read_tree(MemorySource(files)))).asks
    pool_node = node(POOL, "butler-system", "p0")
    assert all(pool_node in asks[path] for path in (first, second))
    same_in_turn(files, {**files, "tenants/new.yaml": member("new", 0)})


def test_a_file_that_is_gone_since_the_groups_were_written_stays_gone() -> None:
    files = settled()
    gone = without(files, "tenants/a0.yaml")
    after = carried_out(gone, evaluate(read_tree(MemorySource(gone))))
    same_in_turn(files, gone, after, {**after, "pools/p9.yaml": pool("p9", "10.9.0.0/26")})


def test_groups_are_not_written_anew_for_one_file_that_changed() -> None:
    files, facts = settled(), MemoryFacts()
    evaluate_incrementally(MemorySource(files), facts)
    written = dict(facts.tables["groups"])
    new = MemorySource({**files, "tenants/new.yaml": member("new", 0)})
    evaluate_incrementally(new, facts)
    assert facts.tables["groups"] == written
    read = new.reads
    evaluate_incrementally(new, facts)  # what is known by then is the head alone
    assert new.reads - read <= read


def test_a_new_name_makes_no_group_be_read_twice_when_nothing_was_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parallel, "LEAST_FILES", 1)
    read: list[str] = []
    whole = Parts.evaluate

    def noted(parts: Parts, paths: Mapping[str, str], *more: Any) -> Evaluation:
        read.extend(paths)
        return whole(parts, paths, *more)

    monkeypatch.setattr(Parts, "evaluate", noted)
    source = MemorySource({**settled(), "tenants/new.yaml": member("new", 0)})
    source.processes = -2
    evaluate_incrementally(source, MemoryFacts())
    assert read.count("tenants/a0.yaml") == 2  # in a share, then with what has something to do
    assert read.count("tenants/a1.yaml") == 1


def test_a_record_of_which_nothing_is_known_is_looked_at_by_every_plan() -> None:
    odd = "allocations/odd.yaml"
    files = settled({odd: "kind: IPAllocation\n"})
    more = {**files, "tenants/more.yaml": member("more", 0)}
    same_in_turn(files, more, without(more, odd))


def test_a_tenant_that_may_be_meant_is_named_whatever_was_read_before() -> None:
    text = request("extra", "p0", count=2)
    text = text.replace("{name: extra, namespace: team-a}", "{name: metrics, namespace: team-bb}")
    files = settled({"tenants/extra.yaml": text})
    there: Files = {**files, "tenants/m.yaml": member("metrics", 1, namespace="team-b")}
    near: Files = {**files, "tenants/m.yaml": member("metriks", 1, namespace="team-bb")}
    same_in_turn(files, there, settled(there), files, near, settled(near), there)
