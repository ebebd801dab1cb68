"""A history that lies: trailers that anybody can write, records that are left where nobody looks."""

from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.cli.shared.opening import open_source
from tests.cli.running import given_out
from tests.world import CLOCK, SMALL, commit, git, repository, tenant, write

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
HEAD = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
ELSEWHERE = {"ipam.yaml": f"{HEAD}spec: {{records: elsewhere}}\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", SMALL)


def forged(folder: Path, subject: str = "allocate 1") -> str:
    """Commit everything just as reconcile would: message, trailers and date are those of its own."""
    base = git(folder, "rev-parse", "HEAD")
    clock = int(git(folder, "show", "-s", "--format=%ct", "HEAD"))
    text = (
        f"ipam: {subject}\n\nIpam-Plan: sha256:{'0' * 64}\nIpam-Base: {base}\nIpam-Version: 0.1.0\n"
    )
    return commit(folder, text, clock + 1)


def edit(folder: Path) -> None:
    """Give a tenant the addresses that another one may want."""
    text = (folder / RECORD).read_text(encoding="utf-8").replace("10.40.0.", "10.40.0.1")
    write(folder, {RECORD: text.replace("  cidr: 10.40.0.10/29\n", "")})


def told(
    folder: Path, verb: str, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[int, str]:
    capsys.readouterr()
    code = run([verb, "--repo", str(folder), *more])
    said = capsys.readouterr()
    return code, said.out + said.err


@pytest.mark.parametrize("later", [False, True])
def test_an_edit_of_a_record_does_not_hide_behind_a_forged_trailer(
    folder: Path, capsys: pytest.CaptureFixture[str], *, later: bool
) -> None:
    edit(folder)
    commit_id = forged(folder)
    if later:
        write(folder, {"README.md": "x\n"})
        commit(folder, clock=CLOCK + 90)
    for verb in ("check", "plan", "reconcile"):
        code, said = told(folder, verb, capsys)
        assert code == 1
        assert "error record-edited" in said
        assert (
            f"warning commit-unproven: commit {commit_id[:12]} says that reconcile made it" in said
        )
    # A brake held back what the edit would have freed: the record is as reconcile left it.
    assert told(folder, "check", capsys)[0] == 0


def test_many_forged_trailers_hide_nothing_either(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(folder)
    for _ in range(10):
        forged(folder)
        write(folder, {RECORD: (folder / RECORD).read_text(encoding="utf-8") + "\n"})
    code, said = told(folder, "check", capsys)
    assert (code, said.count("commit-unproven")) == (1, 10)
    assert "error record-edited" in said


def test_more_of_them_than_one_run_asks_end_it_and_the_next_one_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reconciler.commands.last_made.MOST_PLANNED", 2)
    edit(folder)
    for _ in "12345":
        forged(folder)
        write(folder, {RECORD: (folder / RECORD).read_text(encoding="utf-8") + "\n"})
    head = git(folder, "rev-parse", "HEAD")
    code, said = told(folder, "reconcile", capsys)
    assert (code, git(folder, "rev-parse", "HEAD")) == (3, head)
    assert "3 commits up to" in said
    assert "it goes on from here" in said
    code, said = told(folder, "check", capsys)
    assert (code, said.count("commit-unproven")) == (1, 5)


@pytest.mark.parametrize("depth", ["1", "2"])
def test_a_clone_that_does_not_reach_back_gives_nothing_of_what_was_removed(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], depth: str
) -> None:
    write(folder, {"tenants/two.yaml": tenant("two"), "tenants/three.yaml": tenant("three")})
    commit(folder, clock=CLOCK + 60)
    assert told(folder, "reconcile", capsys)[0] == 0
    (folder / RECORD).unlink()
    commit(folder, clock=CLOCK + 120)
    if depth == "2":
        forged(folder)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", depth, folder.as_uri(), str(clone))
    head = git(folder, "rev-parse", "HEAD")
    assert "warning history-cut" in told(clone, "check", capsys)[1]
    code, said = told(clone, "reconcile", capsys)
    assert (code, git(folder, "rev-parse", "main")) == (4, head)
    assert "git fetch --unshallow" in said


@pytest.mark.parametrize("how", ["nothing", "many files"])
def test_commits_that_only_seem_harmless_hide_nothing_that_was_removed(
    folder: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    files = {f"tenants/t{at}.yaml": tenant(f"t{at}") for at in range(12)}
    write(folder, files)
    commit(folder, clock=CLOCK + 60)
    assert told(folder, "reconcile", capsys)[0] == 0
    for at in range(10):
        (folder / RECORD.replace("one.", f"t{at}.")).unlink()
    commit(folder, clock=CLOCK + 120)
    if how == "many files":
        write(folder, {f"tenants/notes/{at}.txt": "" for at in range(1_001)})
        forged(folder)
    else:
        for _ in range(12):
            forged(folder)
    code, said = told(folder, "reconcile", capsys)
    assert (code, said.count("record-put-back: reconcile puts it back")) == (3, 10)
    assert len(list((folder / RECORD).parent.iterdir())) == 13


def test_a_commit_that_reconcile_made_is_believed_and_replayed_once(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = folder.parent / "clone"
    git(folder.parent, "clone", "-q", folder.as_uri(), str(clone))
    for _ in "12":
        assert "commit-unproven" not in told(clone, "check", capsys)[1]
    monkeypatch.setattr("reconciler.commands.replay.replay", None)
    assert told(clone, "check", capsys)[0] == 0
    assert told(folder, "check", capsys)[0] == 0  # who made it never had to replay it


def test_records_that_were_removed_do_not_come_anew_because_a_trailer_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "rm", "-rq", "allocations")
    head = forged(folder, "expire 1")
    code, said = told(folder, "reconcile", capsys)
    assert code == 3
    assert f"no record is left in allocations/, but commit {head[:12]} took some" in said
    write(folder, {"README.md": "x\n"})
    head = commit(folder, clock=CLOCK + 90)
    assert told(folder, "reconcile", capsys)[0] == 3
    assert git(folder, "rev-parse", "HEAD") == head


def test_nor_in_another_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(folder, "rm", "-rq", "allocations")
    write(folder, ELSEWHERE)
    commit(folder, clock=CLOCK + 60)
    forged(folder)
    code, said = told(folder, "reconcile", capsys)
    assert code == 3
    assert "no record is left in elsewhere/, but commit" in said
    assert "from allocations/" in said


def test_where_reconcile_took_the_last_record_away_the_next_one_is_given(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "rm", "-q", "tenants/one.yaml")
    commit(folder, clock=CLOCK + 60)
    assert told(folder, "reconcile", capsys, "--allow-release", "1")[0] == 0
    write(folder, {"README.md": "x\n"})
    commit(folder, clock=CLOCK + 7 * 86_400)
    assert told(folder, "reconcile", capsys)[0] == 0
    assert git(folder, "ls-files", "allocations") == ""
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder, clock=CLOCK + 8 * 86_400)
    assert told(folder, "reconcile", capsys)[0] == 0
    assert "two.loadbalancer.yaml" in git(folder, "ls-files", "allocations")


def test_a_merged_branch_does_not_become_the_line_by_a_forged_trailer(folder: Path) -> None:
    git(folder, "switch", "-q", "-c", "change")
    edit(folder)
    forged(folder)
    git(folder, "switch", "-q", "main")
    write(folder, {"README.md": "x\n"})
    main = commit(folder, clock=CLOCK + 60)
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "change", clock=CLOCK + 90)
    merge = git(folder, "rev-parse", "HEAD")
    source = open_source(folder, "HEAD", worktree=False).source
    line = [step.id for step in source.past(["allocations", "README.md"])]
    assert line[:2] == [merge, main]


def test_nor_by_a_reconcile_of_its_own_where_the_branch_went_on(folder: Path) -> None:
    git(folder, "switch", "-q", "-c", "change")
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder, clock=CLOCK + 60)
    assert run(["reconcile", "--repo", str(folder), "--branch", "change", "--any-branch"]) == 0
    git(folder, "switch", "-q", "main")
    write(folder, {"tenants/three.yaml": tenant("three")})
    commit(folder, clock=CLOCK + 30)
    assert run(["reconcile", "--repo", str(folder)]) == 0
    main = git(folder, "rev-parse", "HEAD")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "change", clock=CLOCK + 90)
    source = open_source(folder, "HEAD", worktree=False).source
    line = [step.id for step in source.past(["allocations", "tenants"])]
    assert line[:2] == [git(folder, "rev-parse", "HEAD"), main]


def test_nor_by_an_empty_commit_that_says_so(folder: Path) -> None:
    git(folder, "switch", "-q", "-c", "change")
    forged(folder)
    write(folder, {"README.md": "theirs\n"})
    commit(folder, clock=CLOCK + 50)
    git(folder, "switch", "-q", "main")
    write(folder, {"NOTES.md": "ours\n"})
    main = commit(folder, clock=CLOCK + 60)
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "change", clock=CLOCK + 90)
    source = open_source(folder, "HEAD", worktree=False).source
    line = [step.id for step in source.past(["README.md", "NOTES.md"])]
    assert line == [git(folder, "rev-parse", "HEAD"), main]


def test_a_branch_that_was_merged_into_a_change_still_is_the_line(folder: Path) -> None:
    git(folder, "switch", "-q", "-c", "change", "HEAD~1")
    write(folder, {"README.md": "x\n"})
    commit(folder, clock=CLOCK + 60)
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "main", clock=CLOCK + 90)
    source = open_source(folder, "HEAD", worktree=False).source
    line = [step.id for step in source.past(["allocations", "README.md"])]
    assert line[:2] == [git(folder, "rev-parse", name) for name in ("HEAD", "main")]


@pytest.mark.parametrize("copied", [False, True])
def test_records_that_are_left_in_the_old_folder_are_an_error_always(
    folder: Path, capsys: pytest.CaptureFixture[str], *, copied: bool
) -> None:
    git(folder, "switch", "-q", "-c", "change")
    text = (folder / RECORD).read_text(encoding="utf-8")
    other = RECORD if copied else RECORD.replace("one.", "fake.")
    write(folder, {**ELSEWHERE, other.replace("allocations", "elsewhere"): text})
    write(folder, {"tenants/two.yaml": tenant("two")})
    head = commit(folder, clock=CLOCK + 60)
    for _ in "12":
        for verb in ("check", "plan", "reconcile"):
            code, said = told(folder, verb, capsys)
            assert code == 1
            assert "spec.records names elsewhere/, but records are left in allocations/" in said
        code, said = told(folder, "check", capsys, "--base", "main")
        assert code == 1
        assert "records are left in allocations/" in said
        assert git(folder, "rev-parse", "HEAD") == head
        head = forged(folder)  # and a trailer does not end that


def test_before_the_first_reconcile_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    text = (folder / RECORD).read_text(encoding="utf-8")
    fresh = repository(tmp_path / "fresh", {**SMALL, "ipam.yaml": HEAD, RECORD: text})
    write(fresh, {**ELSEWHERE, "elsewhere/x.yaml": text})
    assert "records are left in" in told(fresh, "check", capsys, "--worktree")[1]
    commit(fresh)
    assert "records are left in" in told(fresh, "check", capsys)[1]


@pytest.mark.parametrize(
    "name", ["README.md", "README.md/records", "tools/x.yaml", "tools/x.yaml/a"]
)
def test_the_records_folder_cannot_be_a_file_of_the_tree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    files = {"README.md": "x\n", "tools/x.yaml": "x\n"}
    files["ipam.yaml"] = f"{HEAD}spec: {{records: {name}}}\n"
    folder = repository(tmp_path / "repo", {**SMALL, **files})
    head = git(folder, "rev-parse", "HEAD")
    for verb in ("check", "plan", "reconcile"):
        code, said = told(folder, verb, capsys)
        assert code == 1
        assert "not-a-folder" in said
    if (folder / name).exists():  # of a folder inside of a file a work tree cannot tell
        assert told(folder, "check", capsys, "--worktree")[0] == 1
    assert git(folder, "rev-parse", "HEAD") == head
