"""Moved files of the observed folder are removed, because a run writes their documents again."""

import pytest

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


MINE = {HOME: ONE, OTHER: TWO}
OF_TWO = FileChange(OTHER, TWO)
MOVES = [FileChange(MOVED, None), MORE]


@pytest.mark.parametrize(
    ("files", "changes", "found"),
    [
        pytest.param(MINE, [MORE], [MORE], id="at its place"),
        pytest.param(MINE, [GONE], [GONE], id="at its place, removed"),
        pytest.param(MINE, [], [], id="at its place, unchanged"),
        pytest.param({MOVED: ONE}, [MORE], MOVES, id="moved"),
        pytest.param({MOVED: ONE, HOME: ONE}, [MORE], MOVES, id="in both places"),
        pytest.param({MOVED: ONE}, [GONE], MOVES[:1], id="moved, removed"),
        pytest.param({MOVED: ONE}, [OF_TWO], [OF_TWO], id="moved, unchanged"),
        pytest.param({MOVED: ONE + b"---\n" + TWO}, [MORE], [MORE], id="with something else"),
        pytest.param({MOVED: ONE + b"---\n{"}, [MORE], [MORE], id="broken"),
        pytest.param({OTHER: ONE}, [MORE, OF_TWO], [MORE, OF_TWO], id="where another belongs"),
        pytest.param({"tenants/demand.yaml": ONE}, [MORE], [MORE], id="described by people"),
    ],
)
def test_a_file_goes_when_its_document_is_written_at_its_place_and_it_holds_nothing_else(
    files: dict[str, bytes], changes: list[FileChange], found: list[FileChange]
) -> None:
    assert list(tidied(tree_of({**SMALL, **files}), changes)) == found
