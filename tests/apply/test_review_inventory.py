"""What somebody wrote into an inventory harms nobody else."""

import pytest

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.targets import Target

LEFT = IPSet((IPRange(4, 1, 2),))


@pytest.mark.parametrize(
    ("announced", "before", "spaces"),
    [(IPSet(), ("old",), ("new",)), (LEFT, ("old",), ("new", "old")), (LEFT, (), ())],
)
def test_what_is_yet_to_leave_keeps_its_address_space(
    announced: IPSet, before: tuple[str, ...], spaces: tuple[str, ...]
) -> None:
    assert Target("a/b", spaces=("new",)).spaces_of(announced, before) == spaces


def test_what_was_given_to_a_cluster_is_what_records_say_or_said() -> None:
    released, remembered = IPSet((IPRange(4, 4, 5),)), IPSet((IPRange(4, 8, 9),))
    given = Target("a/b", released=released, remembered=remembered).given()
    assert given == IPSet((IPRange(4, 4, 5), IPRange(4, 8, 9)))
