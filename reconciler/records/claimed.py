"""What a record says of its claim is told by the claim: names, owner, type and role are not believed.

A record is a fact in its range alone. The rest of its text follows from the claim, so whoever edits
it gives nobody else's addresses to a cluster of theirs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import count

from msgspec.structs import replace

from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim, Owner
from reconciler.model.key import MOST_NAME, Key


def claimed(records: Iterable[Allocation], claims: Mapping[Key, Claim]) -> tuple[Allocation, ...]:
    """Records as their claims have them; one whose claim is gone as it stands.

    One that says something else is not pristine: the next reconcile writes it anew.
    """
    return tuple(
        following(record, claims[record.claim]) if record.claim in claims else record
        for record in records
    )


def givers(stated: Iterable[Allocation], records: Iterable[Allocation]) -> Mapping[str, Owner]:
    """Whom live records name whose claims are for another owner by now, by path.

    Another team of the same owner is none: nobody else has the addresses.

    Args:
        stated: Records as their text has them.
        records: The same, as their claims have them, in the same order.
    """
    # Most records say what their claim says, and there are very many.
    return {
        new.path: old.owner
        for old, new in zip(stated, records, strict=True)
        if old is not new and old.owner[:2] != new.owner[:2] and new.is_live
    }


def follows(record: Allocation, claim: Claim) -> bool:
    """The record says of its claim what the claim says."""
    return (
        record.owner == claim.owner
        and record.type == claim.type
        and record.role == claim.role
        and record.namespace == claim.namespace
        and (record.name == claim.name or is_own(record.name, claim))
    )


def following(record: Allocation, claim: Claim) -> Allocation:
    """The record with what its claim says of it; itself when it says just that."""
    if follows(record, claim):
        return record
    return replace(
        record,
        owner=claim.owner,
        type=claim.type,
        role=claim.role,
        namespace=claim.namespace,
        name=record.name if is_own(record.name, claim) else claim.name,
        pristine=False,
    )


def is_own(name: str, claim: Claim) -> bool:
    """A name that a record of the claim may bear: the claim's, with a suffix, or Butler's short one.

    Records that were copied from a cluster keep the name that their object has there.
    """
    other = with_suffix(claim.name, claim.key)
    own = [claim.name, other]
    if name.startswith(f"{other}-") and name.removeprefix(f"{other}-").isdecimal():
        return True  # of a claim that moved: two records of it never bear one name
    if claim.name != claim.key.name:
        own.append(claim.name.removeprefix(f"{claim.owner.namespace}-"))
    return name in own


def with_suffix(name: str, claim: Key) -> str:
    """A name that another owner's record has, told apart by six hex digits of the owner's hash."""
    owner = f"{claim.namespace}/{claim.name}"
    return f"{name}-{sha256(owner.encode()).hexdigest()[:6]}"


def candidate_names(name: str, claim: Key) -> Iterator[str]:
    """The names that records of a claim may bear, without end: its own, then with a suffix."""
    other = with_suffix(name, claim)
    yield name
    yield other
    yield from (f"{other}-{number}" for number in count(2))


def apart(records: tuple[Allocation, ...], claims: Mapping[Key, Claim]) -> tuple[Allocation, ...]:
    """Records of which no two bear one name in one namespace: each is an object of its own.

    Who bears the name of their claim keeps it, the first by path if several do.
    """
    counts = Counter((record.namespace, record.name) for record in records)
    if len(counts) == len(records):
        return records
    kept: dict[tuple[str, str], str] = {}
    for record in sorted(records, key=lambda item: not _is_named_so(item, claims)):
        kept.setdefault((record.namespace, record.name), record.path)
    return tuple(
        record
        if kept[record.namespace, record.name] == record.path
        else replace(record, name=_free(record, counts), pristine=False)
        for record in records
    )


def _is_named_so(record: Allocation, claims: Mapping[Key, Claim]) -> bool:
    claim = claims.get(record.claim)
    return claim is not None and claim.name == record.name


def _free(record: Allocation, taken: Counter[tuple[str, str]]) -> str:
    """A name in place of one that another record has: with a suffix, and a number if need be."""
    wanted = with_suffix(record.name[: MOST_NAME - 16], record.claim)
    name, number = wanted, 2
    while taken[record.namespace, name]:
        name, number = f"{wanted}-{number}", number + 1
    taken[record.namespace, name] += 1
    return name
