"""Maps and diffs in a comment and in a picture, without active markup."""

import re
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from reconciler.planning import pool_map
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import PoolMap, pool_maps
from reconciler.planning.projection import carried_out
from reconciler.report.maps import changed_lines, map_svg
from reconciler.report.markdown import LIMIT, MAX_CLUSTERS, markdown_text
from reconciler.review.preview import ClusterChange, Preview, preview
from reconciler.review.result import Compared
from tests.report.hostile import corpus, tokens
from tests.world import SMALL, evaluation_of, reconciled, tenant

CHANGE = {**reconciled(SMALL), "tenants/two.yaml": tenant("two")}
SVG = "{http://www.w3.org/2000/svg}"


def maps_of(evaluation: Evaluation) -> tuple[PoolMap, PoolMap]:
    (key,) = evaluation.state.pools
    old, new = pool_maps((evaluation.state, carried_out(evaluation).state), key, 32)
    return old, new


def named(found: PoolMap, text: str) -> PoolMap:
    letters = {text: found.letters[next(iter(found.letters))]}
    parts = tuple(it._replace(title=text) if it.record else it for it in found.parts)
    rows = tuple(
        row._replace(cells=tuple(it._replace(title=text) if it and it.record else it for it in row.cells))
        for row in found.rows
    )  # fmt: skip
    holders = tuple(it._replace(title=text, letter=letters[text]) for it in found.holders[:1])
    return PoolMap(replace(found.pool, name=text), parts, holders, letters, found.per_cell, rows)


def everywhere(text: str) -> Preview:
    old, new = (named(it, text) for it in maps_of(evaluation_of(CHANGE)))
    files = ({"k.yaml": f"a\n{text}\nb"}, {"k.yaml": f"{text} c", f"{text}.yaml": text})
    return Preview(((old, new),), (ClusterChange(text, *files),))


def test_a_pool_too_large_for_cells_lists_the_ranges_that_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_map, "_MAX_CELLED", 1)
    maps = maps_of(evaluation_of(CHANGE))
    assert changed_lines(*maps) == [
        "edge",
        "+ B  10.40.0.8-10.40.0.15  8",
        "- .  10.40.0.8-10.40.0.255  248",
        "+ .  10.40.0.16-10.40.0.255  240",
        "  B  team-a/two: 0 → 8",
        "  .  free: 248 → 240",
    ]
    texts = [it.text for it in ElementTree.fromstring(map_svg([maps])).iter(f"{SVG}text")]
    assert texts == ["edge, before → after", *changed_lines(*maps)[1:]]


def test_a_comment_has_a_map_and_a_diff_for_each_cluster() -> None:
    evaluation = evaluation_of(CHANGE)
    found = preview(evaluation, lambda: evaluation_of(reconciled(SMALL)))
    text = markdown_text(Compared(evaluation), "check", base="main", preview=found)
    assert text.index("#### Maps, before → after") < text.index("#### Objects in clusters")
    assert (
        "<details><summary><code>team-a.two</code>: 2 objects changed</summary>\n\n```diff\n"
        in text
    )
    assert text.index("<code>team-a.two</code>") < text.index("<code>management</code>")
    assert "\n--- /dev/null\n+++ b/IPAddressPool/metallb-system.default-pool.yaml\n@@ -0,0" in text
    assert "\n+    - 10.40.0.8-10.40.0.15\n" in text
    fences = [it.info for it in tokens(text) if it.type == "fence"]
    assert fences == ["text", "diff", "diff"]


@pytest.mark.parametrize("text", corpus(), ids=ascii)
def test_no_text_of_a_file_becomes_a_shape_or_a_script_of_the_picture(text: str) -> None:
    root = ElementTree.fromstring(map_svg(everywhere(text).maps))
    found = list(root.iter())
    assert {it.tag.removeprefix(SVG) for it in found} == {"svg", "title", "style", "rect", "text"}
    known = {"class", "x", "y", "width", "height", "viewBox", "role"}
    assert {name for it in found for name in it.attrib} <= known
    plain = ElementTree.fromstring(map_svg(everywhere("plain").maps))
    assert root.find(f"{SVG}style").text == plain.find(f"{SVG}style").text  # type: ignore[union-attr]
    assert all((it.text or "").isprintable() for it in found if it.tag == f"{SVG}text")


def test_a_comment_fits_whatever_clusters_get_and_tables_keep_their_half() -> None:
    evaluation = evaluation_of(
        {**SMALL, **{f"tenants/{at}.yaml": tenant(f"n{at}") for at in range(30)}}
    )
    long = {f"k{at}.yaml": "x: y\n" * 300 for at in range(20)}
    many = tuple(ClusterChange(f"c{at}", {}, long) for at in range(60))
    found = Preview((maps_of(evaluation),), many, base="b" * 40)
    text = markdown_text(Compared(evaluation), "check", base="main", preview=found)
    assert LIMIT - 6_000 < len(text) <= LIMIT
    assert text.count("team-a/n") >= 30
    assert f"*{60 - MAX_CLUSTERS} more clusters left out. Run `ipam render` to see all.*" in text
    assert len(re.findall(r"^\*\d+ more lines do not fit here\.\*$", text, re.MULTILINE)) >= 30
    assert text.count("<details>") == text.count("</details>")
    assert len([it for it in tokens(text) if it.type == "fence"]) == 1 + MAX_CLUSTERS
    assert text.endswith("</sub>\n")
