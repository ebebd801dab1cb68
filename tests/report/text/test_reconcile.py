from reconciler.report.text.reconcile import nothing_sentence, published_sentence, reconcile_text
from reconciler.report.text.table import Painter
from tests.engine.outcome import Files, without
from tests.world import SMALL, evaluation_of, reconciled, tenant

PLAIN = Painter(is_on=False)
BASE = "b" * 40


def nothing(files: Files, *, has_wrong_settings: bool = False) -> str:
    return nothing_sentence(evaluation_of(files), BASE, has_wrong_settings=has_wrong_settings)


def test_what_a_reconcile_did_is_one_line() -> None:
    assert reconcile_text("Committed\nx.", PLAIN) == "Committed\\u000ax.\n"


def test_a_commit_is_told_with_its_base_and_where_it_is() -> None:
    assert published_sentence(BASE, "c" * 40, "branch main of the remote") == (
        "Committed cccccccccccc on bbbbbbbbbbbb and published it: branch main of the remote."
    )


def test_without_a_commit_it_is_told_what_stopped_it() -> None:
    assert nothing(reconciled(SMALL)) == "Nothing to commit on bbbbbbbbbbbb."
    assert nothing(SMALL, has_wrong_settings=True) == (
        "Nothing was committed: the Settings are wrong."
    )
    many = {f"tenants/{number}.yaml": tenant(f"t{number}") for number in range(12)}
    full = reconciled({**SMALL, **many})
    assert nothing(without(full, *many)) == "Nothing was committed: a brake stopped the plan."
