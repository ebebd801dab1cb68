"""A whole reconcile, and the race for the branch, over every kind of repository."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from reconciler.gitio.interface import Revision
from reconciler.gitio.repository import Repository
from reconciler.model.errors import ExitCode, GitError
from reconciler.reconcile.reconcile import ATTEMPTS, Reconciled, ReconcileOptions, reconcile
from tests.contracts.homes import Home
from tests.world import SMALL, tenant

ONE = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
TWO = ONE.replace("one", "two")


@dataclass
class Meddled:
    """A repository that another person changes between plan and push."""

    inner: Repository
    meddle: Callable[[int], object]
    pushes: int = 0
    slept: list[float] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def alone(self) -> AbstractContextManager[None]:
        # Two runs of one process on one folder would wait for each other.
        return nullcontext()

    def publish(self, base: Revision, revision: Revision) -> None:
        self.pushes += 1
        self.meddle(self.pushes)
        self.inner.publish(base, revision)

    def run(self) -> Reconciled:
        return reconcile(cast(Repository, self), ReconcileOptions(), self.slept.append)


@pytest.fixture
def small(home: Home) -> Home:
    home.advance(SMALL, remove="ipam.yaml")
    home.advance({}, remove="pools/a.yaml")
    home.advance({}, remove="tenants/t/b.yaml")
    return home


def test_a_lost_race_is_planned_anew_on_what_won(small: Home) -> None:
    def add_a_tenant(push: int) -> None:
        if push == 1:
            small.advance({"tenants/two.yaml": tenant("two", networking="{lbPoolSize: 16}")})

    meddled = Meddled(small.open(), add_a_tenant)
    done = meddled.run()
    assert (done.attempts, len(meddled.slept)) == (2, 1)
    assert set(small.files()) >= {ONE, TWO}


def test_a_race_lost_to_the_very_same_commit_is_won(small: Home) -> None:
    other = Meddled(small.open(), lambda _: None)
    meddled = Meddled(small.open(), lambda _: other.run())
    done = meddled.run()
    assert done.attempts == 1
    assert done.commit is not None
    assert small.head() == done.commit.id


def test_a_race_that_is_always_lost_ends_with_code_4(small: Home) -> None:
    meddled = Meddled(
        small.open(), lambda push: small.advance({f"tenants/n{push}.yaml": tenant(f"n{push}")})
    )
    with pytest.raises(GitError, match=f"in all {ATTEMPTS} attempts") as caught:
        meddled.run()
    assert caught.value.exit_code == ExitCode.GIT
    assert meddled.pushes == ATTEMPTS
    assert len(meddled.slept) == ATTEMPTS - 1
    assert meddled.slept[-1] > meddled.slept[0]
    assert not any(path.startswith("allocations/") for path in small.files())
