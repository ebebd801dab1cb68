"""Output of `verify` for each commit, and the summary."""

import pytest

from reconciler.gitio.interface import ReplayVerdict
from reconciler.reconcile.verify import Verified
from reconciler.report.queries import verification_document
from tests.world import CLOCK

OURS = Verified("a" * 40, ReplayVerdict.SAME, CLOCK, "ipam <a@x>", "ipam: allocate 1", "0.1.0")


def of(verdict: ReplayVerdict, files: int = 0, *, claims: bool = True) -> Verified:
    paths = tuple(f"allocations/{number}.yaml" for number in range(files))
    return Verified("b" * 40, verdict, None, "A <a@x>", "x", "0.0.9", paths, claims=claims)


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        (OURS, False),
        (of(ReplayVerdict.DIFFERENT), True),
        (of(ReplayVerdict.FOREIGN), True),
        (of(ReplayVerdict.FOREIGN, claims=False), False),
        (of(ReplayVerdict.NOT_HERE), False),
    ],
)
def test_wrong_is_what_says_of_itself_what_is_not_so(found: Verified, *, wrong: bool) -> None:
    assert found.is_wrong is wrong
    document = verification_document("c" * 40, [found], int(wrong))
    assert document["commits"][0]["wrong"] is wrong
    assert document["summary"][found.verdict.value] == 1
