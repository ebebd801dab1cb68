"""Objects at addresses."""

from typing import Any

import pytest

from reconciler.addresses import IPRange, asked_range
from reconciler.report.queries import objects_at
from tests.families.novaedge import vip
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, tenant

NETWORKS = "{podCIDR: 10.40.0.0/16, serviceCIDR: 10.96.0.0/12}"
FILES = reconciled(
    {
        **SMALL,
        "pools/edge.yaml": pool(reserved="[{cidr: 10.40.0.128/25}]"),
        "providers/default.yaml": provider(gateway="10.41.0.1"),
        "tenants/web.yaml": vip(of="", address="10.40.0.200"),
        "tenants/two.yaml": tenant("two", networking=NETWORKS),
    }
)


def describe(text: str) -> dict[str, Any]:
    asked = asked_range(text)
    assert asked is not None
    return objects_at(evaluation_of(FILES), asked)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("10.0.0.1", IPRange(4, 0x0A000001, 0x0A000001)),
        ("10.0.0.0/30", IPRange(4, 0x0A000000, 0x0A000003)),
        ("::a-::f:0:0:0:b", None),
        ("2001:db8::1-2001:db8::ffff", IPRange(6, (0x20010DB8 << 96) + 1, (0x20010DB8 << 96) + 0xFFFF)),
        ("10.0.0.9-2001:db8::1", None),
        ("10.0.0.9/24", None),
        ("team-a", None),
    ],
)  # fmt: skip
def test_an_address_a_cidr_or_a_range_is_asked_for(text: str, item: IPRange | None) -> None:
    assert asked_range(text) == item


def test_what_a_pool_does_with_addresses_is_told() -> None:
    said = {text: describe(text)["items"][0]["says"] for text in ("10.40.0.129", "10.40.0.120/29")}
    assert said == {"10.40.0.129": "reserves", "10.40.0.120/29": "allocates"}
    assert describe("10.40.0.0/24")["items"][0]["says"] == "allocates some of"
