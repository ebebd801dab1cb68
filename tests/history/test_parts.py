"""The state of each address: one per address space, and `held` has priority."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.addresses import IPRange, asked_range, format_short
from reconciler.model.plan import State
from reconciler.planning.pool_map import AddressUse, parts_of
from tests.examples import scaled
from tests.families.novaedge import vip
from tests.history.leaving import left
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, tenant

Files = Mapping[str, str | bytes]
FULL = {
    **SMALL,
    "pools/edge.yaml": pool(reserved="[{cidr: 10.40.0.128/25}]"),
    "providers/default.yaml": provider(gateway="10.40.0.129"),
    "pools/part.yaml": pool(
        "part", "10.0.0.0/24", tenantAllocation="{start: 10.0.0.10, end: 10.0.0.20}"
    ),
    "tenants/web.yaml": vip(of="", address="10.40.0.200"),
    "tenants/two.yaml": tenant("two", networking="{podCIDR: 10.96.0.0/16}"),
}


def state_of(files: Files) -> State:
    return evaluation_of(files).state


def describe(state: State, *texts: str) -> list[tuple[str, str, str]]:
    asked = [item for text in texts if (item := asked_range(text)) is not None]
    return [(format_short(it.range), it.sort.value, it.title) for it in parts_of(state, asked)]


def test_what_a_pool_does_not_give_out_is_told_apart_from_what_is_in_no_pool() -> None:
    found = describe(state_of(FULL), "10.0.0.9-10.0.0.10", "192.0.2.1", "10.96.0.1")
    assert found == [
        ("10.0.0.9", "not allocatable", ""),
        ("10.0.0.10", "free", ""),
        ("10.96.0.1", "inside a cluster", "pods of team-a/two"),
        ("192.0.2.1", "outside", ""),
    ]


def test_a_record_whose_pool_is_gone_holds_its_addresses_everywhere() -> None:
    files = reconciled(SMALL)
    gone = {path: it for path, it in files.items() if path != "pools/edge.yaml"}
    state = state_of({**gone, "pools/new.yaml": pool("new", "10.40.0.0/29")})
    assert describe(state, "10.40.0.0/28") == [
        ("10.40.0.0-10.40.0.7", "allocated", "team-a/one (loadbalancer)"),
        ("10.40.0.8-10.40.0.15", "outside", ""),
    ]
    assert describe(state_of(gone), "10.40.0.7-10.40.0.8") == [
        ("10.40.0.7", "allocated", "team-a/one (loadbalancer)"),
        ("10.40.0.8", "outside", ""),
    ]


def test_addresses_in_what_nobody_can_read_are_in_use() -> None:
    path = "allocations/NetworkPool/butler-system.edge/team-a/odd.loadbalancer.yaml"
    state = state_of({**SMALL, path: "start: 10.40.0.9\nkind: ["})
    assert describe(state, "10.40.0.9") == [("10.40.0.9", "in use", "unreadable file")]


@settings(max_examples=scaled(40))
@given(
    *(st.lists(st.integers(1, 9), max_size=4), st.sets(st.integers(0, 3))),
    *(st.integers(0, 40), st.integers(0, 40)),
)
def test_every_address_is_told_once_and_its_record_comes_first(
    sizes: list[int], going: set[int], first: int, more: int
) -> None:
    state = state_of(reconciled(left("10.40.0.0/27", sizes, going, "[{cidr: 10.40.0.0/30}]")))
    start = 0x0A280000 + first
    parts = parts_of(state, [IPRange(4, start, start + more)])
    of = {at: part for part in parts for at in range(part.range.first, part.range.last + 1)}
    assert sum(part.range.size for part in parts) == len(of) == more + 1
    for address, part in of.items():
        assert part.sort is expected(state, address), (address - 0x0A280000, part)


def expected(state: State, address: int) -> AddressUse:
    one = IPRange(4, address, address)
    for record in state.records:
        if record.range is not None and record.range.covers(one):
            return AddressUse.HELD if record.is_released else AddressUse.ALLOCATED
    (edge,) = state.pools.values()
    if edge.reserved.covers(one):
        return AddressUse.RESERVED
    return AddressUse.FREE if edge.usable.covers(one) else AddressUse.OUTSIDE
