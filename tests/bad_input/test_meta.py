"""What holds for the bad-input table as a whole: every code, every machine, every flipped byte."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.codes import CODES
from reconciler.reconcile.evaluation import exit_code
from reconciler.report.json import check_document, json_text, plan_document
from reconciler.report.text.plan import check_text
from reconciler.report.text.table import Painter
from reconciler.review.result import Compared
from tests.bad_input.harness import cases, settled
from tests.examples import scaled
from tests.world import evaluation_of, provider, request, tenant

ELSEWHERE = {
    "more-findings": "many of them: tests/hostile/test_sizes.py",
    "settings-changed": "check --base: tests/review",
    "records-changed": "check --base: tests/ownership_of_records",
    "records-edited": "records: tests/ownership_of_records",
    "records-imported": "check --base: tests/ownership_of_records",
    "path-invalid": "paths: tests/hostile/test_odd_history.py",
    "records-left": "roots that move: tests/cli/test_moved_roots.py",
    "not-a-folder": "trees that mean it: tests/hostile/test_odd_entries.py",
    "base-ahead": "check --base: tests/review",
    "nothing-to-check": "a repository as a whole: tests/cli/test_emptiness.py",
    "override-misplaced": "overrides: tests/planning/test_overrides.py",
    "override-added": "overrides: tests/hostile",
    "override-expired": "overrides: tests/hostile",
    "override-long": "tests/planning/test_overrides.py",
    "override-used": "overrides: tests/planning/test_overrides.py",
    "override-short": "overrides: tests/planning/test_overrides.py",
    "override-unused": "overrides: tests/planning/test_overrides.py",
    "name-clash": "paths: tests/hostile",
    "file-not-read": "paths: tests/hostile",
    "pool-shrunk": "check --base: tests/review",
    "gate-changed": "check --base: tests/hostile",
    "pool-added": "check --base: tests/hostile",
    "pool-changed": "check --base: tests/hostile",
    "pool-unreserved": "check --base: tests/review/test_unreserved.py",
    "provider-added": "check --base: tests/hostile",
    "provider-changed": "check --base: tests/hostile",
    "team-added": "check --base: tests/hostile",
    "team-changed": "check --base: tests/hostile",
    "address-space-added": "check --base: tests/hostile",
    "address-space-overlap": "check --base: tests/review/test_pools.py",
    "address-space-changed": "check --base: tests/hostile",
    "not-yours": "what teams may ask for: tests/planning/test_ownership.py",
    "pin-conflict": "two documents: tests/families/test_pinned_tenants.py",
    "pin-stands-for-claim": "two documents: tests/families/test_standing_in.py",
    "request-beside-claim": "two documents: tests/families/test_standing_in.py",
    "load-balancer-new": "two documents: tests/cli/test_import.py",
    "provider-implicit": "two documents: tests/families/test_implicit.py",
    "namespace-implicit": "two documents: tests/families/test_implicit.py",
    "pools-mixed": "beside a record: tests/families/test_implicit.py",
    "size-smaller": "beside a record: tests/families/test_sizes.py",
    "manual-range-added": "check --base: tests/hostile",
    "manual-range-changed": "check --base: tests/hostile",
    "observed-edited": "what was observed: tests/planning/test_observed.py, tests/reconcile",
    "demand-unused": "growth: tests/families/test_growth.py",
    "demand-unasked": "clusters: tests/reconcile/looking",
    "renamed": "a rename: tests/planning/test_renaming.py",
    "rename-refused": "a rename: tests/planning/test_renaming.py",
    "rename-unused": "a rename: tests/planning/test_renaming.py",
    "announcement-lost": "check --base: tests/hostile/test_announced.py",
    "announcement-moved": "check --base: tests/hostile/test_announced.py",
    "cluster-pool-renamed": "check --base: tests/review/test_cluster_pools.py",
    "handed-on": "check --base: tests/cli/test_takeovers.py",
    "name-reused": "check --base: tests/cli/test_takeovers.py",
    "looks-renamed": "check --base: tests/reconcile",
    "record-unreadable": "group R: tests/records",
    "record-edited": "group R: tests/records",
    "pin-withdrawn": "check --base: tests/hostile/test_pins_before.py",
    "commit-dated-back": "a history: tests/hostile",
    "commit-carried": "a history: tests/hostile",
    "record-misplaced": "group R: tests/records",
    "record-overlap": "group R: tests/planning",
    "record-duplicate": "group R: tests/planning",
    "import-conflict": "imports: tests/importing",
    "intake-rejected": "clusters: tests/apply/execution/test_intake.py",
    "intake-held": "clusters: tests/apply/execution/test_intake.py",
    "intake-doubt": "clusters: tests/apply/execution/test_intake.py",
    "claim-moves": "a person lets it: tests/planning",
    "claim-left": "a person lets it: tests/planning",
    "brake-held": "a history: tests/hostile/test_brakes.py",
    "settings-loosened": "a history: tests/hostile/test_brakes.py",
    "record-stale": "lifecycle: tests/planning",
    "expiry-held": "clusters: tests/apply/execution and tests/e2e",
    "release-held": "lifecycle: tests/planning",
    "last-good": "a history: tests/reconcile",
    "history-cut": "a shallow clone: tests/reconcile",
    "settings-gone": "a history: tests/reconcile",
    "clock-ahead": "dates: tests/contracts",
    "clock-behind": "dates: tests/reconcile",
    "name-reserved": "clusters: tests/reconcile",
    "no-matching-pool": "NovaEdge: tests/families/novaedge",
    "auto-assign-disabled": "NovaEdge: tests/families/novaedge",
    "adoption-conflict": "NovaEdge: tests/families/novaedge",
    "claim-paused": "Cluster API: tests/families/capi",
    "pool-ambiguous": "Cluster API: tests/families/capi",
    "variable-missing": "Cluster API: tests/families/capi",
    "label-unfit": "Cluster API: tests/families/capi",
}


def test_every_code_has_a_case_or_is_tested_elsewhere() -> None:
    covered = {wanted.code for case in cases() for wanted in case.findings}
    assert set(CODES) - covered == set(ELSEWHERE)


VALID = {
    **settled(),
    "tenants/asked.yaml": request("asked", count=4).encode(),
    "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 3}").encode(),
    "providers/second.yaml": provider("second", gateway="10.40.0.1").encode(),
    "ipam.yaml": b"apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    b"spec:\n  retention: 24h\n  thresholds: {warning: 70}\n",
}
INTERESTING = st.one_of(
    st.sampled_from([bytes([byte]) for byte in b"\n\t -:#{}[]\"'&*!|>%@`~0\x00\x7f\xff"]),
    st.binary(max_size=4),
    st.sampled_from([b"---\n", b"null", b"[]", b"{}", b".nan", b"1e999999999999", b"9" * 30]),
)


@settings(max_examples=scaled(300))
@given(st.data())
def test_a_flipped_byte_never_ends_in_anything_but_a_finding(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(VALID)))
    text = VALID[path]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 3))
        text = text[:at] + data.draw(INTERESTING) + text[at + length :]
    evaluation = evaluation_of({**VALID, path: text})
    code = exit_code(evaluation)
    assert code in (0, 1, 3)
    plan = plan_document(evaluation)
    written = json_text(check_document(Compared(evaluation), plan, code))
    assert "\x1b" not in written + check_text(Compared(evaluation), Painter(is_on=False))
