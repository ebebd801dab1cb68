"""Parse a Containerfile into its steps."""

import re
from typing import NamedTuple

from tests.caches import ROOT

CONTAINERFILE = ROOT / "deploy" / "Containerfile"


class Step(NamedTuple):
    """An instruction, such as `RUN` or `COPY`, and its arguments in one line."""

    verb: str
    text: str


def image() -> list[Step]:
    """Return the instructions of the Containerfile in order, without comments."""
    lines = CONTAINERFILE.read_text(encoding="utf-8").splitlines()
    whole = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    parts = (line.partition(" ") for line in re.sub(r"\\\n\s*", "", whole).splitlines())
    return [Step(verb, rest.strip()) for verb, _, rest in parts if verb]


def of(verb: str) -> list[str]:
    """Return the arguments of each instruction with a name."""
    return [step.text for step in image() if step.verb == verb]
