"""5,000 claims of three families with overlapping pools never share an address."""

import re
from collections.abc import Mapping
from ipaddress import ip_address
from random import Random

import pytest

from reconciler.model.plan import Grant
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import evaluate_source
from tests.families.capi import trees
from tests.families.novaedge import pool as nova_pool
from tests.families.novaedge import vip
from tests.memory import MemorySource
from tests.world import CLOCK, carried, evaluation_of, pool, provider, raw, tenant

Files = dict[str, str | bytes]
Texts = list[tuple[str, str]]
ISLANDS = (1, 2, 3, 4)
TENANTS, VIPS, CLUSTERS, CLAIMS = 400, 450, 150, 120
DAY = 86_400
_ENDS = re.compile(rb"^  (startAddress|endAddress): \"?([0-9a-f.:]+)\"?$", re.MULTILINE)


def island(at: int) -> Texts:
    """Return pools of all families with the same 2,048 addresses, for IPv4 and for IPv6."""
    net, class_ = f"10.{at}", f"c{at}"
    return [
        ("pools", pool(f"edge{at}", f"{net}.0.0/21")),
        ("pools", pool(f"more{at}", f"{net}.4.0/22")),
        ("pools", nova_pool(f"nova{at}", cidrs=f"[{net}.0.0/21, 2001:db8:{at}::/64]")),
        ("pools", nova_pool(f"vips{at}", cidrs=f"[{net}.6.0/23]", addresses=f"[{net}.0.0]")),
        ("pools", trees.pool(f"cp{at}", f"{net}.0.0/21", class_=class_, prefix=21,
                             gateway=f"{net}.0.5")),
        ("pools", trees.pool(f"in{at}", f"{net}.1.9-{net}.6.77", class_=class_, role="ingress",
                             prefix=16)),
        ("pools", trees.pool(f"six{at}", f"2001:db8:{at}::/120", class_="none", prefix=64)),
        ("providers", provider(f"p{at}", f"[{{name: edge{at}}}, {{name: more{at}}}]",
                               gateway=f"{net}.0.9")),
    ]  # fmt: skip


def taken(at: int) -> set[int]:
    """Return addresses of an island that no claim can get: routers, and in use without a record."""
    texts = (f"10.{at}.0.5", f"10.{at}.0.9", f"10.{at}.3.3", f"2001:db8:{at}::7")
    return {int(ip_address(text)) for text in texts}


def members(at: int, chance: Random) -> Texts:
    found = [
        ("tenants", vip(f"static{at}", of="", address=f"10.{at}.3.3")),
        ("tenants", vip(f"six{at}", of="", address=f"2001:db8:{at}::7", addressFamily="ipv6")),
    ]
    for number in range(TENANTS):
        size = f"{{lbPoolSize: {chance.randint(1, 3)}}}"
        text = tenant(f"t{at}-{number}", networking=size, providerConfigRef=f"{{name: p{at}}}")
        found.append(("tenants", text))
    for number in range(VIPS):
        of = chance.choice([f"nova{at}", f"vips{at}"])
        family = chance.choice(("ipv4", "ipv6", "dual")) if of[0] == "n" else "ipv4"
        found.append(("tenants", vip(f"v{at}-{number}", of=of, addressFamily=family)))
    names = (f"k{at}-{number}" for number in range(CLUSTERS))
    found += [("clusters", trees.cluster(name, class_=f"c{at}")) for name in names]
    for number in range(CLAIMS):
        of = chance.choice([f"cp{at}", f"in{at}", f"six{at}"])
        found.append(("clusters", trees.claim(f"a{at}-{number}", of)))
    return found


def tree(texts: Texts, seed: int) -> Files:
    order = list(texts)
    Random(seed).shuffle(order)
    return {f"{folder}/{at:05}.yaml": text for at, (folder, text) in enumerate(order)}


def counted(files: Mapping[str, str | bytes]) -> dict[int, str]:
    """Return the holder of each address, from the text of records. Require that none has two."""
    holder: dict[int, str] = {}
    for path, data in files.items():
        if path.startswith("allocations/"):
            ends = [int(ip_address(text.decode())) for _, text in _ENDS.findall(raw(data))]
            for number in range(min(ends), max(ends) + 1) if ends else ():
                assert holder.setdefault(number, path) == path, (ip_address(number), path)
    return holder


@pytest.fixture(scope="module")
def texts() -> Texts:
    chance = Random(11)
    return [text for at in ISLANDS for text in (*island(at), *members(at, chance))]


@pytest.fixture(scope="module")
def planned(texts: Texts) -> Evaluation:
    return evaluation_of(tree(texts, 0))


def test_no_address_is_given_twice(texts: Texts, planned: Evaluation) -> None:
    assert len(planned.state.claims) > 5_000
    assert sum(isinstance(item, Grant) for item in planned.plan.decisions) > 5_000
    files = carried(tree(texts, 0), planned)
    holder = counted(files)
    assert len(holder) > 6_000
    assert holder.keys().isdisjoint(number for at in ISLANDS for number in taken(at))
    # Replace a fifth of the claims. New ranges do not overlap ranges in retention.
    chance = Random(5)
    gone = [path for path in files if path[0] == "t" and chance.random() < 0.2]
    files = {path: data for path, data in files.items() if path not in gone}
    for number, path in enumerate(gone):
        at = ISLANDS[number % len(ISLANDS)]
        text = tenant(
            f"new-{number}", networking="{lbPoolSize: 1}", providerConfigRef=f"{{name: p{at}}}"
        )
        files[path] = text
    after = carried(files, evaluation_of(files, CLOCK + DAY))
    released = sum(b"phase: Released" in raw(data) for data in after.values())
    assert released > 400
    assert counted(after).keys() > holder.keys()


@pytest.mark.parametrize("order", [1, 2])
def test_the_order_of_files_changes_nothing(texts: Texts, planned: Evaluation, order: int) -> None:
    source = MemorySource(tree(texts, order))
    evaluation = evaluate_source(source)
    assert evaluation.changes == planned.changes
    assert evaluation.plan.after == planned.plan.after
