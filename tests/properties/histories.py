"""Random histories of revisions: independent groups of pools and tenants, edits, and damage."""

from hypothesis import strategies as st

from reconciler.families.demand import DemandEntry, demand_document
from reconciler.planning.evaluate import Evaluation
from reconciler.report.formats import json_text
from reconciler.report.json import check_document, plan_document
from reconciler.review.result import Compared
from tests.planning.test_renaming import formerly
from tests.properties.trees import Files
from tests.world import pool, provider, raw, request, settings_text, tenant

ISLANDS = 4
MODES = "{}", "{allocationMode: elastic, initialPoolSize: 8}"
TEAM = "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: Team\nmetadata: {name: blue}\n"
DEMAND = "observed/Demand.gitops-ipam.dev/team-a/{}.yaml"
COPY = "observed/TenantCluster.butler.butlerlabs.dev/team-a/{}.yaml"
SPACE = "annotations: {gitops-ipam.dev/address-space: lab}"


def island(number: int) -> Files:
    """Return a pool, its provider, and two tenants that are independent of all others."""
    files: Files = {
        f"pools/p{number}.yaml": pool(f"p{number}", f"10.{number}.0.0/26"),
        f"providers/p{number}.yaml": provider(
            f"p{number}", f"[{{name: p{number}}}]", loadBalancer=MODES[number % 2]
        ),
    }
    for letter in "ab":
        name = f"{letter}{number}"
        files[f"tenants/{name}.yaml"] = member(name, number)
    return files


def member(name: str, number: int, namespace: str = "team-a", **spec: str) -> str:
    return tenant(name, namespace, providerConfigRef=f"{{name: p{number}}}", **spec)


def shown(evaluation: Evaluation) -> str:
    """Return the output of `check`, and the files that `reconcile` would write."""
    plan = plan_document(evaluation)
    return json_text(check_document(Compared(evaluation), plan, 0)) + repr(evaluation.changes)


@st.composite
def edits(draw: st.DrawFn, files: Files) -> Files:  # noqa: C901 - one of each sort of edit
    after = dict(files)
    number = draw(st.integers(0, ISLANDS - 1))
    other = draw(st.integers(0, ISLANDS - 1))
    records = sorted(path for path in after if path.startswith("allocations/"))
    match draw(st.integers(0, 21)):
        case 0:
            after[f"tenants/n{number}.yaml"] = member(f"n{number}", number)
        case 1:
            after.pop(f"tenants/a{number}.yaml", None)
        case 2:
            after[f"tenants/a{number}.yaml"] = member(f"a{number}", other)
        case 3:
            after[f"pools/p{number}.yaml"] = pool(f"p{number}", f"10.{other}.0.0/26")
        case 4 if records:
            after.pop(draw(st.sampled_from(records)))
        case 5 if records:
            path = draw(st.sampled_from(records))
            after[path] = raw(after[path])[: draw(st.integers(0, 1200))]
        case 6:
            pinned = f"{{startAddress: 10.{other}.0.40, endAddress: 10.{other}.0.41}}"
            whose = draw(st.sampled_from(("r", "a")))  # without a tenant, or of one
            named = request(f"{whose}{number}", f"p{other}", pinnedRange=pinned)
            after["tenants/r.yaml"] = named
        case 7:
            after["teams/t.yaml"] = TEAM
            after[f"tenants/b{number}.yaml"] = member(
                f"b{number}", number, teamRef=f"{{name: {draw(st.sampled_from(('blue', 'red')))}}}"
            )
        case 8:
            gate = draw(st.sampled_from(("never", "warning")))
            after["ipam.yaml"] = settings_text(f"{{retention: 1h, gate: {gate}}}")
        case 9:
            after[f"tenants/d{number}.yaml"] = tenant(f"d{number}")
            after["providers/default.yaml"] = provider("default", f"[{{name: p{number}}}]")
        case 10 if records:
            path = draw(st.sampled_from(records))
            after[path.replace("/p", "/q", 1).replace(".p", f".p{other}0")] = after.pop(path)
        case 11:  # two pools of one name, in two address spaces
            text = pool(f"p{number}", f"10.{other}.0.0/26").replace("butler-system", "team-a")
            after[f"pools/lab{number}.yaml"] = text.replace("team-a}", f"team-a, {SPACE}}}")
        case 12 if records:  # two records that contradict each other
            path = draw(st.sampled_from(records))
            after[f"allocations/copy-{number}.yaml"] = after[path]
        case 13:
            where = f"start: 10.{other}.0.50, end: 10.{other}.0.{draw(st.integers(50, 60))}"
            manual = f"{{loadBalancerPool: {{{where}}}}}"
            after[f"tenants/m{number}.yaml"] = member(f"m{number}", number, networking=manual)
        case 14:  # a router in its pool, in another pool, or in none, and a quota
            gateway = f"10.{draw(st.sampled_from((number, other, 99)))}.0.52"
            quota = f"{{maxLoadBalancerIPs: {draw(st.sampled_from((8, 16, 30)))}}}"
            after[f"providers/p{number}.yaml"] = provider(
                f"p{number}", f"[{{name: p{number}}}]", gateway=gateway, quotaPerTenant=quota
            )
        case 15:  # a manual range of a tenant without addresses from pools
            after["providers/cloud.yaml"] = provider(
                "cloud", "[]", gateway=f"10.{draw(st.sampled_from((other, 99)))}.0.57"
            ).replace("mode: ipam", "mode: cloud")
            second = draw(st.sampled_from((other, 99)))
            manual = f"{{loadBalancerPool: {{start: 10.{second}.0.55, end: 10.{second}.0.58}}}}"
            after[f"tenants/c{number}.yaml"] = tenant(
                f"c{number}", networking=manual, providerConfigRef="{name: cloud}"
            )
        case 16:  # the demand of a tenant, which might not exist
            name = f"{draw(st.sampled_from('abn'))}{number}"
            entries = draw(st.lists(st.builds(DemandEntry, st.integers(1, 3), st.integers(1, 9))))
            unique = {entry.index: entry for entry in entries}.values()
            after[DEMAND.format(name)] = demand_document("team-a", name, unique)
        case 17:  # a tenant that exists only in its cluster, or that a person also describes
            after[COPY.format(f"n{number}")] = member(f"n{number}", other)
        case 18:
            for path in [path for path in after if path.startswith("observed/")]:
                if draw(st.booleans()):
                    after.pop(path)
        case (
            19
        ):  # a renamed tenant, with or without its old document, and with or without its new one
            if draw(st.booleans()):
                after.pop(f"tenants/a{number}.yaml", None)
            name = f"q{draw(st.sampled_from((number, other)))}"
            text = member(name, number, draw(st.sampled_from(("team-a", "x"))))
            after[f"tenants/{name}.yaml"] = formerly(text, f"team-a/a{number}")
        case 20:  # the same for a pool, and then for documents that refer to it
            after.pop(f"pools/p{number}.yaml", None)
            text = pool(f"q{number}", f"10.{draw(st.sampled_from((number, other)))}.0.0/25")
            after[f"pools/q{other}.yaml"] = formerly(text, f"butler-system/p{number}")
            after[f"providers/p{number}.yaml"] = provider(f"p{number}", f"[{{name: q{number}}}]")
        case _:
            text = pool(f"p{number}", f"10.{other}.0.0/26")
            after[f"pools/p{number}.yaml"] = text.replace("system}", f"system, {SPACE}}}")
    return after


@st.composite
def breakages(draw: st.DrawFn, files: Files) -> Files:
    """Yield the files with one of them broken, in each way."""
    after = dict(files)
    path = draw(st.sampled_from(sorted(after)))
    text = raw(after[path])
    match draw(st.integers(0, 6)):
        case 0:
            after[path] = text + b"  }\n"
        case 1:
            after[path] = text.replace(b"kind: ", b"kind: X", 1)
        case 2:
            after[path] = text.replace(b"spec:", b"spek:", 1)
        case 3:
            after[path] = text[: draw(st.integers(0, len(text)))]
        case 4:
            after[path] = text + b"---\n" + text
        case 5:  # moved and broken at once
            del after[path]
            after[f"tenants/zz-{len(after)}.yaml"] = text + b"{"
        case _:
            after[path] = b"\xff\x00" + text
    return after
