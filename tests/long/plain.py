"""Edits of a plain repository for random pull requests: pools, claims, clusters, and teams."""

from collections.abc import Callable
from random import Random
from typing import Any

import yaml

from tests.families.plain.examples import SETTINGS, claim, cluster, entry, pool

Files = dict[str, str]
TWO = "[{name: internal}, {name: v6}]"
FILES: Files = {
    "ipam.yaml": SETTINGS,
    "pools/internal.yaml": pool("internal", "[10.40.0.0/25]"),
    "pools/far.yaml": pool("far", "[10.50.0.0/26]", useAllAddresses="true"),
    "pools/v6.yaml": pool("v6", '["2001:db8::/120"]'),
    "clusters/one.yaml": cluster(
        entry("internal", count=8, services="{default: true}", advertisement="{type: L2}"),
        entry("dmz", poolRefs=TWO, count=2, services="{namespaces: [edge]}"),
        name="one",
    ),
    "clusters/two.yaml": cluster(
        entry("default-pool", addresses="[10.40.0.64-10.40.0.79]"),
        entry("bgp", poolRefs="[{name: far}]", count=4, growth="{increment: 2, max: 12}"),
        name="two",
    ),
    "clusters/three.yaml": cluster(entry("web", prefixLength=29), name="three"),
    "claims/db.yaml": claim("db", "team-a", count=3),
    "claims/net.yaml": claim("net", "team-b", poolRefs="[{name: far}, {name: internal}]", prefixLength=29),
    "claims/vm.yaml": claim("vm", "team-a", addresses="[10.40.0.100]"),
}  # fmt: skip


def _range(lot: Random) -> str:
    start = lot.choice([lot.randint(1, 120), 64, 72])
    return f"10.40.0.{start}-10.40.0.{min(start + lot.choice([0, 1, 7, 15]), 126)}"


def _size(lot: Random) -> dict[str, Any]:
    return lot.choice(
        [
            {"count": lot.choice([1, 2, 4, 8, 12, 16, 64])},
            {"prefixLength": lot.choice([26, 28, 29, 30, 32])},
            {"addresses": [_range(lot) for _ in range(lot.choice([1, 1, 2]))]},
        ]
    )


def _resized(spec: dict[str, Any], lot: Random) -> None:
    if "count" in spec and lot.random() < 0.6:
        spec["count"] = max(1, spec["count"] + lot.choice([-4, -1, 1, 4, 8]))
        return
    for field in ("count", "prefixLength", "addresses"):
        spec.pop(field, None)
    spec.update(_size(lot))


def _cut(spec: dict[str, Any], lot: Random) -> None:
    """A shorter pinned range, at one end or both, or a longer one."""
    for at, text in enumerate(spec.get("addresses", [])):
        first, _, last = str(text).partition("-")
        if last.startswith("10.40.0."):
            low, high = (int(it.rpartition(".")[2]) for it in (first, last))
            low, high = low + lot.choice([0, 0, 4, 8, -2]), high - lot.choice([0, 0, 4, 8, -2])
            if 1 <= low <= high <= 126:
                spec["addresses"][at] = f"10.40.0.{low}-10.40.0.{high}"


def _refs(lot: Random) -> list[dict[str, str]]:
    names = lot.sample(["internal", "far", "v6", "nosuch"], lot.choice([1, 1, 2]))
    return [{"name": it} for it in names]


def _entries(
    change: Callable[[list[dict[str, Any]], Random], None],
) -> Callable[[Any, Random], None]:
    def edit(document: Any, lot: Random) -> None:
        change(document["spec"].setdefault("loadBalancers", []), lot)

    return edit


def _one(change: Callable[[dict[str, Any], Random], None]) -> Callable[[Any, Random], None]:
    return _entries(lambda entries, lot: change(lot.choice(entries), lot) if entries else None)


def _added(entries: list[dict[str, Any]], lot: Random) -> None:
    name = f"e{lot.randint(0, 20)}"
    entries.append({"name": name, "poolRefs": _refs(lot), **_size(lot)})


def _dropped(entries: list[dict[str, Any]], lot: Random) -> None:
    if entries:
        entries.remove(lot.choice(entries))


def _renamed(spec: dict[str, Any], lot: Random) -> None:
    former, spec["name"] = spec["name"], f"e{lot.randint(0, 20)}"
    if lot.random() < 0.7:
        spec["formerly"] = former


def _swapped(entries: list[dict[str, Any]], _: Random) -> None:
    if len(entries) > 1:
        one, two = entries[:2]
        one["name"], two["name"] = two["name"], one["name"]


def _object(spec: dict[str, Any], lot: Random) -> None:
    spec["objectName"] = lot.choice(["internal", "web", "default-pool"])


def _services(spec: dict[str, Any], lot: Random) -> None:
    spec["services"] = lot.choice([{"default": True}, {"namespaces": ["edge"]}, {}])


def _advertised(spec: dict[str, Any], lot: Random) -> None:
    aggregated = {"type": "BGP", "bgp": {"aggregationLength": lot.choice([28, 30, 32])}}
    spec["advertisement"] = lot.choice(
        [{"type": "L2"}, {"type": "None"}, {"type": "BGP"}, aggregated]
    )


def _named(document: Any, lot: Random) -> None:
    """Another name, with or without the former one."""
    metadata = document["metadata"]
    former, metadata["name"] = metadata["name"], f"n{lot.randint(0, 99)}"
    if lot.random() < 0.7:
        former = f"{metadata['namespace']}/{former}" if "namespace" in metadata else former
        metadata["annotations"] = {"gitops-ipam.dev/formerly": former}


def _spec(change: Callable[[dict[str, Any], Random], None]) -> Callable[[Any, Random], None]:
    return lambda document, lot: change(document["spec"], lot)


def _set(field: str, *values: Any) -> Callable[[Any, Random], None]:
    def edit(document: Any, lot: Random) -> None:
        document["spec"][field] = lot.choice(values)

    return edit


CHANGES: dict[str, tuple[str, Callable[[Any, Random], None]]] = {
    "claim resized": ("claims", _spec(_resized)),
    "claim's pin cut": ("claims", _spec(_cut)),
    "claim's pools": ("claims", lambda it, lot: it["spec"].update(poolRefs=_refs(lot))),
    "claim renamed": ("claims", _named),
    "claim's families": ("claims", _set("ipFamilies", ["IPv4"], ["IPv6"], ["IPv4", "IPv6"])),
    "claim of another namespace": ("claims", lambda it, lot: it["metadata"].update(namespace=lot.choice(["team-a", "team-b", "team-c"]))),
    "cluster renamed": ("clusters", _named),
    "cluster of a team": ("clusters", _set("teamRef", {"name": "alpha"}, {"name": "beta"})),
    "controller": ("clusters", _set("controller", {"type": "Cilium"}, {"type": "MetalLB"})),
    "uid": ("clusters", _set("uid", "0b3e5a52-6f1c-4a0e-9a42-7d5f4d6d2c11", "1b3e5a52-6f1c-4a0e-9a42-7d5f4d6d2c11")),
    "entry resized": ("clusters", _one(_resized)),
    "entry's pin cut": ("clusters", _one(_cut)),
    "entry's pin cut again": ("clusters", _one(_cut)),
    "entry's pools": ("clusters", _one(lambda it, lot: it.update(poolRefs=_refs(lot)))),
    "entry added": ("clusters", _entries(_added)),
    "entry removed": ("clusters", _entries(_dropped)),
    "entry renamed": ("clusters", _one(_renamed)),
    "entries swapped": ("clusters", _entries(_swapped)),
    "object name": ("clusters", _one(_object)),
    "services": ("clusters", _one(_services)),
    "advertisement": ("clusters", _one(_advertised)),
    "growth": ("clusters", _one(lambda it, lot: it.update(growth={"increment": lot.choice([1, 4]), "max": lot.choice([4, 8, 40])}))),
    "pool's addresses": ("pools", _set("addresses", ["10.40.0.0/25"], ["10.40.0.0/26"], ["10.40.0.0/24"], ["10.40.0.0-10.40.0.90", "10.40.1.0/28"], ["10.50.0.0/27"])),
    "pool's reserved ranges": ("pools", _set("reserved", [{"addresses": ["10.40.0.0/28"]}], [{"addresses": ["10.40.0.64/26"]}], [])),
    "pool's gateway": ("pools", _set("gateway", "10.40.0.1", "10.40.0.65", "10.50.0.1")),
    "pool's edges": ("pools", _set("useAllAddresses", True, False)),
    "pool's retention": ("pools", _set("retention", "0s", "1h", "30d")),
    "pool renamed": ("pools", _named),
}  # fmt: skip
"""Edits of one document: the folder it lies in, and the change."""

WRITTEN: dict[str, Callable[[str, Random], Files]] = {
    "new claim": lambda name, lot: {
        f"claims/{name}.yaml": claim(name, lot.choice(["team-a", "team-b"]), **_flow(_size(lot)))
    },
    "another new claim": lambda name, lot: {f"claims/x{name}.yaml": claim(f"x{name}", "team-a", count=lot.choice([1, 5, 30]))},
    "new cluster": lambda name, lot: {
        f"clusters/{name}.yaml": cluster(entry("internal", **_flow(_size(lot))), name=name)
    },
    "new pool": lambda name, lot: {f"pools/{name}.yaml": pool(name, f"[10.{lot.choice([40, 60])}.{lot.randint(0, 9)}.0/{lot.choice([24, 26, 29])}]")},
    "team": lambda _, lot: {
        f"teams/{lot.choice(['alpha', 'beta'])}.yaml": (
            "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Team\n"
            f"metadata: {{name: {lot.choice(['alpha', 'beta'])}}}\nspec: {{namespaces: [{lot.choice(['team-a', 'team-b'])}],"
            f" pools: [{lot.choice(['internal', 'far'])}], maxAddresses: {lot.choice([2, 20, 200])}}}\n"
        )
    },
}  # fmt: skip


def _flow(fields: dict[str, Any]) -> dict[str, str]:
    return {key: yaml.safe_dump(it, default_flow_style=True).split("\n...")[0].strip() for key, it in fields.items()}  # fmt: skip


def changed(text: str, change: Callable[[Any, Random], None], lot: Random) -> str:
    """Return the document after a change. Files without exactly one valid document stay unchanged."""
    try:
        document = yaml.safe_load(text)
        change(document, lot)
    except (yaml.YAMLError, KeyError, TypeError, AttributeError):
        return text
    return str(yaml.safe_dump(document, sort_keys=False))
