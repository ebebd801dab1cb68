"""The line of any history: first parents, and beside them what reconcile did and nothing else."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reconciler.adapters.git.past import line_of

History = dict[str, list[str]]


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Parents of each commit; the last one holds the most."""
    found: History = {"c0": []}
    for number in range(1, draw(st.integers(1, 12))):
        near = [f"c{at}" for at in range(max(0, number - 5), number)]
        found[f"c{number}"] = draw(st.lists(st.sampled_from(near), min_size=1, max_size=3))
    return found


def chain(revision: str, parents: History) -> list[str]:
    before = parents[revision]
    return [revision, *(chain(before[0], parents) if before else ())]


@given(histories(), st.sets(st.integers(0, 11)), st.sets(st.integers(0, 11)))
def test_only_what_reconcile_did_gets_on_the_line_beside_the_first_parents(
    parents: History, said: set[int], forged: set[int]
) -> None:
    revision = f"c{len(parents) - 1}"
    ours = {f"c{number}" for number in said}
    lies = {f"c{number}" for number in forged}
    true, firsts = ours - lies, chain(revision, parents)
    line = line_of(revision, parents, ours, lambda commit: commit not in lies)
    assert (line[0], line[-1]) == (revision, "c0")
    assert all(old in parents[new] for new, old in pairwise(line))
    assert set(line) - set(firsts) <= true
    assert not (set(firsts) - set(line)) & ours, "where the branch was reconciled it went on"
    kept = [commit for commit in line if commit in firsts]
    assert kept == [commit for commit in firsts if commit in line]
    if not true:
        assert line == firsts
