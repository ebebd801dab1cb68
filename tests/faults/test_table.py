"""Every row of the fault table has a test that is named after it."""

import re
from pathlib import Path

ROWS = [f"f{number}" for number in range(37, 61)]


def test_every_row_has_a_test() -> None:
    named: set[str] = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for name in re.findall(r"^def (test_f\w+)", path.read_text("utf-8"), re.MULTILINE):
            named.update(re.findall(r"f\d\d", name))
    assert sorted(named) == ROWS
