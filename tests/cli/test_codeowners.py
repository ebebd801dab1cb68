"""`ipam schema --codeowners`: whose folder is whose, for a forge."""

import json
import re
from pathlib import Path

import pytest

from reconciler.cli.authoring import codeowners_text
from reconciler.planning.ownership import contracts_of
from tests.cli.running import ipam
from tests.planning.test_ownership import HOSTILE, team, world
from tests.report.hostile import corpus
from tests.world import commit, evaluation_of, git, repository, write

Capture = pytest.CaptureFixture[str]
# What no forge reads as a pattern, a comment, a section or a second word.
WORD = re.compile(r"[A-Za-z0-9@/._+-]+", re.ASCII)
ARGUMENTS = ("schema", "--codeowners", "--repo")
TWO = world(
    a={"folders": "tenants/b/inner tenants/a", "owners": "@acme/a person@example.com"},
    b={"folders": "tenants/b tenants/a", "owners": "@acme/b"},
    c={"namespaces": "team-c"},
)
LINES = [
    "/tenants/a/ @acme/a @acme/b person@example.com",
    "/tenants/b/ @acme/b",
    "/tenants/b/inner/ @acme/a person@example.com",
]


def test_each_folder_has_a_line_and_the_inner_one_stands_last(
    tmp_path: Path, capsys: Capture
) -> None:
    folder = repository(tmp_path / "repo", TWO)
    ran = ipam(capsys, *ARGUMENTS, folder)
    head, *lines = ran.out.splitlines()
    assert (ran.code, lines) == (0, LINES)
    assert head.startswith("# ")


def test_the_paths_count_from_the_top_of_the_repository(tmp_path: Path, capsys: Capture) -> None:
    files = {f"net/ipam/{path}": text for path, text in TWO.items()}
    files["net/ipam/ipam.yaml"] = (
        "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    )
    folder = repository(tmp_path / "repo", files)
    ran = ipam(capsys, *ARGUMENTS, folder / "net/ipam")
    assert ran.out.splitlines()[1:] == [f"/net/ipam{line}" for line in LINES]


def test_a_root_with_a_name_that_means_more_there_is_refused(
    tmp_path: Path, capsys: Capture
) -> None:
    files = {f"a #b/{path}": text for path, text in TWO.items()}
    files["a #b/ipam.yaml"] = (
        "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    )
    folder = repository(tmp_path / "repo", files)
    ran = ipam(capsys, *ARGUMENTS, folder / "a #b")
    assert (ran.code, ran.out) == (64, "")


def test_a_revision_or_the_work_tree_is_read(tmp_path: Path, capsys: Capture) -> None:
    folder = repository(tmp_path / "repo", TWO)
    git(folder, "branch", "before")
    write(folder, {"teams/b.yaml": team("b", folders="tenants/b", owners="@acme/new")})
    assert "@acme/new" not in ipam(capsys, *ARGUMENTS, folder).out
    assert "@acme/new" in ipam(capsys, *ARGUMENTS, folder, "--worktree").out
    commit(folder)
    assert "@acme/new" in ipam(capsys, *ARGUMENTS, folder).out
    assert "@acme/new" not in ipam(capsys, *ARGUMENTS, folder, "--rev", "before").out


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ({"folders": "tenants/a"}, "nobody reviews the folders of a"),
        ({"owners": "@acme/a"}, "no team has folders of its own"),
    ],
)
def test_what_nobody_owns_is_told_and_no_line_is_written(
    tmp_path: Path, capsys: Capture, says: dict[str, str], words: str
) -> None:
    ran = ipam(capsys, *ARGUMENTS, repository(tmp_path / "repo", world(a=says)))
    assert (ran.code, ran.out) == (64, "")
    assert words in ran.err


@pytest.mark.parametrize(("name", "text"), HOSTILE)
def test_no_line_is_made_of_what_cannot_be_read_for_sure(
    tmp_path: Path, capsys: Capture, name: str, text: str
) -> None:
    says = {"folders": "tenants/a", "owners": "@acme/a"} | {name: text}
    folder = repository(tmp_path / "repo", world(a={"folders": "x", "owners": "@acme/a"}))
    write(folder, {"teams/a.yaml": team("a", **says)})
    commit(folder)
    ran = ipam(capsys, *ARGUMENTS, folder)
    assert (ran.code, ran.out) == (1, "")
    assert "annotation-invalid" in ran.err


@pytest.mark.parametrize("text", corpus(), ids=ascii)
def test_a_folder_and_an_owner_are_never_more_than_one_word_of_a_line(text: str) -> None:
    """Whatever a document says: it is an error, or it stands there as it is."""
    for name, other in (("folders", "owners"), ("owners", "folders")):
        plain = {"folders": "tenants/a", "owners": "@acme/a"}[other]
        said = {"gitops-ipam.dev/" + name: text, "gitops-ipam.dev/" + other: plain}
        quoted = json.dumps({"name": "a", "annotations": said})
        if any("\ud800" <= it <= "\udfff" for it in text):
            continue  # no file can hold it
        head = "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: Team\n"
        evaluation = evaluation_of(world({"teams/a.yaml": f"{head}metadata: {quoted}\n"}))
        if evaluation.findings:
            continue
        _, *lines = codeowners_text(contracts_of(evaluation.documents), "").splitlines()
        for line in lines:
            place, *owners = line.split(" ")
            assert WORD.fullmatch(place), line
            assert place.startswith("/")
            assert owners
            assert all(WORD.fullmatch(it) and "@" in it for it in owners), line


def test_it_goes_with_no_kind(tmp_path: Path, capsys: Capture) -> None:
    assert ipam(capsys, "schema", "Team", "--codeowners").code == 64
    assert ipam(capsys, "schema", "--out", tmp_path / "out", "--codeowners").code == 64
    assert not (tmp_path / "out").exists()
