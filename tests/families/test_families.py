from collections import Counter

from reconciler.families import families


def test_families_share_no_kind_pool_kind_or_slot() -> None:
    every = families()
    kinds = [kind for family in every for kind in {kind.id for kind in family.kinds}]
    # Folders and files of records use these names without the family.
    names = [name for family in every for name in family.pool_kinds]
    assert max(Counter([*kinds, *names]).values()) == 1
    for family in every:
        described = {(kind.name, kind.id, kind.default_namespace) for kind in family.kinds}
        assert len(described) == len({kind.name for kind in family.kinds})
        assert {*family.pool_kinds, *family.owners} <= {it.name for it in family.kinds}
        assert {family.slots(slot) for slot in family.grows} <= {*family.owners}
    slots = ("nodes", "loadbalancer", "loadbalancer-2", "request", "vip", "vip-ipv6", "address")
    for slot in (*slots, "control-plane", "ingress", "ipv4", "ipv6", "a.ipv4", "a.ipv6.2"):
        assert sum(family.slots(slot) is not None for family in every) == 1, slot
