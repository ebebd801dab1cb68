"""Repositories to measure on: any number of records, reconciled and current."""

import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

from reconciler.addresses import IPRange, format_cidr
from reconciler.model.claim import Allocation, Owner, Phase
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.records.emit import record_text
from reconciler.records.layout import path_of

CLOCK = 1_771_149_630
RECORDS_PER_TENANT = 5
TENANTS_PER_POOL = 40
_NODES = 5
_LB = 2
_POOL_SIZE = 2048
_RECORDS = "allocations/"
_API = "apiVersion: butler.butlerlabs.dev/v1alpha1"


def files(records: int) -> Iterator[tuple[str, bytes]]:
    """Files of a repository: a fifth as many tenants as records, one pool per 200 records.

    Each tenant has two load-balancer addresses and twenty of nodes, in four growths.
    """
    settings = b"apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    if records > 100_000:
        settings += b"spec: {limits: {files: 2000000, bytes: 8Gi}}\n"
    yield "ipam.yaml", settings
    tenants = records // RECORDS_PER_TENANT
    pools = max(1, tenants // TENANTS_PER_POOL)
    for number in range(pools):
        yield from _pool(number)
    for number in range(tenants):
        yield (
            f"tenants/team-{number % 100:02d}/{_name(number)}.yaml",
            tenant(number, number % pools),
        )
        for record in _records(number, number % pools, number // pools):
            yield path_of("allocations", record.pool, record.claim), record_text(record).encode()


def tenant(number: int, pool: int, replicas: int = 20) -> bytes:
    """The file of a tenant."""
    return f"""{_API}
kind: TenantCluster
metadata:
  name: {_name(number)}
  namespace: team-{number % 100:02d}
spec:
  kubernetesVersion: v1.34.2
  providerConfigRef:
    name: provider-{pool:04d}
  teamRef:
    name: team-{number % 100:02d}
  workers:
    replicas: {replicas}
    machineTemplate:
      cpu: 4
      memory: 8Gi
""".encode()


def build(
    folder: Path, records: int, made: Callable[[int], Iterator[tuple[str, bytes]]] = files
) -> Path:
    """A bare repository of `files`, or of another corpus: a commit, and the one of its records."""
    if (folder / "HEAD").is_file():
        return folder
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True)
    sources = (it for it in made(records) if not it[0].startswith(_RECORDS))
    base = _commit(folder, "main", "first", sources)
    message = f"Reconcile\n\nIpam-Plan: sha256:{'0' * 64}\nIpam-Base: {base}"
    reconciled = [it for it in made(records) if it[0].startswith(_RECORDS)]
    if reconciled:
        _commit(folder, "main", message, reconciled, base)
    return folder


def change_file(folder: Path, path: str, data: bytes) -> str:
    """Commit one file on top of main, on a branch of its own; the commit's id."""
    return _commit(folder, "change", "change", [(path, data)], "refs/heads/main")


def _commit(
    folder: Path, branch: str, message: str, files: Iterable[tuple[str, bytes]], base: str = ""
) -> str:
    words = ["git", f"--git-dir={folder}", "fast-import", "--quiet", "--date-format=raw", "--force"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        head = f"commit refs/heads/{branch}\nmark :1\ncommitter A <a@example.com> {CLOCK} +0000\n"
        head += f"data {len(message)}\n{message}\n" + (f"from {base}\n" if base else "")
        process.stdin.write(head.encode())
        for path, data in files:
            written = b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)
            process.stdin.write(written)
        process.stdin.write(b"get-mark :1\n")
        process.stdin.close()
        commit = process.stdout.read().decode().strip()
    if process.returncode != 0:
        raise RuntimeError("git fast-import failed")
    return commit


def _name(number: int) -> str:
    return f"cluster-{number:06d}"


def _pool(number: int) -> Iterator[tuple[str, bytes]]:
    first = (10 << 24) + number * _POOL_SIZE
    cidr = format_cidr(IPRange(4, first, first + _POOL_SIZE - 1))
    yield (
        f"pools/pool-{number:04d}.yaml",
        f"""{_API}
kind: NetworkPool
metadata:
  name: pool-{number:04d}
  namespace: butler-system
spec:
  cidr: {cidr}
  tenantAllocation:
    defaults:
      nodesPerTenant: {_NODES}
""".encode(),
    )
    yield (
        f"providers/provider-{number:04d}.yaml",
        f"""{_API}
kind: ProviderConfig
metadata:
  name: provider-{number:04d}
  namespace: butler-system
spec:
  provider: harvester
  network:
    mode: ipam
    poolRefs:
      - name: pool-{number:04d}
    loadBalancer:
      allocationMode: elastic
      initialPoolSize: {_LB}
""".encode(),
    )


def _records(tenant_number: int, pool: int, place: int) -> Iterator[Allocation]:
    first = (10 << 24) + pool * _POOL_SIZE + place * (_LB + 4 * _NODES)
    yield _record(tenant_number, pool, "loadbalancer", "lb", IPRange(4, first, first + _LB - 1))
    for growth in range(4):
        start = first + _LB + growth * _NODES
        slot = f"nodes-{growth}" if growth else "nodes"
        yield _record(tenant_number, pool, slot, slot, IPRange(4, start, start + _NODES - 1))


def _record(number: int, pool: int, slot: str, short: str, item: IPRange) -> Allocation:
    namespace = f"team-{number % 100:02d}"
    return Allocation(
        claim=Key("butler", namespace, _name(number), slot, "TenantCluster"),
        pool=Key("butler", "butler-system", f"pool-{pool:04d}", "", "NetworkPool"),
        range=item,
        phase=Phase.ALLOCATED,
        since=format_instant(CLOCK),
        allocated_at=format_instant(CLOCK),
        size=item.size,
        pinned=False,
        type=slot.partition("-")[0],
        role="growth" if slot.startswith("nodes-") else "initial",
        owner=Owner(namespace, _name(number), namespace),
        name=f"{namespace}-{_name(number)}-{short}",
        namespace="butler-system",
    )


GROUPS = 25
_REQUESTS_PER_FILE = 20
_REQUEST = 2


def crowded(records: int) -> Iterator[tuple[str, bytes]]:
    """Files of a repository of few, large groups: 25, whatever its size.

    Each provider has a 25th of the pools. Three fifths of the records are of requests that were
    made by hand, twenty in a file; a fifth as many tenants as records have two records each.
    """
    yield next(iter(files(0)))
    pools = max(GROUPS, records // 200)
    tenants = records // 5
    places = dict.fromkeys(range(pools), 0)
    for pool in range(pools):
        yield next(iter(_pool(pool)))
    for group in range(GROUPS):
        yield f"providers/group-{group:02d}.yaml", _provider(group, range(group, pools, GROUPS))
    for number in range(tenants):
        group, pool = number % GROUPS, number % pools
        yield (
            f"tenants/team-{number % 100:02d}/{_name(number)}.yaml",
            tenant(number, group, replicas=_NODES).replace(
                f"provider-{group:04d}".encode(), f"group-{group:02d}".encode()
            ),
        )
        first = _take(places, pool, _LB)
        item = IPRange(4, first, first + _LB - 1)
        yield _written(_record(number, pool, "loadbalancer", "lb", item))
        first = _take(places, pool, _NODES)
        item = IPRange(4, first, first + _NODES - 1)
        yield _written(_record(number, pool, "nodes", "nodes", item))
    for at in range(0, records - 2 * tenants, _REQUESTS_PER_FILE):
        yield from _requests(at, pools, places)


def _requests(at: int, pools: int, places: dict[int, int]) -> Iterator[tuple[str, bytes]]:
    """A file of requests for tenants of one group, with their records."""
    group = at // _REQUESTS_PER_FILE % GROUPS
    texts = []
    for number in range(at, at + _REQUESTS_PER_FILE):
        pool = group + GROUPS * (number % (pools // GROUPS))
        texts.append(
            f"{_API}\nkind: IPAllocation\nmetadata:\n  name: extra-{number:06d}\n"
            f"spec:\n  count: {_REQUEST}\n  poolRef:\n    name: pool-{pool:04d}\n"
            f"  tenantClusterRef:\n    name: {_name(group)}\n    namespace: team-{group:02d}\n"
            "  type: loadbalancer\n"
        )
        first = _take(places, pool, _REQUEST)
        item = IPRange(4, first, first + _REQUEST - 1)
        made = _record(group, pool, "loadbalancer", "lb", item)
        claim = Key("butler", "butler-system", f"extra-{number:06d}", "request", "IPAllocation")
        yield _written(replace(made, claim=claim, name=f"extra-{number:06d}"))
    yield f"tenants/extra/{at:06d}.yaml", "---\n".join(texts).encode()


def _written(record: Allocation) -> tuple[str, bytes]:
    return path_of("allocations", record.pool, record.claim), record_text(record).encode()


def _take(places: dict[int, int], pool: int, size: int) -> int:
    """The first of the next free addresses of a pool."""
    first = (10 << 24) + pool * _POOL_SIZE + places[pool]
    places[pool] += size
    return first


def _provider(group: int, pools: range) -> bytes:
    named = "".join(f"      - name: pool-{pool:04d}\n" for pool in pools)
    return f"""{_API}
kind: ProviderConfig
metadata:
  name: group-{group:02d}
  namespace: butler-system
spec:
  provider: harvester
  network:
    mode: ipam
    poolRefs:
{named}    loadBalancer:
      allocationMode: elastic
      initialPoolSize: {_LB}
""".encode()
