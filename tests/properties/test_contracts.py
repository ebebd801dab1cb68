"""What teams may ask for changes no plan by what is cached: random histories of documents of teams."""

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.commands.reading.whole import read_tree
from reconciler.evaluate import evaluate
from tests.memory import MemoryFacts, MemorySource
from tests.properties.test_incremental import ISLANDS, carried_out, islands, member, shown
from tests.properties.trees import Files
from tests.test_ownership import team
from tests.world import CLOCK

TEAMS = ("a", "b", "c")
FOLDERS = ("tenants/a", "tenants/b", "tenants/a/inner", "tenants")
SPACES = ("team-a", "team-b")
PLACES = ("tenants", "tenants/a", "tenants/b", "tenants/a/inner")


def listed(from_: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(from_), min_size=1, max_size=2).map(" ".join)


POOLS = tuple(f"butler/NetworkPool/butler-system/p{number}" for number in range(ISLANDS))
SAYS = st.fixed_dictionaries(
    {},
    optional={
        "folders": listed(FOLDERS),
        "namespaces": listed(SPACES),
        "pools": listed(POOLS),
        "max_addresses": st.sampled_from(("1", "2", "8", "100", "none")),
    },
)


@st.composite
def edits(draw: st.DrawFn, files: Files) -> Files:
    """The files after one more change of a team's document, or of a document that claims."""
    after = dict(files)
    name, number = draw(st.sampled_from(TEAMS)), draw(st.integers(0, ISLANDS - 1))
    match draw(st.integers(0, 4)):
        case 0 | 1:
            after[f"teams/{name}.yaml"] = team(name, **draw(SAYS))
        case 2:
            after.pop(f"teams/{name}.yaml", None)
        case 3:
            path = f"{draw(st.sampled_from(PLACES))}/n{number}.yaml"
            for place in PLACES:
                after.pop(f"{place}/n{number}.yaml", None)
            named = draw(st.sampled_from(({}, {"teamRef": "{name: b}"})))
            space = draw(st.sampled_from(SPACES))
            after[path] = member(f"n{number}", number, space, **named)
        case _:
            after[f"teams/{name}.yaml"] = "a: [\n"
    return after


@given(st.data())
@settings(max_examples=int(os.environ.get("IPAM_TEST_HISTORIES", "50")), deadline=None)
def test_what_is_known_changes_nothing_of_who_may_ask_for_what(data: st.DataObject) -> None:
    files, facts, clock, before = islands(), MemoryFacts(), CLOCK, list[Files]()
    for _ in range(data.draw(st.integers(2, 8))):
        whole = evaluate(read_tree(MemorySource(files, clock, before)))
        for known in (facts, facts, MemoryFacts()):
            source = MemorySource(files, clock, before)
            assert shown(evaluate_incrementally(source, known)) == shown(whole)
        before.append(files)
        if data.draw(st.booleans()):
            files, clock = carried_out(files, whole), clock + 60
        for _ in range(data.draw(st.integers(1, 3))):
            files = data.draw(edits(files))
