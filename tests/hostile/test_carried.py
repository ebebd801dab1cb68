"""What the history of a pull request may hold, whatever its files are at the end."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from reconciler.adapters.git.opening import open_repository
from reconciler.adapters.git.saying import saying
from reconciler.cli.shared.opening import open_source
from reconciler.commands.last_made import last_made
from reconciler.commands.message import Said, message_of
from tests.cli.running import given_out
from tests.hostile.test_history import forged, told
from tests.world import CLOCK, ENVIRONMENT, SMALL, commit, git, repository, tenant, write

TENANTS = {f"tenants/t{at}.yaml": tenant(f"t{at}") for at in range(11)}
RECORDS = "allocations/NetworkPool/butler-system.edge/team-a"
SAID = message_of("allocate 1", Said(f"sha256:{'0' * 64}", "0" * 40, "0.1.0"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = given_out(tmp_path / "repo", {**SMALL, **TENANTS})
    git(made, "switch", "-q", "-c", "change")
    return made


def merge(folder: Path, at: int) -> None:
    """Merge the change into the branch, as a forge does."""
    git(folder, "switch", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "change", clock=CLOCK + at)


def step(folder: Path, files: dict[str, str | bytes], at: int, gone: Iterable[str] = ()) -> str:
    for path in gone:
        (folder / path).unlink()
    write(folder, files)
    return commit(folder, "step", CLOCK + at)


def set_back(folder: Path, at: int) -> None:
    """All records as the branch has them, and one tenant."""
    git(folder, "rm", "-rqf", "allocations")
    git(folder, "checkout", "-q", "main", "--", "allocations")
    step(folder, {"tenants/mine.yaml": tenant("mine")}, at)


def test_a_reconcile_inside_of_a_change_that_was_set_back_is_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "rm", "-rq", "allocations")
    step(folder, {"tenants/aaa.yaml": tenant("aaa", networking="{lbPoolSize: 64}")}, 60)
    assert (
        told(
            folder,
            "reconcile",
            capsys,
            "--branch",
            "change",
            "--any-branch",
            "--allow-release",
            "0",
        )[0]
        == 0
    )
    reconciled = git(folder, "rev-parse", "HEAD")
    (folder / "tenants/aaa.yaml").unlink()
    set_back(folder, 120)
    code, said = told(folder, "check", capsys, "--base", "main")
    assert (code, said.count("error ")) == (1, 1)
    assert f"error commit-carried: commit {reconciled[:12]} of this change says" in said
    assert "git rebase -i main" in said
    git(folder, "reset", "-q", "--soft", "main")  # squashed, as it says
    commit(folder, "mine", CLOCK + 130)
    assert told(folder, "check", capsys, "--base", "main")[0] == 0


def test_a_reconcile_on_a_branch_that_was_reverted_says_nothing_of_the_branch_that_went_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    step(folder, {"tenants/mine.yaml": tenant("mine")}, 200)
    assert told(folder, "reconcile", capsys, "--branch", "change", "--any-branch")[0] == 0
    git(folder, "revert", "--no-edit", "HEAD", clock=CLOCK + 210)
    assert "commit-carried" in told(folder, "check", capsys, "--base", "main")[1]
    git(folder, "switch", "-q", "main")
    step(folder, {"tenants/new.yaml": tenant("new")}, 100)
    assert told(folder, "reconcile", capsys)[0] == 0
    newest = git(folder, "rev-parse", "HEAD")
    merge(folder, 300)
    opened = open_repository(folder, ENVIRONMENT)
    assert last_made(opened, opened.resolve("HEAD")).commit == newest
    code, said = told(folder, "check", capsys)
    assert (code, "record-" in said) == (0, False)


def test_what_reconcile_made_of_the_base_itself_is_no_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    step(folder, {"tenants/new.yaml": tenant("new")}, 60)
    assert told(folder, "reconcile", capsys, "--branch", "change", "--any-branch")[0] == 0
    assert told(folder, "check", capsys, "--base", "HEAD~1")[0] == 0
    code, said = told(folder, "check", capsys, "--base", "main")
    assert (code, "if main is behind: git fetch" in said) == (1, True)


@pytest.mark.parametrize("where", ["beside", "on the line"])
def test_commits_that_say_so_and_change_nothing_stop_nobody(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    step(folder, {"tenants/mine.yaml": tenant("mine")}, 60)
    text = f"commit refs/heads/change\ncommitter P <p@x> {CLOCK + 61} +0000\n"
    text += f"data {len(SAID)}\n{SAID}\n"
    first = "from refs/heads/change^0\n\n"
    stream = text + first + (text + "\n") * 299
    git(folder, "fast-import", "--quiet", "--force", data=stream.encode())
    assert git(folder, "rev-list", "--count", "main..change") == "301"
    assert told(folder, "check", capsys, "--base", "main")[0] == 0
    if where == "beside":
        merge(folder, 300)
    else:
        git(folder, "switch", "-q", "main")
        git(folder, "merge", "-q", "--ff-only", "change")
    for at in "12":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(tmp_path / at))
            assert told(folder, "reconcile", capsys)[0] == 0


def test_more_forged_commits_beside_the_line_than_are_asked_do_not_end_a_run(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reconciler.commands.last_made.MOST_PLANNED", 2)
    record = f"{RECORDS}/t1.loadbalancer.yaml"
    before = (folder / record).read_text()
    for at in range(5):
        write(folder, {record: f"{before}# {at}\n"})
        forged(folder)
    step(folder, {record: before}, 90)
    code, said = told(folder, "check", capsys, "--base", "main")
    assert (code, said.count("error commit-carried")) == (1, 1)
    assert "(and 4 more) of this change says that reconcile made it" in said
    merge(folder, 300)
    code, said = told(folder, "check", capsys)
    assert (code, said.count("commit-unproven")) == (0, 3)
    (folder / record).unlink()
    commit(folder, "gone", CLOCK + 400)
    assert "record-removed" in told(folder, "check", capsys)[1]


def test_merges_of_forged_commits_are_planned_so_many_times_and_no_more(folder: Path) -> None:
    head, tree = (git(folder, "rev-parse", name) for name in ("HEAD", "HEAD^{tree}"))
    write(folder, {f"{RECORDS}/t1.loadbalancer.yaml": "x: 1\n"})
    git(folder, "add", "-A")
    other = git(folder, "write-tree")
    for at in range(20):
        side = git(folder, "commit-tree", "-p", head, "-m", SAID, other, clock=CLOCK + 60 + at)
        head = git(folder, "commit-tree", "-p", head, "-p", side, "-m", "merge", tree)
    git(folder, "reset", "-q", "--hard", head)
    step(folder, {"README.md": "x\n"}, 99)
    asked: list[str] = []
    opened = open_source(folder, "HEAD", worktree=False).repository
    assert opened is not None

    def proves(commit: str) -> bool:
        asked.append(commit)
        return False

    believing = replace(opened, proves=proves)
    line = [item.id for item in believing.source("HEAD").past(["allocations", "README.md"])]
    assert len(set(asked)) == 16
    assert git(folder, "rev-parse", "main") in line


def test_what_is_due_is_taken_away_by_reconcile_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "switch", "-q", "main")
    step(folder, {}, 60, ["tenants/t1.yaml"])
    assert told(folder, "reconcile", capsys)[0] == 0
    step(folder, {"README.md": "x\n"}, 200_000)  # its retention is over
    git(folder, "switch", "-q", "-C", "change")
    step(folder, {}, 200_060, [f"{RECORDS}/t1.loadbalancer.yaml"])
    code, said = told(folder, "check", capsys, "--base", "main")
    assert (code, "error record-removed" in said) == (1, True)
    git(folder, "switch", "-q", "-C", "asked", "main")  # nobody asked a cluster there
    assert (
        told(folder, "reconcile", capsys, "--branch", "asked", "--any-branch", "--no-apply")[0] == 0
    )
    step(folder, {"tenants/mine.yaml": tenant("mine")}, 200_070)
    code, said = told(folder, "check", capsys, "--base", "main")
    assert (code, "error record-removed" in said) == (1, True)
    git(folder, "switch", "-q", "main")
    assert told(folder, "reconcile", capsys)[0] == 0
    assert not (folder / RECORDS / "t1.loadbalancer.yaml").exists()
    made = ("--base", "HEAD~1", "--proposed", "HEAD")
    assert told(folder, "check", capsys, *made)[0] == 0


def test_a_record_by_hand_after_the_last_one_expired_is_an_error_without_a_base_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    assert told(folder, "reconcile", capsys)[0] == 0
    path = f"{RECORDS}/one.loadbalancer.yaml"
    text = (folder / path).read_text()
    step(folder, {}, 60, ["tenants/one.yaml"])
    assert told(folder, "reconcile", capsys, "--allow-release", "1")[0] == 0
    step(folder, {"README.md": "x\n"}, 200_000)
    assert told(folder, "reconcile", capsys)[0] == 0
    assert git(folder, "ls-files", "allocations") == ""
    step(folder, {"tenants/one.yaml": tenant("one"), path: text}, 200_060)
    code, said = told(folder, "check", capsys)
    assert (code, "error record-edited" in said) == (1, True)
    out = tmp_path / "out"
    told(folder, "render", capsys, "--out", str(out))
    assert "10.40.0." not in "".join(file.read_text() for file in out.rglob("*IPAddressPool*/*"))


def test_a_change_that_is_dated_before_its_base_ends_no_retention_early(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "switch", "-q", "main")
    step(folder, {"README.md": "friday\n"}, 5 * 86_400)
    git(folder, "switch", "-q", "-C", "change")
    step(folder, {}, 86_400, ["tenants/t1.yaml"])
    code, said = told(folder, "check", capsys, "--base", "main")
    assert (code, "error commit-dated-back: this revision is dated 2026-02-16" in said) == (1, True)
    git(folder, "commit", "-q", "--amend", "--no-edit", clock=CLOCK + 5 * 86_400 - 60)
    assert told(folder, "check", capsys, "--base", "main")[0] == 0


def test_the_date_of_a_change_that_ends_no_retention_is_nobodys_matter(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A branch that main went on without, and one whose commits kept their dates in a rebase."""
    git(folder, "switch", "-q", "-C", "change", "main")
    step(folder, {"tenants/mine.yaml": tenant("mine")}, 86_400, ["tenants/t1.yaml"])
    git(folder, "switch", "-q", "main")
    step(folder, {"README.md": "friday\n"}, 5 * 86_400)
    code, said = told(folder, "check", capsys, "--base", "main", "--rev", "change")
    assert (code, "commit-dated-back" in said) == (0, False)
    git(folder, "switch", "-q", "-C", "rebased")
    step(folder, {"tenants/mine.yaml": tenant("mine")}, 86_400)
    assert told(folder, "check", capsys, "--base", "main")[0] == 0


def test_what_the_base_may_have_behind_the_end_of_a_clone_is_no_error(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "switch", "-q", "main")
    for at in range(3):
        step(folder, {f"tenants/r{at}.yaml": tenant(f"r{at}")}, 60 + at)
        assert told(folder, "reconcile", capsys)[0] == 0
    git(folder, "switch", "-q", "-C", "change")
    step(folder, {"tenants/mine.yaml": tenant("mine")}, 90)
    git(folder, "switch", "-q", "main")
    for at in range(12):
        step(folder, {"README.md": f"{at}\n"}, 100 + at)
    merge(folder, 200)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "10", folder.as_uri(), str(clone))
    code, said = told(clone, "check", capsys, "--base", "HEAD^1")
    assert (code, "commit-carried" in said, "warning history-cut" in said) == (0, False, True)


def test_that_a_clone_ends_inside_of_a_change_is_told(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    step(folder, {"tenants/mine.yaml": tenant("mine")}, 60)
    step(folder, {"README.md": "x\n"}, 70)
    merge(folder, 90)
    clone = tmp_path / "clone"
    for depth, is_cut in (("2", True), ("9", False)):
        git(tmp_path, "clone", "-q", "--depth", depth, folder.as_uri(), f"{clone}{depth}")
        code, said = told(tmp_path / f"clone{depth}", "check", capsys, "--base", "HEAD^1")
        assert (code, "warning history-cut" in said) == (0, is_cut)


def test_a_look_for_the_newest_on_the_line_walks_no_further(folder: Path) -> None:
    opened = open_repository(folder, ENVIRONMENT)
    head = git(folder, "rev-parse", "HEAD")
    assert list(saying(opened.git, head, on_line=True)) == [head]
    assert list(saying(opened.git, head, holding=head)) == []
