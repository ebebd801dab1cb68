"""Generate the rules of the chart's roles from the table of rights."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from reconciler.apply.pools import TENANT_HOME
from reconciler.apply.rights import management_rights, tenant_rights
from reconciler.model.objects import HOME, SECRET, Need, Right
from reconciler.model.settings import Settings
from tests.documentation import ROOT

SYSTEM = Settings().inventory_namespace
FILE = ROOT / "deploy" / "chart" / "templates" / "_rights.tpl"
# Needs with a separate role. The role for apply has all others.
OWN = {
    Need.KUBECONFIGS: "kubeconfigs",
    Need.CRDS: "crds",
    Need.POLICIES: "policies",
    Need.DOCUMENTS: "documents",
}
_USERS = "An address can only be withdrawn if no Service or node uses it."
_WHY = {
    "namespaces kube-system": "The uid of kube-system identifies the cluster.",
    "configmaps": "The inventory.",
    "services": _USERS,
    "nodes": _USERS,
    Need.NAMESPACES: "Create missing namespaces. Without this permission, create them yourself.",
    Need.INTAKE: "Import objects that are not in Git, if Settings name their kind.",
    Need.OBSERVE: "Show users of reserved addresses in the status of pools. Optional.",
}
_HEAD = """\
{{- /* Written by `make manifests` from reconciler/apply/rights.py. Do not edit. */ -}}
"""
# Common fields of a rule: comment, group, verbs, name.
_Rule = tuple[str, str, tuple[str, ...], str]


def roles() -> Mapping[str, tuple[Right, ...]]:
    """Return the rights of each role of the chart, by the name of its template."""
    management, tenant = management_rights(), tenant_rights()
    found = {
        "management": tuple(it for it in _granted(management, "") if it.resource != SECRET),
        "secrets": tuple(it for it in _granted(management, "") if it.resource == SECRET),
        "home": _granted(management, HOME),
        **{name: _needed(management, need) for need, name in OWN.items()},
        "tenant": _granted(tenant, ""),
        "metallb": _granted(tenant, TENANT_HOME),
        "inventory": _granted(tenant_rights(SYSTEM), SYSTEM),
        "tenant-policies": _needed(tenant, Need.POLICIES),
    }
    placed = [right for rights in found.values() for right in rights]
    lost = [right for right in (*management, *tenant) if right not in placed]
    if lost:
        raise AssertionError(f"no role of the chart is for {lost}")
    return found


def text() -> str:
    """Return the generated file."""
    return _HEAD + "".join(_define(name, rights) for name, rights in roles().items())


def write(path: Path = FILE) -> None:
    """Write the generated file."""
    path.write_text(text(), encoding="utf-8")


def _granted(rights: Iterable[Right], namespace: str) -> tuple[Right, ...]:
    """Return the default rights, in all namespaces or in one."""
    return tuple(it for it in rights if it.need not in OWN and it.namespace == namespace)


def _needed(rights: Iterable[Right], need: Need) -> tuple[Right, ...]:
    return tuple(right for right in rights if right.need is need)


def _define(name: str, rights: Iterable[Right]) -> str:
    lines = [line for rule in _rules(rights) for line in rule]
    return "\n".join([f'{{{{- define "gitops-ipam.rules.{name}" -}}}}', *lines, "{{- end -}}", ""])


def _rules(rights: Iterable[Right]) -> Iterator[list[str]]:
    """Yield the lines of rules. Resources with the same group and verbs are in one rule."""
    together: dict[_Rule, list[str]] = {}
    for right in rights:
        kind = (_why(right), right.resource.group, right.verbs, right.name)
        part = f"/{right.part}" if right.part else ""
        together.setdefault(kind, []).append(right.resource.plural + part)
    told = ""
    for (why, group, verbs, name), resources in together.items():
        lines = [f"# {why}"] if why and why != told else []
        told = why
        lines.append(f"- apiGroups: {_row([group])}" if group else '- apiGroups: [""]')
        lines.append(f"  resources: {_row(resources)}")
        lines += [f"  resourceNames: {_row([name])}"] if name else []
        yield [*lines, f"  verbs: {_row(verbs)}"]


def _row(words: Iterable[str]) -> str:
    return f"[{', '.join(words)}]"


def _why(right: Right) -> str:
    if right.need in _WHY:
        return _WHY[right.need]
    named = f"{right.resource.plural} {right.name}".rstrip()
    return _WHY.get(named, "") if not right.resource.group else ""
