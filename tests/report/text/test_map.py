"""The map of a pool for people: cells or intervals, and a legend."""

from reconciler.asking.cells import pool_map
from reconciler.report.pool_map import pool_map_document
from reconciler.report.text.map import map_text
from reconciler.report.text.table import Painter
from tests.families.novaedge import pool as vip_pool
from tests.families.novaedge import vip
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, request

PLAIN, COLOURED = Painter(is_on=False), Painter(is_on=True)
FILES = reconciled(
    {
        **SMALL,
        "pools/edge.yaml": pool(cidr="10.40.0.0/28", reserved="[{cidr: 10.40.0.8/30}]"),
        "providers/default.yaml": provider(gateway="10.40.0.15"),
        "tenants/web.yaml": vip(of="", address="10.40.0.14"),
    }
)


def test_a_map_has_signs_and_a_legend_that_says_what_they_are() -> None:
    state = evaluation_of(FILES).state
    found = pool_map(state, next(iter(state.pools)), 8)
    assert map_text(found, PLAIN) == (
        "edge\n"
        "10.40.0.0        AAAAAAAA\n"
        "10.40.0.8        ####..!+\n"
        "  A  team-a/one: 8\n"
        "  +  gateway: 1\n"
        "  !  in use: 1\n"
        "  #  reserved: 4\n"
        "  .  free: 2\n"
    )
    assert "\x1b[32mA\x1b[0m" in map_text(found, COLOURED)
    (item,) = pool_map_document("a" * 40, [found])["items"]
    assert [part["state"] for part in item["parts"]] == [
        "allocated", "reserved", "free", "in use", "gateway",
    ]  # fmt: skip
    assert item["parts"][0]["claim"] == "butler/TenantCluster/team-a/one/loadbalancer"


def test_ipv6_is_told_in_intervals() -> None:
    files = {
        "pools/p.yaml": vip_pool(cidrs="[2001:db8::/64]"),
        "tenants/v.yaml": vip(addressFamily="ipv6"),
    }
    state = evaluation_of(reconciled(files)).state
    found = pool_map(state, next(iter(state.pools)), 32)
    assert map_text(found, PLAIN) == (
        "main\n"
        "  A  2001:db8::  1\n"
        "  .  2001:db8::1-2001:db8::ffff:ffff:ffff:ffff  1.8e19\n"
        "  A  web: 1\n"
        "  .  free: 1.8e19\n"
    )


def test_a_cell_of_several_addresses_is_said_and_holders_without_a_letter_are_counted() -> None:
    files: dict[str, str | bytes] = {
        "pools/e.yaml": pool(cidr="10.40.0.0/20"),
        "providers/d.yaml": provider(),
    }
    for number in range(64):
        files[f"tenants/{number:03d}.yaml"] = request(f"t{number:03d}", count=2)
    state = evaluation_of(reconciled(files)).state
    text = map_text(pool_map(state, next(iter(state.pools)), 64), PLAIN)
    assert text.startswith("edge  a cell is 2 addresses\n10.40.0.0        ABCD")
    assert "\n  *  3 others: 6\n" in text
