"""The form of the records of each family, and their references as lines."""

from functools import cache

from msgspec import Struct

from reconciler.documents.dump import text
from reconciler.families import family_of, home_of, known_as
from reconciler.families._family import Family
from reconciler.families._record_form import WHOLE, RecordForm
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.record_kind import API_VERSION, CLAIM, KIND

HEAD = f"""apiVersion: {API_VERSION}
kind: {KIND}
metadata:
  annotations:
    {CLAIM}: """
"""What every record begins with, up to its claim."""


class Form(Struct, frozen=True):
    """How the records of one family are read and written.

    Attributes:
        owner_is_first: The owner's reference stands before the pool's, as keys are sorted.
        first_pool_kind: The kind of a pool of which the name alone is said.
        names_pool_whole: Its reference is `WHOLE`.
        names_owner_whole: The same of the owner.
    """

    family: Family
    record: RecordForm
    owner_is_first: bool
    first_pool_kind: str
    names_pool_whole: bool
    names_owner_whole: bool

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
    return Form(
        found,
        record,
        owner_is_first=record.owner < "count",
        first_pool_kind=found.pool_kinds[0],
        names_pool_whole=record.names_pool_whole,
        names_owner_whole=record.owner_fields == WHOLE,
    )


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
