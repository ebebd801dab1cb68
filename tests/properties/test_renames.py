"""Renames in one change: nothing is released. `test_living` has renames in longer histories."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.documents.findings import has_error
from reconciler.model.plan import Release
from tests.examples import scaled
from tests.moving import KEY, LEAVING, moved
from tests.planning.test_renaming import formerly
from tests.properties.trees import Files
from tests.world import CLOCK, evaluation_of, reconciled, request, tenant


@given(st.data())
@settings(max_examples=scaled(80))
def test_renames_of_one_change_free_nothing_whichever_way_they_hang_together(
    data: st.DataObject,
) -> None:
    """Swaps, chains, requests that name the old name, and a range that a move has left."""
    names = ("one", "two", "three")
    files: Files = {**LEAVING, **{f"tenants/{it}.yaml": tenant(it) for it in names}}
    for name in data.draw(st.sets(st.sampled_from(names))):
        files[f"tenants/r-{name}.yaml"] = request(name, "far", count="3")
    files = moved(files, KEY) if data.draw(st.booleans()) else reconciled(files)
    before = {str(it.range) for it in evaluation_of(files).state.records}
    news = data.draw(st.permutations((*names, "four", "five")))[: len(names)]
    for name in names:
        del files[f"tenants/{name}.yaml"]
    for now, name in zip(news, names, strict=True):
        text = tenant(now)
        files[f"tenants/{now}.yaml"] = text if now == name else formerly(text, f"team-a/{name}")
    evaluation = evaluation_of(files)
    assert not any(isinstance(it, Release) for it in evaluation.plan.decisions)
    after = evaluation_of(reconciled(files), CLOCK + 9 * 86_400)
    ranges = [str(it.range) for it in after.state.records if it.range is not None]
    assert sorted(ranges) == sorted(before)
    if any(now != name and now in names for now, name in zip(news, names, strict=True)):
        assert has_error(evaluation.findings)
