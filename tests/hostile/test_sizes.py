"""Small files that mean much: what follows from them is bounded in time, memory and words.

Ceilings are generous: the attacks took minutes or gigabytes, what is left of them takes seconds.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from reconciler.documents.findings import Severity
from reconciler.documents.text import MAX_BYTES
from reconciler.model.plan import Refuse
from reconciler.model.settings import Settings
from reconciler.planning.documents import source_reader
from reconciler.planning.evaluate import Evaluation
from reconciler.report.findings import IN_ALL, MORE, OF_A_FILE
from tests.cli.running import ipam
from tests.world import SMALL, evaluation_of, pool, provider, repository, tenant

CEILING_SECONDS = 30.0


@contextmanager
def within_reason() -> Iterator[None]:
    """Processor time, not the clock: other work on the machine does not count."""
    start = time.process_time()
    yield
    assert time.process_time() - start < CEILING_SECONDS


def codes(evaluation: Evaluation, code: str) -> int:
    return sum(1 for item in evaluation.findings if item.code == code)


def reserving(count: int, name: str = "edge") -> str:
    return pool(name, reserved="[" + ", ".join(["{cidr: 10.40.0.0/28}"] * count) + "]")


def test_equal_reserved_blocks_are_told_once_each() -> None:
    with within_reason():
        evaluation = evaluation_of({**SMALL, "pools/edge.yaml": reserving(2_500)})
    assert codes(evaluation, "reserved-overlap") == 2_499


def test_a_block_around_many_is_told_once() -> None:
    blocks = ", ".join(f"{{cidr: 10.{n >> 8}.{n & 255}.0/24}}" for n in range(2_500))
    text = pool(cidr="10.0.0.0/8", reserved=f"[{blocks}, {{cidr: 10.0.0.0/9}}]")
    with within_reason():
        evaluation = evaluation_of({**SMALL, "pools/edge.yaml": text})
    (found,) = [item for item in evaluation.findings if item.code == "reserved-overlap"]
    assert found.message.endswith("10.0.0.0/9 overlaps spec.reserved[0]")


TINY = {
    "no mapping": "--- 1\n",
    "no field": "---\n{}\n",
    "no version": "---\nkind: NetworkPool\n",
    "no spec": "---\napiVersion: butler.butlerlabs.dev/v1alpha1\nkind: NetworkPool\n"
    "metadata: {name: a}\nspec: {}\n",
    "no block": "---\napiVersion: butler.butlerlabs.dev/v1alpha1\nkind: NetworkPool\n"
    "metadata: {name: a}\nspec: {cidr: 10.0.0.5/24}\n",
    "no known field": "---\napiVersion: butler.butlerlabs.dev/v1alpha1\nkind: NetworkPool\n"
    "metadata: {name: a}\nspec: {cidr: 1, tenantAllocatio: 3}\n",
    "doubtful": "---\n- no\n",
    "not of ASCII": "---\nä: {}\n",
}


@pytest.mark.parametrize("text", TINY.values(), ids=TINY)
def test_a_full_file_of_tiny_wrong_documents_is_read_in_time(text: str) -> None:
    count = MAX_BYTES // len(text.encode())
    data = (text * count).encode()
    with within_reason():
        loaded = source_reader(Settings())("pools/a.yaml", data)
    assert len(loaded.findings) >= count
    last = max(item.location.line for item in loaded.findings)
    assert last > data.count(b"\n") - text.count("\n")


def test_many_wrong_files_whose_documents_take_turns_are_read_in_time() -> None:
    """Findings that are made in the order of names go from file to file."""
    files = {
        f"pools/{file:02}.yaml": "---\n".join(
            pool(f"p{number:03}-{file:02}", "10.40.0.0/24", reserved="[{cidr: 10.40.0.0/24}]")
            for number in range(60)
        )
        for file in range(40)
    }
    with within_reason():
        evaluation = evaluation_of(files)
    assert codes(evaluation, "pool-empty") == 2_400


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More warnings than are listed in one file, and in all; one error behind all of them."""
    files = {f"pools/{n:03}.yaml": reserving(OF_A_FILE + 50, f"p{n:03}") for n in range(60)}
    files["tenants/zzz.yaml"] = "kind: Nothing\n"
    return repository(tmp_path_factory.mktemp("crowded") / "repo", {**SMALL, **files})


@pytest.mark.parametrize("form", ["text", "json", "github", "gitlab", "sarif", "junit", "markdown"])
def test_every_form_lists_a_bounded_number_and_tells_of_the_error(
    form: str, crowded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = ipam(capsys, "check", "--repo", crowded, "--format", form)
    assert ran.code == 1
    assert "field-required" in ran.out
    assert ran.out.count("overlaps spec.reserved") <= 2 * IN_ALL
    if form in ("text", "github", "markdown"):
        assert "2 errors, 9000 warnings" in ran.out


def test_a_picture_of_many_pools_is_bounded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    count, holding = 60, 40
    files = {}
    for n in range(count):
        files[f"pools/{n}.yaml"] = pool(f"p{n:03}", f"10.{n}.0.0/16")
        files[f"providers/{n}.yaml"] = provider(f"v{n:03}", pools=f"[{{name: p{n:03}}}]")
        files[f"tenants/{n}.yaml"] = "---\n".join(
            tenant(f"t{n:03}-{at:03}", providerConfigRef=f"{{name: v{n:03}}}")
            for at in range(holding)
        )
    repo = repository(tmp_path / "repo", files)
    with within_reason():
        ran = ipam(capsys, "check", "--repo", repo, "--format", "svg")
    assert ran.code == 0
    drawn = [it.text or "" for it in ElementTree.fromstring(ran.out).iter()]
    assert 1 <= sum(text.endswith(", before → after") for text in drawn) <= 10
    assert len(ran.out) < 1_000_000


def test_what_is_left_out_is_counted_and_errors_come_before_warnings(
    crowded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check: dict[str, Any] = json.loads(ipam(capsys, "check", "--repo", crowded, "-o", "json").out)
    assert check["exitCode"] == 1
    found = check["findings"]
    assert len(found) == IN_ALL
    assert sum(1 for item in found if item["severity"] == Severity.ERROR) >= 1
    assert (found[-1]["code"], found[-1]["path"]) == (MORE, ".")
    assert found[-1]["message"].startswith("and ")
    assert check["plan"]["findings"] == found


def test_a_file_that_fails_behind_the_cut_fails_in_junit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {f"tenants/{n:04}.yaml": "kind: Nothing\n" for n in range(IN_ALL // 2 + 10)}
    repo = repository(tmp_path / "repo", {**SMALL, **files})
    root = ElementTree.fromstring(ipam(capsys, "check", "--repo", repo, "--format", "junit").out)
    (suite,) = (it for it in root if it.get("name") == "files")
    assert int(suite.get("failures", "0")) == len(files)


def one_cidr(count: int) -> dict[str, str]:
    return {f"pools/{n}.yaml": pool(f"p{n:04}") for n in range(count)}


def test_pools_of_one_block_are_told_once_each() -> None:
    references = ", ".join(f"{{name: p{n:04}}}" for n in range(1_500))
    files = {
        **one_cidr(1_500),
        "providers/default.yaml": provider(pools=f"[{references}]"),
        "tenants/all.yaml": "---\n".join(tenant(f"t{n:03}") for n in range(60)),
    }
    with within_reason():
        evaluation = evaluation_of(files)
    overlaps = [item for item in evaluation.findings if item.code == "pool-overlap"]
    assert len(overlaps) == 1_499
    assert max(len(item.message) for item in overlaps) < 1_000
    ranges = [
        item.allocation.range
        for item in evaluation.plan.decisions
        if not isinstance(item, Refuse) and item.allocation.range is not None
    ]
    assert len(ranges) == len(set(ranges)) == 32, "a /24 has room for so many"


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
