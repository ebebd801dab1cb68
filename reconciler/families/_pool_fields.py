"""Fields that pools of all families share: addresses, thresholds, gate, annotations."""

from collections.abc import Iterator, Mapping
from typing import Any

from reconciler.addresses import IPRange
from reconciler.addresses.notation import (
    NotationError,
    format_cidr,
    format_range,
    parse_address,
    parse_cidr,
    special_purpose,
)
from reconciler.documents.document import Document
from reconciler.documents.places import Steps, dotted
from reconciler.findings import Finding, error, meant, shown
from reconciler.model.pool import Thresholds, Tier
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
_LIKENESS = 0.9
_LEAST_PREFIX = {4: 8, 6: 32}


def read_cidr(document: Document, steps: Steps, text: str, found: list[Finding]) -> IPRange | None:
    """A CIDR field, or None with a finding."""
    try:
        return parse_cidr(text)
    except NotationError as wrong:
        message = f"{dotted(steps)}: {wrong}"
        found.append(error("cidr-invalid", document.at(*steps), message, wrong.hint))
        return None


def read_address(
    document: Document, steps: Steps, text: str, found: list[Finding]
) -> IPRange | None:
    """An address field as a range of one, or None with a finding."""
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
    """Two address fields of the mapping at `steps` as a range, or None with findings."""
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
    """Why a network cannot be given out: set aside by RFC 6890, or too large to be meant."""
    text = format_cidr(network) or format_range(network)
    if (block := special_purpose(network)) is not None and network.prefix():
        message = f"{dotted(steps)}: {text} touches {block}"
        hint = "such addresses cannot be used on a network (RFC 6890)"
        return error("special-purpose", document.at(*steps), message, hint)
    least = _LEAST_PREFIX[network.version]
    if (network.prefix() or 0) < least:
        message = f"{dotted(steps)}: {text} is too large; the limit is a /{least}"
        return error("pool-too-large", document.at(*steps), message, "split it into several pools")
    return None


def read_thresholds(
    document: Document, settings: Settings, found: list[Finding]
) -> tuple[Thresholds, Tier | None]:
    """Thresholds and gate of a pool: its annotations, else the Settings."""
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
    """The address space of a pool, with a finding when it is none of those that Settings list."""
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
    """Annotations of ours that no program reads, but that look like one that is read."""
    for name in document.annotations():
        if not name.startswith(PREFIX) or name in _ANNOTATIONS:
            continue
        if hint := meant(name.lower(), _ANNOTATIONS, _LIKENESS):
            place = document.at("metadata", "annotations", name, key=True)
            message = f"unknown annotation {shown(name)}"
            yield error("annotation-invalid", place, message, hint)


def _bad_annotation(document: Document, name: str, text: str, wanted: str, example: str) -> Finding:
    place = document.at("metadata", "annotations", f"{PREFIX}{name}")
    message = f"{PREFIX}{name}: {shown(text)} is not {wanted}"
    return error("annotation-invalid", place, message, f"write {example}, for example")
