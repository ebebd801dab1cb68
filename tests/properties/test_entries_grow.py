"""Growing and shrinking entries: no Service loses its address, and waiting tenants get a reason."""

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import scaled
from tests.families.plain.examples import BOTH, TWO_REFS, V6, cluster, pool
from tests.reconcile.looking.test_entries import SETTINGS, A, Land, dmz, inner, land

FEW = f"{pool(addresses='[10.22.0.10-10.22.0.17]')}---\n{V6}"
BOTH_FAMILIES: dict[str, Any] = {
    "ipFamilies": ["IPv4", "IPv6"],
    "ipFamilyPolicy": "RequireDualStack",
}
NEEDS: list[dict[str, Any]] = [{}, {}, {"ipFamilies": ["IPv6"]}, BOTH_FAMILIES]


def entries(count: int, growth: str) -> tuple[str, str]:
    web = "{selector: {matchLabels: {tier: web}}}"
    return inner(count, growth=growth, poolRefs=TWO_REFS), dmz(services=web)


def step(here: Land, random: Random, number: int, growth: str) -> str:
    """Make a random change. Return the name of a deleted Service."""
    what = random.randrange(10)
    if what < 5:
        labels = {"tier": "web"} if random.randrange(2) else None
        here.need(f"s{number:02}", labels, **random.choice(NEEDS))
    elif what < 8 and (there := sorted(here.services(A))):
        gone = random.choice(there)
        here.leave(gone, A)
        return gone
    elif what == 8:
        here.now += random.choice([60, 700])
    else:
        listed = entries(random.randrange(1, 5), growth)
        controller = f"{{type: {here.balancer.name}}}"
        here.files["clusters/prod-1.yaml"] = cluster(*listed, controller=controller)
        here.number += 1
        here.commit(here.evaluation().changes, here.now)
    return ""


@settings(max_examples=scaled(20))
@given(st.randoms(use_true_random=False))
def test_whatever_happens_addresses_stay_and_who_waits_is_told(random: Random) -> None:
    growth = f"{{max: {random.choice([4, 8])}, increment: {random.choice([1, 3])}}}"
    balancer = random.choice(["MetalLB", "Cilium"])
    here = land(*entries(2, growth), pools=random.choice([BOTH, FEW]), balancer=balancer)
    here.files["ipam.yaml"] = SETTINGS.replace("0s", random.choice(["0s", "7d"]))
    for number in range(15):
        before = here.services(A)
        gone = step(here, random, number, growth)
        here.run()
        kept = {name: it for name, it in before.items() if it and name != gone}
        assert kept.items() <= here.services(A).items()
        assert [it for it in here.evaluation().findings if it.severity.name == "ERROR"] == []
    here.settle(30)
    looked = here.run()
    if not all(here.services(A).values()):
        assert looked.blocked[A]
