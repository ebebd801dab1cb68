"""The comment tells of other open pull requests, too: what both would take, and who gets what second."""

from pathlib import Path

from tests.forges.commenting import describe, pushed
from tests.forges.forge import Forge
from tests.world import tenant


def opened(folder: Path, bare: Path, forge: Forge, numbers: range) -> str:
    """Pull requests that each ask for a range; the head of the first."""
    heads = [
        pushed(
            folder,
            bare,
            {f"tenants/n{number}.yaml": tenant(f"n{number}")},
            f"refs/pull/{number}/head",
        )
        for number in numbers
    ]
    for number, head in zip(numbers, heads, strict=True):
        forge.pull(head, number)
    return heads[0]


def test_what_others_would_take_too_is_told_in_the_comment(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = opened(tmp_path, bare, forge, range(1, 4))
    used = describe(tmp_path, forge, head)
    assert (used.code, used.outputs["exit-code"]) == (0, "0"), used.log
    (body,) = forge.bodies()
    assert "Beside other open changes" in body
    assert body.index("`pull/3/head (") < body.index("`pull/2/head (")
    assert "pull/1/head" not in body
    assert "both would take" in body
