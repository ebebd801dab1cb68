"""Leader election of two daemons, with a simulated clock."""

from dataclasses import dataclass, field

import pytest

from reconciler.daemon.dirty import DirtySet
from reconciler.daemon.lease import DEADLINE, DURATION, LONGEST, REF, Elector
from reconciler.model.errors import UnreachableError
from reconciler.model.objects import NAMESPACE, Ref
from tests.fake_cluster import FakeCluster
from tests.reconcile.watching.times import Moved


@dataclass
class Hall:
    """A management cluster, and those that would lead."""

    server: FakeCluster = field(default_factory=FakeCluster)
    time: Moved = field(default_factory=Moved)
    told: list[str] = field(default_factory=list)

    def elector(self, name: str) -> Elector:
        def connect() -> FakeCluster:
            return FakeCluster(
                objects=self.server.objects,
                fault=self.server.fault,
                lock=self.server.lock,
                clock=self.server.clock,
            )

        return Elector(connect, name, DirtySet(600.0, self.time), lambda: self.told.append(name))

    @property
    def spec(self) -> dict[str, object]:
        spec: dict[str, object] = self.server.objects[REF]["spec"]
        return spec


@pytest.fixture
def hall() -> Hall:
    return Hall()


def test_the_first_leads_and_makes_what_is_missing(hall: Hall) -> None:
    one, two = hall.elector("one"), hall.elector("two")
    one.step()
    two.step()
    assert (one.leads(), two.leads()) == (True, False)
    assert (one.leader(), two.leader()) == ("", "one")
    assert Ref(NAMESPACE, "", "butler-system") in hall.server.objects
    assert hall.spec["holderIdentity"] == "one"
    assert hall.spec["leaseDurationSeconds"] == DURATION
    assert hall.told == ["one"]


def test_another_takes_over_from_one_that_is_not_heard_of(hall: Hall) -> None:
    one, two = hall.elector("one"), hall.elector("two")
    one.step()
    two.step()
    hall.time.now += DURATION - 1
    two.step()
    assert not two.leads()
    hall.time.now += 1
    two.step()
    assert two.leads()
    assert not one.leads()
    one.step()
    assert (one.leads(), one.leader()) == (False, "two")
    assert hall.spec["leaseTransitions"] == 1


def test_one_that_cannot_renew_leads_no_more_before_others_may_take_over(hall: Hall) -> None:
    one = hall.elector("one")
    one.step()
    hall.server.fault = lambda _verb, _what: UnreachableError("down")
    hall.time.now += DEADLINE - 0.1
    one.step()
    assert one.leads()
    hall.time.now += 0.1
    assert not one.leads()
    one.step()
    assert one.leader() is None
    assert DEADLINE < DURATION


def test_who_goes_lets_others_lead_at_once(hall: Hall) -> None:
    one, two = hall.elector("one"), hall.elector("two")
    one.step()
    two.step()
    one.release()
    two.step()
    assert two.leads()
    one.release()  # it is not the leader any more, and does not take the lease of another
    assert hall.spec["holderIdentity"] == "two"


def test_who_gives_it_back_while_its_thread_looks_at_it_does_not_take_it_again(hall: Hall) -> None:
    one = hall.elector("one")
    one.step()

    def meanwhile(verb: str, _what: object) -> None:
        if verb == "get":
            hall.server.fault = lambda _verb, _what: None
            one.release()

    hall.server.fault = meanwhile
    one.step()
    assert (hall.spec["holderIdentity"], one.leads()) == ("", False)
    two = hall.elector("two")
    two.step()
    assert two.leads()


def test_of_two_that_take_it_at_once_one_gets_it(hall: Hall) -> None:
    one, two = hall.elector("one"), hall.elector("two")
    one.step()
    hall.server.objects[REF]["spec"]["holderIdentity"] = ""
    three = hall.elector("three")

    def meanwhile(verb: str, _what: object) -> None:
        if verb == "merge":
            hall.server.fault = lambda _verb, _what: None
            three.step()

    hall.server.fault = meanwhile
    two.step()
    assert [it.leads() for it in (two, three)] == [False, True]


@pytest.mark.parametrize(("said", "seconds"), [(10**9, LONGEST), (30, 30), (None, DURATION)])
def test_nobody_is_waited_for_longer_than_a_minute_whatever_the_lease_says(
    hall: Hall, said: object, seconds: int
) -> None:
    hall.elector("ghost").step()
    hall.spec["leaseDurationSeconds"] = said
    two = hall.elector("two")
    two.step()
    hall.time.now += seconds - 1
    two.step()
    assert not two.leads()
    hall.time.now += 1
    two.step()
    assert two.leads()
