"""A change of a file as a unified diff that `git apply` takes."""

import re
from difflib import unified_diff

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def patch(path: str, before: bytes, after: bytes) -> str:
    """The diff of a file that stays where it is."""
    # Git marks the end of a name that holds a space by a tab.
    name = f"{path}\t" if " " in path else path
    rows = unified_diff(_lines(before), _lines(after), f"a/{name}", f"b/{name}", lineterm="\n")
    ended = (
        row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows
    )
    return "".join(ended)


def _lines(data: bytes) -> list[str]:
    return _LINE.findall(data.decode("utf-8"))
