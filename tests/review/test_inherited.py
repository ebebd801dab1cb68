"""Somebody's wrong object in the management cluster turns no unrelated change red."""

from pathlib import Path

import pytest

from reconciler.gitio.repository import Repository, open_repository
from reconciler.model.errors import ExitCode
from reconciler.planning.documents import path_of
from reconciler.reconcile.evaluation import exit_code
from reconciler.reconcile.reconcile import ReconcileOptions, reconcile
from reconciler.review.checks import review
from tests.world import ENVIRONMENT, SMALL, commit, git, pool, repository, request, tenant, write

KIND = ("butler.butlerlabs.dev", "IPAllocation")
LOST = path_of("observed", (*KIND, "evil", "lost"))
LARGE = path_of("observed", (*KIND, "butler-system", "large"))


def asks(path: str, pool_name: str, count: int) -> str:
    """The copy of a request, as reconcile writes it."""
    namespace, name = path.removesuffix(".yaml").split("/")[-2:]
    return (
        "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: IPAllocation\n"
        f"metadata:\n  name: {name}\n  namespace: {namespace}\n"
        f"spec:\n  poolRef:\n    name: {pool_name}\n"
        "  tenantClusterRef:\n    name: one\n    namespace: team-a\n"
        f"  type: nodes\n  count: {count}\n"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A branch with invalid copies, as a daemon commits them."""
    made = repository(tmp_path / "repo", SMALL)
    reconcile(opened(made), ReconcileOptions())
    observe(made, {LOST: asks(LOST, "nope", 2), LARGE: asks(LARGE, "edge", 5_000)})
    reconcile(opened(made), ReconcileOptions())
    git(made, "branch", "base")
    return made


def observe(folder: Path, files: dict[str, str]) -> None:
    base = git(folder, "rev-parse", "HEAD")
    write(folder, files)
    commit(folder, f"Observe\n\nIpam-Plan: sha256:{'a' * 64}\nIpam-Base: {base}")


def opened(folder: Path) -> Repository:
    return open_repository(folder, ENVIRONMENT)


def judged(folder: Path, base: str | None = "base") -> tuple[ExitCode, list[str]]:
    """Return the exit code, and the findings of observed files."""
    repository = opened(folder)
    compared = review(repository.source("HEAD"), repository, base)
    evaluation = compared.whole("base")
    found = sorted({*evaluation.findings, *evaluation.gates}, key=lambda it: it.location)
    lines = [f"{it.severity} {it.code} {it.location.path}" for it in found]
    return exit_code(compared.evaluation), [line for line in lines if " observed/" in line]


def test_what_the_base_says_of_observed_files_already_is_a_warning(folder: Path) -> None:
    assert judged(folder, None)[0] is ExitCode.WRONG
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder)
    code, told = judged(folder)
    assert code is ExitCode.OK
    assert told
    assert all(line.startswith("warning ") for line in told)
    repository = opened(folder)
    compared = review(repository.source("HEAD"), repository, "base")
    assert LOST in [it.location.path for it in compared.inherited]
    messages = [it.message for it in compared.whole("base").findings if it.location.path == LOST]
    assert any(it.endswith(" (also in base)") for it in messages)


def test_what_a_change_itself_edits_there_is_an_error(folder: Path) -> None:
    write(folder, {LOST: asks(LOST, "nope", 3)})
    commit(folder)
    code, told = judged(folder)
    assert code is ExitCode.WRONG
    assert f"error reference-not-found {LOST}" in told


def test_what_a_change_brings_about_in_observed_files_is_an_error(folder: Path) -> None:
    write(folder, {"pools/wide.yaml": pool("wide", "10.9.0.0/24")})
    commit(folder)
    observe(folder, {LARGE: asks(LARGE, "wide", 2)})
    git(folder, "branch", "-f", "base")
    git(folder, "rm", "-q", "pools/wide.yaml")
    commit(folder)
    code, told = judged(folder)
    assert code is ExitCode.WRONG
    assert f"error reference-not-found {LARGE}" in told
    assert f"warning reference-not-found {LOST}" in told


def test_a_claim_of_an_observed_file_that_a_change_leaves_without_room_stops_it(
    folder: Path,
) -> None:
    observe(folder, {LARGE: asks(LARGE, "edge", 200)})
    git(folder, "branch", "-f", "base")
    assert f"gate pool-exhausted {LARGE}" not in judged(folder)[1]
    pin = request("pin", pinnedRange="{startAddress: 10.40.0.99, endAddress: 10.40.0.255}")
    write(folder, {"tenants/pin.yaml": pin})
    commit(folder)
    code, told = judged(folder)
    assert code is ExitCode.GATE
    assert f"gate pool-exhausted {LARGE}" in told
