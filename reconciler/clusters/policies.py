"""Admission policies: only who applies may write what is applied, and no pool shrinks.

They hold for administrators too, and need no webhook. The policies themselves are not locked, so
an administrator can always change or remove them. Kubernetes 1.31 or newer (CEL's `cidr`).
Source: https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
"""

from collections.abc import Iterable, Sequence
from typing import Any

from reconciler.clusters.desired import MANAGER, OWNER_LABEL, REVISION
from reconciler.clusters.resources import (
    ADDRESS_POOL,
    ADVERTISEMENT,
    BINDING,
    CONFIG_MAP,
    IP_ALLOCATION,
    NETWORK_POOL,
    POLICY,
)
from reconciler.model.resource import Manifest, Resource

OWNED = "gitops-ipam-owned"
POOLS = "gitops-ipam-pools"

_LOCKED = ((NETWORK_POOL, IP_ALLOCATION), (ADDRESS_POOL, ADVERTISEMENT), (CONFIG_MAP,))
# They end what belongs to a namespace or an owner that is deleted. The last one is all of them in
# a cluster whose controllers have no accounts of their own.
_SWEEPERS = (
    "system:serviceaccount:kube-system:generic-garbage-collector",
    "system:serviceaccount:kube-system:namespace-controller",
    "system:kube-controller-manager",
)


def policies(writer: str, break_glass: Iterable[str] = ()) -> list[Manifest]:
    """The policies of a cluster, each before its binding.

    Args:
        writer: The user name that applies.
        break_glass: Groups whose members may write all the same.
    """
    groups = [group for group in break_glass if group]
    found: list[Manifest] = []
    for name, spec in ((OWNED, _owned(writer, groups)), (POOLS, _pools(groups))):
        binding = {"policyName": name, "validationActions": ["Deny", "Audit"]}
        found += [_manifest(POLICY, name, spec), _manifest(BINDING, name, binding)]
    return found


def literal(text: str) -> str:
    """A CEL string of a text; nothing in the text ends it."""
    escaped = "".join(
        char if " " <= char <= "~" and char not in "\"'\\" else f"\\U{ord(char):08X}"
        for char in text
    )
    return f'"{escaped}"'


def intruders(live: Manifest) -> list[str]:
    """Others who own a part of what a policy or binding says, by its managedFields.

    A condition or an exception that they add opens the lock, and server-side apply takes nothing
    away that others add: such an object has to be made anew.
    """
    entries = live["metadata"].get("managedFields") or ()
    return [
        entry.get("manager", "")
        for entry in entries
        if entry.get("manager") != MANAGER and "f:spec" in (entry.get("fieldsV1") or {})
    ]


def _owned(writer: str, groups: Sequence[str]) -> dict[str, Any]:
    sweepers = ", ".join(literal(name) for name in _SWEEPERS)
    label = f"[?{literal(OWNER_LABEL)}].orValue('')"
    variables = {
        "isWriter": f"request.userInfo.username == {literal(writer)}",
        "breaksGlass": _breaks_glass(groups),
        # What is being deleted may lose the finalizers of those who end it.
        "sweeps": (
            f"request.userInfo.username in [{sweepers}] && (request.operation == 'DELETE' ||"
            " (oldObject != null && has(oldObject.metadata.deletionTimestamp)))"
        ),
        "wasOurs": f"oldObject != null && oldObject.metadata.?labels{label} == {literal(MANAGER)}",
        "revision": (
            "oldObject == null ? '' :"
            f" oldObject.metadata.?annotations[?{literal(REVISION)}].orValue('')"
        ),
    }
    kept = "'this object is kept by gitops-ipam'"
    commit = "(variables.revision == '' ? '' : ' from commit ' + variables.revision)"
    who = literal(f"; change it in Git ({writer} applies it)")
    added = literal(f"the label {OWNER_LABEL} is only for what gitops-ipam applies from Git")
    validation = {
        "expression": "variables.isWriter || variables.breaksGlass || variables.sweeps",
        "message": "this object is kept by gitops-ipam; change it in Git",
        "messageExpression": f"variables.wasOurs ? {kept} + {commit} + {who} : {added}",
        "reason": "Forbidden",
    }
    rules = [_rule(kinds, "CREATE", "UPDATE", "DELETE") for kinds in _LOCKED]
    # The selector asks the old and the new object: to take the label off is no way out.
    selector = {"objectSelector": {"matchLabels": {OWNER_LABEL: MANAGER}}}
    return _spec({"resourceRules": rules, **selector}, variables, [validation])


def _pools(groups: Sequence[str]) -> dict[str, Any]:
    """The rules of our CRDs, for clusters whose CRDs are others'; old wrong values may be mended."""
    variables = {
        "breaksGlass": _breaks_glass(groups),
        "oldCidr": "oldObject.?spec.?cidr.orValue('')",
        "newCidr": "object.?spec.?cidr.orValue('')",
        "isFixed": "oldObject.?status.?phase.orValue('') == 'Allocated'",
    }
    shrink = {
        "expression": (
            f"variables.breaksGlass || request.resource.resource != '{NETWORK_POOL.plural}' ||"
            " !isCIDR(variables.oldCidr) || (isCIDR(variables.newCidr) &&"
            " cidr(variables.newCidr).containsCIDR(variables.oldCidr))"
        ),
        "message": "the CIDR of a pool may grow, but must keep every address that it had",
        "messageExpression": (
            "'the CIDR may grow, but must keep every address of ' + variables.oldCidr"
        ),
        "reason": "Invalid",
    }
    change = {
        "expression": (
            f"variables.breaksGlass || request.resource.resource != '{IP_ALLOCATION.plural}' ||"
            " !variables.isFixed || dyn(oldObject.spec).all(field,"
            " field in dyn(object.spec) && dyn(object.spec)[field] == dyn(oldObject.spec)[field])"
        ),
        "message": "spec cannot change once the addresses are allocated",
        "reason": "Invalid",
    }
    rules = [_rule((NETWORK_POOL, IP_ALLOCATION), "UPDATE")]
    return _spec({"resourceRules": rules}, variables, [shrink, change])


def _breaks_glass(groups: Sequence[str]) -> str:
    named = ", ".join(literal(group) for group in groups)
    return f"request.userInfo.groups.exists(group, group in [{named}])" if groups else "false"


def _rule(kinds: Sequence[Resource], *operations: str) -> dict[str, Any]:
    """Objects of some kinds of one group in any version; their status stays free."""
    return {
        "apiGroups": [kinds[0].group],
        "apiVersions": ["*"],
        "operations": list(operations),
        "resources": [kind.plural for kind in kinds],
        "scope": "Namespaced",
    }


def _spec(
    constraints: Manifest, variables: dict[str, str], validations: list[Manifest]
) -> dict[str, Any]:
    return {
        "failurePolicy": "Fail",
        "matchConstraints": constraints,
        "variables": [{"name": name, "expression": text} for name, text in variables.items()],
        "validations": validations,
    }


def _manifest(resource: Resource, name: str, spec: Manifest) -> Manifest:
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    return {**kind, "metadata": {"name": name}, "spec": spec}
