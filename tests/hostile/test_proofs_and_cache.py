"""What proves a commit, and the cache that spares proving it: opened once, and only where believed."""

from pathlib import Path

import pytest

from reconciler.adapters.facts import FileFacts
from reconciler.cli.shared.opening import Trust, open_facts, open_source
from reconciler.commands.verdicts import judged_before, note_made
from reconciler.model.verdict import Verdict
from reconciler.ports import Revision
from tests.cli.running import given_out
from tests.hostile.test_history import edit, forged, told
from tests.world import CLOCK, SMALL, commit, git, write

PATHS = ["allocations", "README.md"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "gitops-ipam"


@pytest.fixture
def folder(tmp_path: Path, place: Path) -> Path:
    """A branch into which one was merged whose commit says that reconcile made it."""
    del place
    made = given_out(tmp_path / "repo", SMALL)
    git(made, "switch", "-q", "-c", "change")
    edit(made)
    forged(made)
    git(made, "switch", "-q", "main")
    write(made, {"README.md": "x\n"})
    commit(made, clock=CLOCK + 60)
    git(made, "merge", "-q", "--no-ff", "-m", "merge", "change", clock=CLOCK + 90)
    return made


def second(folder: Path, trust: Trust) -> str:
    """The commit before the merge, on the line of the branch."""
    source = open_source(folder, "HEAD", worktree=False, trust=trust).source
    return [step.id for step in source.past(PATHS)][1]


def test_a_review_believes_no_cache_of_what_reconcile_made(folder: Path) -> None:
    forgery = git(folder, "rev-parse", "change")
    facts = open_facts(open_source(folder, "HEAD", worktree=False).repository)
    assert isinstance(facts, FileFacts)
    note_made(facts, Revision(forgery, 0))
    assert judged_before(facts, forgery) is Verdict.SAME
    assert second(folder, Trust.FULL) == forgery, "the cache says so"
    assert second(folder, Trust.NONE) == git(folder, "rev-parse", "main~1")


def test_that_a_cache_is_not_used_is_told_once_however_much_is_proven(
    folder: Path, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, {"tenants/one.yaml": "kind: [\n"})  # whose past is asked for
    commit(folder, clock=CLOCK + 120)
    place.chmod(0o777)
    _, said = told(folder, "plan", capsys)
    assert said.count("the cache is not used") == 1
