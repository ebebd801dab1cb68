"""`get`: pools, allocations, and tenants in the style of `kubectl get`."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from reconciler.cli.opening import evaluated
from reconciler.cli.options import option, reading_options, talk_options
from reconciler.cli.output import emit, emit_document, note, painter, tell
from reconciler.documents.findings import article_list, meant
from reconciler.documents.text import escape
from reconciler.model import objects
from reconciler.model.errors import ExitCode, UsageError
from reconciler.planning.evaluate import Evaluation
from reconciler.report.json import document_list
from reconciler.report.listing import (
    ORDERS,
    Labels,
    ListedItem,
    ListQuery,
    Selection,
    SelectorError,
    choose,
    in_order,
    items,
    listings,
    parse_selector,
    words,
)
from reconciler.report.text.queries import allocations_text, listing_text

_LISTINGS = listings()
_FORMS = ("text", "wide", "name", "json", "yaml")


class _What(click.ParamType[str]):
    """Resource name in any form that kubectl accepts, with an optional name after a slash."""

    name = "what"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the canonical resource name, with the optional name."""
        known = words()
        word, slash, name = value.partition("/")
        found = known.get(word.lower())
        if found is None:
            hint = meant(word.lower(), known) or f"known: {', '.join(_LISTINGS)}"
            self.fail(f"{word!r} is nothing that can be listed; {hint}", param, ctx)
        return f"{found}{slash}{name}"


@click.command(help=f"List {article_list(_LISTINGS)}, in the columns of kubectl get.")
@click.argument("what", type=_What(), metavar="WHAT[/NAME]")
@click.argument("names", nargs=-1)
@reading_options
@option("-n", "--namespace", default="", help="Those of one namespace. Default: of all.")
@option("-A", "--all-namespaces", is_flag=True, help="Those of all namespaces, as without it.")
@option("-l", "--selector", default="", help="Those with labels, as kubectl takes them: a=b,c!=d.")
@option("--pool", default="", help="Those that hold addresses of a pool.")
@option("--team", default="", help="Those of a team.")
@option("--sort-by", type=click.Choice(ORDERS), help="Sort the list by this.")
@option("--no-headers", is_flag=True, help="Rows alone.")
@option("-o", "--output", type=click.Choice(_FORMS), default="text", help="The form of the result.")
@talk_options
def get(what: str, names: tuple[str, ...], **wish: Any) -> int:
    """List what families show, or records."""
    what, _, name = what.partition("/")
    names = (name, *names) if name else names
    space = "" if wish["all_namespaces"] else wish["namespace"]
    asked = ListQuery(names, space, _selector(wish["selector"]), wish["pool"], wish["team"])
    order = wish["sort_by"]
    show = _shower(what, wish["output"], wish["color"], headers=not wish["no_headers"])
    evaluation = evaluated(wish["repo"], wish["rev"], wish["color"], worktree=wish["worktree"])
    chosen = choose(items(evaluation, _LISTINGS[what]), asked)
    found = in_order(chosen.items, order) if order else chosen.items
    if found or not names:
        show(evaluation, found, len(names) == 1)
    if not found and not names and (wish["output"] in ("text", "wide")):
        note(f"No resources found in {space} namespace." if space else "No resources found")
    return _missing(what, chosen, evaluation)


Show = Callable[[Evaluation, Sequence[ListedItem], bool], None]


def _shower(what: str, form: str, color: str, *, headers: bool) -> Show:
    """Return a function that prints objects, given the evaluation and whether one was named."""
    if form in ("json", "yaml"):
        return lambda _evaluation, found, one: emit_document(_root(what, found, is_one=one), form)
    if form == "name":
        return lambda _evaluation, found, _one: emit("".join(map(_named, _bodies(found))))
    return _tabled(what, form, color, headers=headers)


def _tabled(what: str, form: str, color: str, *, headers: bool) -> Show:
    brush, listing = painter(color), _LISTINGS[what]
    wide = form == "wide"

    def show(evaluation: Evaluation, found: Sequence[ListedItem], _one: bool) -> None:
        if listing is None:
            clock = evaluation.tree.clock
            text = allocations_text(found, clock, brush, wide=wide, headers=headers)
        else:
            text = listing_text(listing, found, brush, wide=wide, headers=headers)
        emit(text)

    return show


def _selector(text: str) -> Callable[[Labels], bool] | None:
    try:
        return parse_selector(text) if text else None
    except SelectorError as wrong:
        raise UsageError(f"--selector: {wrong}", "ipam get --help") from None


def _bodies(found: Sequence[ListedItem]) -> list[dict[str, Any]]:
    return [dict(item.body()) for item in found if item.body is not None]


def _document(what: str, found: Sequence[ListedItem]) -> dict[str, Any]:
    listing = _LISTINGS[what]
    if listing is None:
        return {
            "apiVersion": objects.RECORD_API_VERSION,
            "kind": objects.LIST_KIND,
            "items": _bodies(found),
        }
    return document_list(f"{listing.kind.kind}List", _bodies(found))


def _root(what: str, found: Sequence[ListedItem], *, is_one: bool) -> dict[str, Any]:
    """Return the named object, or else the list, as kubectl does."""
    bodies = _bodies(found)
    return bodies[0] if is_one and len(bodies) == 1 else _document(what, found)


def _named(item: dict[str, Any]) -> str:
    group = str(item["apiVersion"]).partition("/")[0]
    return f"{str(item['kind']).lower()}.{group}/{item['metadata']['name']}\n"


def _missing(what: str, chosen: Selection, evaluation: Evaluation) -> int:
    """Print the names without a match, and the removed ones that still hold addresses."""
    owners = (it.owner for it in evaluation.state.records if it.is_released)
    held = {name for owner in owners for name in (owner.name, owner.short)}
    for name, near in chosen.missing:
        hint = f"; did you mean {escape(near)}?" if near else ""
        if name in held:
            hint = f"; its addresses are held still: ipam who {escape(name)} --history"
        tell(f"ipam: {what} {escape(repr(name))} not found{hint}")
    return ExitCode.WRONG if chosen.missing else ExitCode.OK
