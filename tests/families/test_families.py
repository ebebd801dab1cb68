from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from reconciler import families as package
from reconciler.documents.document import GroupKind, Kind
from reconciler.families import families, family_of, home_of, is_pool, known_as, shared_kinds
from reconciler.families.butler import FAMILY
from reconciler.families.butler.kinds import POOL, TEAM
from reconciler.families.interface import Family


def test_families_are_found_by_scanning_the_folder() -> None:
    assert [family.name for family in families()] == ["butler", "capi", "novaedge"]
    assert families() is families()


def scanned(monkeypatch: pytest.MonkeyPatch, other: Family) -> tuple[Family, ...]:
    """What a scan finds where another family stands beside Butler's."""
    names = [
        SimpleNamespace(name=name, ispkg=name != "interface")
        for name in ("interface", "butler", "other")
    ]
    modules = {"butler": FAMILY, "other": other}
    monkeypatch.setattr(package, "iter_modules", lambda path: names)
    monkeypatch.setattr(
        package,
        "import_module",
        lambda name: SimpleNamespace(FAMILY=modules[name.rpartition(".")[2]]),
    )
    found: tuple[Family, ...] = families.__wrapped__()
    return found


OTHER = Kind("other.io/v1", "Team", "x.json", None)
EMPTY = replace(FAMILY, name="other", kinds=(OTHER,), pool_kinds=(), slots={}, grows=())


def test_kinds_of_one_name_live_together_when_their_groups_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert scanned(monkeypatch, EMPTY) == (FAMILY, EMPTY)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (replace(EMPTY, kinds=(Kind("butler.butlerlabs.dev/v2", "Team", "x.json", None),)),
         "butler and other both read Team"),
        (replace(EMPTY, kinds=(Kind("other.io/v1", "NetworkPool", "x.json", None),),
                 pool_kinds=("NetworkPool",)), "both have pools of kind NetworkPool"),
        (replace(EMPTY, slots={"nodes": "Team"}), "butler and other both claim by slot nodes"),
        (replace(EMPTY, pool_kinds=("Lake",)), "other does not read Lake"),
        (replace(EMPTY, slots={"thing": "Thing"}), "other does not read Thing"),
        (replace(EMPTY, grows=("thing",)), "other does not claim by slot thing"),
        (replace(EMPTY, kinds=(OTHER, Kind("else.io/v1", "Team", "x.json", None))),
         "other reads Team in two ways"),
        (replace(EMPTY, kinds=(OTHER, Kind("other.io/v2", "Team", "x.json", "home"))),
         "other reads Team in two ways"),
    ],
)  # fmt: skip
def test_families_that_stand_in_each_others_way_fail_at_once(
    other: Family, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=said):
        scanned(monkeypatch, other)


def test_versions_of_one_kind_are_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    both = replace(EMPTY, kinds=(OTHER, Kind("other.io/v2", "Team", "y.json", None)))
    assert scanned(monkeypatch, both) == (FAMILY, both)


def test_what_is_asked_by_name_is_found_and_what_nobody_knows_is_not() -> None:
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
    assert shared_kinds() == (TEAM,)
