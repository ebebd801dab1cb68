from reconciler.report.text.pools import status_text
from reconciler.report.text.table import Painter
from tests.families.novaedge import pool as vip_pool
from tests.world import evaluation_of

PLAIN, COLOURED = Painter(is_on=False), Painter(is_on=True)


def test_what_ipv6_has_is_cut_in_the_table_and_exact_in_a_wide_one() -> None:
    evaluation = evaluation_of({"pools/six.yaml": vip_pool("six", cidrs="[2001:db8::/64]")})
    assert status_text(evaluation, PLAIN).split()[-9:-1] == [
        "1.8e19", "0", "0", "1.8e19", "0", "0", "0.0", "ok",
    ]  # fmt: skip
    total = str(1 << 64)
    assert status_text(evaluation, PLAIN, wide=True).split()[-9:-5] == [total, "0", "0", total]
