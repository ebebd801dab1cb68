"""Records that no Service uses and that would make room for a claim: which, in which order, in which words."""

from collections.abc import Mapping

from reconciler.families.clusters import balancer_records
from reconciler.history.applied import ApplyResult, SeenCluster
from reconciler.history.queries import idle_remedies
from reconciler.model.key import Key
from reconciler.planning.evaluate import Evaluation
from tests.reconcile.looking.country import country
from tests.world import SMALL, evaluation_of, pool, reconciled, tenant

LATE = "butler/TenantCluster/team-a/late/loadbalancer"


def sized(name: str, size: int) -> dict[str, str]:
    return {f"tenants/{name}.yaml": tenant(name, networking=f"{{lbPoolSize: {size}}}")}


def small(cidr: str, **sizes: int) -> dict[str, str]:
    files = {key: text for key, text in SMALL.items() if not key.startswith("tenants/")}
    files["pools/edge.yaml"] = pool(cidr=cidr)
    for name, size in sizes.items():
        files |= sized(name, size)
    return files


def late(files: Mapping[str, str | bytes], size: int) -> Evaluation:
    return evaluation_of({**files, **sized("late", size)})


def unused(evaluation: Evaluation, revision: str = "") -> ApplyResult:
    """A result in which no Service uses anything."""
    clusters = {
        name: SeenCluster("applied", {it.range: 0 for it in records if it.range is not None})
        for name, records in balancer_records(evaluation.state.records).items()
    }
    return ApplyResult(revision or evaluation.tree.revision or "", clusters)


def found(evaluation: Evaluation) -> list[str]:
    key = Key.parse(LATE)
    assert key is not None
    told = idle_remedies(evaluation, key, unused(evaluation))
    return [it for it in told if "another revision" not in it]


def test_the_smallest_comes_first_and_what_makes_too_little_room_is_left_out() -> None:
    evaluation = late(reconciled(small("10.40.0.0/28", a=8, b=5, c=3)), 5)
    assert [it.partition(" uses ")[0].rpartition(" ")[2] for it in found(evaluation)] == [
        "team-a/b",
        "team-a/a",
    ]


def test_what_a_tenant_asked_for_more_goes_by_a_smaller_size() -> None:
    first = reconciled(small("10.40.0.0/28", a=8))
    evaluation = late(reconciled({**first, **sized("a", 16)}), 8)
    told = found(evaluation)
    assert len(told) == 2
    assert (
        "a change to a smaller lbPoolSize (the warning size-smaller then says how): tenants/a.yaml:1"
        in told[1]
    )
    assert "its first range stays whole while it is there" in told[0]


def test_growth_goes_by_itself() -> None:
    here = country(cidr="10.0.0.0/30")
    here.ask("c")
    here.ask("d")
    here.run()
    here.run()
    here.files |= sized("late", 2)
    told = found(here.evaluation())
    assert any("it is growth, released automatically" in it for it in told)
