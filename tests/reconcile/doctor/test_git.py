"""Checks of Git in `doctor`, and its output."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from reconciler.gitio.remotes import RepositoryProbe
from reconciler.gitio.repository import open_repository
from reconciler.reconcile.doctor import (
    Diagnosis,
    DiagnosisCheck,
    DiagnosisGroup,
    DiagnosisVerdict,
    diagnose,
    fine,
    wrong,
)
from reconciler.report.queries import diagnosis_document
from reconciler.report.text.runs import diagnosis_text
from reconciler.report.text.table import Painter
from tests.git_server import GitServer, serving
from tests.test_output_schemas import validated
from tests.world import CLOCK, ENVIRONMENT, SMALL, commit, git, repository, write

OK, WARNING, FAILED = DiagnosisVerdict.OK, DiagnosisVerdict.WARNING, DiagnosisVerdict.FAILED


def checks(path: Path) -> dict[str, DiagnosisCheck]:
    """The checks of a checkout, by name."""
    probe = RepositoryProbe(lambda: open_repository(path, ENVIRONMENT), ENVIRONMENT)
    return {check.name: check for check in diagnose(probe, None).groups[0].checks}


def verdicts(found: Mapping[str, DiagnosisCheck]) -> dict[str, DiagnosisVerdict]:
    return {name: check.verdict for name, check in found.items() if check.verdict is not OK}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a bare remote."""
    made = repository(tmp_path / "repo", SMALL)
    git(made, "clone", "-q", "--bare", ".", "../remote.git")
    git(made, "remote", "add", "origin", "../remote.git")
    return made


@pytest.fixture
def server(checkout: Path) -> Iterator[GitServer]:
    with serving(checkout.parent) as served:
        git(checkout, "remote", "set-url", "origin", f"{served.url}/remote.git")
        yield served


def test_a_checkout_and_its_remote_are_in_order(checkout: Path) -> None:
    found = checks(checkout)
    assert verdicts(found) == {}
    order = ["git", "repository", "remote", "history", "push", "content", "records", "edits"]
    assert list(found) == order
    assert found["repository"].message == "a checkout, branch main"


def test_a_bare_repository_needs_no_remote(checkout: Path) -> None:
    found = checks(checkout.parent / "remote.git")
    assert verdicts(found) == {}
    assert found["repository"].message == "a bare repository, branch main"
    assert found["remote"].message == "none (this repository is authoritative)"


def test_a_remote_that_takes_no_push_is_told_without_sending_one(
    checkout: Path, server: GitServer
) -> None:
    git(checkout.parent / "remote.git", "config", "http.receivepack", "false")
    found = checks(checkout)
    assert verdicts(found) == {"push": FAILED}
    assert "the remote refuses these credentials (403): git push" in found["push"].message
    assert found["push"].hint
    assert server.requests


def test_a_head_that_is_not_here_is_told_and_may_be_pushed_to(
    checkout: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "remote.git", "other")
    commit(tmp_path / "other", "elsewhere", CLOCK + 5)
    git(tmp_path / "other", "push", "-q", "origin", "main")
    found = checks(checkout)
    assert verdicts(found) == {"history": WARNING}
    assert found["history"].hint == "run git fetch"


def test_no_repository_ends_the_checks_of_git(tmp_path: Path) -> None:
    found = checks(tmp_path)
    assert list(found) == ["git", "repository"]
    assert found["repository"].verdict is FAILED


def test_errors_and_strange_files_are_told(checkout: Path) -> None:
    write(
        checkout,
        {
            "tenants/bad.yaml": "kind: [",
            "allocations/notes.txt": "by hand",
            "allocations/a.yaml": "no record",
        },
    )
    commit(checkout, "by hand", CLOCK + 5)
    git(checkout, "push", "-q", "origin", "main")
    found = checks(checkout)
    assert verdicts(found) == {"content": WARNING, "records": WARNING}
    assert found["content"].message == "2 errors; affected claims get no addresses"
    assert found["records"].message == "not records: allocations/notes.txt"
    git(checkout, "rm", "-q", "allocations/notes.txt")
    commit(checkout, "less", CLOCK + 6)
    git(checkout, "push", "-q", "origin", "main")
    assert checks(checkout)["records"].message == "1 record in allocations/ cannot be read"


def test_the_document_is_what_its_schema_says() -> None:
    groups = (DiagnosisGroup("git", (fine("a", "b"), wrong("c", "d", "e"))),)
    for revision in ("", "a" * 40):
        document = diagnosis_document(Diagnosis(groups, revision))
        validated("diagnosis.json", json.dumps(document))


@pytest.mark.parametrize(
    ("found", "last"),
    [
        ([OK], "✓ No problems"),
        ([OK, WARNING], "✓ No problems, 1 warning"),
        ([WARNING, FAILED, WARNING], "✗ 1 problem, 2 warnings"),
    ],
)
def test_the_last_line_counts_problems_and_warnings(
    found: list[DiagnosisVerdict], last: str
) -> None:
    groups = (DiagnosisGroup("git", tuple(DiagnosisCheck("a", "b", verdict=it) for it in found)),)
    assert diagnosis_text(Diagnosis(groups), Painter(is_on=False)).splitlines()[-1] == last
