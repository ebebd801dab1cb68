"""A check as variables of later jobs: words of the program alone, a line each."""

from typing import Any

import pytest

from reconciler.report.ci import dotenv_text

DIGEST = "sha256:0a"


def describe(code: int = 0, team: object = "a", **more: Any) -> dict[str, str]:
    document = {
        "exitCode": code,
        "plan": {"digest": DIGEST, "changed": True},
        "withinContract": {"team": team},
        **more,
    }
    pairs = (line.split("=", 1) for line in dotenv_text(document).splitlines())
    return {name.removeprefix("IPAM_RESULT_"): value for name, value in pairs}


@pytest.mark.parametrize(
    ("code", "within"),
    [
        (1, {"team": "a"}),
        (3, {"team": "a"}),
        (0, None),
        (0, {"team": None}),
        (0, {"team": "a\nB=c"}),
    ],
)
def test_every_other_one_names_none(code: int, within: object) -> None:
    found = describe(code, withinContract=within)
    assert (found["WITHIN_CONTRACT"], found["TEAM"]) == ("false", "")
    assert len(found) == 5
