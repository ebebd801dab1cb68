"""What a document of a team says that the team may ask for: annotations, which no API refuses."""

import re
from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct

from reconciler.documents.document import Document
from reconciler.findings import Finding, error, nearest, shown
from reconciler.model.contract import Contract
from reconciler.model.key import Key, is_label
from reconciler.model.marks import PREFIX

NAMESPACES = f"{PREFIX}namespaces"
POOLS = f"{PREFIX}pools"
MOST = f"{PREFIX}max-addresses"
FOLDERS = f"{PREFIX}folders"
OWNERS = f"{PREFIX}owners"

_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_FOLDER = rf"{_PART}(?:/{_PART})*/?"
# A handle or a group of a forge, or an address of mail: nothing that a CODEOWNERS file reads as more.
_OWNER = (
    r"@[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?(?:/[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)*"
    r"|[A-Za-z0-9][A-Za-z0-9_.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
)
_NUMBER = r"[1-9][0-9]{0,9}"
_LIKENESS = 0.85


class _Form(Struct, frozen=True):
    """What an annotation holds: what is right, in words, and an example."""

    fits: Callable[[str], object]
    what: str
    example: str


def _is_pool(text: str) -> bool:
    key = Key.parse(text)
    return key is not None and not key.slot


def _by(pattern: str) -> Callable[[str], object]:
    """Whether a pattern takes all of a text; it is compiled when a team says something first."""
    return partial(re.fullmatch, pattern, flags=re.ASCII)


_FORMS = {
    NAMESPACES: _Form(is_label, "the name of a namespace", "team-payments, team-payments-staging"),
    POOLS: _Form(
        _is_pool,
        "a pool as ipam plan -o json writes it",
        "family/Kind/namespace/name",
    ),
    MOST: _Form(_by(_NUMBER), "a number of addresses", '"32"'),
    FOLDERS: _Form(_by(_FOLDER), "a folder below the root", "tenants/payments"),
    OWNERS: _Form(_by(_OWNER), "what a forge calls somebody", '"@acme/payments"'),
}


def contract_of(document: Document) -> Contract | None:
    """What a team may ask for; None where its document says nothing of it."""
    said = document.annotations()
    if not any(name in said for name in _FORMS):
        return None
    most = _words(said.get(MOST, ""))
    return Contract(
        team=document.name,
        namespaces=_words(said.get(NAMESPACES, "")),
        pools=_words(said.get(POOLS, "")),
        most=int(most[0]) if most else None,
        folders=tuple(f"{folder.rstrip('/')}/" for folder in _words(said.get(FOLDERS, ""))),
        owners=_words(said.get(OWNERS, "")),
    )


def judge_contract(document: Document) -> Iterator[Finding]:
    """What is wrong with what a team's document says of the team's rights.

    A word that is passed over, or a name that is misspelt, would be a limit that nobody keeps.
    """
    for name, text in document.annotations().items():
        place = document.at("metadata", "annotations", name)
        if name not in _FORMS:
            near = nearest(name, _FORMS, _LIKENESS) if name.startswith(PREFIX) else ""
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
        elif not words or (name == MOST and len(words) > 1):
            said = "names nothing" if not words else "is more than one number"
            yield error("annotation-invalid", place, f"{name}: {shown(text)} {said}", hint)


def _words(text: str) -> tuple[str, ...]:
    """The words of a list, with commas or blanks between them, each once and in order."""
    return tuple(sorted(set(re.split(r"[,\s]+", text, flags=re.ASCII)) - {""}))
