"""What people see of pull requests: exit codes, JSON and the comment of each are goldens.

`pytest --update-golden` writes them anew. A change here is one that users see.
"""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.story.stage import Stage, Step, chapters, paragraphs

PULLS = Path(__file__).parent / "pulls"
GOLDEN = Path(__file__).parent / "golden" / "pulls"
MERGES = {
    "01-tenant": 1,
    "02-pool": 1,
    "03-fuller": 7,
    "04-together": 1,
    "05-fork": 0,
    "06-moved": 1,
    "07-queue": 1,
    "08-loosened": 0,
}


def test_every_pull_request_tells_what_merging_does(
    stage: Stage, pytestconfig: pytest.Config
) -> None:
    stage.told = PULLS
    told_of = {chapter: list(stage.play(chapter)) for chapter in chapters(PULLS)}
    for chapter, steps in told_of.items():
        text = "\n".join(step.text() for step in steps).replace(str(stage.root), "…")
        place = GOLDEN / f"{chapter}.txt"
        if pytestconfig.getoption("--update-golden"):
            GOLDEN.mkdir(exist_ok=True)
            place.write_text(text, encoding="utf-8")
        assert text == place.read_text(encoding="utf-8"), chapter
    merges = {chapter: merges_done_as_told(steps) for chapter, steps in told_of.items()}
    assert merges == MERGES


def merges_done_as_told(steps: list[Step]) -> int:
    """How many merges there were; what the last check showed is what each reconcile did after it."""
    shown, found = "", 0
    for before, step in pairwise(steps):
        if step.command == "cat ../check.json":
            shown = json.loads(step.ran.out)["plan"]["digest"]
        if step.is_("reconcile") and "merge" in before.command:
            assert shown in step.ran.out
            found += 1
    return found


@pytest.mark.parametrize("chapter", chapters(PULLS))
def test_no_step_ends_in_a_traceback_or_a_bug(chapter: str) -> None:
    text = (GOLDEN / f"{chapter}.txt").read_text(encoding="utf-8")
    assert "Traceback" not in text
    assert "a bug" not in text
    assert len(paragraphs(chapter, PULLS)) > 3
