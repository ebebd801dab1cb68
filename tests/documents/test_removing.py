"""One field taken out of a file of people, where everything else stays as they wrote it."""

import pytest

from reconciler.documents.edit import without_field
from tests.documents.test_editing import TENANT, document

FIELD = ("spec", "networking", "loadBalancerPool")
RANGE = "{start: 10.40.0.0, end: 10.40.0.7}"
BLOCK = """spec:
  networking:
    lbPoolSize: 8
    # as it was
    loadBalancerPool:
      start: 10.40.0.0
      # the last one
      end: 10.40.0.7  # VLAN 40

    # of pods
    podCIDR: 10.244.0.0/16
"""
WITHOUT = """spec:
  networking:
    lbPoolSize: 8
    # as it was

    # of pods
    podCIDR: 10.244.0.0/16
"""
LAST = f"spec:\n  workers: {{replicas: 1}}\n  networking:\n    loadBalancerPool: {RANGE}\n"


def saying(spec: str) -> str:
    return TENANT.replace("spec: {workers: {replicas: 1}}\n", spec)


def cut(text: str, at: int = 0) -> str | None:
    data = without_field(document(text, at), FIELD)
    return None if data is None else data.decode()


@pytest.mark.parametrize(
    ("spec", "rest"),
    [
        (BLOCK, WITHOUT),
        (BLOCK.replace("\n", "\r\n"), WITHOUT.replace("\n", "\r\n")),
        (LAST, "spec:\n  workers: {replicas: 1}\n"),
        (LAST.rstrip("\n"), "spec:\n  workers: {replicas: 1}"),
        (
            f"spec:\n  networking:\n    loadBalancerPool: {RANGE[:-1]}\n      }}\n  workers: {{}}\n",
            "spec:\n  workers: {}\n",
        ),
        (
            f"spec: {{networking: {{loadBalancerPool: {RANGE}, lbPoolSize: 8}}}}\n",
            "spec: {networking: {lbPoolSize: 8}}\n",
        ),
        (
            f"spec: {{networking: {{lbPoolSize: 8,\n  loadBalancerPool: {RANGE}}}}}\n",
            "spec: {networking: {lbPoolSize: 8}}\n",
        ),
        (
            f"spec: {{networking: {{loadBalancerPool: {RANGE}}}, workers: {{replicas: 1}}}}\n",
            "spec: {workers: {replicas: 1}}\n",
        ),
        (f"spec:\n  networking: {{loadBalancerPool: {RANGE}}}\n", ""),
    ],
)
def test_a_field_goes_with_what_holds_nothing_else_and_all_else_stays(spec: str, rest: str) -> None:
    assert cut(saying(spec)) == saying(rest)


def test_of_several_documents_only_the_one_that_is_meant_changes() -> None:
    other = saying(BLOCK).replace("name: one", "name: two")
    assert cut(f"{saying(BLOCK)}---\n{other}", 1) == f"{saying(BLOCK)}---\n" + other.replace(
        BLOCK, WITHOUT
    )


def test_a_field_that_is_not_the_first_of_its_lines_is_left_to_a_person() -> None:
    assert (
        cut(
            saying(
                f"spec:\n  networking:\n    ? loadBalancerPool\n    : {RANGE}\n    lbPoolSize: 8\n"
            )
        )
        is None
    )
