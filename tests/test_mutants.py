"""Mutants are planted in the code as it is: one that does not apply any more shows nothing."""

import pytest

from tests.mutants.__main__ import ROOT
from tests.mutants.all import MUTANTS
from tests.mutants.mutant import Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_each_mutant_applies_once_and_names_tests_that_are_there(mutant: Mutant) -> None:
    source = (ROOT / "reconciler" / mutant.file).read_text(encoding="utf-8")
    assert source.count(mutant.before) == 1
    for name in mutant.tests:
        path, _, test = name.partition("::")
        assert (ROOT / path).exists()
        assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")


def test_no_two_mutants_have_one_name() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
