import pytest
from msgspec.structs import replace

from reconciler.model.key import Key, is_label, is_name

CLAIM = Key("butler", "team-backend", "my-cluster", "loadbalancer", "TenantCluster")
POOL = Key("butler", "butler-system", "vlan40-pool", "", "NetworkPool")
CLUSTER_SCOPED = Key("capi", "", "global", "", "GlobalInClusterIPPool")


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (CLAIM, "butler/TenantCluster/team-backend/my-cluster/loadbalancer"),
        (POOL, "butler/NetworkPool/butler-system/vlan40-pool"),
        (CLUSTER_SCOPED, "capi/GlobalInClusterIPPool/_/global"),
    ],
)
def test_a_key_is_one_text_that_reads_back(key: Key, text: str) -> None:
    assert str(key) == text
    assert Key.parse(text) == key
    assert key.is_sound


@pytest.mark.parametrize(
    "text",
    [
        "",
        "butler/NetworkPool/butler-system",
        "butler/NetworkPool/butler-system/a/nodes/more",
        "butler/NetworkPool//a",
        "butler/NetworkPool/butler-system/a/",
        "butler/NetworkPool/butler-system/a\n",
        "butler/TenantCluster/../a/nodes",
        "butler/TenantCluster/team/a/..",
        "butler/TenantCluster/team/-a/nodes",
        "butler/TenantCluster/te am/a/nodes",
        "butler/TenantCluster/team/a..b/nodes",
        "butler/TenantCluster/te.am/a/nodes",
        f"butler/TenantCluster/team/{'a' * 254}/nodes",
    ],
)
def test_a_text_that_no_key_writes_is_no_key(text: str) -> None:
    assert Key.parse(text) is None


def test_a_key_with_parts_that_are_no_names_is_not_sound() -> None:
    assert not replace(CLAIM, namespace="..").is_sound
    assert not replace(CLAIM, name="a/b").is_sound
    assert not replace(POOL, name="").is_sound


def test_a_name_is_a_subdomain_and_a_label_has_no_dot() -> None:
    assert all(map(is_name, ("a.b-c", "a" * 253)))
    assert not any(map(is_name, ("a..b", "a" * 254)))
    assert all(map(is_label, ("b-c", "a" * 63)))
    assert not any(map(is_label, ("a.b", "a" * 64)))


def test_a_key_that_never_ends_is_refused_quickly() -> None:
    assert Key.parse(f"butler/TenantCluster/{'a' * 100_000}") is None


def test_slots_of_one_owner_sort_by_their_numbers() -> None:
    slots = ["nodes", "loadbalancer-10", "address", "loadbalancer-2", "loadbalancer"]
    keys = sorted((replace(CLAIM, slot=slot) for slot in slots), key=lambda it: it.slot_order)
    assert [it.slot for it in keys] == [slots[2], slots[4], slots[3], slots[1], slots[0]]
