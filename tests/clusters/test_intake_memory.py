"""What is remembered between looks: written as text, and read back, whatever the text."""

from hypothesis import given
from hypothesis import strategies as st

from reconciler.clusters.intake_memory import (
    MOST,
    IntakeMemory,
    hash_of,
    memory_text,
    read_memory,
)

SHOP = ("cluster.x-k8s.io", "Cluster", "default", "shop")
POOL = ("ipam.cluster.x-k8s.io", "GlobalInClusterIPPool", "", "vips")
MEMORY = IntakeMemory(
    {SHOP: 5, POOL: 6}, {SHOP: hash_of("why")}, {"Cluster.x": "uid"}, {"Cluster.x": ((1, 2), (3, 4))},
    "89 90", "uid 70 65",
)  # fmt: skip


def test_what_is_written_is_read_back() -> None:
    assert read_memory(memory_text(MEMORY)) == MEMORY
    assert memory_text(IntakeMemory()) == ""


def test_lines_tell_a_person_what_is_remembered() -> None:
    assert memory_text(MEMORY).splitlines() == [
        "older 89 90",
        "accepted uid 70 65",
        "crd Cluster.x uid",
        "went Cluster.x 1 2",
        "went Cluster.x 3 4",
        "missing Cluster.cluster.x-k8s.io/default/shop 5",
        "missing GlobalInClusterIPPool.ipam.cluster.x-k8s.io/_/vips 6",
        f"told Cluster.cluster.x-k8s.io/default/shop {hash_of('why')}",
    ]


def test_a_line_that_cannot_be_read_says_nothing() -> None:
    odd = (
        "crd\nmissing x 5\nmissing A.b/c/d x\nmissing A/c/d 5\ntold A.b/c 5\nwent a b c\n\nx y z\n"
        "older 5\nolder 5 x\naccepted uid 5\naccepted uid x 5\n"
    )
    assert read_memory(odd) == IntakeMemory()
    assert read_memory(f"{odd}{memory_text(MEMORY)}") == MEMORY


def test_what_has_no_room_is_left_for_later() -> None:
    many = {(*SHOP[:3], f"c{at:06}"): at for at in range(3_000)}
    text = memory_text(IntakeMemory(many, {}, {"Cluster.x": "uid"}))
    assert len(text) <= MOST
    found = read_memory(text)
    assert found.crds == {"Cluster.x": "uid"}
    assert 0 < len(found.missing) < 3_000


@given(st.text(alphabet="crdmisngtoldwepa ./_15\n", max_size=60))
def test_no_text_is_more_than_a_memory(text: str) -> None:
    found = read_memory(text)
    assert read_memory(memory_text(found)) == found
