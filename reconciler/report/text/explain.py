"""`explain`: why a claim has its addresses or none, and what stands at some, in lines for people."""

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


def standing_text(told: dict[str, Any], painter: Painter) -> str:
    """What stands at some addresses, a line each; for people."""
    lines = [painter.paint(_range(told), Colour.BOLD)]
    width = max((len(item["sort"]) for item in told["items"]), default=0)
    for item in told["items"]:
        says = f", {item['says']} {_range(item)}" if item["says"] else ""
        what = f"{escape(item['title'])}: {_range(item['whole'])}{says}"
        place = f"{escape(item['source']['path'])}:{item['source']['line']}"
        lines.append(f"  {item['sort']:{width}}  {what}  {place}")
    if not told["items"]:
        lines.append("  nothing of this repository stands there")
    return "\n".join(lines) + "\n"


def _range(item: dict[str, Any]) -> str:
    start, end = item["start"], item["end"]
    return start if start == end else f"{start}-{end}"
