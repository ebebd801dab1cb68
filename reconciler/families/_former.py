"""What a document was called before: the annotation by which a rename keeps addresses."""

from collections.abc import Iterator
from typing import NamedTuple

from reconciler.documents.document import Document
from reconciler.findings import Finding, alike, error, shown
from reconciler.model.key import is_label, is_name
from reconciler.model.marks import PREFIX

_WORD, _LIKENESS = "formerly", 0.7
FORMERLY = f"{PREFIX}{_WORD}"
PLACE = ("metadata", "annotations", FORMERLY)


class Former(NamedTuple):
    """Namespace and name of an object before; no namespace for a cluster-scoped one."""

    namespace: str
    name: str


def former_of(document: Document) -> Former | None:
    """What a document says that its object was called before; None for nothing, or nonsense."""
    text = document.annotations().get(FORMERLY)
    return None if text is None else _read(document, text)


def written(namespace: str, name: str) -> str:
    """The line of YAML that names what an object was called before."""
    return f"{FORMERLY}: {namespace}/{name}" if namespace else f"{FORMERLY}: {name}"


def judge_former(document: Document) -> Iterator[Finding]:
    """What is wrong with the annotation: whoever guesses what it means may give addresses away."""
    text = document.annotations().get(FORMERLY)
    if text is None or _read(document, text) is not None:
        return
    is_placed = document.kind.default_namespace is not None
    wanted, example = ("<namespace>/<name>", "team-a/shop") if is_placed else ("a name", "shop")
    message = f"{FORMERLY}: {shown(text)} is not {wanted}"
    yield error("annotation-invalid", document.at(*PLACE), message, f"write {example}, for example")


def judge_misspelt(document: Document) -> Iterator[Finding]:
    """Annotations that look like the one which names a former name: passed over, addresses change."""
    for name in document.annotations():
        word = name.removeprefix(PREFIX)
        if name in (word, FORMERLY) or not alike(word.lower(), [_WORD], 1, _LIKENESS):
            continue
        place = document.at("metadata", "annotations", name, key=True)
        message = f"unknown annotation {shown(name)}"
        yield error("annotation-invalid", place, message, f"did you mean {FORMERLY}?")


def _read(document: Document, text: str) -> Former | None:
    if document.kind.default_namespace is None:
        return Former("", text) if is_name(text) else None
    namespace, slash, name = text.partition("/")
    return Former(namespace, name) if slash and is_label(namespace) and is_name(name) else None
