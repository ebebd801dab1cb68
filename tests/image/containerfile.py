"""What a Containerfile says, step by step."""

import re
from typing import NamedTuple

from tests.caches import ROOT

CONTAINERFILE = ROOT / "deploy" / "Containerfile"


class Step(NamedTuple):
    """An instruction: `RUN`, `COPY` and so on, and all that stands behind it, in one line."""

    verb: str
    text: str


def image() -> list[Step]:
    """The instructions of the Containerfile in order; comments are left out."""
    lines = CONTAINERFILE.read_text(encoding="utf-8").splitlines()
    whole = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    parts = (line.partition(" ") for line in re.sub(r"\\\n\s*", "", whole).splitlines())
    return [Step(verb, rest.strip()) for verb, _, rest in parts if verb]


def of(verb: str) -> list[str]:
    """What stands behind each instruction of a sort."""
    return [step.text for step in image() if step.verb == verb]
