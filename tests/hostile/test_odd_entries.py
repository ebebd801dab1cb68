"""A wrong type of entry instead of a folder or `ipam.yaml` is one error in all commands."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.gitio.repository import open_repository, open_worktree
from reconciler.planning.read import evaluate_source
from reconciler.reconcile.commits import newest
from tests.cli.running import given_out
from tests.world import ENVIRONMENT, SMALL, commit, git, settings, tenant, write

SETTINGS = settings("{records: state/ips, sources: [pools, providers, tenants, src/deep]}")
FILES = {**SMALL, "ipam.yaml": SETTINGS, "src/deep/two.yaml": tenant("two")}
KINDS = {
    "symlink": ("not-a-file", "a symlink (mode 120000)"),
    "submodule": ("not-a-file", "a submodule (mode 160000)"),
    "file": ("not-a-folder", "a file (mode 100644)"),
    "folder": ("not-a-file", "a folder (mode 040000)"),
}
CASES = [
    *((what, "symlink") for what in ("state", "state/ips", "pools", "src/deep", "ipam.yaml")),
    *((what, "submodule") for what in ("pools", "ipam.yaml")),
    *((what, "file") for what in ("state/ips", "pools", "src")),
    ("ipam.yaml", "folder"),
]
FORMATS = ("text", "json", "github", "gitlab", "sarif", "junit", "markdown")
CANARY = "10.99.98.97"

each_case = pytest.mark.parametrize(("what", "how"), CASES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = given_out(tmp_path / "repo", FILES)
    assert run(["check", "--repo", str(made)]) == 0  # the cache knows all of it
    return made


def spoil(folder: Path, what: str, how: str) -> None:
    """Put something else where a folder or the Settings were, and commit it."""
    head = git(folder, "rev-parse", "HEAD")
    git(folder, "rm", "-rq", what)
    path = folder / what
    if path.is_dir():
        shutil.rmtree(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    outside = folder.parent / "outside"
    canary = tenant(
        "canary", networking=f"{{loadBalancerPool: {{start: {CANARY}, end: {CANARY}}}}}"
    )
    write(outside, dict.fromkeys(("a.yaml", "ips/a.yaml", "deep/a.yaml"), canary))
    if how == "symlink":
        path.symlink_to(outside if what != "ipam.yaml" else outside / "a.yaml")
    elif how == "file":
        path.write_text("nothing\n")
    elif how == "folder":
        write(path, {"ipam.yaml": SETTINGS.replace("state/ips", "elsewhere")})
    if how == "submodule":
        git(folder, "update-index", "--add", "--cacheinfo", f"160000,{head},{what}")
        git(folder, "commit", "-q", "-m", "odd")
        path.mkdir(exist_ok=True)
    else:
        commit(folder, "odd")


@each_case
def test_every_verb_tells_it_in_every_format_with_one_code(
    folder: Path, capsys: pytest.CaptureFixture[str], what: str, how: str
) -> None:
    spoil(folder, what, how)
    head = git(folder, "rev-parse", "main")
    code, got = KINDS[how]
    is_state = what.startswith("state")
    repo = ["--repo", str(folder)]
    outs = folder.parent / "outs"
    outs.mkdir()
    written = [word for form in FORMATS for word in ("--output-file", f"{form}={outs / form}")]
    runs: list[tuple[int | None, list[str]]] = [
        (1, ["check", *repo, *written]),
        (1, ["check", *repo, "--worktree"]),
        (1, ["check", *repo, "--base", "HEAD^1"]),
        (1, ["plan", *repo]),
        (None, ["status", *repo]),
        (None, ["explain", "team-a/one", *repo]),
    ]
    for wanted, words in runs:
        capsys.readouterr()
        done = run(words)
        said = capsys.readouterr()
        text = said.out + said.err
        assert (code in text, got in text) == (True, True), (words, text)
        assert wanted in (None, done), words
        assert CANARY not in text
    for words in (["reconcile"], ["render", "--out", str(folder.parent / "out")]):
        assert run([*words, *repo]) == (3 if is_state else 1), words
        said = capsys.readouterr()
        text = said.out + said.err
        assert is_state or (code in text and got in text), (words, text)
        assert CANARY not in text
    for form in FORMATS:
        text = (outs / form).read_text(encoding="utf-8")
        assert (code in text, got in text, CANARY in text) == (True, True, False), (form, text)
    assert git(folder, "rev-parse", "main") == head
    assert not (folder.parent / "out").exists()


@each_case
def test_every_reading_finds_the_same_and_gives_nothing_away(
    folder: Path, what: str, how: str
) -> None:
    opened = replace(open_repository(folder, ENVIRONMENT), leads=newest)
    spoil(folder, what, how)
    write(folder, {"tenants/three.yaml": tenant("three")})
    git(folder, "add", "tenants")
    git(folder, "commit", "-q", "-m", "a newcomer")
    found = [evaluate_source(opened.source("HEAD")), evaluate_source(open_worktree(opened, folder))]
    code, _ = KINDS[how]
    for evaluation in found:
        assert evaluation.findings == found[0].findings
        assert evaluation.plan.decisions == found[0].plan.decisions
        assert evaluation.changes == found[0].changes
    told = [item.code for item in found[0].findings if item.location.path == what]
    assert told.count(code) == 1
    records = {record.claim.short for record in found[0].state.records}
    if not what.startswith("state"):  # then reconcile stops, as the test above asserts
        assert records == {"team-a/one (loadbalancer)", "team-a/two (loadbalancer)"}
    if not what.startswith(("src", "pools", "state")):
        assert found[0].changes == ()


def test_a_folder_that_a_symlink_leads_to_is_not_read_through_it(folder: Path) -> None:
    """The link is a parent of the folder in Settings, so opening the folder would follow it."""
    spoil(folder, "state", "symlink")
    opened = open_repository(folder, ENVIRONMENT)
    evaluation = evaluate_source(open_worktree(opened, folder))
    assert not [item for item in evaluation.state.unreadable if "a.yaml" in item.path]
