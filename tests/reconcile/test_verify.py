"""`verify` replays or reports each commit that changes records."""

from pathlib import Path

import pytest

from reconciler.gitio.interface import ReplayVerdict
from reconciler.gitio.repository import open_repository
from reconciler.model.change import FileChange, Observation
from reconciler.reconcile.reconcile import ReconcileOptions, reconcile
from reconciler.reconcile.verify import Verified, revisions_of, verify
from tests.hostile.test_odd_history import literally
from tests.reconcile.test_commits_of_a_run import DEMAND, SEEN
from tests.world import (
    CLOCK,
    ENVIRONMENT,
    SMALL,
    commit,
    copied,
    git,
    repository,
    settings,
    tenant,
    write,
)

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
DAY = 86_400


def story(made: Path) -> None:
    """A plan, due changes, observed changes, and commits of people between them."""
    repository(made, {**SMALL, "tenants/two.yaml": tenant("two")})
    run(made, CLOCK)
    git(made, "rm", "-q", "tenants/one.yaml")
    commit(made, clock=CLOCK + 60)
    run(made, CLOCK + 61)
    run(made, CLOCK + 2 * DAY)
    look = Observation(CLOCK + 3 * DAY, (FileChange(SEEN, DEMAND),))
    reconcile(open_repository(made, ENVIRONMENT), ReconcileOptions(look=lambda _: look))
    write(made, {"tenants/new.yaml": tenant("new")})
    commit(made, clock=CLOCK + 4 * DAY)
    run(made, CLOCK + 4 * DAY)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return copied(tmp_path / "repo", "verify", story)


def run(folder: Path, now: int) -> None:
    options = ReconcileOptions(now=lambda: now, allow_release=1)
    assert reconcile(open_repository(folder, ENVIRONMENT), options).commit is not None


def verified(folder: Path, reach: str = "HEAD") -> list[Verified]:
    newest, after = revisions_of(reach)
    return list(verify(open_repository(folder, ENVIRONMENT), newest, after))


def verdicts(folder: Path, reach: str = "HEAD") -> list[ReplayVerdict]:
    return [item.verdict for item in verified(folder, reach)]


def amend(folder: Path) -> None:
    clock = int(git(folder, "show", "-s", "--format=%ct"))
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--amend", "--no-edit", clock=clock)


def test_commits_of_all_sorts_are_the_same_newest_first(folder: Path) -> None:
    found = verified(folder)
    assert [item.verdict for item in found] == [ReplayVerdict.SAME] * 5
    assert [item.subject.partition(" ")[2] for item in found] == [
        "allocate 1",
        "observe 1",
        "expire 1",
        "release 1",
        "allocate 2",
    ]
    assert not any(item.is_wrong for item in found)


def test_which_file_differs_is_told(folder: Path) -> None:
    path = RECORD.replace("one.", "new.")
    text = (folder / path).read_text(encoding="utf-8")
    write(folder, {path: text.replace("8 IPs", "9 IPs")})
    amend(folder)
    (found,) = verified(folder, "HEAD~1..HEAD")
    assert (found.verdict, found.files, found.is_wrong) == (ReplayVerdict.DIFFERENT, (path,), True)


@pytest.mark.parametrize("path", [RECORD, "observed/y.yaml"])
def test_who_else_touches_what_reconcile_writes_is_told(folder: Path, path: str) -> None:
    write(folder, {path: "x: 1\n", "README.md": "x\n"})
    commit(folder, "by hand", CLOCK + 5 * DAY)
    found = verified(folder)[0]
    assert (found.verdict, found.files, found.is_wrong) == (ReplayVerdict.FOREIGN, (path,), False)
    assert found.author == "A Person <person@example.com>"


def test_a_trailer_that_is_not_true_is_wrong(folder: Path) -> None:
    write(folder, {RECORD: "x: 1\n"})
    text = git(folder, "show", "-s", "--format=%B")
    commit(folder, text, CLOCK + 5 * DAY)
    found = verified(folder)[0]
    assert (found.verdict, found.is_wrong) == (ReplayVerdict.FOREIGN, True)
    assert verdicts(folder)[1:] == [ReplayVerdict.SAME] * 5


def test_a_commit_without_a_date_is_told_like_any_other(folder: Path) -> None:
    git(folder, "rm", "-q", RECORD.replace("one.", "new."))
    ids = git(folder, "write-tree"), git(folder, "rev-parse", "HEAD")
    head = "tree {}\nparent {}\nauthor A <a@x> 1 +0000\ncommitter nobody\n\nby hand\n".format(*ids)
    made = literally(folder, "commit", head.encode())
    git(folder, "update-ref", "refs/heads/main", made)
    write(folder, {"README.md": "x\n"})
    commit(folder, clock=CLOCK + 5 * DAY)
    found = verified(folder)[0]
    assert (found.verdict, found.clock) == (ReplayVerdict.FOREIGN, None)


@pytest.mark.parametrize(
    ("reach", "count"), [("HEAD~2..", 1), ("HEAD~3..HEAD", 2), ("HEAD~2", 4), ("..main~3", 3)]
)
def test_a_range_is_what_is_looked_at(folder: Path, reach: str, count: int) -> None:
    assert len(verified(folder, reach)) == count


def test_what_an_earlier_records_folder_held_is_looked_at_too(folder: Path) -> None:
    git(folder, "mv", "allocations", "records")
    write(folder, {"ipam.yaml": settings("{records: records}")})
    commit(folder, "move", CLOCK + 5 * DAY)
    assert verdicts(folder) == [ReplayVerdict.FOREIGN, *[ReplayVerdict.SAME] * 5]


def test_the_end_of_a_clone_is_told(folder: Path) -> None:
    clone = folder.parent / "clone"
    git(folder.parent, "clone", "-q", "--depth", "3", folder.as_uri(), str(clone))
    assert verdicts(clone)[-1] is ReplayVerdict.NOT_HERE
