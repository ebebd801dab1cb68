"""Values, their schema and the chart's version agree. Needs no helm."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from reconciler import __version__
from tests.chart import monitoring
from tests.chart.rendering import CHART, DEPLOY
from tests.documentation import ROOT

VALUES = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
# Mappings with keys from users.
FREE = {"annotations", "labels", "podLabels", "podAnnotations", "resources", "nodeSelector"}
FREE |= {"affinity", "tlsConfig"}
DEPLOYING = ROOT / "docs" / "how-to" / "deploy.md"
MIGRATING = sorted((ROOT / "docs" / "how-to").glob("migrate-*.md"))


def paths(values: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, dict) and key not in FREE:
            yield from paths(value, f"{above}{key}.")
        else:
            yield f"{above}{key}"


def allowed(schema: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """All values that the schema has a name for."""
    for key, found in schema["properties"].items():
        reference = found.get("$ref", "").rpartition("/")[2]
        value = SCHEMA["definitions"][reference] if reference else found
        if "properties" in value:
            yield from allowed(value, f"{above}{key}.")
        else:
            yield f"{above}{key}"


def objects(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Every object of the schema that has properties."""
    if isinstance(schema, dict):
        if "properties" in schema and schema.get("type") == "object":
            yield schema
        for found in schema.values():
            yield from objects(found)


def test_every_value_has_a_default_and_a_place_in_the_schema() -> None:
    assert set(allowed(SCHEMA)) == {*paths(VALUES), "global"}


def test_the_schema_takes_the_defaults() -> None:
    Draft7Validator.check_schema(SCHEMA)
    assert [it.message for it in Draft7Validator(SCHEMA).iter_errors(VALUES)] == []


def test_no_object_of_the_schema_takes_what_it_does_not_know() -> None:
    assert all(found["additionalProperties"] is False for found in objects(SCHEMA))


def test_chart_and_image_have_the_version_of_the_program() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    assert (chart["version"], chart["appVersion"]) == (__version__, __version__)
    assert f"gitops-ipam:{__version__}" in DEPLOYING.read_text(encoding="utf-8")
    assert f"gitops-ipam:{__version__}" in (DEPLOY / "Containerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [DEPLOYING, CHART / "README.md", *MIGRATING])
def test_every_value_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    groups = "|".join(VALUES)
    named = re.findall(rf"`((?:{groups})(?:\.(?!yaml)[A-Za-z]+)+)", text)
    assert named or page in MIGRATING
    known = {*paths(VALUES), *_above(VALUES)}
    assert set(named) <= known, set(named) - known


def _above(values: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """The names of groups of values."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield f"{above}{key}"
            yield from _above(value, f"{above}{key}.")


def test_the_chart_carries_the_rules_and_dashboards_of_this_folder() -> None:
    carried = {path.name: path.read_bytes() for path in monitoring.FOLDER.glob("*")}
    assert carried == monitoring.wanted(), "make manifests"
