"""The documents of docs/reference/output.md."""

import json

from reconciler.report.json import check_document, json_line, json_text, plan_document, yaml_text
from reconciler.review.result import Compared
from tests.world import SMALL, evaluation_of, pool

FULL = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}


def test_a_check_says_whether_all_is_well_with_findings_gates_and_plan() -> None:
    evaluation = evaluation_of({**FULL, "pools/x.yaml": pool("x", "10.9.0.1/24")})
    found = check_document(Compared(evaluation), {"kind": "Plan"}, 1)
    assert (found["ok"], found["exitCode"], found["plan"]) == (False, 1, {"kind": "Plan"})
    assert found["findings"] == [
        {
            "code": "cidr-invalid", "severity": "error", "message": found["findings"][0]["message"],
            "path": "pools/x.yaml", "line": 5, "column": 9, "pointer": "/spec/cidr",
            "hint": found["findings"][0]["hint"],
        }
    ]  # fmt: skip
    assert [item["code"] for item in found["gates"]] == ["request-too-large"]
    assert check_document(Compared(evaluation_of(SMALL)), {}, 0)["ok"] is True


def test_json_is_one_document_and_a_line_is_one_line() -> None:
    document = plan_document(evaluation_of(SMALL))
    assert json.loads(json_text(document)) == document
    line = json_line(document)
    assert line.endswith("\n")
    assert line.count("\n") == 1
    assert json.loads(line) == document


def test_yaml_says_the_same_as_json() -> None:
    import yaml

    document = plan_document(evaluation_of(SMALL))
    assert yaml.safe_load(yaml_text(document)) == document


def test_hostile_text_is_escaped_in_json_and_yaml() -> None:
    document = {"kind": "X", "items": [{"a": "\x1b[2J\u202e"}]}
    for text in (json_text(document), json_line(document), yaml_text(document)):
        assert "\x1b" not in text
        assert "\u202e" not in text
