"""Networks of pods and services that hold addresses of the network outside of their clusters."""

from collections.abc import Sequence
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.documents.findings import NAMED, Finding, Location, Severity
from reconciler.model.plan import Blocked, ByHand, ClusterNetwork, Gateway, State
from reconciler.model.pool import Pool
from reconciler.planning import rules
from tests.planning.outcome import a_pool

SOUTH = IPRange(4, 0x0A280000, 0x0A2800FF)  # 10.40.0.0/24


def pods(
    item: IPRange = SOUTH, owner: str = "team-a/x", spaces: Sequence[str] = ("default",)
) -> ClusterNetwork:
    return ClusterNetwork(item, "pods", owner, tuple(spaces), Location(f"{owner}.yaml", 3))


def found(
    *networks: ClusterNetwork,
    pools: Sequence[Pool] = (),
    blocked: Sequence[Blocked] = (),
    gateways: Sequence[Gateway] = (),
) -> list[Finding]:
    state = State({it.key: it for it in pools}, {}, (), clock=0, retention=0, inside=networks)
    there = replace(state, blocked=tuple(blocked), gateways=tuple(gateways))
    return list(rules.check_inside(there))


def test_pods_in_a_pool_are_told_with_both_places_and_what_is_shared() -> None:
    wide = IPRange(4, 0x0A280000, 0x0A28FFFF)
    (it,) = found(pods(wide), pools=[a_pool(SOUTH)])
    assert (it.code, it.severity) == ("pool-overlap", Severity.WARNING)
    assert it.location == Location("team-a/x.yaml", 3)
    assert it.message == (
        "10.40.0.0/16, pods of team-a/x, overlaps NetworkPool butler-system/edge"
        " at pools/edge.yaml:7: 10.40.0.0-10.40.0.255"
    )


def test_one_network_of_many_clusters_is_one_finding() -> None:
    many = [pods(owner=f"team-{number:03}/x") for number in range(100)]
    (it,) = found(*reversed(many), pools=[a_pool(SOUTH)])
    assert it.location.path == "team-000/x.yaml"
    assert "pods of team-000/x and 99 more clusters, overlaps" in it.message


def test_addresses_in_use_and_routers_are_told_too() -> None:
    vip, router = IPRange(4, 0x0A280005, 0x0A280005), IPRange(4, 0x0A280001, 0x0A280001)
    (it,) = found(
        pods(),
        blocked=[Blocked(vip, "web (address)", Location("vips.yaml", 9), ByHand(None))],
        gateways=[Gateway(router, "edge (gateway)", (), Location("providers.yaml", 2))],
    )
    assert it.message.endswith(
        "overlaps edge (gateway) at providers.yaml:2: 10.40.0.1;"
        " web (address) at vips.yaml:9: 10.40.0.5"
    )


_ITEM = st.builds(
    lambda version, first, size: IPRange(version, first, first + (1 << size) - 1),
    st.sampled_from([4, 4, 4, 6]),
    st.integers(0, 30),
    st.integers(0, 4),
)
_SPACES = st.sampled_from([("a",), ("b",), ("a", "b")])


@given(
    st.lists(st.tuples(_ITEM, st.sampled_from("ab")), max_size=12),
    st.lists(_ITEM, max_size=3),
    st.lists(st.tuples(_ITEM, _SPACES), max_size=5),
)
def test_what_is_told_is_what_the_definition_says(
    some: list[tuple[IPRange, str]],
    used: list[IPRange],
    networks: list[tuple[IPRange, tuple[str, ...]]],
) -> None:
    pools = [a_pool(item, name=f"p{at:02}", space=space) for at, (item, space) in enumerate(some)]
    blocked = [Blocked(item, f"u{at}", Location("u", at + 1)) for at, item in enumerate(used)]
    there = [pods(item, f"t/{at}", spaces) for at, (item, spaces) in enumerate(networks)]
    told = found(*there, pools=pools, blocked=blocked)
    outside = [(it.windows[0], {it.space}, str(it.source)) for it in pools]
    outside += [(it.range, {"a", "b"}, str(it.source)) for it in blocked]
    expected: dict[tuple[IPRange, tuple[str, ...]], set[str]] = {}
    for network, (item, spaces, place) in product(there, outside):
        if item.overlaps(network.range) and not spaces.isdisjoint(network.spaces):
            expected.setdefault((network.range, network.spaces), set()).add(place)
    assert len(told) == len(expected)
    for it, places in zip(told, [expected[key] for key in sorted(expected)], strict=True):
        named = [part.rpartition(" at ")[2].rpartition(":")[0] for part in it.message.split("; ")]
        named = [place.partition(": ")[0] for place in named if place]
        count = len(places) - NAMED
        assert it.message.endswith(f"; and {count} more") == (count > 0)
        assert sum(place in it.message for place in places) >= min(len(places), NAMED)
        assert set(named) <= places
