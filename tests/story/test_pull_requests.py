"""What people see of pull requests: exit codes, JSON and the comment of each are goldens.

`pytest --update-golden` writes them anew. A change here is one that users see.
"""

import json
import re
from pathlib import Path

import pytest

from tests.story.stage import Stage, Step, chapters, paragraphs

PULLS = Path(__file__).parent / "pulls"
GOLDEN = Path(__file__).parent / "golden" / "pulls"
_DIGEST = re.compile(r'"digest": "(sha256:[0-9a-f]{64})"')


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
    for chapter in ("01-tenant", "06-moved", "07-queue"):
        assert_done_as_told(told_of[chapter])


def assert_done_as_told(steps: list[Step]) -> None:
    """What the last check showed is what the last reconcile carried out, digest and all."""
    shown = [step for step in steps if step.command == "cat ../check.json"][-1]
    done = [step for step in steps if step.is_("reconcile")][-1]
    assert json.loads(shown.ran.out)["plan"]["digest"] in done.ran.out


@pytest.mark.parametrize("chapter", chapters(PULLS))
def test_no_step_ends_in_a_traceback_or_a_bug(chapter: str) -> None:
    text = (GOLDEN / f"{chapter}.txt").read_text(encoding="utf-8")
    assert "Traceback" not in text
    assert "a bug" not in text
    assert len(paragraphs(chapter, PULLS)) > 3
