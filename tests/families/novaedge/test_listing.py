"""`ipam get ippools` and `ipam get vips`: the table of docs/reference/novaedge.md, exactly."""

from reconciler.report.listing import items, listings
from reconciler.report.text.queries import listing_text
from reconciler.report.text.table import Painter
from tests.families.novaedge import pool, tree, vip
from tests.world import CLOCK, evaluation_of, reconciled

HOUR = 3_600
POOLS = pool("main-vip-pool", cidrs="[10.200.0.0/24]")
EXTERNAL = pool(
    "external-pool", auto="false", addresses="[203.0.113.10, 203.0.113.11, 203.0.113.12]"
)


def table(
    what: str, files: dict[str, str | bytes], clock: int = CLOCK, *, wide: bool = False
) -> str:
    listing = listings()[what]
    assert listing is not None
    found = items(evaluation_of(files, clock), listing)
    return listing_text(listing, found, Painter(is_on=False), wide=wide)


def test_pools_are_the_table_of_the_seed() -> None:
    names = ("web-vip", "api-vip", "grpc-vip")
    first = reconciled(tree(*(vip(name, "main-vip-pool") for name in names), pools=POOLS))
    first["pools/external.yaml"] = EXTERNAL
    first["tenants/mail.yaml"] = vip("mail", "external-pool", address="203.0.113.11/32")
    files = reconciled(first, CLOCK + 2 * HOUR)
    assert table("ippools", files, CLOCK + 5 * HOUR) == (
        "NAME            ALLOCATED   AVAILABLE   AUTO-ASSIGN   AGE\n"
        "external-pool   1           2           false         3h\n"
        "main-vip-pool   3           251         true          5h\n"
    )


def test_vips_tell_what_they_have() -> None:
    files = reconciled(
        tree(
            vip("both", addressFamily="dual"),
            vip("hand", of="", address="10.9.0.1", bfd="{enabled: true}"),
            vip("shut", address="10.201.0.1"),
        )
    )
    files["tenants/new.yaml"] = vip("young")
    assert table("vips", files, CLOCK + HOUR, wide=True).splitlines() == [
        "NAME    ADDRESS                          MODE    FAMILY   BFD   POOL   AGE   BOUND              SOURCE",
        "both    10.200.0.1/32, 2001:db8::1/128   L2ARP   dual     No    main   60m   True               tenants/v.yaml:1",
        "hand    10.9.0.1/32                      L2ARP   ipv4     Yes   -      -     -                  tenants/v.yaml:10",
        "shut    -                                L2ARP   ipv4     No    main   -     pin-outside-pool   tenants/v.yaml:19",
        "young   -                                L2ARP   ipv4     No    main   -     pending            tenants/new.yaml:1",
    ]
