"""The last readable version of broken files, in real Git with links, merges, and shallow clones."""

from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.gitio.history import past
from reconciler.gitio.objects import Tally
from reconciler.gitio.repository import open_repository, open_worktree
from reconciler.planning.evaluate import Evaluation, evaluate
from reconciler.planning.read import read_tree
from tests.cli.running import given_out
from tests.contracts.homes import ENVIRONMENT
from tests.planning.outcome import decided
from tests.world import CLOCK, SMALL, commit, git, settings, tenant, write

ONE = "team-a/one (loadbalancer)"
NEW = "team-a/new (loadbalancer)"
MANUAL = tenant("old", networking="{loadBalancerPool: {start: 10.40.0.8, end: 10.40.0.15}}")


def counted() -> Tally:
    return Tally("the history")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", {**SMALL, "byhand/old.yaml": MANUAL, "ipam.yaml": SETTINGS})


SETTINGS = settings("{sources: [pools, providers, tenants, byhand]}")


def seen(folder: Path) -> Evaluation:
    return evaluate(read_tree(open_repository(folder, ENVIRONMENT).source("HEAD")))


@pytest.mark.parametrize("where", ["byhand", "tenants", "pools"])
def test_a_link_where_a_folder_was_changes_nothing(folder: Path, where: str) -> None:
    git(folder, "rm", "-r", "-q", where)
    (folder / where).symlink_to("elsewhere")
    write(folder, {"providers/new.yaml": tenant("new")})
    commit(folder, clock=CLOCK + 60)
    found = decided(seen(folder))
    assert found[ONE].startswith("keep ")
    assert "10.40.0.8-" not in found[NEW]
    assert not any(text.startswith(("release", "expire")) for text in found.values())


def test_a_link_where_a_folder_was_may_move_before_it_is_mended(folder: Path) -> None:
    git(folder, "rm", "-r", "-q", "byhand")
    (folder / "tenants/x").symlink_to("elsewhere")
    commit(folder, clock=CLOCK + 60)
    git(folder, "mv", "tenants/x", "tenants/y")
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, clock=CLOCK + 120)
    assert decided(seen(folder))[NEW] == "allocate 10.40.0.16-10.40.0.23 of edge"


def test_the_line_goes_on_with_the_parent_that_has_the_newest_reconcile(folder: Path) -> None:
    git(folder, "switch", "-q", "-c", "change", "HEAD~1")  # before anything was recorded
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, clock=CLOCK + 60)
    git(folder, "merge", "-q", "--no-ff", "-m", "main into change", "main", clock=CLOCK + 90)
    write(folder, {"byhand/old.yaml": "{"})
    commit(folder, clock=CLOCK + 120)
    git(folder, "branch", "-q", "-f", "merged", "HEAD~1")
    opened = open_repository(folder, ENVIRONMENT)
    paths = ["byhand", "tenants", "pools", "providers", "allocations"]
    main = git(folder, "rev-parse", "main")
    head = git(folder, "rev-parse", "HEAD")
    line = [step.id for step in past(opened.git, head, paths, counted, lambda _: main)]
    names = ("HEAD", "merged", "main", "main~1")
    assert line == [git(folder, "rev-parse", name) for name in names]
    assert decided(seen(folder))[NEW] == "allocate 10.40.0.16-10.40.0.23 of edge"


def test_a_clone_that_is_cut_off_gives_nothing_new_and_says_how_deep(
    folder: Path, tmp_path: Path
) -> None:
    write(folder, {"byhand/old.yaml": "{"})
    commit(folder, clock=CLOCK + 60)
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, clock=CLOCK + 120)
    for depth, gets in (
        ("1", "refuse pool-frozen"),
        ("3", "allocate 10.40.0.16-10.40.0.23 of edge"),
    ):
        clone = tmp_path / f"clone-{depth}"
        git(tmp_path, "clone", "-q", "--depth", depth, f"file://{folder}", str(clone))
        evaluation = seen(clone)
        found = decided(evaluation)
        assert found[NEW] == gets
        assert found[ONE].startswith("keep ")
        cut = [item.hint for item in evaluation.findings if item.code == "history-cut"]
        assert cut == (
            ["run git fetch --unshallow; in a CI job, set fetch-depth: 0"] if depth == "1" else []
        )


def test_a_work_tree_has_the_history_of_its_head(folder: Path) -> None:
    write(folder, {"byhand/old.yaml": "{", "tenants/new.yaml": tenant("new")})
    opened = open_repository(folder, ENVIRONMENT)
    found = decided(evaluate(read_tree(open_worktree(opened, folder))))
    assert found[NEW] == "allocate 10.40.0.16-10.40.0.23 of edge"
    (folder / "tenants/one.yaml").unlink()
    found = decided(evaluate(read_tree(open_worktree(opened, folder))))
    assert found[ONE].startswith("keep ")


@pytest.mark.parametrize("wrong", ["", "a link", "kind: [\n", SETTINGS.replace("[", "")])
def test_settings_that_are_removed_or_cannot_be_read_stop_a_reconcile(
    folder: Path, wrong: str
) -> None:
    git(folder, "rm", "-q", "ipam.yaml")
    if wrong == "a link":
        (folder / "ipam.yaml").symlink_to("pools/edge.yaml")
    elif wrong:
        write(folder, {"ipam.yaml": wrong})
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, clock=CLOCK + 60)
    head = git(folder, "rev-parse", "HEAD")
    assert run(["reconcile", "--repo", str(folder)]) == 1
    assert git(folder, "rev-parse", "HEAD") == head
