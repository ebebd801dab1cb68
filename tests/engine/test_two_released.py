"""A claim with two released records: the one that was released last speaks for it."""

from reconciler.addresses import IPRange, IPSet
from reconciler.engine.planner import plan
from reconciler.findings import Location
from reconciler.model.allocation import Phase
from reconciler.model.claim import Claim, Owner
from reconciler.model.plan import Grant
from reconciler.model.pool import Placement, Pool, Thresholds
from reconciler.model.state import State
from reconciler.records.changes import changes
from tests.properties.strategies import FOLDER, RETENTION, claim_key, committed, pool_key, record
from tests.world import CLOCK

BASE = 10 << 24


def state(pin: IPRange | None) -> State:
    """A claim with two released records: one whose time is over, one later."""
    window = IPRange(4, BASE, BASE + 15)
    usable = IPSet((window,))
    key, pool = claim_key("bee"), pool_key("p")
    older = record(key, pool, IPRange(4, BASE, BASE + 1), Phase.RELEASED, RETENTION)
    newer = record(key, pool, IPRange(4, BASE + 4, BASE + 5), Phase.RELEASED, 0)
    place = Location("tenants/bee.yaml", 1, 1)
    return State(
        pools={
            pool: Pool(
                pool, usable, (window,), usable - usable, Placement.BEST_FIT, Thresholds(), None,
                "default", usable, place,
            )
        },
        claims={
            key: Claim(
                key, (pool,), ("p",), pin.size if pin else 2, pin, pin is not None,
                Owner("team-a", "bee", "team-a"), "loadbalancer", "initial", "team-a-bee-lb",
                "butler-system", place,
            )
        },
        records=(older, newer._replace(path=f"{FOLDER}/z/0.yaml")),
        clock=CLOCK,
        retention=RETENTION,
    )  # fmt: skip


def test_the_claim_takes_back_what_was_released_last() -> None:
    (granted,) = (item for item in plan(state(None)).decisions if isinstance(item, Grant))
    assert granted.allocation.range == IPRange(4, BASE + 4, BASE + 5)


def test_what_it_wants_else_waits_without_a_failure_that_comes_and_goes() -> None:
    first = state(IPRange(4, BASE + 8, BASE + 9))
    after = committed(first, plan(first))
    assert [item.path for item in after.records] == [f"{FOLDER}/z/0.yaml"]
    assert changes(plan(after), after, FOLDER) == ()
