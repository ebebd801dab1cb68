from collections import Counter

from reconciler.documents.document import GroupKind
from reconciler.families import families, family_of, home_of, is_pool, known_as
from reconciler.families.butler import FAMILY
from reconciler.families.butler.kinds import POOL, TEAM


def test_families_are_found_by_scanning_the_folder() -> None:
    assert [family.name for family in families()] == ["butler", "capi", "novaedge"]
    assert families() is families()


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


def test_known_names_are_found_and_unknown_names_are_not() -> None:
    assert family_of("butler") is FAMILY
    assert family_of("other") is None
    assert known_as("butler", "Team") == TEAM
    assert known_as("butler", "Thing") == GroupKind("", "Thing")
    assert home_of("butler", "NetworkPool") == "butler-system"
    assert home_of("butler", "Team") is None
    assert home_of("other", "Team") is None
    assert is_pool(POOL)
    assert not is_pool(TEAM)
    assert not is_pool(GroupKind("other.io", "NetworkPool"))
