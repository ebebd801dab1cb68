"""Admission policies."""

from collections.abc import Iterable, Sequence
from typing import Any

from reconciler.apply.pools import USUAL, written_kinds
from reconciler.families import families
from reconciler.families.interface import UpdateRule
from reconciler.kube.resources import IP_ALLOCATION, owned
from reconciler.loadbalancers.interface import ClusterBalancer
from reconciler.model import objects

OWNED = "gitops-ipam-owned"
POOLS = "gitops-ipam-pools"

_RECORD = UpdateRule(
    IP_ALLOCATION,
    {"isFixed": "oldObject.?status.?phase.orValue('') == 'Allocated'"},
    "!variables.isFixed || dyn(oldObject.spec).all(field,"
    " field in dyn(object.spec) && dyn(object.spec)[field] == dyn(oldObject.spec)[field])",
    "spec cannot change once the addresses are allocated",
)
# Controllers that delete objects with their namespace or owner. The last one is used by clusters
# whose controllers have no accounts of their own.
_SWEEPERS = (
    "system:serviceaccount:kube-system:generic-garbage-collector",
    "system:serviceaccount:kube-system:namespace-controller",
    "system:kube-controller-manager",
)


def policies(
    writer: str, break_glass: Iterable[str] = (), balancing: ClusterBalancer = USUAL
) -> list[objects.Manifest]:
    """Return the policies of a cluster, each before its binding. `writer` may write."""
    groups = [group for group in break_glass if group]
    found: list[objects.Manifest] = []
    of_families = () if balancing.has_entries else ((POOLS, _pools(groups)),)
    for name, policy in ((OWNED, _owned(writer, groups, balancing)), *of_families):
        binding = {"policyName": name, "validationActions": ["Deny", "Audit"]}
        for resource, spec in ((objects.POLICY, policy), (objects.BINDING, binding)):
            kind = {"apiVersion": resource.api_version, "kind": resource.kind}
            found.append({**kind, "metadata": {"name": name}, "spec": spec})
    return found


def literal(text: str) -> str:
    """Return the CEL literal of a text."""
    escaped = "".join(
        char if " " <= char <= "~" and char not in "\"'\\" else f"\\U{ord(char):08X}"
        for char in text
    )
    return f'"{escaped}"'


def intruders(live: objects.Manifest) -> list[str]:
    """Return other managers that own a part of a policy, which server-side apply does not remove."""
    entries = live["metadata"].get("managedFields") or ()
    return [
        entry.get("manager", "")
        for entry in entries
        if entry.get("manager") != objects.MANAGER and "f:spec" in (entry.get("fieldsV1") or {})
    ]


def _owned(writer: str, groups: Sequence[str], balancing: ClusterBalancer) -> dict[str, Any]:
    sweepers = ", ".join(literal(name) for name in _SWEEPERS)
    label = f"[?{literal(objects.OWNER_LABEL)}].orValue('')"
    variables = {
        "isWriter": f"request.userInfo.username == {literal(writer)}",
        "breaksGlass": _breaks_glass(groups),
        # Controllers may remove finalizers of objects that are being deleted.
        "sweeps": (
            f"request.userInfo.username in [{sweepers}] && (request.operation == 'DELETE' ||"
            " (oldObject != null && has(oldObject.metadata.deletionTimestamp)))"
        ),
        "wasOurs": f"oldObject != null && oldObject.metadata.?labels{label} == {literal(objects.MANAGER)}",
        "revision": (
            "oldObject == null ? '' :"
            f" oldObject.metadata.?annotations[?{literal(objects.REVISION)}].orValue('')"
        ),
    }
    kept = "'this object is managed by gitops-ipam'"
    commit = "(variables.revision == '' ? '' : ' from commit ' + variables.revision)"
    who = literal(f"; change it in Git ({writer} applies it)")
    added = literal(
        f"the label {objects.OWNER_LABEL} is reserved for objects that gitops-ipam applies from Git"
    )
    validation = {
        "expression": "variables.isWriter || variables.breaksGlass || variables.sweeps",
        "message": "this object is managed by gitops-ipam; change it in Git",
        "messageExpression": f"variables.wasOurs ? {kept} + {commit} + {who} : {added}",
        "reason": "Forbidden",
    }
    shared = [kind for family in families() for kind in family.objects.shared]
    ours = [kind for kind in owned() if kind not in shared and not balancing.has_entries]
    locked = (*ours, *written_kinds(balancing), objects.CONFIG_MAP)
    matched = rules(locked, "CREATE", "UPDATE", "DELETE")
    # The selector matches the old and the new object, so removing the label does not help.
    selector = {"objectSelector": {"matchLabels": {objects.OWNER_LABEL: objects.MANAGER}}}
    return _policy({"resourceRules": matched, **selector}, variables, [validation])


def _pools(groups: Sequence[str]) -> dict[str, Any]:
    kept = [*(rule for family in families() for rule in family.objects.update_rules), _RECORD]
    variables = {"breaksGlass": _breaks_glass(groups)}
    for rule in kept:
        variables |= rule.variables
    matched = rules([rule.resource for rule in kept], "UPDATE")
    validations: list[objects.Manifest] = []
    for rule in kept:
        is_other = f"request.resource.resource != '{rule.resource.plural}'"
        more = {"messageExpression": rule.message_expression} if rule.message_expression else {}
        expression = f"variables.breaksGlass || {is_other} || {rule.holds}"
        found = {"expression": expression, "message": rule.message, **more, "reason": "Invalid"}
        validations.append(found)
    return _policy({"resourceRules": matched}, variables, validations)


def _policy(
    constraints: objects.Manifest, variables: dict[str, str], validations: list[objects.Manifest]
) -> dict[str, Any]:
    return {
        "failurePolicy": "Fail",
        "matchConstraints": constraints,
        "variables": [{"name": name, "expression": text} for name, text in variables.items()],
        "validations": validations,
    }


def _breaks_glass(groups: Sequence[str]) -> str:
    named = ", ".join(literal(group) for group in groups)
    return f"request.userInfo.groups.exists(group, group in [{named}])" if groups else "false"


def rules(kinds: Iterable[objects.Resource], *operations: str) -> list[dict[str, Any]]:
    """Return match rules for kinds in any version, one per group. The status stays writable."""
    found: dict[tuple[str, bool], dict[str, None]] = {}
    for kind in kinds:
        found.setdefault((kind.group, kind.is_namespaced), {})[kind.plural] = None
    return [
        {
            "apiGroups": [group],
            "apiVersions": ["*"],
            "operations": list(operations),
            "resources": list(plurals),
            "scope": "Namespaced" if is_namespaced else "Cluster",
        }
        for (group, is_namespaced), plurals in found.items()
    ]
