"""What somebody wrote into an inventory, or a cluster into a list, harms nobody else."""

import pytest

from reconciler.addresses import IPRange, IPSet
from reconciler.clusters.inventory import Entry
from reconciler.commands.applying.concluding import distrusting
from reconciler.commands.applying.target import Target
from reconciler.ports import ClusterError, UnreachableError

LEFT = IPSet((IPRange(4, 1, 2),))


def test_a_time_that_no_clock_tells_is_no_time() -> None:
    assert Entry("u", f"orphan-since-{'9' * 5_000}").orphan_since is None
    assert Entry("u", "orphan-since-1700000000").orphan_since == 1_700_000_000


@pytest.mark.parametrize("odd", [KeyError("x"), TypeError(), AttributeError(), ValueError("\x1b")])
def test_what_cannot_be_read_is_the_failure_of_its_cluster(odd: Exception) -> None:
    with pytest.raises(ClusterError) as told, distrusting():
        raise odd
    assert str(told.value) == f"it holds something that cannot be read ({type(odd).__name__})"


def test_a_failure_of_a_cluster_stays_what_it_is() -> None:
    with pytest.raises(UnreachableError), distrusting():
        raise UnreachableError("gone")


@pytest.mark.parametrize(
    ("announced", "before", "spaces"),
    [
        (IPSet(), ("old",), ("new",)),
        (LEFT, ("old",), ("new", "old")),
        (LEFT, (), ()),
    ],
)
def test_what_is_yet_to_leave_keeps_its_address_space(
    announced: IPSet, before: tuple[str, ...], spaces: tuple[str, ...]
) -> None:
    assert Target("a/b", spaces=("new",)).spaces_of(announced, before) == spaces
