"""What a Containerfile says, step by step."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tests.caches import ROOT

CONTAINERFILE = ROOT / "deploy" / "Containerfile"


class Step(NamedTuple):
    """An instruction: `RUN`, `COPY` and so on, and all that stands behind it, in one line."""

    verb: str
    text: str


def steps(text: str) -> Iterator[Step]:
    """The instructions of a Containerfile in order; comments are left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    whole = re.sub(r"\\\n\s*", "", "\n".join(lines))
    for line in filter(str.strip, whole.splitlines()):
        verb, _, rest = line.partition(" ")
        yield Step(verb, rest.strip())


def image() -> list[Step]:
    """Those of the image."""
    return list(steps(CONTAINERFILE.read_text(encoding="utf-8")))


def of(verb: str) -> list[str]:
    """What stands behind each instruction of a sort."""
    return [step.text for step in image() if step.verb == verb]
