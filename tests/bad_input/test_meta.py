"""Checks of the bad-input table: each code has a case, and random edits cause no crash."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.codes import CODES
from reconciler.reconcile.evaluation import exit_code
from reconciler.report.formats import json_text
from reconciler.report.json import check_document, plan_document
from reconciler.report.text.plan import check_text
from reconciler.report.text.table import Painter
from reconciler.review.result import Compared
from tests.bad_input.harness import HERE, cases, settled
from tests.examples import scaled
from tests.world import evaluation_of, provider, request, tenant

# Their tests go by the message, the count, or the severity.
BY_MESSAGE = {
    *("demand-unasked", "intake-doubt", "intake-rejected", "load-balancer-new"),
    *("more-findings", "pool-unreserved", "settings-gone", "team-changed"),
}


def test_every_code_has_a_case_or_a_test_that_names_it() -> None:
    covered = {wanted.code for case in cases() for wanted in case.findings}
    tests = "".join(it.read_text("utf-8") for it in HERE.parent.rglob("test_*.py"))
    assert {code for code in CODES if code not in tests} - covered <= BY_MESSAGE


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
