from msgspec.structs import replace

from reconciler.documents.findings import (
    SHOWN_CHARACTERS,
    Location,
    error,
    meant,
    ordered,
    plural,
    shown,
    warning,
)

PLACE = Location("pools/a.yaml", 7, 9, "/spec/cidr")


def test_findings_are_sorted_by_place_and_shown_once() -> None:
    later = error("pool-empty", replace(PLACE, line=8), "b")
    sooner = warning("pool-overlap", PLACE, "a")
    other_file = error("pool-overlap", Location("a.yaml"), "c")
    assert ordered([later, sooner, other_file, later]) == (other_file, sooner, later)


def test_a_number_and_its_noun_agree() -> None:
    words = "move", "address", "more cluster", "patch"
    assert [plural(1, it) for it in words] == ["1 move", "1 address", "1 more cluster", "1 patch"]
    assert [plural(0, it) for it in words[:2]] == ["0 moves", "0 addresses"]
    assert [plural(2, it) for it in words[2:]] == ["2 more clusters", "2 patches"]


def test_a_long_value_is_cut_and_its_length_told() -> None:
    assert shown("x" * SHOWN_CHARACTERS) == f"'{'x' * SHOWN_CHARACTERS}'"
    assert shown("x" * 10_000) == f"'{'x' * SHOWN_CHARACTERS}…(10000 characters)'"
    assert shown(7) == "'7'"


def test_what_a_person_may_have_meant_is_told_where_something_is_near() -> None:
    names = ["NetworkPool", "NetworkPools", "TenantCluster"]
    assert meant("NetworkPol", names) == "did you mean NetworkPool?"
    assert meant("NetworkPol", names, likeness=0.99) == ""
