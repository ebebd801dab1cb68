"""What `verify` prints of each commit, and in the end."""

import pytest

from reconciler.model.verdict import Verdict
from reconciler.report.verification import Verified, verification_document
from tests.world import CLOCK

OURS = Verified("a" * 40, Verdict.SAME, CLOCK, "ipam <a@x>", "ipam: allocate 1", "0.1.0")


def of(verdict: Verdict, files: int = 0, *, claims: bool = True) -> Verified:
    paths = tuple(f"allocations/{number}.yaml" for number in range(files))
    return Verified("b" * 40, verdict, None, "A <a@x>", "x", "0.0.9", paths, claims=claims)


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        (OURS, False),
        (of(Verdict.DIFFERENT), True),
        (of(Verdict.FOREIGN), True),
        (of(Verdict.FOREIGN, claims=False), False),
        (of(Verdict.NOT_HERE), False),
        (of(Verdict.NOT_COMPARABLE), False),
    ],
)
def test_wrong_is_what_says_of_itself_what_is_not_so(found: Verified, *, wrong: bool) -> None:
    assert found.is_wrong is wrong
    document = verification_document("c" * 40, [found], int(wrong))
    assert document["commits"][0]["wrong"] is wrong
    assert document["summary"][found.verdict.value] == 1
