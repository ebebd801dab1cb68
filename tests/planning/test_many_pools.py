"""Many pools: messages stay short, and the order of pools stays correct."""

from tests.planning.outcome import refusal
from tests.world import evaluation_of, pool, provider, tenant

LB = "team-a/t (loadbalancer)"


def served_by(pools: dict[str, str], size: int) -> dict[str, str]:
    names = ", ".join(f"{{name: {name}}}" for name in pools)
    return {
        **{f"pools/{name}.yaml": text for name, text in pools.items()},
        "providers/default.yaml": provider(pools=f"[{names}]"),
        "tenants/t.yaml": tenant("t", networking=f"{{lbPoolSize: {size}}}"),
    }


def small(count: int) -> dict[str, str]:
    return {f"p{n}": pool(f"p{n}", f"10.40.{n}.0/30") for n in range(count)}


def test_a_refusal_names_five_pools_and_counts_the_others() -> None:
    assert refusal(served_by(small(7), 64), LB).message == (
        "needs 64 addresses, more than pool p0 (4), pool p1 (4), pool p2 (4), pool p3 (4), pool p4 (4), or 2 more pools can hold when empty"
    )
    split = "[{start: 10.40.9.0, end: 10.40.9.2}, {start: 10.40.9.4, end: 10.40.9.6}]"
    last = {"p9": pool("p9", "10.40.9.0/24", tenantAllocation=f"{{ranges: {split}}}")}
    refused = refusal(served_by({**small(6), **last}, 6), LB)
    assert refused.reason == "pool-fragmented"
    assert refused.message.endswith("; 2 more pools without such a range")
    assert "widen pool p0 to 10.40.0.0/28 if that network is free," in refused.hint


def test_a_pool_that_overlaps_many_is_told_with_five_of_them() -> None:
    files = {f"pools/{n}.yaml": pool(f"p{n}", f"10.40.0.{n * 8}/29") for n in range(7)}
    files["pools/z.yaml"] = pool("z", "10.40.0.0/24")
    (found,) = evaluation_of(files).findings
    assert found.message.startswith(
        "pool z overlaps NetworkPool p0 at pools/0.yaml:5: 10.40.0.0-10.40.0.7; NetworkPool"
    )
    assert found.message.endswith("10.40.0.32-10.40.0.39; and 2 more pools")
