"""The picture of pools as they are: cells, a legend in their colours, and no text but as text."""

import re
from xml.etree import ElementTree

from reconciler.planning.pool_map import pool_map
from reconciler.report.maps import pool_svg
from reconciler.report.text.pools import picture_lines
from tests.families.novaedge import pool as vip_pool
from tests.families.novaedge import vip
from tests.world import SMALL, evaluation_of, reconciled, tenant

SVG = "{http://www.w3.org/2000/svg}"
FILES = {
    **SMALL,
    "tenants/two.yaml": tenant("two"),
    "pools/p.yaml": vip_pool(cidrs="[2001:db8::/64]"),
    "tenants/v.yaml": vip(addressFamily="ipv6"),
}


def drawn() -> str:
    state = evaluation_of(reconciled(FILES)).state
    maps = [pool_map(state, key, 64) for key in sorted(state.pools)]
    return pool_svg([(it, picture_lines(it)) for it in maps])


def test_cells_and_what_they_mean_are_in_one_colour_within_the_paper() -> None:
    text = drawn()
    assert text == drawn()
    root = ElementTree.fromstring(text)
    shapes = list(root.iter(f"{SVG}rect"))
    texts = [it.text for it in root.iter(f"{SVG}text")]
    assert {"edge", "  A  team-a/one: 8", "  B  team-a/two: 8", "  A  2001:db8::1  1"} <= set(texts)
    assert [it.get("class") for it in shapes].count("a1") == 2  # its cells, and its line
    assert not re.search(r"href|url\(|@import|<script|http(?!://www\.w3\.org/2000/svg)", text)
    for it in shapes:
        right = int(it.get("x", "0")) + int(it.attrib["width"])
        below = int(it.get("y", "0")) + int(it.attrib["height"])
        assert right <= int(root.attrib["width"])
        assert below <= int(root.attrib["height"])
