"""Small files with large effects: time, memory, and messages stay limited."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reconciler.documents.findings import MAX_SUGGESTIONS
from reconciler.model.plan import Refuse
from reconciler.report.findings import IN_ALL, OF_A_FILE
from tests.cli.running import ipam
from tests.review.sides import as_findings
from tests.world import SMALL, evaluation_of, pool, provider, repository, request, tenant

CEILING_SECONDS = 30.0


@contextmanager
def within_reason() -> Iterator[None]:
    """Processor time, not the clock: other work on the machine does not count."""
    start = time.process_time()
    yield
    assert time.process_time() - start < CEILING_SECONDS


def reserving(count: int, name: str = "edge") -> str:
    return pool(name, reserved="[" + ", ".join(["{cidr: 10.40.0.0/28}"] * count) + "]")


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return more warnings than the limits per file and in total, with an error after them."""
    files = {f"pools/{n:03}.yaml": reserving(OF_A_FILE + 50, f"p{n:03}") for n in range(60)}
    files["tenants/zzz.yaml"] = "kind: Nothing\n"
    return repository(tmp_path_factory.mktemp("crowded") / "repo", {**SMALL, **files})


@pytest.mark.parametrize("form", ["text", "json", "github", "gitlab", "sarif", "junit", "markdown"])
def test_every_form_lists_a_bounded_number_and_tells_of_the_error(
    form: str, crowded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = ipam(capsys, "check", "--repo", crowded, "-o", form)
    assert ran.code == 1
    assert "field-required" in ran.out
    assert ran.out.count("overlaps spec.reserved") <= 2 * IN_ALL
    if form in ("text", "github", "markdown"):
        assert "2 errors, 9000 warnings" in ran.out


def test_tenants_of_a_provider_of_many_full_pools_are_refused_in_few_words() -> None:
    pools = {
        f"pools/{n}.yaml": pool(f"p{n:04}", f"10.{n >> 8}.{n & 255}.0/30") for n in range(1_500)
    }
    references = ", ".join(f"{{name: p{n:04}}}" for n in range(1_500))
    tenants = "---\n".join(
        tenant(f"t{n:04}", networking=f"{{lbPoolSize: {n % 700 + 5}}}") for n in range(1_500)
    )
    files = {
        **pools,
        "providers/default.yaml": provider(pools=f"[{references}]"),
        "tenants/all.yaml": tenants,
    }
    with within_reason():
        evaluation = evaluation_of(files)
    refused = [item for item in evaluation.plan.decisions if isinstance(item, Refuse)]
    assert len(refused) == 1_500
    for item in refused:
        assert item.message.count("p0") == 5
        assert "1495 more" in item.message


def _alike(number: int, last: str) -> str:
    return "".join("ab"[int(bit)] + "aaaa" for bit in f"{number:012b}") + "aa" + last


def test_few_findings_suggest_a_name_among_many_that_are_alike() -> None:
    some = {f"tenants/t{n}.yaml": tenant(_alike(n, "x")) for n in range(600)}
    asked = {f"tenants/r{n}.yaml": request(_alike(n, "y"), count=1) for n in range(600)}
    with within_reason():
        evaluation = evaluation_of({**SMALL, **some, **asked})
    found = [it for it in evaluation.findings if it.code == "reference-not-found"]
    suggested = [it for it in found if it.hint.startswith("did you mean")]
    assert (len(found), len(suggested)) == (600, MAX_SUGGESTIONS)


def test_few_renames_of_a_change_suggest_a_former_name_among_many_that_are_alike() -> None:
    formerly = "metadata: {{annotations: {{gitops-ipam.dev/formerly: team-a/{}}}, "
    before = {f"tenants/t{n}.yaml": tenant(_alike(n, "x")) for n in range(60)}
    after = {
        f"tenants/t{n}.yaml": tenant(_alike(n, "z")).replace(
            "metadata: {", formerly.format(_alike(n, "y"))
        )
        for n in range(60)
    }
    with within_reason():
        found = as_findings({**SMALL, **before}, {**SMALL, **after}, "rename-unused")
    suggested = [it for it in found if it.hint.startswith("did you mean")]
    assert (len(found), len(suggested)) == (60, MAX_SUGGESTIONS)
