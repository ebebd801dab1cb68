"""The pattern that reads a record, family by family, and its references as lines.

A record names its claim in a line that stands where it always stands, and the claim its family: so
one look tells which pattern reads the whole text.
"""

import re
from functools import cache

from msgspec import Struct

from reconciler.documents.dump import text
from reconciler.families import family_of, home_of, known_as
from reconciler.families._family import Family
from reconciler.families._record_form import WHOLE, RecordForm
from reconciler.model.allocation import Allocation
from reconciler.model.key import LABEL as ONE_LABEL
from reconciler.model.key import NAME, Key
from reconciler.model.record_kind import ALLOCATED_BY, API_VERSION, CLAIM, HELD_OF, KIND, LABEL

HEAD = f"""apiVersion: {API_VERSION}
kind: {KIND}
metadata:
  annotations:
    {CLAIM}: """
"""What every record begins with, up to its claim."""

NAMES = (
    "claim", "role", "team", "name", "namespace", "count", "pinned", "pool_kind", "pool",
    "pool_namespace", "owner", "owner_namespace", "type", "allocated_at", "since", "message",
    "reason", "end", "phase", "start", "announced", "held_of",
)  # fmt: skip
"""The groups of every pattern. What a family's records do not say is None."""

COUNT = "[1-9][0-9]{0,8}"
"""A number of records, as a record says it."""

# Dates are written unasked in quotes, so their form is held here.
_INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
_LABEL = re.escape(LABEL)
_HELD_OF = re.escape(HELD_OF)


class Form(Struct, frozen=True):
    """How the records of one family are read and written.

    Attributes:
        pattern: A whole record in canonical form.
        groups: The numbers of its groups, in the order of `NAMES`.
        owner_is_first: The owner's reference stands before the pool's, as keys are sorted.
        first_pool_kind: The kind of a pool of which the name alone is said.
        names_pool_whole: Its reference is `WHOLE`.
        names_owner_whole: The same of the owner.
    """

    family: Family
    record: RecordForm
    pattern: re.Pattern[str]
    groups: tuple[int, ...]
    owner_is_first: bool
    first_pool_kind: str
    names_pool_whole: bool
    names_owner_whole: bool

    def read(self, record: str) -> tuple[str | None, ...] | None:
        """What a text says, in the order of `NAMES`; None for one that has another form."""
        found = self.pattern.fullmatch(record)
        return None if found is None else found.group(*self.groups)

    def pool(self, kind: str, namespace: str, name: str, beside: str) -> Key:
        """The pool that a record refers to.

        Args:
            kind: As the reference says it; empty where it does not.
            namespace: The same.
            name: Its name.
            beside: The namespace of the record.

        Raises:
            ValueError: The family has no pools of that kind.
        """
        if not self.names_pool_whole:
            return Key(self.family.name, beside, name, "", self.first_pool_kind)
        if kind and kind not in self.family.pool_kinds:
            raise ValueError(kind)
        return Key(self.family.name, namespace, name, "", kind or self.first_pool_kind)

    def may_mean(self, pool: Key, kind: str, namespace: str, name: str) -> bool:
        """The pool of a record's folder is what the record refers to, as far as it says.

        Of pools of one name that of the folder is meant, unless the text tells them apart.
        """
        said = [(name, pool.name)]
        if self.names_pool_whole:
            said += [(kind, pool.kind), (namespace, pool.namespace)]
        return all(mine in ("", its) for mine, its in said)


@cache
def form_of(family: str) -> Form:
    """The form of a family's records.

    Raises:
        KeyError: This program knows no such family.
    """
    found = family_of(family)
    if found is None:
        raise KeyError(family)
    record = found.record
    pattern = re.compile(_pattern(record), re.ASCII)
    groups = tuple(pattern.groupindex[name] for name in NAMES)
    return Form(
        found,
        record,
        pattern,
        groups,
        owner_is_first=record.owner < "count",
        first_pool_kind=found.pool_kinds[0],
        names_pool_whole=record.names_pool_whole,
        names_owner_whole=record.owner_fields == WHOLE,
    )


def family_in(record: str) -> str:
    """The family that the claim of a record names; empty for a text that begins otherwise."""
    if not record.startswith(HEAD):
        return ""
    return record[len(HEAD) : record.find("/", len(HEAD))]


def first_pool(claim: Key, beside: str, name: str) -> Key:
    """The pool that a claim means by a name alone.

    Args:
        claim: The claim.
        beside: The namespace of its record.
        name: The name.
    """
    form = form_of(claim.family)
    is_namespaced = home_of(claim.family, form.first_pool_kind) is not None
    return form.pool(form.first_pool_kind, claim.namespace if is_namespaced else "", name, beside)


def references(record: Allocation) -> dict[str, dict[str, str]]:
    """The references in the `spec` of a record."""
    form = form_of(record.claim.family).record
    return {
        "poolRef": _reference(form.pool, record.pool),
        form.owner: _reference(form.owner_fields, _claimant(record)),
    }


def reference_lines(record: Allocation, pool: str, owner: str) -> tuple[str, str, str]:
    """`references` as lines: what stands before the count, within `poolRef` and behind it.

    Args:
        record: The record.
        pool: The name of its pool, as it is written.
        owner: The name of its owner, as it is written.
    """
    form = form_of(record.claim.family)
    if form.names_pool_whole:
        pool_lines = _lines(_reference(WHOLE, record.pool))
    else:
        pool_lines = f"    name: {pool}\n"
    if form.names_owner_whole:
        owner_lines = _lines(_reference(WHOLE, _claimant(record)))
    else:
        owner_lines = f"    name: {owner}\n    namespace: {text(record.owner.namespace)}\n"
    owner_lines = f"  {form.record.owner}:\n{owner_lines}"
    return (owner_lines, pool_lines, "") if form.owner_is_first else ("", pool_lines, owner_lines)


def _claimant(record: Allocation) -> Key:
    """What the owner's reference of a record names."""
    claim, owner = record.claim, record.owner
    return Key(claim.family, owner.namespace, owner.name, "", claim.kind)


def _reference(fields: tuple[str, ...], of: Key) -> dict[str, str]:
    """A reference with the fields of a form; one that says all is silent of no namespace."""
    group = known_as(of.family, of.kind).group
    said = {"apiGroup": group, "kind": of.kind, "name": of.name, "namespace": of.namespace}
    if fields == WHOLE and not of.namespace:
        fields = fields[:-1]
    return {field: said[field] for field in fields}


def _lines(reference: dict[str, str]) -> str:
    return "".join([f"    {field}: {text(value)}\n" for field, value in reference.items()])


def _pattern(form: RecordForm) -> str:
    """The pattern of a family's records. Equal bytes prove it right, so it may take in too much."""
    owner = f"  {form.owner}:\n{_fields(form.owner_fields, 'owner')}"
    first, last = (owner, "") if form.owner < "count" else ("", owner)
    unsaid = "" if form.names_pool_whole else "(?P<pool_kind>(?!))?(?P<pool_namespace>(?!))?"
    return rf"""{re.escape(HEAD)}(?P<claim>.+)
(?:    {_HELD_OF}: "(?P<held_of>{COUNT})"
)?  labels:
    {_LABEL}allocation-role: (?P<role>.+)
    {_LABEL}allocation-type: .+
    {_LABEL}network-pool: .+
    {_LABEL}team: (?P<team>.+)
    {_LABEL}tenant: .+
  name: (?P<name>"?{NAME}"?)
  namespace: (?P<namespace>"?{ONE_LABEL}"?)
spec:
{first}  count: (?P<count>\d+)
(?P<pinned>  pinnedRange:
    endAddress: .+
    startAddress: .+
)?  poolRef:
{_fields(form.pool, "pool")}{last}  type: (?P<type>.+)
status:
(?:  addresses:
(?:    - .+
)+)?(?:  allocatedAt: "(?P<allocated_at>{_INSTANT})"
  allocatedBy: {ALLOCATED_BY}
  allocatedCount: \d+
(?P<announced>  announced: .+
)?(?:  cidr: .+
)?)?  conditions:
    - lastTransitionTime: "(?P<since>{_INSTANT})"
      message: (?P<message>.+)
      reason: (?P<reason>.+)
      status: .+
      type: Ready
(?:  endAddress: (?P<end>.+)
)?  phase: (?P<phase>.+)
(?:  releasedAt: .+
)?(?:  startAddress: (?P<start>.+)
)?{unsaid}"""


def _fields(fields: tuple[str, ...], of: str) -> str:
    """The lines of a reference as a part of a pattern."""
    if fields != WHOLE:
        groups = {"name": of, "namespace": f"{of}_namespace"}
        return "".join(f"    {field}: (?P<{groups[field]}>.+)\n" for field in fields)
    kind = "(?P<pool_kind>.+)" if of == "pool" else ".+"
    return (
        f"    apiGroup: .+\n    kind: {kind}\n    name: (?P<{of}>.+)\n"
        f"(?:    namespace: (?P<{of}_namespace>.+)\n)?"
    )
