from reconciler.report.text.status import status_text
from reconciler.report.text.table import Painter
from tests.families.novaedge import pool as vip_pool
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, tenant

PLAIN, COLOURED = Painter(is_on=False), Painter(is_on=True)


def test_status_has_the_columns_of_the_contract() -> None:
    assert status_text(evaluation_of(reconciled(SMALL)), PLAIN) == (
        "NAME   KIND          TOTAL   ALLOC   HELD   AVAIL   COUNT   FRAG   USED%   TIER   USE\n"
        "edge   NetworkPool     256       8      0     248       1      0     3.1   ok     ▓░░░░░░░░░\n"
    )
    assert status_text(evaluation_of({}), PLAIN) == "No pools found.\n"


def test_a_full_pool_is_red_and_a_warning_yellow() -> None:
    files = {
        "pools/a.yaml": pool("a", "10.40.0.0/29"),
        "pools/b.yaml": pool("b", "10.41.0.0/29"),
        "providers/default.yaml": provider(pools="[{name: a}, {name: b}]"),
        "tenants/1.yaml": tenant("one"),
        "tenants/2.yaml": tenant("two", networking="{lbPoolSize: 6}"),
    }
    text = status_text(evaluation_of(reconciled(files)), COLOURED)
    assert "\x1b[31mexhausted\x1b[0m" in text
    assert "\x1b[33mwarning\x1b[0m" in text


def test_what_ipv6_has_is_cut_in_the_table_and_exact_in_a_wide_one() -> None:
    evaluation = evaluation_of({"pools/six.yaml": vip_pool("six", cidrs="[2001:db8::/64]")})
    assert status_text(evaluation, PLAIN).split()[-9:-1] == [
        "1.8e19", "0", "0", "1.8e19", "0", "0", "0.0", "ok",
    ]  # fmt: skip
    total = str(1 << 64)
    assert status_text(evaluation, PLAIN, wide=True).split()[-9:-5] == [total, "0", "0", total]


def test_without_utf_8_the_bar_is_ascii() -> None:
    text = status_text(evaluation_of(reconciled(SMALL)), PLAIN, plain=True)
    assert text.endswith("   #.........\n")
