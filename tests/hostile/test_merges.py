"""Merges: an Override in a change is not effective because of a reconcile commit in it."""

from pathlib import Path

import pytest

from reconciler.cli.opening import open_source
from reconciler.cli.options import Reading
from tests.cli.running import Said
from tests.hostile.conftest import TENANTS
from tests.hostile.test_overrides import BRAKE, override
from tests.world import CLOCK, commit, git, tenant, write

ALLOWED = {BRAKE: override(BRAKE, kind="brake", releases=12)}


def step(folder: Path, name: str, at: int) -> str:
    write(folder, {f"notes/{name}.txt": f"{at}\n"})
    return commit(folder, name, CLOCK + at)


def drop(folder: Path, at: int) -> str:
    """Remove ten tenants, more than the release limit permits, and add one with addresses."""
    for path in list(TENANTS)[:10]:
        (folder / path).unlink()
    write(folder, {"tenants/new.yaml": tenant("new")})
    return commit(folder, "drop", CLOCK + at)


def merge(folder: Path, *names: str, at: int) -> str:
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", *names, clock=CLOCK + at)
    return git(folder, "rev-parse", "HEAD")


def line(folder: Path) -> list[str]:
    source = open_source(Reading(folder)).source
    return [item.id for item in source.past(["allocations", "tenants", "overrides", "notes"])]


def held_back(folder: Path, said: Said) -> bool:
    """Reconcile releases nothing, and says why."""
    code, text = said("reconcile")
    assert (code, "Released" in git(folder, "show", "main")) == (3, False)
    return "info override-added" in text and "held brake" in text


def test_a_reconcile_of_its_own_lets_no_override_of_a_merged_change_count(
    folder: Path, said: Said
) -> None:
    git(folder, "switch", "-q", "-c", "change")
    write(folder, ALLOWED)
    drop(folder, 60)
    assert (
        said("reconcile", "--branch", "change", "--any-branch")[0] == 3
    )  # its tenants are also held back there
    git(folder, "switch", "-q", "main")
    step(folder, "main", 70)
    merge(folder, "change", at=90)
    assert held_back(folder, said)


@pytest.mark.parametrize("others", [0, 1])
def test_who_pulls_the_branch_lets_no_override_of_his_own_count(
    folder: Path, said: Said, others: int
) -> None:
    git(folder, "switch", "-q", "-c", "change", "HEAD~1")
    write(folder, ALLOWED)
    drop(folder, 60)
    git(folder, "switch", "-q", "main")
    for at in range(others):
        write(folder, {"tenants/late.yaml": tenant("late")})
        commit(folder, "late", CLOCK + 70 + at)
        assert said("reconcile")[0] == 0
    git(folder, "switch", "-q", "change")
    merge(folder, "main", at=90)
    git(folder, "branch", "-q", "-f", "main", "change")
    git(folder, "switch", "-q", "main")
    assert held_back(folder, said)


def test_and_for_one_that_was_brought_up_to_date_by_a_button(folder: Path, said: Said) -> None:
    git(folder, "switch", "-q", "-c", "change")
    drop(folder, 60)
    git(folder, "switch", "-q", "main")
    write(folder, ALLOWED | {"tenants/late.yaml": tenant("late")})
    commit(folder, "allow", CLOCK + 70)
    assert said("reconcile")[0] == 0
    main = git(folder, "rev-parse", "main")
    git(folder, "switch", "-q", "change")
    merge(folder, "main", at=80)
    git(folder, "switch", "-q", "main")
    merged = merge(folder, "change", at=90)
    assert line(folder)[:2] == [merged, main]
    code, text = said("reconcile")
    assert (code, "override-used" in text) == (0, True)


def test_nor_does_one_of_several_branches_that_are_merged_at_once(folder: Path, said: Said) -> None:
    for at, name in enumerate(("one", "two")):
        git(folder, "switch", "-q", "-c", name, "main")
        write(folder, {f"tenants/{name}.yaml": tenant(name)})
        commit(folder, name, CLOCK + 60 + at)
        if name == "two":
            git(folder, "rm", "-qf", *list(TENANTS)[:10])
            write(folder, ALLOWED)
            commit(folder, "drop", CLOCK + 63)
            assert said("reconcile", "--branch", name, "--any-branch")[0] == 3
    git(folder, "switch", "-q", "main")
    step(folder, "main", 70)
    merge(folder, "one", "two", at=90)
    assert len(git(folder, "show", "-s", "--format=%P", "HEAD").split()) == 3
    assert held_back(folder, said)
