"""Each change of ownership is in the plan and in its digest."""

from collections.abc import Mapping

import yaml
from hypothesis import given

from reconciler.planning.digest import actions, digest, summary
from reconciler.planning.evaluate import let_pass
from tests.properties.test_announced import World, carried_out, tree, worlds
from tests.world import evaluation_of, reconciled


def holders(files: Mapping[str, str | bytes]) -> dict[tuple[str, str], str]:
    """Return the owner of each allocated record, by claim and first address, from the YAML."""
    found = {}
    for path in files:
        body = yaml.safe_load(files[path]) if path.startswith("allocations/") else {}
        if body and body["status"]["phase"] == "Allocated":
            claim = body["metadata"]["annotations"]["gitops-ipam.dev/claim"]
            owner = body["spec"]["tenantClusterRef"]
            key = claim, body["status"]["startAddress"]
            found[key] = f"{owner['namespace']}/{owner['name']}"
    return found


@given(worlds, worlds)
def test_whose_addresses_go_to_another_owner_is_just_what_the_plan_says(
    old: World, new: World
) -> None:
    base = reconciled(tree(old))
    change = {**tree(new), **{path: base[path] for path in base if path.startswith("alloc")}}
    evaluation = evaluation_of(change)
    before = holders(base)
    after = holders(carried_out(change, let_pass(evaluation).changes))
    given_on = {
        key: (before[key], after[key])
        for key in before.keys() & after.keys()
        if before[key] != after[key]
    }
    told = [it for it in actions(evaluation) if it["action"] == "transfer"]
    said = {(it["claim"], it["start"]): (it["from"]["owner"], it["owner"]) for it in told}
    assert said == given_on
    assert summary(evaluation).get("transferred", 0) == len(given_on)
    rest = [it for it in actions(evaluation) if it not in told]
    assert (digest(rest) != digest(actions(evaluation))) == bool(given_on)
