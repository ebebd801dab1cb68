"""Fields, annotations, and reading results that families share."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from reconciler import addresses
from reconciler.addresses import BITS, MIN_PREFIX, IPRange, NotationError
from reconciler.documents.document import Document
from reconciler.documents.findings import NAMED, Finding, error, meant, nearest, shown
from reconciler.documents.yaml import Steps, dotted
from reconciler.families.importing import UID
from reconciler.model.key import Key, is_label, is_name
from reconciler.model.objects import ADOPT, OWNER_LABEL, PREFIX, REVISION
from reconciler.model.pool import DEFAULT_SPACE, Contract, Thresholds, Tier
from reconciler.model.settings import Settings

POOL_ANNOTATIONS = tuple(
    f"{PREFIX}{name}" for name in ("address-space", "critical", "exhausted", "gate", "warning")
)
_SPACE = POOL_ANNOTATIONS[0]
_LIKENESS = 0.7
_ANNOTATIONS = ("metadata", "annotations")


def refuse(  # noqa: PLR0913 - one argument for each part of a finding
    found: list[Finding], document: Document, steps: Steps, code: str, message: str, hint: str
) -> None:
    """Add an error about a field of a document."""
    found.append(error(code, document.at(*steps), message, hint))


def read_cidr(document: Document, steps: Steps, text: str, found: list[Finding]) -> IPRange | None:
    """Return a CIDR field, or None with a finding."""
    try:
        return addresses.parse_cidr(text)
    except NotationError as wrong:
        refuse(found, document, steps, "cidr-invalid", f"{dotted(steps)}: {wrong}", wrong.hint)
        return None


def read_address(
    document: Document, steps: Steps, text: str, found: list[Finding], whole: str = ""
) -> IPRange | None:
    """Return an address as a range of one address, or None with a finding. `whole` is the field."""
    try:
        version, number = addresses.parse_address(text)
    except NotationError as wrong:
        hint = f"write {meant}" if (meant := addresses.canonical(whole)) else wrong.hint
        refuse(found, document, steps, "address-invalid", f"{dotted(steps)}: {wrong}", hint)
        return None
    return IPRange(version, number, number)


def read_range(
    document: Document, steps: Steps, fields: tuple[str, str], found: list[Finding]
) -> IPRange | None:
    """Return the range of two address fields in the mapping at `steps`, or None with findings."""
    body: Any = document.body
    for step in steps:
        body = body[step]
    (first, last), (low, high) = fields, (body[fields[0]], body[fields[1]])
    start = read_address(document, (*steps, first), low, found)
    end = read_address(document, (*steps, last), high, found)
    if start is None or end is None:
        return None
    if start.version != end.version:
        message = f"{dotted(steps)}: {low} and {high} differ in IP version"
        hint = "write both as IPv4 or both as IPv6"
        refuse(found, document, (*steps, last), "family-mismatch", message, hint)
        return None
    if start.first > end.last:
        message = f"{dotted(steps)}: {first} {low} is after {last} {high}"
        refuse(found, document, (*steps, first), "range-reversed", message, "swap the two")
        return None
    return IPRange(start.version, start.first, end.last)


def refuse_network(document: Document, steps: Steps, network: IPRange) -> Finding | None:
    """Return why a network cannot be allocated from: reserved by RFC 6890, or implausibly large."""
    text = addresses.format_cidr(network) or addresses.format_range(network)
    if (block := addresses.special_purpose(network)) is not None and network.prefix() != 0:
        message = f"{dotted(steps)}: {text} overlaps {block}"
        hint = "choose addresses that RFC 6890 does not reserve"
        return error("special-purpose", document.at(*steps), message, hint)
    least = MIN_PREFIX[network.version]
    if network.size > 1 << (BITS[network.version] - least):
        message = f"{dotted(steps)}: {text} is too large, must be a /{least} or smaller"
        return error("pool-too-large", document.at(*steps), message, "split it into several pools")
    return None


def read_thresholds(
    document: Document, settings: Settings, found: list[Finding]
) -> tuple[Thresholds, Tier | None]:
    """Return thresholds and capacity limit of a pool: its annotations, else the Settings."""
    annotations = document.annotations()
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
        message = f"thresholds are {levels}, must rise from warning to exhausted"
        hint = "set all three annotations (Settings have the defaults)"
        refuse(found, document, _ANNOTATIONS, "annotation-invalid", message, hint)
        return settings.thresholds, settings.gate
    gate, text = settings.gate, annotations.get(f"{PREFIX}gate")
    if text == "never":
        gate = None
    elif text in (Tier.WARNING, Tier.CRITICAL, Tier.EXHAUSTED):
        gate = Tier(text)
    elif text is not None:
        wanted = "warning, critical, exhausted, or never"
        found.append(_bad_annotation(document, "gate", text, wanted, Tier.EXHAUSTED.value))
    return Thresholds(**values), gate


def stated_thresholds(
    document: Document, default: Thresholds, found: list[Finding]
) -> Thresholds | None:
    """Return `spec.thresholds` with defaults, or None with a finding."""
    stated = document.spec.get("thresholds") or {}
    names = ("warning", "critical", "exhausted")
    levels = [stated.get(name, getattr(default, name)) for name in names]
    if levels == sorted(levels):
        return Thresholds(*levels)
    message = f"spec.thresholds {', '.join(map(str, levels))} must rise from warning to exhausted"
    hint = "write, for example, {warning: 70, critical: 85, exhausted: 95}"
    refuse(found, document, ("spec", "thresholds"), "field-value", message, hint)
    return None


def read_space(document: Document, settings: Settings, found: list[Finding]) -> str:
    """Return the address space of a pool; add a finding if Settings do not list it."""
    space = document.annotations().get(_SPACE, DEFAULT_SPACE)
    return checked_space(document, (*_ANNOTATIONS, _SPACE), space, settings, found)


def checked_space(
    document: Document, steps: Steps, space: str, settings: Settings, found: list[Finding]
) -> str:
    """Return an address space; add a finding if Settings do not list it."""
    listed = settings.address_spaces
    if listed is not None and space not in listed:
        message = f"address space {shown(space)} is not listed in Settings"
        hint = meant(space, listed[:NAMED]) or "add it to spec.addressSpaces of Settings"
        refuse(found, document, steps, "address-space-unknown", message, hint)
    return space


def judge_names(document: Document, known: Iterable[str] = ()) -> Iterator[Finding]:
    """Yield findings for annotations and labels of `ipam` that it does not know."""
    annotations = [ADOPT, REVISION, UID, *known]
    for field, listed in (("annotation", annotations), ("label", [OWNER_LABEL])):
        for name in document.metadata.get(f"{field}s") or ():
            if not name.lower().startswith(PREFIX) or name in listed:
                continue
            hint = f"use one of: {', '.join(listed)}"
            if near := _alike(name, listed):
                hint = f"did you mean {near}?"
            elif field == "label" and (near := _alike(name, annotations)):
                hint = f"write it as the annotation {near}"
            place = document.at("metadata", f"{field}s", name, key=True)
            yield error("annotation-invalid", place, f"unknown {field} {shown(name)}", hint)


def _alike(name: str, listed: Iterable[str]) -> str:
    words = [it.removeprefix(PREFIX) for it in listed]
    near = nearest(name.lower().removeprefix(PREFIX), words, _LIKENESS)
    return near and f"{PREFIX}{near}"


def _bad_annotation(document: Document, name: str, text: str, wanted: str, example: str) -> Finding:
    place = document.at(*_ANNOTATIONS, f"{PREFIX}{name}")
    message = f"{PREFIX}{name} is {shown(text)}, expected {wanted}"
    return error("annotation-invalid", place, message, f"write, for example, {example}")


FORMERLY = f"{PREFIX}formerly"
PLACE = (*_ANNOTATIONS, FORMERLY)


class FormerName(NamedTuple):
    """Previous namespace and name of an object; no namespace for a cluster-scoped object."""

    namespace: str
    name: str


def former_of(document: Document) -> FormerName | None:
    """Return the previous name that a document declares; None if absent or invalid."""
    text = document.annotations().get(FORMERLY)
    if text is None:
        return None
    if document.kind.default_namespace is None:
        return FormerName("", text) if is_name(text) else None
    namespace, slash, name = text.partition("/")
    return FormerName(namespace, name) if slash and is_label(namespace) and is_name(name) else None


def written(namespace: str, name: str) -> str:
    """Return the YAML line that declares the previous name of an object."""
    return f"{FORMERLY}: {namespace}/{name}" if namespace else f"{FORMERLY}: {name}"


def judge_former(document: Document) -> Iterator[Finding]:
    """Yield findings about an invalid annotation. A wrong guess could give addresses away."""
    text = document.annotations().get(FORMERLY)
    if text is None or former_of(document) is not None:
        return
    is_placed = document.kind.default_namespace is not None
    wanted, example = ("<namespace>/<name>", "team-a/shop") if is_placed else ("a name", "shop")
    yield _bad_annotation(document, "formerly", text, wanted, example)


_MAX_CONTRACT = f"{PREFIX}max-addresses"
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
# A handle or group of a forge, or an email address. CODEOWNERS must not read it as more.
_OWNER = (
    r"@[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?(?:/[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)*"
    r"|[A-Za-z0-9][A-Za-z0-9_.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
)


def _by(pattern: str) -> Callable[[str], object]:
    return partial(re.fullmatch, pattern, flags=re.ASCII)


class _Form(NamedTuple):
    fits: Callable[[str], object]
    what: str
    example: str


CONTRACT_FORMS = {
    f"{PREFIX}namespaces": _Form(
        is_label, "the name of a namespace", "team-payments, team-payments-staging"
    ),
    f"{PREFIX}pools": _Form(
        lambda it: (key := Key.parse(it)) and not key.slot,
        "a pool as in ipam plan -o json",
        "family/Kind/namespace/name",
    ),
    _MAX_CONTRACT: _Form(_by("[1-9][0-9]{0,9}"), "a number of addresses", '"32"'),
    f"{PREFIX}folders": _Form(
        _by(rf"{_PART}(?:/{_PART})*/?"), "a folder below the root", "tenants/payments"
    ),
    f"{PREFIX}owners": _Form(_by(_OWNER), "a user or a team of the forge", '"@acme/payments"'),
}


def contract_of(document: Document) -> Contract | None:
    """Return the contract of a team; None if its document has no contract."""
    said = document.annotations()
    if not any(name in said for name in CONTRACT_FORMS):
        return None
    namespaces, pools, most, folders, owners = (_words(said.get(it, "")) for it in CONTRACT_FORMS)
    return Contract(
        document.name,
        namespaces,
        pools,
        int(most[0]) if most else None,
        tuple(f"{folder.rstrip('/')}/" for folder in folders),
        owners,
    )


def judge_contract(document: Document) -> Iterator[Finding]:
    """Yield findings about a team's contract: an ignored word would be a limit without effect."""
    for name, form in CONTRACT_FORMS.items():
        text = document.annotations().get(name)
        if text is None:
            continue
        words = _words(text)
        wrong = next((word for word in words if not form.fits(word)), None)
        if wrong is not None:
            message = f"{name}: {shown(wrong)} is not {form.what}"
        elif not words:
            message = f"{name} is empty"
        elif name == _MAX_CONTRACT and len(words) > 1:
            message = f"{name} is {shown(text)}, expected one number"
        else:
            continue
        place = document.at(*_ANNOTATIONS, name)
        yield error("annotation-invalid", place, message, f"write, for example, {form.example}")


def _words(text: str) -> tuple[str, ...]:
    return tuple(sorted(set(re.split(r"[,\s]+", text, flags=re.ASCII)) - {""}))


def condition(kind: str, status: str, reason: str, message: str, since: str) -> Mapping[str, str]:
    """Return a condition; `since` is used if the cluster does not have the condition yet."""
    return {
        "lastTransitionTime": since,
        "message": message,
        "reason": reason,
        "status": status,
        "type": kind,
    }
