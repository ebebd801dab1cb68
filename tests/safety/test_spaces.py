"""The address space of a pool, by the net's own look at source files."""

import pytest

from reconciler.safety.clashes import UNKNOWN, PoolText, described_pools, may_share, spaces_of

POOL = PoolText("NetworkPool", "butler-system", "edge")
KINDS = {"NetworkPool": "butler-system", "OtherPool": ""}
LAB = "gitops-ipam.dev/address-space: lab"


def document(more: str = "", name: str = "edge", kind: str = "NetworkPool") -> str:
    return f"kind: {kind}\nmetadata: {{name: {name}{more}}}\nspec: {{cidr: 10.0.0.0/24}}\n"


def space(*files: str, pool: PoolText = POOL) -> str | None:
    found = [
        item
        for text in files
        for item in described_pools(KINDS, {"edge"}, "pools/x.yaml", text.encode())
    ]
    return spaces_of([pool], found)[pool]


def test_a_pool_is_of_the_space_that_its_annotation_names() -> None:
    assert space(document(f", annotations: {{{LAB}}}")) == "lab"
    assert space(f"{document(name='other')}---\n{document(f', annotations: {{{LAB}}}')}") == "lab"


@pytest.mark.parametrize(
    "more", ["", ", annotations: {}", ", annotations: {a: b}", ", namespace: butler-system"]
)
def test_without_one_it_is_of_the_default_space(more: str) -> None:
    assert space(document(more)) == "default"


@pytest.mark.parametrize(
    "text",
    [
        "",
        document(name="other"),
        document(kind="OtherPool"),
        "kind: NetworkPool\nmetadata: {name: [edge]}\n",
        "- kind: NetworkPool\n- edge\n",
        document(", annotations: {gitops-ipam.dev/address-space: 4}"),
        document(", annotations: [x]"),
        document()[:-2] + "\n",
        f"{document()}]",
    ],
)
def test_whatever_is_not_certain_is_unknown(text: str) -> None:
    assert space(text) is None


def test_two_answers_are_none() -> None:
    assert space(document(), document(f", annotations: {{{LAB}}}")) is None
    assert space(document(), document()) == "default"


def test_a_file_that_cannot_be_read_makes_unclear_what_stands_in_it() -> None:
    assert space(document(), f"{document(name='edge')}]") is None
    assert space(document(), f"{document(name='other')}]") == "default"


def test_a_pool_of_which_nothing_is_said_is_of_no_known_space() -> None:
    assert space(document(), pool=UNKNOWN) is None
    assert space(document(), pool=PoolText("", "", "edge")) == "default"


def test_only_two_known_spaces_are_apart() -> None:
    assert not may_share("default", "lab")
    assert may_share("lab", "lab")
    assert may_share(None, "lab")
    assert may_share("lab", None)
