"""Files of the observed folder that somebody moved go, where a look writes their documents anew."""

from reconciler.families.demand import DemandEntry, demand_document
from reconciler.model.change import FileChange
from reconciler.planning.documents import tidied
from tests.world import SMALL, tree_of

HOME = "observed/Demand.gitops-ipam.dev/team-a/one.yaml"
MOVED = "observed/Demand.gitops-ipam.dev/team-a/moved.yaml"
OTHER = "observed/Demand.gitops-ipam.dev/team-a/two.yaml"
ONE = demand_document("team-a", "one", [DemandEntry(1, 1)])
TWO = demand_document("team-a", "two", [DemandEntry(1, 1)])
MORE = FileChange(HOME, demand_document("team-a", "one", [DemandEntry(1, 1), DemandEntry(2, 1)]))
GONE = FileChange(HOME, None)


def tidy(files: dict[str, bytes], *changes: FileChange) -> tuple[FileChange, ...]:
    return tidied(tree_of({**SMALL, **files}), changes)


def test_what_stands_at_its_place_is_left_alone() -> None:
    assert tidy({HOME: ONE, OTHER: TWO}, MORE) == (MORE,)
    assert tidy({HOME: ONE, OTHER: TWO}, GONE) == (GONE,)
    assert tidy({HOME: ONE, OTHER: TWO}) == ()


def test_a_moved_file_goes_when_its_document_is_written_at_its_place() -> None:
    assert tidy({MOVED: ONE}, MORE) == (FileChange(MOVED, None), MORE)
    assert tidy({MOVED: ONE, HOME: ONE}, MORE) == (FileChange(MOVED, None), MORE)


def test_a_moved_file_goes_in_the_place_of_what_is_not_at_its_own() -> None:
    assert tidy({MOVED: ONE}, GONE) == (FileChange(MOVED, None),)


def test_a_moved_file_stays_while_nothing_is_written_for_it() -> None:
    two = FileChange(OTHER, TWO)
    assert tidy({MOVED: ONE}, two) == (two,)


def test_a_file_that_holds_something_else_too_or_is_broken_stays() -> None:
    assert tidy({MOVED: ONE + b"---\n" + TWO}, MORE) == (MORE,)
    assert tidy({MOVED: ONE + b"---\n{"}, MORE) == (MORE,)


def test_a_file_of_another_document_that_is_written_itself_is_no_stray() -> None:
    two = FileChange(OTHER, TWO)
    assert tidy({OTHER: ONE}, MORE, two) == (MORE, two)


def test_what_people_describe_is_not_touched() -> None:
    assert tidy({"tenants/demand.yaml": ONE}, MORE) == (MORE,)
