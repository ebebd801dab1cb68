import pytest

from reconciler.report.text.runs import nothing_sentence, published_sentence, reconcile_text
from reconciler.report.text.table import Painter

PLAIN = Painter(is_on=False)
BASE = "b" * 40


def test_what_a_reconcile_did_is_one_line() -> None:
    assert reconcile_text("Committed\nx.", PLAIN) == "Committed\\u000ax.\n"


@pytest.mark.parametrize("is_braked", [False, True])
def test_a_commit_is_told_with_its_base_and_where_it_is(is_braked: bool) -> None:
    brake = " A brake holds all releases back." if is_braked else ""
    told = published_sentence(BASE, "c" * 40, "branch main of the remote", is_braked=is_braked)
    assert told == (
        f"Committed cccccccccccc on bbbbbbbbbbbb and published it: branch main of the remote.{brake}"
    )


@pytest.mark.parametrize(
    ("is_braked", "wrong", "told"),
    [
        (False, False, "Nothing to commit on bbbbbbbbbbbb."),
        (True, False, "Nothing to commit on bbbbbbbbbbbb. A brake holds all releases back."),
        (False, True, "Nothing was committed: the Settings are wrong."),
    ],
)
def test_without_a_commit_it_is_told_what_stopped_it(
    is_braked: bool, wrong: bool, told: str
) -> None:
    assert nothing_sentence(BASE, is_braked=is_braked, has_wrong_settings=wrong) == told
