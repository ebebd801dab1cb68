"""`explain`: why a claim has, or cannot get, its addresses, in lines for people."""

from typing import Any

from reconciler.report.escape import escape
from reconciler.report.text.table import Colour, Painter


def explanation_text(explained: dict[str, Any], painter: Painter) -> str:
    """The explanation for people."""
    refused = explained["action"] == "refuse"
    lines = [
        painter.paint(explained["claim"], Colour.BOLD),
        f"  asks for  {explained['asked']}",
        f"  verdict   {painter.paint(escape(explained['verdict']), Colour.RED if refused else None)}",
    ]
    if source := explained["source"]:
        lines.append(f"  source    {escape(source['path'])}:{source['line']}")
    if explained["record"]:
        lines.append(
            f"  record    {escape(explained['record'])} ({explained['phase']} since"
            f" {escape(explained['since'])})"
        )
    for order, pool in enumerate(explained["pools"], 1):
        lines.append(
            f"  pool {order}    {pool['pool'].rpartition('/')[2]}: {pool['available']} free of"
            f" {pool['total']}, largest run {pool['largestFreeBlock']}"
        )
    lines += [f"  remedy    {escape(remedy)}" for remedy in explained["remedies"]]
    return "\n".join(lines) + "\n"
