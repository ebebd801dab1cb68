"""What a tree has now, told by what it had and what changed since."""

from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.commands.reading.listing import Noted
from reconciler.commands.reading.whole import read_tree
from reconciler.evaluate import evaluate
from reconciler.incremental.group import Group, Provided
from reconciler.incremental.snapshot import Head
from reconciler.tree import Settled
from tests.memory import MemoryFacts, MemorySource
from tests.properties.test_incremental import TEAM, carried_out, island, shown
from tests.properties.trees import Files

GROUPS = (
    Group(parts={"a.yaml": "1", "b.yaml": "2"}, provides={"x": None}),
    Group(parts={"c.yaml": "3"}),
    Group(parts={"d.yaml": "4"}),
)


def noted(
    restless: dict[str, str] | None = None, shared: dict[str, str] | None = None, *gone: str
) -> Noted:
    return Noted(Head("", {}, shared or {}, restless or {}, Settled(), gone), GROUPS)


def test_where_nothing_moved_all_groups_are_left_out() -> None:
    found = noted({"e.yaml": "5"}, {"team.yaml": "6"}).divided({})
    assert list(found.left_out) == [0, 1, 2]
    assert found.to_read == {"e.yaml": "5", "team.yaml": "6"}
    assert found.gone == []


def test_a_group_of_which_a_part_moved_or_went_is_read_as_it_is_now() -> None:
    found = noted().divided({"a.yaml": "9", "c.yaml": None, "new.yaml": "7"})
    assert list(found.left_out) == [2]
    assert found.to_read == {"a.yaml": "9", "b.yaml": "2", "new.yaml": "7"}
    assert found.gone == ["c.yaml"]


def test_what_is_in_its_group_again_is_read_with_it_alone() -> None:
    found = noted({"c.yaml": "8", "d.yaml": "4"}).divided({"c.yaml": "3"})
    assert list(found.left_out) == [0, 1, 2]
    assert found.to_read == {}


def test_what_was_gone_before_stays_away() -> None:
    found = noted(None, None, "d.yaml").divided({})
    assert (list(found.left_out), found.to_read, found.gone) == ([0, 1], {}, ["d.yaml"])
    assert noted(None, None, "d.yaml").all() == {"a.yaml": "1", "b.yaml": "2", "c.yaml": "3"}


def test_what_was_noted_is_told_by_its_path() -> None:
    known = noted({"e.yaml": "5"}, None, "d.yaml")
    assert known.has(["a.yaml", "e.yaml"])
    assert not known.has(["a.yaml", "d.yaml"])
    assert not known.has(["f.yaml"])


def test_groups_describe_what_one_of_them_does() -> None:
    assert "x" in Provided(GROUPS)
    assert "y" not in Provided(GROUPS)


def test_a_new_name_that_is_another_one_elsewhere_is_told_beside_what_is_known() -> None:
    files: Files = {**island(0), **island(1), **island(2)}
    files = carried_out(files, evaluate(read_tree(MemorySource(files))))
    path = next(path for path in files if path.startswith("tenants/"))
    again: Files = {**files, f"tenants/{path.removeprefix('tenants/').upper()}": b"# none\n"}
    for before in ((), (files,)):
        facts = MemoryFacts()
        evaluate_incrementally(MemorySource(files), facts)
        source = MemorySource(again, before=before)
        found = evaluate_incrementally(source, facts)
        assert "name-clash" in {it.code for it in found.findings}
        assert shown(found) == shown(evaluate(read_tree(MemorySource(again))))


def test_a_folder_that_is_listed_anew_moves_nothing_that_bears_on_everything() -> None:
    files: Files = {**island(0), **island(1), **island(2), "teams/a.yaml": TEAM}
    files = carried_out(files, evaluate(read_tree(MemorySource(files))))
    facts = MemoryFacts()
    evaluate_incrementally(MemorySource(files), facts)
    source = MemorySource({**files, "teams/note.yaml": "# nothing\n"})
    evaluate_incrementally(source, facts)
    assert source.reads <= 2
