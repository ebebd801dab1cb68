"""Which steps may be taken side by side: those of one kind that wait for nothing among them."""

from collections.abc import Iterable
from typing import Any

from reconciler.clusters.desired import DesiredObject, desired_object
from reconciler.clusters.lanes import abreast, asks
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.plan import Draft
from reconciler.clusters.resources import ADDRESS_POOL, SERVICE
from reconciler.clusters.snapshot import Live, live_of
from reconciler.clusters.steps import Abreast, Apply, Look, Note, Own, Patch, Step, Tell, applied
from reconciler.model.resource import Ref, Resource


def wanted(name: str, resource: Resource = ADDRESS_POOL, spec: str = "a") -> DesiredObject:
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    named = {"name": name, "namespace": "here"}
    return desired_object({**kind, "metadata": named, "spec": {"said": spec}})


def bring(name: str, resource: Resource = ADDRESS_POOL, after: Ref | None = None) -> Apply:
    return applied(wanted(name, resource), None, None, adopt=False, after=after)


def ref(name: str, resource: Resource = ADDRESS_POOL) -> Ref:
    return Ref(resource, "here", name)


def told(steps: Iterable[Step]) -> list[Any]:
    """Names of objects; those side by side in a list, each lane as text."""
    found: list[Any] = []
    for step in abreast(list(steps)):
        if isinstance(step, Abreast):
            found.append(["+".join(map(_name, lane)) for lane in step.lanes])
        else:
            found.append(_name(step))
    return found


def _name(step: Step) -> str:
    if isinstance(step, Apply | Patch | Own):
        return step.ref.name
    return type(step).__name__.lower()


def test_objects_of_one_kind_go_side_by_side_and_kinds_one_after_the_other() -> None:
    steps = [bring("a"), bring("b"), bring("c", SERVICE), bring("d"), bring("e"), bring("f")]
    assert told(steps) == [["a", "b"], "c", ["d", "e", "f"]]
    assert told([]) == []


def test_what_waits_for_an_object_of_its_own_kind_comes_after_it() -> None:
    assert told([bring("a"), bring("b"), bring("c", after=ref("a")), bring("d")]) == [
        ["a", "b"],
        ["c", "d"],
    ]
    patches = [Patch(ref("a"), {}), Patch(ref("b"), {}, rests_on=(ref("a"),))]
    assert told(patches) == ["a", "b"]
    owners = ((ref("b"), True),)
    assert told([bring("a"), bring("b"), Own(wanted("c"), owners)]) == [["a", "b"], "c"]


def test_steps_about_one_object_keep_their_order() -> None:
    tell = Tell(wanted("a"), None)
    assert told([tell, bring("a"), bring("b"), Tell(wanted("b"), None)]) == [["tell+a", "b+tell"]]
    assert told([bring("a"), bring("b"), Own(wanted("a"), ())]) == [["a", "b"], "a"]


def test_what_is_about_no_object_parts_what_stands_before_it_from_what_stands_after() -> None:
    steps: list[Step] = [
        Look(SERVICE),
        Note("x", None),
        bring("a"),
        bring("b"),
        Look(SERVICE),
        bring("c"),
    ]
    assert told(steps) == ["look", "note", ["a", "b"], "look", "c"]


def test_who_makes_a_plan_says_of_which_steps_that_holds() -> None:
    draft = Draft({}, ApplyOptions())
    draft.add(bring("a"))

    def make() -> None:
        draft.add(bring("b"))
        draft.add(bring("c"))

    draft.abreast(make)
    assert [type(step) for step in draft.steps] == [Apply, Abreast]
    assert [outcome.object for outcome in draft.progress.outcomes] == [str(ref(it)) for it in "abc"]


def living(spec: str) -> Live:
    body = wanted("a", spec=spec).body or {}
    own = {"uid": "u", "resourceVersion": "7", "managedFields": [{"manager": "gitops-ipam"}]}
    return live_of({**body, "metadata": {**body["metadata"], **own}})


def test_what_is_as_it_shall_be_asks_nothing() -> None:
    entry = Draft({}, ApplyOptions())
    entry.bring(wanted("a"), living("a"))
    known = entry.entries[str(ref("a"))]
    assert not asks((applied(wanted("a"), living("a"), known, adopt=False),))
    assert asks((applied(wanted("a"), living("b"), known, adopt=False),))
    assert asks((bring("a"),))
    assert asks((Tell(wanted("a"), None),))
