"""People take over what was observed: whoever describes it, whatever it holds, no address moves."""

from hypothesis import given
from hypothesis import strategies as st

from reconciler.commands.reading.whole import read_tree
from reconciler.evaluate import evaluate
from reconciler.families._demand import Entry, demand_document
from reconciler.model.plan import Keep, Refuse
from reconciler.observed import path_of
from tests.memory import MemorySource
from tests.properties.trees import Files
from tests.world import evaluation_of, pool, provider, reconciled, tenant

NAMES = tuple("abcdef")
MODES = ("static", "elastic")


def copy_of(name: str) -> str:
    return path_of("observed", ("butler.butlerlabs.dev", "TenantCluster", "team-a", name))


def need_of(name: str) -> str:
    return path_of("observed", ("gitops-ipam.dev", "Demand", "team-a", name))


@st.composite
def observed(draw: st.DrawFn) -> tuple[Files, list[str]]:
    """Tenants of which some only their cluster knows, each with what it needs; those some."""
    files: Files = {
        "pools/edge.yaml": pool(cidr=f"10.40.0.0/{draw(st.integers(25, 28))}"),
        "providers/default.yaml": provider(
            loadBalancer=f"{{allocationMode: {draw(st.sampled_from(MODES))}}}"
        ),
    }
    seen = []
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1)):
        size = draw(st.integers(1, 6))
        text = tenant(name, networking=f"{{lbPoolSize: {size}}}")
        is_seen = draw(st.booleans())
        files[copy_of(name) if is_seen else f"tenants/{name}.yaml"] = text
        seen += [name] if is_seen else []
        entries = draw(st.dictionaries(st.integers(1, 4), st.integers(1, 4), max_size=3))
        if entries:
            needed = [Entry(*item) for item in entries.items()]
            files[need_of(name)] = demand_document("team-a", name, needed)
    return files, seen


@given(observed(), st.data())
def test_a_person_who_describes_what_was_observed_moves_no_address(
    drawn: tuple[Files, list[str]], data: st.DataObject
) -> None:
    before = reconciled(drawn[0])
    taken = data.draw(st.lists(st.sampled_from(drawn[1]), unique=True)) if drawn[1] else []
    folder = data.draw(st.sampled_from(("tenants", "clusters", "pools/mine")))
    both = before | {f"{folder}/{name}.yaml": before[copy_of(name)] for name in taken}
    evaluation = evaluate(read_tree(MemorySource(both, before=[before])))
    assert all(isinstance(item, Keep | Refuse) for item in evaluation.plan.decisions)
    gone = sorted(copy_of(name) for name in taken)
    assert [(it.path, it.data) for it in evaluation.changes] == [(path, None) for path in gone]
    assert not [it for it in evaluation.findings if it.code == "document-duplicate"]
    after = reconciled(both)
    assert after.keys() == both.keys() - set(gone)
    assert evaluation_of(after).changes == ()
