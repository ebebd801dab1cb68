"""A pool that is paused gives nothing out and takes nothing back, as the provider has it."""

import pytest

from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.evaluate import Evaluation
from reconciler.model.plan import Keep
from tests.families.capi.trees import Files, claim, gets, got, of, pool, said
from tests.memory import MemoryFacts, MemorySource
from tests.world import CLOCK, evaluation_of, reconciled

DAY = 86_400
PAUSE = {"cluster.x-k8s.io/paused": ""}
ONE = "one.address"
PIN = {"gitops-ipam.dev/address": "10.0.0.15"}


def told(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    return [(it.code, it.location.path, it.message) for it in evaluation.findings]


def without_claims(files: Files) -> Files:
    return {path: data for path, data in files.items() if not path.startswith("clusters/")}


@pytest.mark.parametrize("annotations", [{}, PIN], ids=["any", "pinned"])
def test_it_gives_out_no_address_not_even_one_that_is_named(annotations: dict[str, str]) -> None:
    texts = pool(annotations=PAUSE), claim(annotations=annotations)
    assert gets(*texts) == {ONE: "pool-frozen"}
    (refused,) = evaluation_of(of(*texts)).plan.decisions
    assert "vips is paused: it gives nothing out" in getattr(refused, "message", "")


def test_who_holds_an_address_of_it_keeps_it_and_nothing_is_said() -> None:
    files = reconciled(of(pool(), claim()))
    files["pools/00.yaml"] = pool(annotations=PAUSE)
    assert got(evaluation_of(files)) == {ONE: "vips:10"}
    assert said(pool(annotations=PAUSE)) == []


def test_what_nobody_asks_for_any_more_is_not_released_until_the_pause_ends() -> None:
    files = without_claims(reconciled(of(pool(), claim("one"), claim("two"))))
    files["pools/00.yaml"] = pool(annotations=PAUSE)
    evaluation = evaluation_of(files, CLOCK + 9 * DAY)
    assert all(isinstance(it, Keep) and it.held for it in evaluation.plan.decisions)
    assert evaluation.changes == ()
    assert told(evaluation) == [
        ("release-held", "pools/00.yaml",
         "GlobalInClusterIPPool vips is paused: default/one (address) and default/two (address)"
         " keep their addresses meanwhile")
    ]  # fmt: skip
    files["pools/00.yaml"] = pool()
    after = evaluation_of(files, CLOCK + 9 * DAY)
    assert [type(it).__name__ for it in after.plan.decisions] == ["Release", "Release"]


def test_what_is_released_already_is_free_only_when_the_pause_has_ended() -> None:
    files = reconciled(without_claims(reconciled(of(pool(), claim()))))
    files["pools/00.yaml"] = pool(annotations=PAUSE)
    evaluation = evaluation_of(files, CLOCK + 9 * DAY)
    assert evaluation.plan.decisions == ()
    assert [code for code, _, _ in told(evaluation)] == ["release-held"]
    # Another pool that holds the same address does not give it out meanwhile, either.
    other = {**files, "pools/b.yaml": pool("b", "10.0.0.10-10.0.0.11"),
             "clusters/b.yaml": claim("new", "b")}  # fmt: skip
    assert got(evaluation_of(other, CLOCK + 9 * DAY)) == {"new.address": "b:11"}
    files["pools/00.yaml"] = pool()
    after = evaluation_of(files, CLOCK + 9 * DAY)
    assert [type(it).__name__ for it in after.plan.decisions] == ["Expire"]


def test_a_pause_is_noticed_by_a_plan_that_reads_only_what_changed() -> None:
    facts = MemoryFacts()
    held = reconciled(of(pool(), claim("one"), claim("two")))
    paused = {**held, "pools/00.yaml": pool(annotations=PAUSE)}
    for files in (held, paused, without_claims(paused), without_claims(held), held):
        source = MemorySource(files, CLOCK + 9 * DAY)
        quick = evaluate_incrementally(source, facts)
        slow = evaluation_of(files, CLOCK + 9 * DAY)
        assert (quick.changes, quick.findings) == (slow.changes, slow.findings)
