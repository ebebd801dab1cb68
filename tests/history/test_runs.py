"""Contiguous free ranges: `find` predicts the range of the next plan."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.addresses import format_short
from reconciler.history.runs import FreeQuery, Runs, free_runs
from reconciler.model.instant import format_instant
from reconciler.model.plan import Grant
from tests.examples import scaled
from tests.families.capi.trees import pool as capi_pool
from tests.families.novaedge import pool as vip_pool
from tests.history.leaving import left
from tests.world import CLOCK, SMALL, evaluation_of, pool, reconciled, request, tenant

Files = Mapping[str, str | bytes]
TWO = {**SMALL, "tenants/two.yaml": tenant("two"), "tenants/three.yaml": tenant("three")}
"""10.40.0.0-7 is one's, 8-15 three's, 16-23 two's."""


def found(files: Files, wanted: FreeQuery, clock: int = CLOCK) -> list[Runs]:
    state = evaluation_of(files, clock).state
    return free_runs(state, wanted, list(state.pools))


def blocks(runs: Runs) -> list[str]:
    return [format_short(fit.block) for fit in runs.fits]


def gone(name: str, files: Files, clock: int = CLOCK) -> Files:
    return reconciled({path: it for path, it in files.items() if path != name}, clock)


def test_what_is_held_is_told_with_the_day_on_which_it_comes_free() -> None:
    (runs,) = found(gone("tenants/three.yaml", reconciled(TWO)), FreeQuery(240))
    assert (runs.fits, [format_short(it.range) for it in runs.held]) == (
        (),
        ["10.40.0.8-10.40.0.15"],
    )
    assert runs.held[0].until == CLOCK + 86_400
    assert runs.fits_from is None  # 16-23 stays between
    (runs,) = found(gone("tenants/two.yaml", reconciled(TWO)), FreeQuery(240))
    assert runs.fits_from == CLOCK + 86_400
    assert format_instant(runs.fits_from) == "2026-02-16T10:00:30Z"


def test_what_is_held_without_an_end_is_never_said_to_come_free() -> None:
    state = evaluation_of(gone("tenants/two.yaml", reconciled(TWO))).state
    records = [replace(it, since="soon") if it.is_released else it for it in state.records]
    (runs,) = free_runs(replace(state, records=tuple(records)), FreeQuery(240), list(state.pools))
    assert [(it.until, runs.fits_from) for it in runs.held] == [(None, None)]


def test_what_is_held_in_another_space_is_not_told() -> None:
    lab = "namespace: butler-system, annotations: {gitops-ipam.dev/address-space: lab}}"
    files = {**TWO, "pools/lab.yaml": pool("lab").replace("namespace: butler-system}", lab)}
    after = found(gone("tenants/two.yaml", reconciled(files)), FreeQuery(1))
    assert {runs.pool.name: len(runs.held) for runs in after} == {"edge": 1, "lab": 0}


def test_a_block_longer_than_an_address_has_bits_is_in_pools_of_ipv6_alone() -> None:
    files = {**SMALL, "pools/six.yaml": vip_pool("six", cidrs="[2001:db8::/64]")}
    fits = {runs.pool.name: blocks(runs) for runs in found(files, FreeQuery(prefix=120))}
    assert fits["edge"] == []
    assert fits["six"][0].startswith("2001:db8::")


def test_a_pool_that_gives_nothing_by_itself_says_why() -> None:
    files = {
        "pools/vips.yaml": vip_pool(auto="false", cidrs="[10.200.1.0/24]"),
        "pools/paused.yaml": capi_pool("paused", annotations={"cluster.x-k8s.io/paused": "true"}),
    }
    closed = {runs.pool.name: runs.closed for runs in found(files, FreeQuery(1))}
    assert closed == {"main": "autoAssign is false", "paused": "the pool is paused"}


def test_a_pool_with_a_record_that_nobody_can_read_gives_nothing() -> None:
    files = reconciled(SMALL)
    path = next(it for it in files if it.startswith("allocations/"))
    (runs,) = found({**files, path: b"kind: ["}, FreeQuery(1))
    assert runs.closed == f"{path} cannot be read"


@settings(max_examples=scaled(60))
@given(st.lists(st.integers(1, 24), max_size=6), st.sets(st.integers(0, 5)), st.integers(1, 80))
def test_what_comes_next_is_what_a_plan_gives(sizes: list[int], going: set[int], size: int) -> None:
    files = left("10.40.0.0/25", sizes, going)
    files = reconciled(reconciled(files), CLOCK + 9 * 86_400)
    later = CLOCK + 10 * 86_400
    (runs,) = found(files, FreeQuery(size), later)
    plan = evaluation_of({**files, "tenants/new.yaml": request("new", count=size)}, later).plan
    granted = [it for it in plan.decisions if isinstance(it, Grant)]
    expected = [format_short(it.allocation.range) for it in granted if it.allocation.range]
    assert expected == [format_short(fit.block) for fit in runs.fits if fit.is_next]
