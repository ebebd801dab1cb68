"""Goldens of pull requests: exit codes, JSON, and the comment of each.

`pytest --update-golden` regenerates them. Users see each change here.
"""

import json
from itertools import pairwise
from pathlib import Path

from tests.story.stage import Stage, Step, chapters

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


def test_every_pull_request_tells_what_merging_does(stage: Stage) -> None:
    stage.told = PULLS
    told_of = {chapter: list(stage.play(chapter)) for chapter in chapters(PULLS)}
    stage.require_golden(told_of, GOLDEN)
    merges = {chapter: merges_done_as_told(steps) for chapter, steps in told_of.items()}
    assert merges == MERGES


def merges_done_as_told(steps: list[Step]) -> int:
    """Return the number of merges. After each, require that reconcile did what `check` showed."""
    shown, found = "", 0
    for before, step in pairwise(steps):
        if step.command == "cat ../check.json":
            shown = json.loads(step.ran.out)["plan"]["digest"]
        if step.is_("reconcile") and "merge" in before.command:
            assert shown in step.ran.out
            found += 1
    return found
