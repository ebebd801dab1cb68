"""Thousands of names that are alike: few of them are compared, so nobody waits for the others."""

import difflib
from collections.abc import Sequence

import pytest

from reconciler.documents import findings
from reconciler.documents.findings import MAX_SUGGESTIONS, nearest
from reconciler.review.renames import renames
from tests.planning.outcome import Files
from tests.review.sides import change_of, found_by
from tests.world import SMALL, evaluation_of, request, tenant

MANY = 300


def alike(number: int, last: str) -> str:
    """Names of 63 letters, nearly all the same."""
    return "".join("ab"[int(bit)] + "aaaa" for bit in f"{number:012b}") + "aa" + last


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many names were compared, by call."""
    sizes: list[int] = []

    def matches(word: str, names: Sequence[str], n: int, cutoff: float) -> list[str]:
        sizes.append(len(names))
        return difflib.get_close_matches(word, names, n, cutoff)

    monkeypatch.setattr(findings, "get_close_matches", matches)
    return sizes


def missing(count: int) -> Files:
    """Tenants, and as many requests that name others."""
    some = {f"tenants/t{n}.yaml": tenant(alike(n, "x")) for n in range(count)}
    asked = {f"tenants/r{n}.yaml": request(alike(n, "y"), count=1) for n in range(count)}
    return {**SMALL, **some, **asked}


def test_few_findings_suggest_a_name_and_each_compares_few(compared: list[int]) -> None:
    evaluation = evaluation_of(missing(MANY))
    found = [it for it in evaluation.findings if it.code == "reference-not-found"]
    suggested = [it for it in found if it.hint.startswith("did you mean")]
    assert (len(found), len(suggested)) == (MANY, MAX_SUGGESTIONS)
    assert len(compared) <= 2 * MAX_SUGGESTIONS
    assert max(compared) <= 50


def test_a_change_that_renames_much_compares_few(compared: list[int]) -> None:
    base = {**SMALL, **{f"tenants/t{n}.yaml": tenant(alike(n, "x")) for n in range(MANY)}}
    formerly = "metadata: {{annotations: {{gitops-ipam.dev/formerly: team-a/{}}}, "
    head = {
        f"tenants/t{n}.yaml": tenant(alike(n, "z")).replace(
            "metadata: {", formerly.format(alike(n, "y"))
        )
        for n in range(MANY)
    }
    change = change_of(base, {**SMALL, **head})
    found = found_by(change, renames, code="rename-unused")
    assert len(found) == MANY
    compared.clear()
    found_by(change, renames)
    assert len(compared) <= 2 * MAX_SUGGESTIONS
    assert max(compared) <= 50


def test_a_typing_error_is_found_among_many() -> None:
    names = [f"tenant-{number:04}" for number in range(5_000)] + ["search-production"]
    assert nearest("serch-production", names) == "search-production"
    assert nearest("earch-production", names) == "search-production"
    assert nearest("a" * 4_000, names) == ""
