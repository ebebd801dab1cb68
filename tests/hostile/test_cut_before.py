"""A clone of two commits, as jobs make it: what it cannot tell of records, and where that stops a change."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import given_out
from tests.hostile.test_records import BOTH, HELD, VICTIM, checked
from tests.world import CLOCK, commit, git, tenant, write

Capture = pytest.CaptureFixture[str]
TAKES = {"tenants/new.yaml": tenant("new", "aa-team")}
TWO = {**TAKES, "tenants/other.yaml": tenant("other", "ab-team")}
ENDS = (
    "this clone ends after reconcile's newest commit: what people did to records of the base"
    " since then was not looked at"
)
FIRST_FREE, OPEN = "10.40.0.16-10.40.0.23", "whether somebody removed it was not looked at"


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A victim and a thief with their records."""
    return given_out(tmp_path / "author", BOTH)


def notes(main: Path) -> None:
    write(main, {"notes.md": "words\n"})
    commit(main, "notes", clock=CLOCK + 30)


def removed(main: Path) -> None:
    (main / VICTIM).unlink()
    commit(main, "gone", clock=CLOCK + 30)


def pending(main: Path) -> None:
    """A tenant that reconcile has not served yet; in the order of claims a change may come before it."""
    write(main, {"tenants/early.yaml": tenant("early", "b-team")})
    commit(main, "early", clock=CLOCK + 30)


def told(main: Path, files: dict[str, str], depth: int, capsys: Capture) -> dict[str, Any]:
    """What a job says that gets the merge of a change, and so many commits."""
    git(main, "switch", "-qc", "change")
    write(main, files)
    commit(main, "change", clock=CLOCK + 60)
    git(main, "switch", "-q", "main")
    git(main, "merge", "-q", "--no-ff", "-m", "merge", "change", clock=CLOCK + 70)
    folder = main.parent / "clone"
    git(main, "clone", "-q", f"--depth={depth}", main.as_uri(), str(folder))
    return checked(folder, capsys, "HEAD^1")


def cut(document: dict[str, Any], severity: str) -> list[str]:
    """Where the clone's end is told, and what of the base is, by a severity."""
    found = (it for it in document["findings"] if it["code"] == "history-cut")
    return [
        f"{it['path']}: {it['message']}"
        for it in found
        if it["severity"] == severity and it["path"] != "."
    ]


@pytest.mark.parametrize(
    ("files", "more"),
    [
        ({"docs.md": "words\n"}, "; nobody gets addresses by this change"),
        (TAKES, f", nor whether {FIRST_FREE} of aa-team/new (loadbalancer) were another's until then"),
        (
            TWO,
            f", nor whether {FIRST_FREE} of aa-team/new (loadbalancer) (and of 1 more)"
            " were another's until then",
        ),
    ],
)  # fmt: skip
def test_a_clone_of_two_commits_passes_and_says_what_was_not_looked_at(
    files: dict[str, str], more: str, main: Path, capsys: Capture
) -> None:
    notes(main)
    document = told(main, files, 2, capsys)
    assert (document["exitCode"], cut(document, "error")) == (0, [])
    assert cut(document, "warning") == [f"allocations: {ENDS}{more}"]


def test_a_clone_that_begins_with_reconciles_own_commit_lacks_nothing(
    main: Path, capsys: Capture
) -> None:
    document = told(main, TAKES, 2, capsys)
    assert (document["exitCode"], cut(document, "warning")) == (0, [])


@pytest.mark.parametrize(("depth", "code"), [(2, "history-cut"), (3, "freed-by-hand")])
def test_what_a_claim_without_a_record_would_have_is_not_given_to_another(
    depth: int, code: str, main: Path, capsys: Capture
) -> None:
    removed(main)
    document = told(main, TAKES, depth, capsys)
    (found,) = (it for it in document["findings"] if it["severity"] == "error")
    assert (document["exitCode"], found["code"], found["path"]) == (1, code, "tenants/new.yaml")
    assert found["message"].startswith(f"{HELD} of aa-team/new (loadbalancer) w")
    if depth == 2:
        assert found["message"].endswith(OPEN)
        assert "fetch-depth: 0" in found["hint"]


@pytest.mark.parametrize(
    ("base", "files"),
    [(pending, {"tenants/new.yaml": tenant("new", "z-team")}), (removed, {"docs.md": "words\n"})],
    ids=["comes after it", "takes nothing"],
)
def test_who_takes_nothing_of_such_a_claim_passes(
    base: Callable[[Path], None], files: dict[str, str], main: Path, capsys: Capture
) -> None:
    base(main)
    document = told(main, files, 2, capsys)
    assert (document["exitCode"], cut(document, "error")) == (0, [])
    assert len(cut(document, "warning")) == 1


def test_what_the_base_gives_anyway_is_none_of_the_change(main: Path, capsys: Capture) -> None:
    pending(main)
    document = told(main, {"docs.md": "words\n"}, 2, capsys)
    (said,) = cut(document, "warning")
    assert said.endswith("; nobody gets addresses by this change")


def test_who_takes_the_place_of_a_claim_that_goes_passes(main: Path, capsys: Capture) -> None:
    """It is the same document with another name, mostly."""
    pending(main)
    files = {"tenants/early.yaml": tenant("late", "b-team")}
    document = told(main, files, 2, capsys)
    assert (document["exitCode"], cut(document, "error")) == (0, [])


@pytest.mark.parametrize(("depth", "code"), [(2, 1), (3, 0)])
def test_that_it_was_never_served_a_clone_can_tell_that_reaches_back(
    depth: int, code: int, main: Path, capsys: Capture
) -> None:
    pending(main)
    document = told(main, TAKES, depth, capsys)
    assert document["exitCode"] == code
    assert len(cut(document, "error")) == code
