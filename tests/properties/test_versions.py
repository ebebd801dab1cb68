"""Plans know numbers, not notations: shifting them or changing the IP version shifts the plan."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet
from reconciler.model.plan import Grant, Keep, Refuse, State
from reconciler.planning.planner import plan
from tests.properties.strategies import BASE, states

Facts = list[tuple[str, str, str, IPRange | None]]


def moved(state: State, version: int, by: int) -> State:
    """The state with each range elsewhere."""

    def there(item: IPRange) -> IPRange:
        return IPRange(version, item.first + by, item.last + by)

    def maybe(item: IPRange | None) -> IPRange | None:
        return None if item is None else there(item)

    def each(items: IPSet) -> IPSet:
        return IPSet(tuple(map(there, items)))

    return replace(
        state,
        pools={
            key: replace(
                pool,
                usable=each(pool.usable),
                windows=tuple(map(there, pool.windows)),
                reserved=each(pool.reserved),
                extent=each(pool.extent),
            )
            for key, pool in state.pools.items()
        },
        claims={key: replace(claim, pin=maybe(claim.pin)) for key, claim in state.claims.items()},
        records=tuple(replace(record, range=maybe(record.range)) for record in state.records),
        blocked=tuple(replace(item, range=there(item.range)) for item in state.blocked),
    )


def facts(state: State, back: int) -> tuple[Facts, list[object]]:
    """What a plan decides, with its addresses moved back; and the usage."""
    found = plan(state)
    rows: Facts = []
    for item in found.decisions:
        held = item.allocation.range if item.allocation else None
        reason = item.reason if isinstance(item, Refuse) else ""
        where = str(item.allocation.pool) if isinstance(item, Grant | Keep) else ""
        plain = IPRange(0, held.first - back, held.last - back) if held else None
        rows.append((type(item).__name__ + reason, str(item.claim), where, plain))
    return rows, [*found.before.items(), *found.after.items()]


@given(states(version=4), st.integers(-(1 << 20), 1 << 20))
def test_shifting_all_addresses_shifts_the_plan(state: State, by: int) -> None:
    assert facts(state, 0) == facts(moved(state, 4, by), by)


@given(states(version=4))
def test_ipv6_pools_of_equal_size_give_the_plan_of_ipv4(state: State) -> None:
    by = BASE[6] - BASE[4]
    assert facts(state, 0) == facts(moved(state, 6, by), by)
