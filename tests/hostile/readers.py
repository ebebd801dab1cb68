"""Six readers of what others write, and what must be true whatever they are given.

Each takes bytes and answers with findings or its own refusals. Anything else that is raised is a
failure, and so is an answer that contradicts itself:
`test_seeds.py` reads bytes on which one failed before.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from reconciler.addresses import (
    IPRange,
    IPSet,
    NotationError,
    format_address,
    format_cidr,
    literal_ranges,
    parse_address,
    parse_cidr,
)
from reconciler.apply.inventory import Inventory, config_maps, data_of, read_inventory
from reconciler.apply.memory import cluster_data, has_room, lines_of, placed, written_to
from reconciler.apply.metallb import nodes_in, pool_addresses, ranges_of, users_of, written
from reconciler.documents import yaml
from reconciler.documents.yaml import dump, scalar
from reconciler.kube.deadline import Deadline, Timeouts
from reconciler.kube.kubeconfig import Kubeconfig, check_kubeconfig, merge, parse
from reconciler.kube.resources import ADDRESS_POOL, shaped
from reconciler.kube.session import open_session
from reconciler.model.claim import Allocation
from reconciler.model.errors import ClusterError
from reconciler.model.objects import CONFIG_MAP
from reconciler.model.settings import Settings
from reconciler.planning.documents import source_reader
from reconciler.records.emit import record_document, record_text
from reconciler.records.parse import parse_record
from reconciler.safety import clashes as net
from reconciler.safety.clashes import RELEASED, PoolText, holding_of
from reconciler.safety.clashes import ranges_of as ranges_by_net
from tests.hostile.revisions import revisions

FOLDER = "allocations"
PATHS = (
    "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml",
    "allocations/_unplaced/team-a/one.loadbalancer.yaml",
    "allocations/imported/one.yaml",
)
CANARY = "canary-c0ffee"
_FILES = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
_MAX_KEY = 100


def _says_why(refused: Exception) -> None:
    """A refusal without a reason helps nobody."""
    assert str(refused)


# --- 1: what people write


@cache
def _source() -> Callable[[str, bytes], Any]:
    return source_reader(Settings())


def documents(data: bytes) -> None:
    """Findings with places inside the file; quick and careful reading agree; what is written reads back."""
    loaded = _source()("pools/seed.yaml", data)
    assert loaded.documents or loaded.findings
    lines = data.count(b"\n") + data.count(b"\r") + 2
    for found in loaded.findings:
        assert found.message
        assert 0 <= found.location.line <= lines, found
    read = yaml.read(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "_quick", lambda _: None)
        assert repr(yaml.read(data)) == repr(read)
    for item in () if read.problems else read.documents:
        if isinstance(item.value, dict) and _has_short_keys(item.value):
            _reads_back(item.value)


def _has_short_keys(value: Any) -> bool:
    """No key is so long that only its escapes make it too long."""
    if isinstance(value, dict):
        return all(len(key) <= _MAX_KEY and _has_short_keys(it) for key, it in value.items())
    return not isinstance(value, list) or all(map(_has_short_keys, value))


def _reads_back(value: dict[str, Any]) -> None:
    text = dump(value)
    again = yaml.read(text.encode())
    if not value:
        return
    assert (again.problems, again.doubts, len(again.documents)) == ((), (), 1), again
    assert _sorted(again.documents[0].value) == _sorted(value)
    assert dump(again.documents[0].value) == text


def _sorted(value: Any) -> str:
    """A value as text, which tells `1` from `True`, and in which `.nan` is `.nan` and `1.` is `1.0`."""
    if isinstance(value, dict):
        return f"{{{','.join(f'{key!r}: {_sorted(value[key])}' for key in sorted(value))}}}"
    return f"[{','.join(map(_sorted, value))}]" if isinstance(value, list) else scalar(value)


# --- 2: records


def records(data: bytes) -> None:
    """The net holds what the planner holds, and each record is written as it is read."""
    for path in PATHS:
        recalled = parse_record(FOLDER, path, data)
        seen = holding_of(FOLDER, path, data)
        assert _covers(seen.ranges, ranges_by_net(path, data))
        assert _covers(ranges_by_net(path, data), seen.ranges)
        allocation = recalled.allocation
        assert (allocation is None) != (recalled.unreadable is None)
        if recalled.unreadable is not None:
            assert recalled.findings
            held = recalled.unreadable.ranges and seen.phase not in ("Failed", "Pending")
            assert seen.ranges or not held
        if allocation is not None:
            _held((allocation.range,) if allocation.range else (), seen.ranges)
            _is_the_same(allocation, data)
            assert not (allocation.is_live and seen.phase == RELEASED)
            pool = PoolText(allocation.pool.kind, allocation.pool.namespace, allocation.pool.name)
            assert not (allocation.range and seen.pool.name) or seen.pool.may_be(pool), seen


def _held(planned: Iterable[IPRange], seen: Iterable[net.Range]) -> None:
    """The net misses nothing that a planner holds."""
    laid = net.union(seen)
    for item in planned:
        assert _covers(laid, [_number(item, mapped=True)]) or _covers(
            laid, [_number(item, mapped=False)]
        ), (item, laid)


def _number(item: IPRange, *, mapped: bool) -> net.Range:
    """A range as the net counts; what embeds IPv4 is that, or not."""
    if item.version == 4 or (mapped and item.last >> 32 in (0, 0xFFFF)):
        return item.first & 0xFFFF_FFFF, item.last & 0xFFFF_FFFF
    return net.V6 + item.first, net.V6 + item.last


def _covers(outer: Iterable[net.Range], inner: Iterable[net.Range]) -> bool:
    laid = net.union(outer)
    return all(any(a <= first and last <= b for a, b in laid) for first, last in inner)


def _is_the_same(allocation: Allocation, data: bytes) -> None:
    text = record_text(allocation)
    assert dump(record_document(allocation)) == text
    if allocation.pristine:
        assert text.encode() == data
        return
    # The texts that are free are the claim's to say, and the plan's.
    plain = replace(
        allocation,
        message="m",
        reason="r",
        owner=allocation.owner._replace(team="t"),
        adopted=False,
    )
    found = parse_record(FOLDER, plain.path, record_text(plain).encode()).allocation
    assert found is not None, text
    assert found.pristine, text
    again = parse_record(FOLDER, allocation.path, text.encode()).allocation
    assert again is not None, text
    assert record_text(again) == text
    assert (again.claim, again.range, again.phase) == (
        allocation.claim,
        allocation.range,
        allocation.phase,
    )


# --- 3: kubeconfigs


def kubeconfigs(data: bytes) -> None:
    """What a Secret says runs, reads and sends nothing; and no message holds a value."""
    try:
        config = parse("t/one", data)
        assert merge([config, config]).keys() >= {"clusters", "contexts", "users"}
    except ClusterError as refused:
        _tells_no_value(refused, {})
        return
    for is_named in (False, True):
        for allow_exec in (False, True):
            if not (is_named and allow_exec and _names_file(config)):
                _use(config, is_named=is_named, allow_exec=allow_exec)


def _use(config: Mapping[str, Any], *, is_named: bool, allow_exec: bool) -> None:
    try:
        access = check_kubeconfig("t/one", config, is_named=is_named, allow_exec=allow_exec)
        if not (is_named and allow_exec):
            _is_harmless(access, is_named=is_named)
        # The certificates of the system take long to read; plugins and providers do what they like.
        trusts = access.cluster.get("certificate-authority-data") or access.server[:5] == "http:"
        if trusts and not access.user.keys() & {"exec", "auth-provider"}:
            open_session(access, Deadline(Timeouts()), {}).authorization()
    except ClusterError as refused:
        _tells_no_value(refused, config)


def _tells_no_value(refused: ClusterError, config: Mapping[str, Any]) -> None:
    """A message names keys as they are written, and nothing else."""
    _says_why(refused)
    assert CANARY not in f"{refused}{refused.hint}" or CANARY in "".join(_keys(config))


def _is_harmless(access: Kubeconfig, *, is_named: bool) -> None:
    used = {key for part in (access.cluster, access.user) for key, value in part.items() if value}
    assert not used & {"exec", "auth-provider", "proxy-url", *_FILES}, used
    assert access.server.startswith("https://" if not is_named else ("https://", "http://"))
    assert not access.cluster.get("insecure-skip-tls-verify")


def _names_file(config: Mapping[str, Any]) -> bool:
    """Files that a person may name are files of this machine."""
    return bool(_keys(config) & set(_FILES))


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(_keys, value.values()))
    return set().union(*map(_keys, value)) if isinstance(value, list) else set()


# --- 4: the inventory, and the memory of other clusters


def inventories(data: bytes) -> None:
    """What was read is written so that it reads the same."""
    maps = [
        {"metadata": {"name": name, "namespace": "n", "uid": "u", "resourceVersion": "1"}, "data": found}
        for name, found in _parts(data).items()
    ]  # fmt: skip
    there = data_of(maps)
    try:
        inventory = read_inventory([shaped(item, CONFIG_MAP) for item in maps])
    except ValueError as refused:
        _says_why(refused)
        return
    objects = read_inventory(config_maps(inventory, "n", there))
    assert (objects.uid, objects.revision) == (inventory.uid, inventory.revision)
    assert objects.objects == inventory.objects
    assert set(objects.damaged) == set(inventory.damaged)
    for name, enrolled in inventory.clusters.items():
        ranges_of(enrolled.addresses)
        if name not in inventory.odd and has_room(enrolled):
            _is_remembered(name, inventory, there)


def _is_remembered(name: str, inventory: Inventory, there: Mapping[str, Mapping[str, str]]) -> None:
    enrolled = inventory.clusters[name]
    changes = cluster_data({name: enrolled})
    after = written_to(there, placed(there, changes))
    found = [line for part, data in after.items() for line in lines_of(part, data)]
    assert [(it.enrolled, it.wrong) for it in found if it.name == name] == [(enrolled, ())]
    gone = written_to(after, placed(after, dict.fromkeys(changes)))
    assert not any(it.name == name for part, data in gone.items() for it in lines_of(part, data))


def _parts(data: bytes) -> dict[str, dict[str, str]]:
    """ConfigMaps out of one text: `== name key` begins the value of a key."""
    found: dict[str, dict[str, str]] = {}
    for section in data.decode("utf-8", "replace").split("== ")[1:]:
        head, _, value = section.partition("\n")
        name, _, key = head.partition(" ")
        found.setdefault(name, {})[key] = value.removesuffix("\n")
    return found


# --- 5: addresses of MetalLB and of others


def addresses(data: bytes) -> None:
    """All who read an address read the same one, and what is written reads back."""
    text = data.decode("utf-8", "replace")
    literal_ranges(text)
    net.literals(text)
    lines = text.split("\n")
    for line in lines:
        _address(line)
        _cidr(line)
        _entries([line])
    _entries(lines)


def _address(text: str) -> None:
    try:
        version, value = parse_address(text)
    except NotationError as wrong:
        _says_why(wrong)
        return
    assert format_address(version, value) == text
    _held(
        [IPRange(version, value, value)], [item for item in [net.block(f"{text}-{text}")] if item]
    )
    _held(literal_ranges(text), net.literals(text))


def _cidr(text: str) -> None:
    try:
        item = parse_cidr(text)
    except NotationError as wrong:
        _says_why(wrong)
        return
    assert format_cidr(item) == text
    assert ranges_of([text]) == IPSet((item,))
    _held([item], [found for found in [net.block(text)] if found])


def _entries(texts: list[str]) -> None:
    metadata = {"name": "p", "namespace": "n", "uid": "u", "resourceVersion": "1"}
    pool = shaped({"metadata": metadata, "spec": {"addresses": texts}}, ADDRESS_POOL)
    try:
        found = pool_addresses(pool)
    except ValueError as wrong:
        _says_why(wrong)
        found = IPSet((IPRange(4, 0, (1 << 32) - 1), IPRange(6, 0, (1 << 128) - 1)))
    assert ranges_of(written(found)) == found
    service = {
        "metadata": metadata,
        "status": {"loadBalancer": {"ingress": [{"ip": text} for text in texts]}},
    }
    node = {
        "metadata": metadata,
        "status": {"addresses": [{"type": "InternalIP", "address": text} for text in texts]},
    }
    assert [it.address for it in users_of([service], found)] == [
        it.address for it in nodes_in([node], found) if it.address
    ]


READERS: Mapping[str, Callable[[bytes], None]] = {
    "documents": documents,
    "records": records,
    "kubeconfigs": kubeconfigs,
    "inventories": inventories,
    "addresses": addresses,
    "revisions": revisions,
}
