"""What a code of findings means, what to do about it, and an example."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from reconciler.codes import CODES
from reconciler.findings import alike
from reconciler.report.machine import envelope


@cache
def examples() -> Mapping[str, dict[str, str]]:
    """A finding of most codes, with its hint, as `check` shows it."""
    text = files("reconciler.report").joinpath("examples.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def code_document(code: str) -> dict[str, Any]:
    """What is known of one code."""
    return {
        **envelope("Code"),
        "code": code,
        "help": CODES[code],
        "example": examples().get(code),
    }


def likely(text: str, names: Iterable[str]) -> list[str]:
    """Codes and other names that a person may have meant, the likeliest first."""
    return alike(text, [*CODES, *names], 3, 0.7)
