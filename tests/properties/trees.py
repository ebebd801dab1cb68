"""Trees of Butler's documents: small, crowded, and spread over files in any way."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from tests.world import pool, provider, request, tenant

Files = dict[str, str | bytes]
FOLDERS = ("pools", "providers", "tenants")
POOLS = ("edge", "spare")
CIDRS = ("10.40.0.0/26", "10.40.0.32/27", "10.41.0.0/27", "10.40.0.0/28")


def block(start: int, end: int, base: str = "10.40.0") -> str:
    return f"{{start: {base}.{start}, end: {base}.{end}}}"


@st.composite
def pool_texts(draw: st.DrawFn, name: str) -> str:
    cidr = draw(st.sampled_from(CIDRS))
    base, _, last = cidr.partition("/")[0].rpartition(".")
    spec: dict[str, str] = {}
    if draw(st.booleans()):
        spec["reserved"] = f"[{{cidr: {base}.{last}/30}}]"
    parts = []
    if draw(st.booleans()):
        first = int(last)
        parts.append(
            f"ranges: [{block(first, first + 9, base)}, {block(first + 11, first + 15, base)}]"
        )
    if draw(st.integers(0, 3)) == 0:
        parts.append(f"defaults: {{nodesPerTenant: {draw(st.integers(1, 4))}}}")
    if parts:
        spec["tenantAllocation"] = f"{{{', '.join(parts)}}}"
    return pool(name, cidr, **spec)


@st.composite
def provider_texts(draw: st.DrawFn, names: Sequence[str]) -> str:
    chosen = draw(st.permutations(list(names)))[: draw(st.integers(1, len(names)))]
    listed = ", ".join(f"{{name: {name}, priority: {draw(st.integers(0, 2))}}}" for name in chosen)
    network: dict[str, str] = {}
    if draw(st.booleans()):
        network["loadBalancer"] = (
            f"{{allocationMode: elastic, initialPoolSize: {draw(st.integers(1, 4))}}}"
        )
    if draw(st.integers(0, 3)) == 0:
        network["quotaPerTenant"] = f"{{maxLoadBalancerIPs: {draw(st.integers(1, 10))}}}"
    return provider(pools=f"[{listed}]", **network)


@st.composite
def tenant_texts(draw: st.DrawFn, name: str, namespace: str) -> str:
    spec: dict[str, str] = {}
    if draw(st.booleans()):
        spec["networking"] = f"{{lbPoolSize: {draw(st.integers(1, 12))}}}"
    if draw(st.integers(0, 3)) == 0:
        spec["addons"] = "{ingress: {enabled: false}}"
    return tenant(name, namespace, **spec)


@st.composite
def request_texts(draw: st.DrawFn, name: str, pool_name: str) -> str:
    if draw(st.booleans()):
        return request(name, pool_name, count=draw(st.integers(1, 6)))
    start = draw(st.integers(0, 60))
    pinned = (
        f"{{startAddress: 10.40.0.{start}, endAddress: 10.40.0.{start + draw(st.integers(0, 3))}}}"
    )
    return request(name, pool_name, pinnedRange=pinned)


@st.composite
def texts(draw: st.DrawFn) -> dict[str, str]:
    """Return the documents of a tree, by a title that is not in the tree."""
    names = POOLS[: draw(st.integers(1, 2))]
    found = {f"pool {name}": draw(pool_texts(name)) for name in names}
    found["provider"] = draw(provider_texts(names))
    for number in range(draw(st.integers(0, 6))):
        namespace = draw(st.sampled_from(("team-a", "team-b")))
        found[f"tenant {number}"] = draw(tenant_texts(f"t{number}", namespace))
    for number in range(draw(st.integers(0, 2))):
        wanted = draw(st.sampled_from(names))
        found[f"request {number}"] = draw(request_texts(f"r{number}", wanted))
    return found


def plain(found: Mapping[str, str]) -> Files:
    return {f"{FOLDERS[0]}/{title.replace(' ', '-')}.yaml": text for title, text in found.items()}


@st.composite
def arrangements(draw: st.DrawFn, found: Mapping[str, str]) -> Files:
    """The same documents, in any order, in any number of files, folders and nestings."""
    files: dict[str, list[str]] = {}
    for text in draw(st.permutations(list(found.values()))):
        folder = draw(st.sampled_from(FOLDERS))
        name = draw(st.sampled_from(("a", "b", "deep/er/c", "z")))
        files.setdefault(f"{folder}/{name}.yaml", []).append(text)
    order = draw(st.permutations(list(files)))
    return {path: "---\n".join(files[path]) for path in order}
