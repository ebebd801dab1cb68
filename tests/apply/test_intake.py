"""Copies in Git of objects that exist only in the management cluster."""

from typing import Any

import pytest
from msgspec.structs import replace

from reconciler.apply.intake import (
    MAX_EVENTS,
    MAX_EVENTS_PER_NAMESPACE,
    MAX_MISSING,
    MIN_DELETIONS,
    Copies,
    IntakeContext,
    IntakeObservation,
    IntakeState,
    ListedCopy,
    ObjectCopy,
    TakenIn,
    asked,
    copy_of,
    format_state,
    hash_of,
    intakes,
    parse_state,
    take_in,
)
from reconciler.model.change import FileChange
from reconciler.model.objects import MANAGER, owned_labels
from reconciler.model.settings import Intake as Asked
from reconciler.model.settings import Settings
from tests.families.live import cluster, intake, live, of_pool, pool, wrote

EVERY = Settings(intake=tuple(Asked(it.kind) for it in intakes()))
SHOP = "observed/Cluster.cluster.x-k8s.io/default/shop.yaml"
IDENTITY = ("cluster.x-k8s.io", "Cluster", "default", "shop")
VIPS = ("ipam.cluster.x-k8s.io", "GlobalInClusterIPPool", "", "vips")
NOW = 10_000
DYING = "2026-02-15T10:00:00Z"
SERVER = {"uid": "uid-1", "at": NOW}


def looked(*manifests: Any, **more: Any) -> IntakeObservation:
    """All kinds, listed whole, with these objects."""
    listed = {
        it.resource: ListedCopy([m for m in manifests if m["kind"] == it.kind]) for it in intakes()
    }
    return IntakeObservation(**{**SERVER, "listed": listed, **more})


def standing(*copied: Any, **more: Any) -> IntakeContext:
    """A tree with the copies of these objects."""
    found: dict[Any, Any] = {}
    for manifest in copied:
        kind = intake(manifest["kind"])
        copy = copy_of(manifest, kind, EVERY)
        assert isinstance(copy, ObjectCopy)
        found[kind.identity(manifest)] = copy
    return IntakeContext(**{"settings": EVERY, "described": (), "copies": Copies(found), **more})


def paths(found: TakenIn) -> dict[str, str]:
    """Return `+` or `-` for each changed path."""
    return {it.path.split("/", 1)[1]: "+" if it.data else "-" for it in found.changes}


def gone_by(manifest: Any, **more: Any) -> IntakeContext:
    """The object was missing ten minutes ago."""
    state = IntakeState({IDENTITY: NOW - MIN_DELETIONS})
    return standing(manifest, **{"state": state, "named": "uid-1", **more})


def test_what_is_only_in_the_cluster_is_copied_and_then_nothing_changes() -> None:
    every = (pool(), live("ClusterClass", "web", {}), cluster(), of_pool("IPAddressClaim", "one"))
    found = take_in(looked(*every), standing())
    assert paths(found) == {
        "Cluster.cluster.x-k8s.io/default/shop.yaml": "+",
        "ClusterClass.cluster.x-k8s.io/default/web.yaml": "+",
        "GlobalInClusterIPPool.ipam.cluster.x-k8s.io/_/vips.yaml": "+",
        "IPAddressClaim.ipam.cluster.x-k8s.io/default/one.yaml": "+",
    }
    assert found.seen == "uid-1"
    assert take_in(looked(*every), standing(*every)).changes == ()


def test_without_intake_nothing_is_asked_and_nothing_is_taken_in() -> None:
    none = standing(settings=Settings())
    assert asked(Settings(), none.copies) == ()
    assert take_in(looked(cluster()), none).changes == ()


def test_namespaces_that_settings_do_not_name_are_left_out() -> None:
    some = Settings(intake=(Asked("Cluster", ("team-a",)), Asked("GlobalInClusterIPPool", ("x",))))
    seen = looked(cluster(namespace="team-a"), cluster("blog"), pool())
    assert paths(take_in(seen, standing(settings=some))) == {
        "Cluster.cluster.x-k8s.io/team-a/shop.yaml": "+",
        "GlobalInClusterIPPool.ipam.cluster.x-k8s.io/_/vips.yaml": "+",
    }


def test_what_bears_our_label_is_never_taken_in() -> None:
    ours = cluster(labels=owned_labels(), managedFields=[wrote(MANAGER, {})])
    assert take_in(looked(ours), standing()).changes == ()


def test_a_label_of_ours_that_somebody_else_wrote_hides_nothing() -> None:
    assert paths(take_in(looked(cluster(labels=owned_labels())), standing()))


def test_what_people_describe_is_theirs_and_the_plan_alone_takes_its_copy_away() -> None:
    taken = {"described": [IDENTITY], "state": gone_by(cluster()).state, "named": "uid-1"}
    for seen in (looked(cluster(class_="db")), looked()):
        assert take_in(seen, standing(cluster(), **taken)).changes == ()
    assert take_in(looked(cluster()), standing(described=[IDENTITY])).changes == ()


def test_what_people_describe_wrongly_is_not_taken_in_and_its_copy_counts() -> None:
    wrong: Any = {"unread": [IDENTITY]}
    assert take_in(looked(cluster()), standing(**wrong)).changes == ()
    assert take_in(looked(cluster()), standing(cluster(), **wrong)).changes == ()
    assert paths(take_in(looked(cluster(class_="db")), standing(cluster(), **wrong)))
    found = take_in(looked(), replace(gone_by(cluster()), **wrong))
    assert found.changes == (FileChange(SHOP, None),)


def test_what_is_being_deleted_is_not_taken_in_and_its_copy_says_so() -> None:
    dying = cluster(deletionTimestamp=DYING)
    assert take_in(looked(dying), standing()).changes == ()
    (change,) = take_in(looked(dying), standing(cluster())).changes
    assert b"deletionTimestamp" in (change.data or b"")


@pytest.mark.parametrize("kind", ["IPAddress", "IPAddressClaim"])
def test_claims_and_addresses_of_pools_that_nobody_describes_are_not_ours(kind: str) -> None:
    item = of_pool(kind, "one", spec={"address": "10.0.0.12"} if kind == "IPAddress" else {})
    assert take_in(looked(item), standing()).changes == ()
    assert paths(take_in(looked(item), standing(described=[VIPS])))
    assert paths(take_in(looked(item), standing(pool())))
    assert len(paths(take_in(looked(item, pool()), standing()))) == 2


def test_a_claim_that_another_provider_serves_is_left_to_it() -> None:
    served = of_pool("IPAddressClaim", "one", status={"addressRef": {"name": "one"}})
    assert take_in(looked(served), standing(described=[VIPS])).changes == ()
    there = of_pool("IPAddressClaim", "one")
    assert take_in(looked(served), standing(there, described=[VIPS])).changes == ()


def test_a_change_of_what_is_read_is_a_change_of_the_copy() -> None:
    (change,) = take_in(looked(cluster(class_="db")), standing(cluster())).changes
    assert b"class: db" in (change.data or b"")


def test_an_object_that_is_not_valid_is_told_and_stops_nobody() -> None:
    bad = cluster("bad", spec={"paused": "yes"})
    found = take_in(looked(bad, cluster()), standing())
    assert paths(found) == {"Cluster.cluster.x-k8s.io/default/shop.yaml": "+"}
    reason = "spec.paused is the string 'yes', expected a boolean; write true or false"
    (line,) = map(str, found.rejected)
    assert line == f"Cluster.cluster.x-k8s.io/default/bad is not copied to Git: {reason}"
    (event,) = found.events
    assert (event["type"], event["reason"], event["message"]) == ("Warning", "IPAMRejected", reason)
    assert event["involvedObject"]["uid"] == "uid-bad"


def test_what_we_made_in_the_place_of_an_object_is_not_that_object() -> None:
    mine: Any = {"labels": owned_labels(), "managedFields": [wrote(MANAGER, {})]}
    made = cluster(uid="uid-ours", **mine)
    assert take_in(looked(made), gone_by(cluster())).changes == (FileChange(SHOP, None),)
    taken = cluster(**mine)
    assert take_in(looked(taken), gone_by(cluster())).changes == ()


def test_another_management_cluster_changes_nothing() -> None:
    found = take_in(looked(pool(), uid="uid-2"), gone_by(cluster()))
    assert (found.changes, found.seen) == ((), "uid-1")
    assert "uid uid-2" in found.held[0]
    assert "--enroll management" in found.held[0]
    assert found.state == gone_by(cluster()).state


def test_another_management_cluster_that_is_meant_adds_and_takes_nothing_away() -> None:
    found = take_in(looked(pool(), uid="uid-2", is_enrolled=True), gone_by(cluster()))
    assert paths(found) == {"GlobalInClusterIPPool.ipam.cluster.x-k8s.io/_/vips.yaml": "+"}
    assert found.seen == "uid-2"


# State between runs

STATE = IntakeState(
    {IDENTITY: 5, VIPS: 6}, {IDENTITY: hash_of("why")}, {"Cluster.x": ((1, 2), (3, 4))}
)


def test_what_is_written_is_read_back() -> None:
    assert parse_state(format_state(STATE)) == STATE
    assert format_state(IntakeState()) == ""


@pytest.mark.parametrize("text", ["", "missing A.b/c/d 5\n", "[]", '[[[["a"], 5]], [], []]', "nul"])
def test_another_text_says_nothing(text: str) -> None:
    assert parse_state(text) == IntakeState()


def test_what_has_no_room_is_left_for_later() -> None:
    many = {(*IDENTITY[:3], f"c{at:06}"): at for at in range(3_000)}
    found = parse_state(format_state(IntakeState(many, {}, {"Cluster.x": ((1, 2),)})))
    assert found.removed == {"Cluster.x": ((1, 2),)}
    assert len(found.missing) == MAX_MISSING


WRONG = {"paused": "yes"}


def wrong(count: int, namespace: str = "evil", spec: Any = None) -> list[Any]:
    names = (f"c{at:04}" for at in range(count))
    return [cluster(name, spec=spec or WRONG, namespace=namespace) for name in names]


def namespaces(found: TakenIn) -> list[str]:
    return [event["involvedObject"]["namespace"] for event in found.events]


def test_of_many_refused_objects_of_a_namespace_some_are_told_and_never_again() -> None:
    seen = looked(*wrong(30), *wrong(2, "team"))
    found = take_in(seen, standing())
    assert len(found.rejected) == 32
    assert namespaces(found) == ["evil"] * MAX_EVENTS_PER_NAMESPACE + ["team"] * 2
    assert found.notes == (
        "10 more objects were rejected without an Event: at most 20 per namespace and 200 in total",
    )
    for _ in range(2):
        state = parse_state(format_state(found.state))
        assert state.rejected == found.state.rejected
        found = take_in(seen, standing(state=state))
        assert found.events == ()


def test_over_all_namespaces_there_is_an_end_too() -> None:
    every = [it for at in range(30) for it in wrong(10, f"n{at:02}")]
    found = take_in(looked(*every), standing())
    assert len(namespaces(found)) == MAX_EVENTS
    assert take_in(looked(*every), standing(state=found.state)).events == ()
