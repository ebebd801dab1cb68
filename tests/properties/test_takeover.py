"""No address moves if a person describes observed objects."""

from collections.abc import Callable, Iterable

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.apply.intake_run import look_for_intake
from reconciler.apply.rights import crd_name
from reconciler.apply.targets import ApplyOptions
from reconciler.families.demand import DemandEntry, demand_document
from reconciler.model.objects import CRD
from reconciler.model.plan import Expire, Keep, Refuse, Release
from reconciler.planning.documents import path_of
from reconciler.planning.evaluate import evaluate
from reconciler.planning.read import read_tree
from tests.examples import scaled
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.families.live import intake
from tests.memory import MemorySource
from tests.properties.trees import Files
from tests.world import carried, evaluation_of, pool, provider, reconciled, settings_text, tenant

NAMES = tuple("abcdef")
MODES = ("static", "elastic")


def copy_of(name: str) -> str:
    return path_of("observed", ("butler.butlerlabs.dev", "TenantCluster", "team-a", name))


def need_of(name: str) -> str:
    return path_of("observed", ("gitops-ipam.dev", "Demand", "team-a", name))


@st.composite
def observed(draw: st.DrawFn) -> tuple[Files, list[str]]:
    """Return tenants with their demand, and the names of those that exist only in their cluster."""
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
            needed = [DemandEntry(*item) for item in entries.items()]
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


def wrong(name: str) -> str:
    return tenant(name, networking="{lbPoolSize: many}")


FORMS: dict[str, Callable[[str], str]] = {
    "right": tenant,
    "wrong": wrong,
    "no YAML": "{{{}".format,
    "right beside wrong": lambda name: f"{tenant(name)}---\n{wrong('other')}",
}
INTAKE = settings_text("{intake: [{kind: TenantCluster}]}")


def living(names: Iterable[str]) -> FakeClusters:
    """Return a management cluster with all of these tenants."""
    clusters = FakeClusters()
    hand, resource = clusters.hand(HUB), intake("TenantCluster").resource
    definition = {"apiVersion": CRD.api_version, "kind": CRD.kind, "spec": {}}
    hand.put({**definition, "metadata": {"name": crd_name(resource)}})
    hand.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}})
    for name in names:
        hand.put(yaml.safe_load(tenant(name)))
    return clusters


@given(observed(), st.data())
@settings(max_examples=scaled(60))
def test_what_people_describe_takes_a_copy_away_only_when_it_can_be_read(
    drawn: tuple[Files, list[str]], data: st.DataObject
) -> None:
    files, seen = drawn
    before = reconciled({**files, "ipam.yaml": INTAKE})
    forms = st.dictionaries(st.sampled_from(seen), st.sampled_from(sorted(FORMS)))
    written = data.draw(forms) if seen else {}
    both = before | {f"tenants/{name}.yaml": FORMS[form](name) for name, form in written.items()}
    evaluation = evaluate(read_tree(MemorySource(both, before=[before])))
    right = {name for name, form in written.items() if form == "right"}
    gone = {it.path for it in evaluation.changes if it.data is None}
    assert gone == {copy_of(name) for name in right}
    look = look_for_intake(evaluation, living(seen), ApplyOptions())
    assert look.at
    assert [it.path for it in look.taken.changes if it.data is None] == []
    after = carried(both, evaluation) | {it.path: it.data for it in look.taken.changes if it.data}
    assert {copy_of(name) for name in seen if name not in right} <= after.keys()
    removed = {f"tenants/{name}.yaml" for name in written if name not in right}
    later = {path: text for path, text in after.items() if path not in removed}
    found = evaluate(read_tree(MemorySource(later, before=[before, both, after])))
    assert not [item for item in found.plan.decisions if isinstance(item, Release | Expire)]
