from reconciler.report.text.reconcile import reconcile_text
from reconciler.report.text.table import Painter

PLAIN = Painter(is_on=False)


def test_what_a_reconcile_did_is_one_line() -> None:
    assert reconcile_text("Committed\nx.", PLAIN) == "Committed\\u000ax.\n"
