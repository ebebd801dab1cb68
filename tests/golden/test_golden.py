"""Trees with their expected results, byte for byte. `pytest --update-golden` regenerates them.

Users see each change here. Read the diff before you keep it (`CONTRIBUTING.md`).
"""

import shutil

import pytest

from tests.golden.cases import ROOT, cases, outcome, read
from tests.world import evaluation_of, reconciled


@pytest.mark.parametrize("case", cases())
def test_a_tree_leads_to_what_is_expected_of_it(case: str, request: pytest.FixtureRequest) -> None:
    found = outcome(read(ROOT / case / "tree"))
    expected = ROOT / case / "expected"
    if request.config.getoption("--update-golden"):
        shutil.rmtree(expected, ignore_errors=True)
        for path, text in found.items():
            expected.mkdir(exist_ok=True)
            (expected / path).write_bytes(text.encode())
    wanted = {path.name: path.read_bytes().decode() for path in expected.iterdir()}
    assert sorted(found) == sorted(wanted)
    for path, text in found.items():
        assert text == wanted[path], path


@pytest.mark.parametrize("case", cases())
def test_a_second_reconcile_of_a_golden_tree_does_nothing(case: str) -> None:
    after = reconciled(read(ROOT / case / "tree"))
    assert evaluation_of(after).changes == ()


def test_there_are_golden_trees() -> None:
    assert len(cases()) >= 8
