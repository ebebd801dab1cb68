"""`check` predicts the addresses that MetalLB pools lose after reconcile."""

from typing import NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st
from netaddr import IPRange, IPSet

from reconciler.addresses import format_address
from reconciler.model.change import FileChange
from reconciler.planning.evaluate import Evaluation, let_pass
from reconciler.planning.projection import project
from reconciler.review.announcements import Touches, losses, lost_announcements
from reconciler.review.change import Change
from tests.hostile.test_announced import extra
from tests.review.sides import change_of
from tests.world import evaluation_of, pool, provider, reconciled, tenant

Files = dict[str, str | bytes]
NAMES = ("one", "two", "three")
MANUAL = "{{loadBalancerPool: {{start: 10.70.0.1{0}0, end: 10.70.0.1{0}9}}}}"


class Tenant(NamedTuple):
    """A tenant: its provider, empty for the default one, and whether it has a manual range."""

    provider: str
    is_by_hand: bool


class World(NamedTuple):
    """Modes of two providers, empty if missing, tenants, and owner and type of requests."""

    default: str
    other: str
    tenants: list[Tenant]
    requests: list[tuple[str, str]]


worlds = st.builds(
    World,
    st.sampled_from(["", "ipam", "cloud"]),
    st.sampled_from(["ipam", "cloud"]),
    st.lists(st.builds(Tenant, st.sampled_from(["", "other"]), st.booleans()), max_size=3),
    st.lists(
        st.tuples(st.sampled_from(NAMES), st.sampled_from(["loadbalancer", "nodes"])), max_size=3
    ),
)


def tree(world: World) -> Files:
    files: Files = {"pools/edge.yaml": pool()}
    for name, mode in (("default", world.default), ("other", world.other)):
        if mode:
            files[f"providers/{name}.yaml"] = provider(name).replace("mode: ipam", f"mode: {mode}")
    for at, (name, wanted) in enumerate(zip(NAMES, world.tenants, strict=False)):
        spec = {"providerConfigRef": f"{{name: {wanted.provider}}}"} if wanted.provider else {}
        spec |= {"networking": MANUAL.format(at)} if wanted.is_by_hand else {}
        files[f"tenants/{name}.yaml"] = tenant(name, **spec)
    for at, (owner, kind) in enumerate(world.requests):
        files[f"tenants/r{at}.yaml"] = extra(f"r{at}", owner, kind, "  count: 4\n")
    return files


def carried_out(files: Files, changes: tuple[FileChange, ...]) -> Files:
    after = {**files, **{it.path: it.data for it in changes if it.data is not None}}
    return {path: data for path, data in after.items() if FileChange(path, None) not in changes}


def announced(evaluation: Evaluation) -> dict[str, IPSet]:
    """Return the addresses of MetalLB pools by cluster, from their manifests."""
    found: dict[str, IPSet] = {}
    for item in project(evaluation):
        if item.manifest["kind"] == "IPAddressPool":
            for text in item.manifest["spec"]["addresses"]:
                found.setdefault(item.cluster, IPSet()).add(IPRange(*text.split("-")))
    return found


def in_doubt(evaluation: Evaluation) -> IPSet:
    """Return ranges with an invalid manual range, which stay announced. The tree does not show this."""
    is_wrong = any(it.code == "manual-range" for it in evaluation.findings)
    return IPSet(["10.70.0.0/24"] if is_wrong else [])


Sides = tuple[Evaluation, Change, dict[str, IPSet], dict[str, IPSet], IPSet]


def changed(old: World, new: World) -> Sides:
    base = reconciled(tree(old))
    change = {**tree(new), **{path: base[path] for path in base if path.startswith("alloc")}}
    evaluation, before = evaluation_of(change), evaluation_of(base)
    assume(evaluation.brake is None)  # a later run can make a held release
    then = announced(evaluation_of(carried_out(change, let_pass(evaluation).changes)))
    return evaluation, change_of(base, change), announced(before), then, in_doubt(before)


@given(worlds, worlds)
def test_it_is_just_what_clusters_announced_and_announce_no_more(old: World, new: World) -> None:
    evaluation, sides, there, then, doubt = changed(old, new)
    told: dict[str, IPSet] = {}
    for loss in losses(evaluation, Touches(sides.before, sides.after)):
        for item in loss.addresses:
            ends = (format_address(item.version, end) for end in item[1:])
            told.setdefault(loss.cluster, IPSet()).add(IPRange(*ends))
    for cluster in sorted({**there, **told}):
        lost = there.get(cluster, IPSet()) - then.get(cluster, IPSet())
        assert told.get(cluster, IPSet()) - doubt == lost - doubt


@given(worlds, worlds)
def test_nobody_gets_at_once_what_another_announced_without_a_gate(old: World, new: World) -> None:
    _, sides, there, then, doubt = changed(old, new)
    moved = (it.message for it in lost_announcements(sides) if it.severity == "gate")
    gated = {message.partition("cluster ")[2].split()[0].rstrip(",") for message in moved}
    for cluster, had in there.items():
        gone = had - then.get(cluster, IPSet()) - doubt
        gets = [it for it in then if gone & (then[it] - there.get(it, IPSet()))]
        assert (cluster in gated) is bool(gets)
