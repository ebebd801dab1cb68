"""Tables with names as teams choose them fit into a terminal."""

from reconciler.history.commits import CommitCause
from reconciler.history.who import of_ranges
from reconciler.report.text.plan import moves_text
from reconciler.report.text.pools import status_text
from reconciler.report.text.queries import who_text
from reconciler.report.text.table import Painter
from tests.families.plain.examples import claim, cluster, entry, files, pool
from tests.history.pasts import ROW, happened, version
from tests.moving import KEY, LEAVING, moving
from tests.world import evaluation_of, reconciled

PLAIN = Painter(is_on=False)
NAME = "production-backend-1"
POOLS = f"{pool(NAME, '[10.122.0.0/16]')}---\n{pool('lab', '[10.200.0.0/24]')}"
REFS = f"[{{name: {NAME}}}]"
CLUSTERS = cluster(
    *(entry(it, poolRefs=REFS, count=100) for it in ("public", "internal")), name="frontend-eu-1"
)
CLAIMS = "---\n".join(
    claim(f"database-{at}", "team-payments", poolRefs=REFS, count=9) for at in range(4)
)
EVALUATION = evaluation_of(reconciled(files(CLUSTERS, CLAIMS, POOLS)))


def width(text: str) -> int:
    return max(map(len, text.splitlines()))


def test_the_status_of_one_kind_fits_into_80_columns_and_wide_shows_all() -> None:
    shown = status_text(EVALUATION, PLAIN, None, wide=False)
    assert width(shown) <= 80
    assert "AddressPool" not in shown
    lines = status_text(EVALUATION, PLAIN, None, wide=True).splitlines()
    assert lines[0].split()[1] == "KIND"
    assert {"COUNT", "FRAG"} <= set(lines[0].split())
    assert lines[1].split()[:2] == ["lab", "AddressPool"]


def test_the_holders_of_a_pool_fit_into_120_columns_without_its_name() -> None:
    (item,) = happened(None, version())
    author = ROW._replace(author="Augusta Ada King <ada@example.com>", request="#1234")
    cause = item, CommitCause(author, "clusters/frontend-eu-1.yaml", 12)
    brought = {it.path: cause for it in EVALUATION.state.records}
    (extent,) = (it.extent for it in EVALUATION.state.pools.values() if it.key.name == NAME)
    shown = who_text(of_ranges(EVALUATION.state, list(extent)), brought, PLAIN)
    assert width(shown) <= 120
    assert shown.split()[:5] == ["ADDRESSES", "STATE", "HOLDER", "SINCE", "BY"]
    assert shown.splitlines()[-5].endswith("   Augusta Ada King")


def test_a_move_fits_into_120_columns() -> None:
    assert width(moves_text(moving(LEAVING, KEY), PLAIN)) <= 120
