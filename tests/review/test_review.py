import pytest

from reconciler.reconcile.evaluation import exit_code
from reconciler.report.json import plan_document
from reconciler.report.markdown import markdown_text
from reconciler.report.text.plan import check_text, plan_text
from reconciler.report.text.table import Painter
from reconciler.review.checks import review
from reconciler.review.result import Compared
from tests.planning.outcome import Files, without
from tests.review.sides import branch, encoded, reviewed, sides
from tests.world import CLOCK, SMALL, evaluation_of, pool, raw, reconciled, tenant

DONE = reconciled(SMALL)
SETTINGS = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\nspec: {gate: never}\n"


def codes(base: Files, head: Files) -> list[str]:
    evaluation = reviewed(base, head).evaluation
    return [item.code for item in (*evaluation.findings, *evaluation.gates)]


def test_without_a_base_nothing_is_compared() -> None:
    repository = branch({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/16")}, SMALL)
    assert review(repository.source("HEAD"), repository).evaluation.findings == ()
    assert not review(repository.source("HEAD"), repository).evaluation.moves


def test_with_a_base_a_pool_that_shrank_is_found() -> None:
    wide = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/16")}
    assert codes(wide, SMALL) == ["pool-changed", "pool-shrunk"]


def test_a_pool_that_moved_to_another_file_is_the_same_pool() -> None:
    moved = {**without(SMALL, "pools/edge.yaml"), "pools/new.yaml": SMALL["pools/edge.yaml"]}
    assert codes(SMALL, moved) == []


def test_a_change_of_settings_is_judged_by_those_of_the_base() -> None:
    full = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/29")}
    before = {path: text for path, text in full.items() if path != "tenants/one.yaml"}
    assert codes(before, {**full, "ipam.yaml": SETTINGS}) == ["settings-changed", "capacity"]


@pytest.mark.parametrize(
    ("said", "told", "end"),
    [
        ("retention: 0s", "retention from 24h to 0s", ", so addresses are free sooner than shown"),
        ("retention: 48h", "retention from 24h to 48h", ""),
        ("gate: never", "gate from exhausted to never", ""),
        ("brakes: {minRecords: 99, maxReleasePercent: 100}",
         "brakes.maxReleasePercent from 30 to 100, brakes.minRecords from 10 to 99", ""),
        ("committer: {name: other}", "committer", ""),
        ("gate: exhausted", "", ""),
    ],
)  # fmt: skip
def test_a_change_of_settings_names_what_differs(said: str, told: str, end: str) -> None:
    repository, first = sides(DONE, {**DONE, "ipam.yaml": SETTINGS.replace("gate: never", said)})
    (found,) = review(repository.source("HEAD"), repository, first).evaluation.findings
    told = f" ({told})" if told else ""
    start = f"Settings changed{told}; this check uses the Settings of {first}"
    assert (found.message, found.hint) == (f"{start}{end}", "")


def test_a_record_that_is_edited_in_the_change_is_found() -> None:
    (path,) = (path for path in DONE if path.startswith("allocations/"))
    text = raw(DONE[path]).replace(b"team: team-a", b"team: team-b")
    assert codes(DONE, {**DONE, path: text}) == ["records-changed"]


def test_files_outside_of_sources_and_records_are_not_read() -> None:
    extra = {"docs/pools.yaml": "a: [\n", "pools/notes.txt": "x"}
    assert codes({**SMALL, **extra}, {**SMALL, **dict.fromkeys(extra, "y")}) == []


def test_records_that_a_change_leaves_in_the_old_folder_are_an_error() -> None:
    (path,) = (path for path in DONE if path.startswith("allocations/"))
    moved = {"ipam.yaml": SETTINGS.replace("gate: never", "records: elsewhere")}
    moved["elsewhere/x.yaml"] = raw(DONE[path]).decode()
    found = [it.message for it in reviewed(DONE, {**DONE, **moved}).evaluation.findings]
    assert "spec.records is elsewhere/, but some records are still in allocations/" in found


def test_a_base_with_commits_that_the_change_lacks_is_told() -> None:
    repository = branch(SMALL)
    start = repository.head
    ahead = repository.add(start, CLOCK + 1, encoded({**SMALL, "tenants/two.yaml": tenant("two")}))
    repository.head = repository.add(start, CLOCK + 2, encoded({**SMALL, "pools/b.yaml": pool("b", "10.9.0.0/24")}))  # fmt: skip
    compared = review(repository.source("HEAD"), repository, ahead)
    assert [item.code for item in compared.evaluation.findings] == ["base-ahead", "pool-added"]


def test_the_exit_code_is_one_for_errors_three_for_gates_else_zero() -> None:
    assert exit_code(evaluation_of(SMALL)) == 0
    assert exit_code(evaluation_of({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")})) == 3
    assert exit_code(evaluation_of({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.1/24")})) == 1
    warned = {"pools/a.yaml": pool("a"), "pools/b.yaml": pool("b")}
    assert exit_code(evaluation_of(warned)) == 0


def test_a_pool_that_is_widened_is_told_with_both_sizes_though_no_address_changes() -> None:
    small = reconciled({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/28")})
    wide = {**small, "pools/edge.yaml": pool(cidr="10.40.0.0/26")}
    compared = reviewed(small, wide)
    evaluation = compared.evaluation
    row = "50.0% of 16 → 12.5% of 64   8 → 56 free, largest range 8 → 56   ok\n"
    assert f"Pools\n  edge   {row}" in check_text(Compared(evaluation), Painter(is_on=False))
    assert f"Pools\n  edge   {row}" in plan_text(evaluation, Painter(is_on=False))
    shown = markdown_text(compared, "check")
    assert "| 50.0% of 16 → 12.5% of 64 | 8 → 56 | 8 → 56 |" in shown
    (told,) = plan_document(evaluation)["pools"]
    assert (told["total"], told["largestFreeBlock"]) == (64, 56)
    before = {"allocated": 8, "utilizationPercent": 50.0, "tier": "ok"}
    assert told["before"] == {**before, "total": 16, "available": 8, "largestFreeBlock": 8}
    assert evaluation.changes == ()
    assert "Pools" not in check_text(reviewed(wide, wide), Painter(is_on=False))
