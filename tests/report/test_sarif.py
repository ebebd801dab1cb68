import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from reconciler.codes import CODES
from reconciler.documents.findings import Location, error, gate, info, warning
from reconciler.report.ci import SCHEMA, sarif_text
from reconciler.report.findings import IN_ALL
from tests.report.hostile import PLACE, found

OASIS = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_text("utf-8"))


def errors(document: Any) -> list[str]:
    return [f"{it.json_path}: {it.message}" for it in Draft4Validator(OASIS).iter_errors(document)]


def run_of(text: str) -> dict[str, Any]:
    document = json.loads(text)
    assert document["version"] == "2.1.0"
    assert document["$schema"] == SCHEMA == OASIS["id"]
    (run,) = document["runs"]
    parsed: dict[str, Any] = run
    return parsed


def test_a_finding_is_a_result_with_its_rule_its_place_and_a_stable_mark() -> None:
    run = run_of(sarif_text(found(error("cidr-invalid", PLACE, "no CIDR", "write one")), "1.2.3"))
    (result,) = run["results"]
    mark = result["partialFingerprints"].pop("ipam/v1")
    assert len(mark) == 64
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == "cidr-invalid"
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "pools/a.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "startColumn": 9},
    }
    assert (result["ruleId"], result["level"]) == ("cidr-invalid", "error")
    assert result["message"] == {"text": "no CIDR\nhint: write one"}


@pytest.mark.parametrize("root", ["", "infra/of dc1: ä"])
def test_every_form_of_it_is_right_by_the_schema_of_oasis(root: str) -> None:
    told = found(info("pool-added", PLACE, "new"), gate("brake", Location("."), "g", "h"))
    for evaluation in (found(), told):
        assert errors(json.loads(sarif_text(evaluation, "1.2.3", root))) == []


def test_every_code_is_a_rule_with_its_help() -> None:
    driver = run_of(sarif_text(found(), "1.2.3"))["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("ipam", "1.2.3")
    assert {rule["id"]: rule["help"]["text"] for rule in driver["rules"]} == {
        code: about.text for code, about in CODES.items()
    }
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] == rule["fullDescription"]["text"]
        assert len(rule["shortDescription"]["text"]) <= 1024


def test_a_gate_is_an_error_and_what_has_no_line_has_the_first() -> None:
    behind = warning("base-ahead", Location("."), "behind")
    evaluation = found(info("pool-added", PLACE, "new"), behind, gate("brake", PLACE, "g"))
    results = run_of(sarif_text(evaluation, "1"))["results"]
    assert [item["level"] for item in results] == ["error", "warning", "note"]
    place = results[1]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "ipam.yaml"
    assert place["region"] == {"startLine": 1}


def test_a_path_is_a_uri() -> None:
    place = Location("pools/a b#c?%41[é].yaml", 1, 1)
    (result,) = run_of(sarif_text(found(error("not-a-file", place, "m")), "1"))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "pools/a%20b%23c%3F%2541%5B%C3%A9%5D.yaml"


def test_nothing_reads_as_a_link_or_as_a_placeholder() -> None:
    message = "[x](https://evil.example) {0}"
    findings = found(error("not-a-file", PLACE, message), error("not-utf8", PLACE, "a[1] {x}"))
    first, second = run_of(sarif_text(findings, "1"))["results"]
    assert first["message"]["text"] == "\\[x\\](https://evil.example) {{0}}"
    assert second["message"]["text"] == "a[1] {x}"


def test_of_very_many_the_gravest_are_kept_and_the_rest_counted() -> None:
    many = [warning("base-ahead", Location(f"{n}.yaml", 1), "w") for n in range(IN_ALL + 1)]
    run = run_of(sarif_text(found(*many, error("cidr-invalid", PLACE, "e")), "1"))
    assert len(run["results"]) == IN_ALL
    assert run["results"][0]["ruleId"] == "cidr-invalid"
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("3 more findings left out;")
    few = {**run, "results": run["results"][:3]}  # all are alike, and a schema takes its time
    assert errors({"$schema": SCHEMA, "version": "2.1.0", "runs": [few]}) == []
    assert "toolExecutionNotifications" not in run_of(sarif_text(found(), "1"))["invocations"][0]
