"""`ipam get vips`: the table of its kind, exactly."""

from reconciler.report.listing import items, listings
from reconciler.report.text.queries import listing_text
from reconciler.report.text.table import Painter
from tests.families.novaedge import tree, vip
from tests.world import CLOCK, evaluation_of, reconciled


def test_vips_tell_what_they_have() -> None:
    files = reconciled(
        tree(
            vip("both", addressFamily="dual"),
            vip("hand", of="", address="10.9.0.1", bfd="{enabled: true}"),
            vip("shut", address="10.201.0.1"),
        )
    )
    files["tenants/new.yaml"] = vip("young")
    listing = listings()["vips"]
    assert listing is not None
    found = items(evaluation_of(files, CLOCK + 3_600), listing)
    text = listing_text(listing, found, Painter(is_on=False), wide=True, headers=True)
    assert text.splitlines() == [
        "NAME    ADDRESS                          MODE    FAMILY   BFD   POOL   AGE   BOUND              SOURCE",
        "both    10.200.0.1/32, 2001:db8::1/128   L2ARP   dual     No    main   60m   True               tenants/v.yaml:1",
        "hand    10.9.0.1/32                      L2ARP   ipv4     Yes   -      -     -                  tenants/v.yaml:10",
        "shut    -                                L2ARP   ipv4     No    main   -     pin-outside-pool   tenants/v.yaml:19",
        "young   -                                L2ARP   ipv4     No    main   -     pending            tenants/new.yaml:1",
    ]
