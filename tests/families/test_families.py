from collections import Counter

from reconciler.families import families


def test_families_share_no_kind_pool_kind_or_slot() -> None:
    every = families()
    kinds = [kind for family in every for kind in {kind.id for kind in family.kinds}]
    # Folders and files of records use these names without the family.
    names = [name for family in every for name in (*family.pool_kinds, *family.slots)]
    assert max(Counter([*kinds, *names]).values()) == 1
    for family in every:
        described = {(kind.name, kind.id, kind.default_namespace) for kind in family.kinds}
        assert len(described) == len({kind.name for kind in family.kinds})
        assert {*family.pool_kinds, *family.slots.values()} <= {it.name for it in family.kinds}
        assert {*family.grows} <= {*family.slots}
