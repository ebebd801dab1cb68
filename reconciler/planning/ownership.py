"""Owners of pools and claims."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler.documents.document import Document, Documents, Identity
from reconciler.documents.findings import (
    Finding,
    Location,
    error,
    join_limited,
    named,
    plural,
    shown,
)
from reconciler.families import families, family_of_kind, is_pool, keeps_addresses
from reconciler.families.interface import FamilyReading
from reconciler.model.claim import Claim, Refusal
from reconciler.model.key import Key
from reconciler.model.pool import Contract
from reconciler.records.layout import folders_above

NOT_YOURS = "not-yours"


class ClaimingDocument(Struct, frozen=True):
    """A document with claims: the team that its records name, and the namespaces of its requests."""

    document: Document
    named: str
    spaces: tuple[str, ...]
    claims: tuple[Claim, ...]


class Trespass(Struct, frozen=True):
    """A request that a document is not allowed to make, with its location."""

    place: Location
    refusal: Refusal


def contracts_of(documents: Documents) -> tuple[Contract, ...]:
    """Return the contracts of all teams, by name."""
    found = (
        family.contract(document)
        for family in families()
        for kind in dict.fromkeys(it.id for it in family.kinds if it.role == "team")
        for document in documents.of(kind)
    )
    return tuple(sorted(contract for contract in found if contract is not None))


def owned(
    reading: FamilyReading, documents: Documents, judging: Sequence[Contract] = ()
) -> FamilyReading:
    """Return the reading without new allocations that ownership rules, or `judging`, refuse."""
    sides = dict.fromkeys([contracts_of(documents), tuple(judging)])
    rules = [Rules(side) for side in sides if side]
    if not rules:
        return reading
    claims, found = dict(reading.claims), list[Finding]()
    for asking in _claiming(documents, reading.claims):
        trespass = next(filter(None, (it.trespass(asking) for it in rules)), None)
        if trespass is not None:
            message = f"{asking.document.title} {trespass.refusal.message}"
            found.append(error(NOT_YOURS, trespass.place, message, trespass.refusal.hint))
            reading.invalid.add(asking.document.identity)
        for claim in asking.claims:
            refusals = (it.refusal(asking, claim) for it in rules)
            refusal = trespass.refusal if trespass else next(filter(None, refusals), None)
            if refusal is not None:
                claims[claim.key] = replace(claim, refusal=refusal)
    return replace(reading, claims=claims, findings=[*reading.findings, *found])


def _claiming(documents: Documents, claims: Mapping[Key, Claim]) -> Iterator[ClaimingDocument]:
    of_owner: dict[Identity, list[Claim]] = {}
    for claim in claims.values():
        of_owner.setdefault(claim.key.owner, []).append(claim)
    for family in families():
        for kind in dict.fromkeys(kind.id for kind in family.kinds):
            if not keeps_addresses(kind) or is_pool(kind):
                continue
            for document in documents.of(kind):
                owner = (family.name, kind.kind, document.namespace, document.name)
                yield asking_of(document, documents, of_owner.get(owner, ()))


def asking_of(
    document: Document, documents: Documents, claims: Iterable[Claim] = ()
) -> ClaimingDocument:
    """Return a claiming document as ownership rules see it."""
    family = family_of_kind(document.kind.id)
    named = family.team(document, documents) if family is not None else ""
    space = family.space(document) if family is not None else ""
    mine = tuple(claims)
    spaces = dict.fromkeys([document.namespace, space, *(it.owner.namespace for it in mine)])
    return ClaimingDocument(document, named, tuple(filter(None, spaces)), mine)


class Rules:
    """Ownership rules of one revision."""

    def __init__(self, contracts: Sequence[Contract]) -> None:
        self.of_team = {contract.team: contract for contract in contracts}
        self._of_space: dict[str, list[str]] = {}
        self._of_folder: dict[str, list[str]] = {}
        for contract in contracts:
            for space in contract.namespaces:
                self._of_space.setdefault(space, []).append(contract.team)
            for folder in contract.folders:
                self._of_folder.setdefault(folder, []).append(contract.team)

    def folder(self, path: str) -> str:
        """Return the innermost team folder that contains a path; empty if there is none."""
        return next((it for it in reversed(folders_above(path)) if it in self._of_folder), "")

    def owners(self, path: str) -> list[str]:
        """Return the teams whose folder contains a path."""
        return self._of_folder.get(self.folder(path), [])

    def is_alone(self, team: str, space: str) -> bool:
        """Return whether a namespace belongs to this team and to no other team."""
        return self._of_space.get(space) == [team]

    def team(self, asking: ClaimingDocument) -> str:
        """Return the team that makes a request; empty without a contract for it."""
        # A team name that equals the namespace does not count as named.
        if asking.named and asking.named not in asking.spaces:
            return asking.named
        at = self.owners(asking.document.file)
        spaces = [team for space in asking.spaces for team in self._of_space.get(space, ())]
        if asking.named in spaces or not (spaces or asking.named not in self.of_team):
            return asking.named
        return next((team for team in at if team in spaces), next(iter([*spaces, *at]), ""))

    def trespass(self, asking: ClaimingDocument) -> Trespass | None:
        """Return why a document cannot request anything; None if it can."""
        team = self.team(asking)
        if not team:
            return None
        contract, path = self.of_team.get(team, Contract(team)), asking.document.file
        at, message = self.owners(path), ""
        if at and team not in at:
            message = f"belongs to team {team}, but the file is in {self.folder(path)}, which belongs to {named('team', at)}"
            hint = f"move the file to a folder of team {team}, or correct the team"
        elif not at and contract.folders:
            message = f"belongs to team {team}, but {shown(path)} is not in a folder of that team"
            hint = f"move the file to a folder of team {team}: {join_limited(contract.folders)}"
        elif asking.named != team and asking.named in self.of_team:
            message = f"names team {asking.named}, but its namespace belongs to team {team}"
            hint = "use a team and a namespace that belong together"
        if message:
            return Trespass(asking.document.start, Refusal(NOT_YOURS, message, hint))
        return self._elsewhere(asking, contract)

    def _elsewhere(self, asking: ClaimingDocument, contract: Contract) -> Trespass | None:
        place = asking.document.at("metadata", "namespace")
        for space in asking.spaces:
            others = self._of_space.get(space, [])
            if contract.team in others:
                continue
            # Requests can be in a platform namespace. In that case the namespace of the tenant is
            # checked.
            is_home = space == asking.document.namespace and len(asking.spaces) > 1
            if others or (contract.namespaces and not is_home):
                message = f"belongs to team {contract.team}, but namespace {space} belongs to {named('team', others)}"
                mine = join_limited(contract.namespaces) or "none is listed"
                hint = f"use a namespace of team {contract.team}: {mine}"
                return Trespass(place, Refusal(NOT_YOURS, message, hint))
        return None

    def refusal(self, asking: ClaimingDocument, claim: Claim) -> Refusal | None:
        """Return why a claim gets nothing new although its document can make requests."""
        contract = self.of_team.get(self.team(asking))
        if contract is None:
            return None
        others = [str(key) for key in claim.candidates if str(key) not in contract.pools]
        if contract.pools and others:
            message = f"team {contract.team} is not permitted to use {join_limited(others)}"
            hint = f"choose a pool of team {contract.team}: {join_limited(contract.pools)}"
            return Refusal(NOT_YOURS, message, hint)
        asked = sum(it.size for it in asking.claims if it.type == claim.type)
        if contract.most is not None and asked > contract.most:
            message = f"{asking.document.title} asks for {plural(asked, f'{claim.type} address')}, but the limit of team {contract.team} is {contract.most}"
            return Refusal(NOT_YOURS, message, f"ask for at most {contract.most} in this document")
        return None
