"""Checks, contracts, and fields that families share."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct

from reconciler.addresses import (
    IPRange,
    NotationError,
    format_cidr,
    format_range,
    parse_address,
    parse_cidr,
    special_purpose,
)
from reconciler.documents.document import Document, Identity
from reconciler.documents.findings import Finding, alike, error, meant, nearest, shown, warning
from reconciler.documents.yaml import Steps, dotted
from reconciler.families.interface import Family, FamilyReading
from reconciler.model.claim import Claim
from reconciler.model.key import Key, is_label, is_name
from reconciler.model.objects import PREFIX as OBJECTS_PREFIX
from reconciler.model.plan import Blocked, ClusterNetwork, Gateway
from reconciler.model.pool import Contract, Pool, Thresholds, Tier
from reconciler.model.settings import Settings

PREFIX = "gitops-ipam.dev/"
DEFAULT_SPACE = "default"
_ANNOTATIONS = tuple(
    f"{PREFIX}{name}"
    for name in (
        "address-space",
        "adopt",
        "critical",
        "exhausted",
        "formerly",
        "gate",
        "revision",
        "warning",
    )
)
_SPACE = f"{PREFIX}address-space"
_POOL_FIELDS_LIKENESS = 0.9
_MIN_PREFIX = {4: 8, 6: 32}


def read_cidr(document: Document, steps: Steps, text: str, found: list[Finding]) -> IPRange | None:
    """Return a CIDR field, or None with a finding."""
    try:
        return parse_cidr(text)
    except NotationError as wrong:
        message = f"{dotted(steps)}: {wrong}"
        found.append(error("cidr-invalid", document.at(*steps), message, wrong.hint))
        return None


def read_address(
    document: Document, steps: Steps, text: str, found: list[Finding]
) -> IPRange | None:
    """Return an address field as a range of one address, or None with a finding."""
    try:
        version, number = parse_address(text)
    except NotationError as wrong:
        message = f"{dotted(steps)}: {wrong}"
        found.append(error("address-invalid", document.at(*steps), message, wrong.hint))
        return None
    return IPRange(version, number, number)


def read_range(
    document: Document, steps: Steps, fields: tuple[str, str], found: list[Finding]
) -> IPRange | None:
    """Return the range of two address fields in the mapping at `steps`, or None with findings."""
    body: Any = document.body
    for step in steps:
        body = body[step]
    start = read_address(document, (*steps, fields[0]), body[fields[0]], found)
    end = read_address(document, (*steps, fields[1]), body[fields[1]], found)
    if start is None or end is None:
        return None
    if start.version != end.version:
        message = f"{dotted(steps)}: {body[fields[0]]} and {body[fields[1]]} differ in IP version"
        place, hint = document.at(*steps, fields[1]), "write both as IPv4 or both as IPv6"
        found.append(error("family-mismatch", place, message, hint))
        return None
    if start.first > end.last:
        message = f"{dotted(steps)}: {fields[0]} {body[fields[0]]} is after {fields[1]}"
        hint = "swap the two"
        place = document.at(*steps, fields[0])
        found.append(error("range-reversed", place, f"{message} {body[fields[1]]}", hint))
        return None
    return IPRange(start.version, start.first, end.last)


def refuse_network(document: Document, steps: Steps, network: IPRange) -> Finding | None:
    """Return why a network cannot be allocated from: reserved by RFC 6890, or implausibly large."""
    text = format_cidr(network) or format_range(network)
    if (block := special_purpose(network)) is not None and network.prefix():
        message = f"{dotted(steps)}: {text} touches {block}"
        hint = "such addresses cannot be used on a network (RFC 6890)"
        return error("special-purpose", document.at(*steps), message, hint)
    least = _MIN_PREFIX[network.version]
    if (network.prefix() or 0) < least:
        message = f"{dotted(steps)}: {text} is too large; the limit is a /{least}"
        return error("pool-too-large", document.at(*steps), message, "split it into several pools")
    return None


def read_thresholds(
    document: Document, settings: Settings, found: list[Finding]
) -> tuple[Thresholds, Tier | None]:
    """Return thresholds and capacity limit of a pool: its annotations, else the Settings."""
    annotations = document.annotations()
    found.extend(_misspelt(document))
    values: dict[str, int] = {}
    for name in ("warning", "critical", "exhausted"):
        values[name] = getattr(settings.thresholds, name)
        text = annotations.get(f"{PREFIX}{name}")
        if text is None:
            continue
        if text.isascii() and text.isdigit() and 1 <= int(text) <= 100:
            values[name] = int(text)
        else:
            wanted = "a percentage from 1 to 100"
            found.append(_bad_annotation(document, name, text, wanted, f'"{values[name]}"'))
    if not values["warning"] <= values["critical"] <= values["exhausted"]:
        levels = f"{values['warning']}, {values['critical']}, {values['exhausted']}"
        place = document.at("metadata", "annotations")
        message = f"thresholds must rise from warning to exhausted, got {levels}"
        hint = "set all three annotations; those that are not set come from Settings"
        found.append(error("annotation-invalid", place, message, hint))
        return settings.thresholds, settings.gate
    return Thresholds(**values), _gate(document, annotations, settings, found)


def read_space(document: Document, settings: Settings, found: list[Finding]) -> str:
    """Return the address space of a pool; add a finding if Settings do not list it."""
    space = document.annotations().get(_SPACE, DEFAULT_SPACE)
    listed = settings.address_spaces
    if listed is not None and space not in listed:
        place = document.at("metadata", "annotations", _SPACE)
        message = f"address space {shown(space)} is not listed in Settings"
        hint = meant(space, listed) or "add it to spec.addressSpaces of Settings"
        found.append(error("address-space-unknown", place, message, hint))
    return space


def _gate(
    document: Document, annotations: Mapping[str, str], settings: Settings, found: list[Finding]
) -> Tier | None:
    text = annotations.get(f"{PREFIX}gate")
    if text is None:
        return settings.gate
    if text == "never":
        return None
    if text in (Tier.WARNING, Tier.CRITICAL, Tier.EXHAUSTED):
        return Tier(text)
    wanted = "warning, critical, exhausted or never"
    found.append(_bad_annotation(document, "gate", text, wanted, Tier.EXHAUSTED.value))
    return settings.gate


def _misspelt(document: Document) -> Iterator[Finding]:
    """Yield findings for unknown annotations that resemble known ones."""
    for name in document.annotations():
        if not name.startswith(PREFIX) or name in _ANNOTATIONS:
            continue
        if hint := meant(name.lower(), _ANNOTATIONS, _POOL_FIELDS_LIKENESS):
            place = document.at("metadata", "annotations", name, key=True)
            message = f"unknown annotation {shown(name)}"
            yield error("annotation-invalid", place, message, hint)


def _bad_annotation(document: Document, name: str, text: str, wanted: str, example: str) -> Finding:
    place = document.at("metadata", "annotations", f"{PREFIX}{name}")
    message = f"{PREFIX}{name}: {shown(text)} is not {wanted}"
    return error("annotation-invalid", place, message, f"write {example}, for example")


class StatedText(NamedTuple):
    """A text of a document with networks.

    Attributes:
        use: `pods` or `services`.
        text: A CIDR, or several separated by commas.
        steps: The path of the field.
    """

    use: str
    text: str
    steps: Steps


def read_inside(
    document: Document, stated: Iterable[StatedText], spaces: Iterable[str]
) -> tuple[list[ClusterNetwork], list[Finding]]:
    """Return the networks inside a cluster, and findings for invalid CIDRs, which are ignored.

    Args:
        document: The document of the cluster.
        stated: Its texts.
        spaces: Address spaces of the cluster's pools. A cluster without pools is in the default
            address space.
    """
    owner = f"{document.namespace}/{document.name}"
    within = tuple(sorted(set(spaces))) or (DEFAULT_SPACE,)
    networks: list[ClusterNetwork] = []
    found: list[Finding] = []
    for use, text, steps in stated:
        place = document.at(*steps)
        for one in text.split(","):
            try:
                item = parse_cidr(one)
            except NotationError as wrong:
                message = f"{wrong}: it is not compared with the pools"
                found.append(warning("cidr-invalid", place, message, wrong.hint))
            else:
                networks.append(ClusterNetwork(item, use, owner, within, place))
    return networks, found


_WORD, _FORMER_LIKENESS = "formerly", 0.7
FORMERLY = f"{OBJECTS_PREFIX}{_WORD}"
PLACE = ("metadata", "annotations", FORMERLY)


class FormerName(NamedTuple):
    """Previous namespace and name of an object; no namespace for a cluster-scoped object."""

    namespace: str
    name: str


def former_of(document: Document) -> FormerName | None:
    """Return the previous name that a document declares; None if absent or invalid."""
    text = document.annotations().get(FORMERLY)
    return None if text is None else _read(document, text)


def written(namespace: str, name: str) -> str:
    """Return the YAML line that declares the previous name of an object."""
    return f"{FORMERLY}: {namespace}/{name}" if namespace else f"{FORMERLY}: {name}"


def judge_former(document: Document) -> Iterator[Finding]:
    """Yield findings about an invalid annotation. A wrong guess could give addresses away."""
    text = document.annotations().get(FORMERLY)
    if text is None or _read(document, text) is not None:
        return
    is_placed = document.kind.default_namespace is not None
    wanted, example = ("<namespace>/<name>", "team-a/shop") if is_placed else ("a name", "shop")
    message = f"{FORMERLY}: {shown(text)} is not {wanted}"
    yield error("annotation-invalid", document.at(*PLACE), message, f"write {example}, for example")


def judge_misspelt(document: Document) -> Iterator[Finding]:
    """Yield findings for misspelled previous-name annotations, which would change addresses."""
    for name in document.annotations():
        word = name.removeprefix(OBJECTS_PREFIX)
        if name in (word, FORMERLY) or not alike(word.lower(), [_WORD], 1, _FORMER_LIKENESS):
            continue
        place = document.at("metadata", "annotations", name, key=True)
        message = f"unknown annotation {shown(name)}"
        yield error("annotation-invalid", place, message, f"did you mean {FORMERLY}?")


def _read(document: Document, text: str) -> FormerName | None:
    if document.kind.default_namespace is None:
        return FormerName("", text) if is_name(text) else None
    namespace, slash, name = text.partition("/")
    return FormerName(namespace, name) if slash and is_label(namespace) and is_name(name) else None


class Collected:
    """Results of a family's reader so far."""

    def __init__(self) -> None:
        self.pools: dict[Key, Pool] = {}
        self.claims: dict[Key, Claim] = {}
        self.findings: list[Finding] = []
        self.blocked: list[Blocked] = []
        self.gateways: list[Gateway] = []
        self.inside: list[ClusterNetwork] = []
        self.protected: list[Identity] = []
        self.frozen: dict[Key, str] = {}
        self.growing: list[Identity] = []
        self.missing: dict[Finding, Key] = {}
        self.presumed: dict[Finding, frozenset[Key]] = {}

    def tell(self, document: Document, *found: Finding) -> None:
        """Add a finding, unless its document comes from an earlier revision."""
        if not document.unread:
            self.findings += found

    def presume(self, document: Document, found: Finding, claims: frozenset[Key]) -> None:
        """Add a finding that only applies if some claims get their addresses."""
        self.tell(document, found)
        self.presumed[found] = claims

    def lack(self, document: Document, pool: Key, found: Finding) -> None:
        """Add the finding for a missing pool that a document names."""
        self.tell(document, found)
        self.missing[found] = pool

    def add_pool(self, document: Document, pool: Pool) -> None:
        """Add the pool of a document. An uncertain pool gives out nothing new."""
        self.pools[pool.key] = pool
        if document.doubt:
            self.frozen[pool.key] = document.doubt

    def reading(self) -> FamilyReading:
        """Return the results as a value."""
        return FamilyReading(
            pools=self.pools,
            claims=self.claims,
            findings=tuple(self.findings),
            blocked=tuple(self.blocked),
            gateways=tuple(self.gateways),
            inside=tuple(self.inside),
            protected=frozenset(self.protected),
            frozen=self.frozen,
            growing=frozenset(self.growing),
            missing=self.missing,
            presumed=self.presumed,
        )


def require_apart(families: Iterable[Family]) -> None:
    """Require that no two families conflict.

    Raises:
        ValueError: Two of them claim one kind, pool kind, or slot, or one contradicts itself.
    """
    seen: dict[tuple[str, ...], str] = {}
    for family in families:
        _require_sound(family)
        for claimed in _claimed(family):
            other = seen.setdefault(claimed, family.name)
            if other != family.name:
                raise ValueError(f"{other} and {family.name} both {' '.join(claimed[:2])}")


def _claimed(family: Family) -> Iterator[tuple[str, ...]]:
    """Yield the exclusive properties of a family: relation, value, and group."""
    yield from (("read", kind.name, kind.id.group) for kind in family.kinds)
    # Folders and files of records use these names without the family.
    yield from (("have pools of kind", kind) for kind in family.pool_kinds)
    yield from (("claim by slot", slot) for slot in family.slots)


def _require_sound(family: Family) -> None:
    named: dict[str, object] = {}
    for kind in family.kinds:
        said = kind.id, kind.default_namespace, kind.is_shared
        if named.setdefault(kind.name, said) != said:
            raise ValueError(f"{family.name} reads {kind.name} in two ways")
    for kind_name in (*family.pool_kinds, *family.slots.values()):
        if kind_name not in named:
            raise ValueError(f"{family.name} does not read {kind_name}")
    for slot in family.grows:
        if slot not in family.slots:
            raise ValueError(f"{family.name} does not claim by slot {slot}")


def condition(kind: str, status: str, reason: str, message: str, since: str) -> Mapping[str, str]:
    """Return a condition.

    Args:
        kind: Its type.
        status: `True` or `False`.
        reason: In CamelCase.
        message: The readable message.
        since: `lastTransitionTime` if the cluster does not have the condition yet.
    """
    return {
        "lastTransitionTime": since,
        "message": message,
        "reason": reason,
        "status": status,
        "type": kind,
    }


NAMESPACES = f"{OBJECTS_PREFIX}namespaces"
POOLS = f"{OBJECTS_PREFIX}pools"
MAX_CONTRACT = f"{OBJECTS_PREFIX}max-addresses"
FOLDERS = f"{OBJECTS_PREFIX}folders"
OWNERS = f"{OBJECTS_PREFIX}owners"

_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_FOLDER = rf"{_PART}(?:/{_PART})*/?"
# A handle or group of a forge, or an email address. CODEOWNERS must not read it as more.
_OWNER = (
    r"@[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?(?:/[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)*"
    r"|[A-Za-z0-9][A-Za-z0-9_.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
)
_NUMBER = r"[1-9][0-9]{0,9}"
_CONTRACT_LIKENESS = 0.85


class _Form(Struct, frozen=True):
    """The format of an annotation: a pattern, its description, and an example."""

    fits: Callable[[str], object]
    what: str
    example: str


def _is_pool(text: str) -> bool:
    key = Key.parse(text)
    return key is not None and not key.slot


def _by(pattern: str) -> Callable[[str], object]:
    """Return a function that matches a whole text. The pattern is compiled on first use."""
    return partial(re.fullmatch, pattern, flags=re.ASCII)


_FORMS = {
    NAMESPACES: _Form(is_label, "the name of a namespace", "team-payments, team-payments-staging"),
    POOLS: _Form(
        _is_pool,
        "a pool as ipam plan -o json writes it",
        "family/Kind/namespace/name",
    ),
    MAX_CONTRACT: _Form(_by(_NUMBER), "a number of addresses", '"32"'),
    FOLDERS: _Form(_by(_FOLDER), "a folder below the root", "tenants/payments"),
    OWNERS: _Form(_by(_OWNER), "what a forge calls somebody", '"@acme/payments"'),
}


def contract_of(document: Document) -> Contract | None:
    """Return the contract of a team; None if its document has no contract."""
    said = document.annotations()
    if not any(name in said for name in _FORMS):
        return None
    most = _words(said.get(MAX_CONTRACT, ""))
    return Contract(
        team=document.name,
        namespaces=_words(said.get(NAMESPACES, "")),
        pools=_words(said.get(POOLS, "")),
        most=int(most[0]) if most else None,
        folders=tuple(f"{folder.rstrip('/')}/" for folder in _words(said.get(FOLDERS, ""))),
        owners=_words(said.get(OWNERS, "")),
    )


def judge_contract(document: Document) -> Iterator[Finding]:
    """Yield findings about the contract in a team's document.

    An ignored word or a misspelled name would be a limit without effect.
    """
    for name, text in document.annotations().items():
        place = document.at("metadata", "annotations", name)
        if name not in _FORMS:
            near = (
                nearest(name, _FORMS, _CONTRACT_LIKENESS) if name.startswith(OBJECTS_PREFIX) else ""
            )
            if near:
                message = f"unknown annotation {shown(name)}"
                yield error("annotation-invalid", place, message, f"did you mean {near}?")
            continue
        form, words = _FORMS[name], _words(text)
        wrong = next((word for word in words if not form.fits(word)), None)
        hint = f"write {form.example}, for example"
        if wrong is not None:
            message = f"{name}: {shown(wrong)} is not {form.what}"
            yield error("annotation-invalid", place, message, hint)
        elif not words or (name == MAX_CONTRACT and len(words) > 1):
            said = "names nothing" if not words else "is more than one number"
            yield error("annotation-invalid", place, f"{name}: {shown(text)} {said}", hint)


def _words(text: str) -> tuple[str, ...]:
    """Return the unique words of a list with commas or blanks between them, in order."""
    return tuple(sorted(set(re.split(r"[,\s]+", text, flags=re.ASCII)) - {""}))
