"""Properties of whole trees (invariants 1, 6, 7, and 13, nos 20, 23, 24, 26, and 27)."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.documents.yaml import dump
from reconciler.model.change import FileChange
from reconciler.model.plan import Grant, Keep
from reconciler.planning.digest import actions, digest
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project
from tests.examples import scaled
from tests.properties.trees import Files, arrangements, plain, texts
from tests.world import CLOCK, evaluation_of, reconciled

DAY = 86_400


def outcome(evaluation: Evaluation) -> tuple[tuple[FileChange, ...], str, list[str]]:
    """Everything that leaves the program, but the places in people's files."""
    rows = [{**item, "source": None} for item in actions(evaluation, keeps=True)]
    shown = [dump(item.manifest) for item in project(evaluation)]
    return evaluation.changes, digest(rows) + repr(rows), shown


def ranges_of(files: Files, clock: int = CLOCK) -> dict[str, object]:
    return {
        str(item.claim): item.allocation.range
        for item in evaluation_of(files, clock).plan.decisions
        if isinstance(item, Keep | Grant)
    }


@given(texts(), st.data())
@settings(max_examples=scaled(60))
def test_the_order_and_place_of_documents_changes_no_byte(
    found: dict[str, str], data: st.DataObject
) -> None:
    one, two = data.draw(arrangements(found)), data.draw(arrangements(found))
    assert outcome(evaluation_of(one)) == outcome(evaluation_of(two))
    first = reconciled(one)
    second = {**two, **{path: first[path] for path in first if path.startswith("allocations/")}}
    assert outcome(evaluation_of(first)) == outcome(evaluation_of(second))
    assert evaluation_of(second).changes == ()


@given(texts(), st.data())
@settings(max_examples=scaled(60))
def test_comments_quotes_and_the_order_of_keys_change_nothing(
    found: dict[str, str], data: st.DataObject
) -> None:
    """No. 23."""
    before = reconciled(plain(found))
    after = dict(before)
    for path in data.draw(st.lists(st.sampled_from(sorted(plain(found))), unique=True)):
        text = str(before[path])
        head, _, spec = text.partition("spec:\n")
        named = re.sub(r"name: ([a-z0-9]+)", r'name: "\1"', head)
        after[path] = f"# why\nspec:\n{spec.rstrip()}  # how\n\n{named}"
    assert evaluation_of(after).changes == ()
    assert ranges_of(after) == ranges_of(before)


@given(texts(), st.integers(1, 12))
@settings(max_examples=scaled(60))
def test_a_tenant_that_came_and_went_leaves_no_trace_once_its_retention_is_over(
    found: dict[str, str], size: int
) -> None:
    """No. 24."""
    before = reconciled(plain(found))
    guest = "tenants/guest.yaml"
    text = found.get("tenant 0", "").replace("name: t0", "name: guest") or (
        "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: TenantCluster\n"
        "metadata: {name: guest, namespace: team-a}\n"
        f"spec:\n  workers: {{replicas: 1}}\n  networking: {{lbPoolSize: {size}}}\n"
    )
    came = reconciled({**before, guest: text})
    went = {path: data for path, data in came.items() if path != guest}
    released = reconciled(went, CLOCK + 1)
    gone = reconciled(released, CLOCK + 1 + DAY)
    gone = reconciled(gone, CLOCK + 1 + DAY)
    assert {path for path in gone if "guest" in path} == set()
    assert ranges_of(gone).items() >= ranges_of(before).items()
    assert available(gone) == available(before)


def available(files: Files) -> list[int]:
    return [usage.available for usage in evaluation_of(files).plan.before.values()]


@given(texts())
@settings(max_examples=scaled(60))
def test_clusters_are_told_of_exactly_the_recorded_addresses(found: dict[str, str]) -> None:
    """Each tenant's MetalLB pool holds what its live load-balancer records hold, and no more."""
    evaluation = evaluation_of(reconciled(plain(found)))
    wanted: dict[str, set[str]] = {}
    told: dict[str, set[str]] = {}
    for item in project(evaluation):
        manifest: Any = item.manifest
        if manifest["kind"] == "IPAllocation":
            if manifest["spec"]["type"] != "loadbalancer" or "addresses" not in manifest["status"]:
                continue
            reference = manifest["spec"]["tenantClusterRef"]
            cluster = f"{reference['namespace']}/{reference['name']}"
            wanted.setdefault(cluster, set()).update(manifest["status"]["addresses"])
        elif manifest["kind"] == "IPAddressPool":
            told[item.cluster] = {
                address for text in manifest["spec"]["addresses"] for address in expanded(text)
            }
    assert told == wanted
    shown = [item for item in project(evaluation) if item.manifest["kind"] == "IPAllocation"]
    assert len(shown) == len(evaluation.state.records)


def expanded(text: str) -> list[str]:
    start, end = text.split("-")
    head = start.rpartition(".")[0]
    assert end.rpartition(".")[0] == head
    numbers = range(int(start.rpartition(".")[2]), int(end.rpartition(".")[2]) + 1)
    return [f"{head}.{number}" for number in numbers]
