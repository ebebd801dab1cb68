"""The map of a pool for people: cells or intervals, and a legend."""

import pytest
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import pool_map
from reconciler.report.text.pools import GUTTER, map_text, short_text
from reconciler.report.text.table import Painter
from tests.families.novaedge import pool as vip_pool
from tests.families.novaedge import vip
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, request, tenant

PLAIN, COLOURED = Painter(is_on=False), Painter(is_on=True)


def test_a_cell_of_several_addresses_is_said_and_holders_without_a_letter_are_counted() -> None:
    files: dict[str, str | bytes] = {
        "pools/e.yaml": pool(cidr="10.40.0.0/20"),
        "providers/d.yaml": provider(),
    }
    for number in range(64):
        files[f"tenants/{number:03d}.yaml"] = request(f"t{number:03d}", count=2)
    state = evaluation_of(reconciled(files)).state
    text = map_text(pool_map(state, next(iter(state.pools)), 64), PLAIN)
    assert text.startswith("edge  a cell is 2 addresses\n10.40.0.0        ABCD")
    assert "\n  *  3 others: 6\n" in text


def shorts(evaluation: Evaluation, width: int) -> str:
    state, usage = evaluation.state, evaluation.plan.before
    maps = [(pool_map(state, key, width - GUTTER, 2), usage[key]) for key in sorted(state.pools)]
    return short_text(maps, PLAIN, width)


def test_what_two_records_hold_comes_before_all_else() -> None:
    evaluation = evaluation_of(reconciled({**SMALL, "tenants/two.yaml": tenant("two")}))
    one, two = evaluation.state.records
    both = replace(one, range=IPRange(4, two.range.first, two.range.first)) if two.range else one
    state = replace(evaluation.state, records=(both, two))
    found = pool_map(state, next(iter(state.pools)), 32)
    text = map_text(found, PLAIN)
    assert text.splitlines()[1].split()[1].startswith("........%BBBBBBB.")
    assert "  %  in conflict: 10.40.0.8: team-a/one, team-a/two\n" in text
    assert "\x1b[31m%\x1b[0m" in map_text(found, COLOURED)
    short = short_text([(found, evaluation.plan.before[found.pool])], PLAIN)
    assert "\n% in conflict, . free" in short


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    long = "a-name-that-is-as-long-as-names-of-tenants-may-be-in-kubernetes"
    files = {
        **SMALL,
        "tenants/long.yaml": tenant(long),
        "pools/p.yaml": vip_pool(cidrs="[2001:db8:1111:2222:3333:4444:5555:0/112]"),
        "tenants/v.yaml": vip(addressFamily="ipv6"),
        "pools/l.yaml": pool(long, "10.50.0.0/16"),
    }
    evaluation = evaluation_of(reconciled(files))
    state = evaluation.state
    texts = [map_text(pool_map(state, key, width - GUTTER), PLAIN, width) for key in state.pools]
    for line in "".join([*texts, shorts(evaluation, width)]).splitlines():
        assert len(line) <= width, line
