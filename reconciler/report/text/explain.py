"""`explain`: why a claim has its addresses or none, what stands at some, and codes; for people."""

from collections.abc import Mapping
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
    for patch in explained["patches"]:
        lines.append(
            f"  patch {patch['number']}   {escape(patch['says'])}; it gets {patch['gets']}"
        )
        lines += [f"            but {escape(gate)}" for gate in patch["gates"]]
        lines += [escape(line) for line in patch["patch"].split("\n")[:-1]]
    if explained["patches"]:
        lines.append("  apply one with --write N, or give it to git apply")
    return "\n".join(lines) + "\n"


def code_text(told: dict[str, Any], painter: Painter) -> str:
    """What a code means, and an example of it; for people."""
    lines = [painter.paint(told["code"], Colour.BOLD), f"  {told['help']}"]
    if example := told["example"]:
        lines += ["  for example", f"    {escape(example['finding'])}"]
        lines += [f"      hint: {escape(example['hint'])}"] if example["hint"] else []
    return "\n".join(lines) + "\n"


def standing_text(told: dict[str, Any], painter: Painter) -> str:
    """What stands at some addresses, a line each; for people."""
    lines = [painter.paint(range_text(told), Colour.BOLD)]
    width = max((len(item["sort"]) for item in told["items"]), default=0)
    for item in told["items"]:
        says = f", {item['says']} {range_text(item)}" if item["says"] else ""
        what = f"{escape(item['title'])}: {range_text(item['whole'])}{says}"
        place = f"{escape(item['source']['path'])}:{item['source']['line']}"
        lines.append(f"  {item['sort']:{width}}  {what}  {place}")
    if not told["items"]:
        lines.append("  nothing of this repository stands there")
    return "\n".join(lines) + "\n"


def range_text(item: Mapping[str, Any]) -> str:
    """Addresses of JSON output, for people: one alone, else `first-last`."""
    start, end = item["start"], item["end"]
    return start if start == end else f"{start}-{end}"
