"""VIPs and tenants whose pools overlap: no address twice, in any order of files, read whole or in part."""

from random import Random

from reconciler.model.plan import Grant
from tests.families.novaedge import pool, vip
from tests.world import evaluation_of, provider, reconciled, tenant
from tests.world import pool as network

Files = dict[str, str | bytes]
FAMILIES = ("ipv4", "ipv6", "dual")


def mixed(tenants: int, vips: int, seed: int = 0) -> Files:
    """Three pools of VIPs and one of tenants that share most of their addresses."""
    chance = Random(seed)
    files: Files = {
        "pools/edge.yaml": network("edge", "10.40.0.0/22"),
        "pools/a.yaml": pool("a", cidrs="[10.40.0.0/23, 2001:db8::/64]"),
        "pools/b.yaml": pool(
            "b", cidrs="[10.40.1.0/24, 2001:db8::/120]", addresses="[10.40.3.255]"
        ),
        "pools/c.yaml": pool("c", auto="false", cidrs="[10.40.2.0/24]"),
        "providers/default.yaml": provider(),
    }
    for number in range(tenants):
        text = tenant(f"t{number}", networking=f"{{lbPoolSize: {chance.randint(1, 4)}}}")
        files[f"tenants/t{number}.yaml"] = text
    for number in range(vips):
        files[f"tenants/v{number}.yaml"] = some_vip(f"v{number}", chance)
    return files


def some_vip(name: str, chance: Random) -> str:
    """A VIP of any sort."""
    address = f"10.40.2.{chance.randint(0, 255)}"
    match chance.randrange(6):
        case 0:
            return vip(name, of="", address=address)
        case 1:
            return vip(name, of="c", address=address)
        case _:
            return vip(name, of=chance.choice("ab"), addressFamily=chance.choice(FAMILIES))


def test_no_address_is_given_twice_and_none_that_a_vip_names_without_a_pool() -> None:
    files = mixed(150, 400)
    evaluation = evaluation_of(files)
    given: dict[tuple[int, int], str] = {}
    for item in evaluation.plan.decisions:
        if not isinstance(item, Grant) or item.allocation.range is None:
            continue
        version, first, last = item.allocation.range
        for number in range(first, last + 1):
            assert given.setdefault((version, number), item.claim.short) == item.claim.short
    assert len(given) > 500
    static = [it.range for it in evaluation.state.blocked]
    assert static
    assert all((item.version, item.first) not in given for item in static)
    both = {it.claim.name: it for it in evaluation.plan.decisions if it.claim.slot == "vip-ipv6"}
    for item in evaluation.plan.decisions:
        claim = evaluation.state.claims[item.claim]
        if claim.beside is not None and item.claim.name in both:
            assert isinstance(item, Grant) == isinstance(both[item.claim.name], Grant)


def test_the_order_of_files_changes_nothing() -> None:
    files = mixed(30, 60)
    names = [*files]
    Random(7).shuffle(names)
    one, two = evaluation_of(files), evaluation_of({name: files[name] for name in names})
    assert one.changes == two.changes
    assert one.gates == two.gates


def test_a_second_run_has_nothing_to_do() -> None:
    files = reconciled(mixed(60, 120))
    assert evaluation_of(files).changes == ()
