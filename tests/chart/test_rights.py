"""The roles of the chart are generated from the table of rights."""

import re
from typing import Any

import pytest
import yaml

from reconciler.model.objects import Right
from tests.chart.rendering import CHART
from tests.chart.rights import FILE, roles, text

_DEFINE = re.compile(
    r'\{\{- define "gitops-ipam\.rules\.([\w-]+)" -\}\}\n(.*?)\{\{- end -\}\}', re.DOTALL
)


def rules(name: str) -> list[dict[str, Any]]:
    """The rules of one template, as a cluster gets them."""
    (found,) = [body for role, body in _DEFINE.findall(text()) if role == name]
    parsed: list[dict[str, Any]] = yaml.safe_load(found)
    return parsed


def test_the_file_is_what_the_table_of_rights_says() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "make manifests"


@pytest.mark.parametrize("name", sorted(roles()))
def test_a_role_grants_its_rights_and_no_others(name: str) -> None:
    granted = [
        (group, resource, only, verb)
        for rule in rules(name)
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for only in rule.get("resourceNames", [""])
        for verb in rule["verbs"]
    ]
    assert len(granted) == len(set(granted))
    assert set(granted) == {
        (right.resource.group, _resource(right), right.name, verb)
        for right in roles()[name]
        for verb in right.verbs
    }


def test_the_chart_uses_the_rules_of_every_role_and_has_no_rules_of_its_own() -> None:
    template = (CHART / "templates" / "rbac.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r'"rules" "([\w-]+)"', template)) == set(roles())
    for path in (CHART / "templates").iterdir():
        if path != FILE:
            assert "verbs:" not in path.read_text(encoding="utf-8"), path


def test_rights_of_one_namespace_alone_are_in_a_role_of_that_namespace() -> None:
    template = (CHART / "templates" / "rbac.yaml").read_text(encoding="utf-8")
    where = dict(re.findall(r'"rules" "([\w-]+)" "namespace" "([\w-]*)"', template))
    assert where == {name: rights[0].namespace for name, rights in roles().items()}
    for rights in roles().values():
        assert len({right.namespace for right in rights}) == 1


def _resource(right: Right) -> str:
    return "/".join(step for step in (right.resource.plural, right.part) if step)
