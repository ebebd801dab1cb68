"""`get`: pools, allocations and tenants, as `kubectl get` shows them."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from reconciler.cli.shared.evaluating import evaluated
from reconciler.cli.shared.options import option, reading_options, talk_options
from reconciler.cli.shared.output import emit, emit_document, note, painter, tell
from reconciler.evaluate import Evaluation
from reconciler.findings import article_list, meant
from reconciler.model import record_kind
from reconciler.ports import ExitCode, UsageError
from reconciler.report.escape import escape
from reconciler.report.listing.choosing import ORDERS, Chosen, Wish, choose, in_order
from reconciler.report.listing.items import Item, items
from reconciler.report.listing.selector import SelectorError, parse_selector
from reconciler.report.listing.template import (
    TemplateError,
    Values,
    parse_path,
    parse_template,
)
from reconciler.report.listing.words import listings, words
from reconciler.report.machine import document_list
from reconciler.report.text.get import allocations_text, columns_text, listing_text

T = TypeVar("T")

_LISTINGS = listings()
_FORMS = ("text", "wide", "name", "json", "yaml")
_COLUMNS, _JSONPATH = "custom-columns=", "jsonpath="
_FORM_WORDS = f"{'|'.join(_FORMS)}|{_COLUMNS}…|{_JSONPATH}…"


class _What(click.ParamType[str]):
    """What can be listed, by any word that kubectl takes, and a name behind a slash."""

    name = "what"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word as it is in the listings, with the name behind it."""
        known = words()
        word, slash, name = value.partition("/")
        found = known.get(word.lower())
        if found is None:
            hint = meant(word.lower(), known) or f"known: {', '.join(_LISTINGS)}"
            self.fail(f"{word!r} is nothing that can be listed; {hint}", param, ctx)
        return f"{found}{slash}{name}"


class _Form(click.ParamType[str]):
    """The form of a result."""

    name = "form"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The form, as it is."""
        if value not in _FORMS and not value.startswith((_COLUMNS, _JSONPATH)):
            self.fail(f"{value!r} is not one of {_FORM_WORDS}.", param, ctx)
        return value


@click.command(help=f"List {article_list(_LISTINGS)}, in the columns of kubectl get.")
@click.argument("what", type=_What(), metavar="WHAT[/NAME]")
@click.argument("names", nargs=-1)
@reading_options
@option("-n", "--namespace", default="", help="Those of one namespace. Default: of all.")
@option("-A", "--all-namespaces", is_flag=True, help="Those of all namespaces, as without it.")
@option("-l", "--selector", default="", help="Those with labels, as kubectl takes them: a=b,c!=d.")
@option("--pool", default="", help="Those that hold addresses of a pool.")
@option("--team", default="", help="Those of a team.")
@option("--sort-by", default="", metavar="ORDER", help=f"{', '.join(ORDERS)}, or a path: .spec.x.")
@option("--no-headers", is_flag=True, help="Rows alone.")
@option("-o", "--output", type=_Form(), default="text", metavar="FORM", help=_FORM_WORDS)
@talk_options
def get(what: str, names: tuple[str, ...], **wish: Any) -> int:
    """List what families show, or records."""
    what, _, name = what.partition("/")
    names = (name, *names) if name else names
    space = "" if wish["all_namespaces"] else wish["namespace"]
    has_labels = None
    if wish["selector"]:
        has_labels = _read("--selector", parse_selector, wish["selector"])
    asked = Wish(names, space, has_labels, wish["pool"], wish["team"])
    order = _order(wish["sort_by"])
    show = _shower(what, wish["output"], wish["color"], headers=not wish["no_headers"])
    evaluation = evaluated(wish["repo"], wish["rev"], wish["color"], worktree=wish["worktree"])
    chosen = choose(items(evaluation, _LISTINGS[what]), asked)
    found = in_order(chosen.items, order) if order else chosen.items
    if found or not names:
        show(evaluation, found, len(names) == 1)
    if not found and not names and (wish["output"] in ("text", "wide")):
        note(f"No resources found in {space} namespace." if space else "No resources found")
    return _missing(what, chosen, evaluation)


Show = Callable[[Evaluation, Sequence[Item], bool], None]


def _shower(what: str, form: str, color: str, *, headers: bool) -> Show:
    """How objects are shown: with the evaluation, and whether one was asked for by its name."""
    if form in ("json", "yaml"):
        return lambda _evaluation, found, one: emit_document(_root(what, found, is_one=one), form)
    if form == "name":
        return lambda _evaluation, found, _one: emit("".join(map(_named, _bodies(found))))
    if form.startswith(_JSONPATH):
        part = _read("-o jsonpath", parse_template, form.removeprefix(_JSONPATH))
        return lambda _evaluation, found, one: emit(part(_root(what, found, is_one=one)))
    return _tabled(what, form, color, headers=headers)


def _tabled(what: str, form: str, color: str, *, headers: bool) -> Show:
    brush, listing, columns = painter(color), _LISTINGS[what], _columns(form)
    wide = form == "wide"

    def show(evaluation: Evaluation, found: Sequence[Item], _one: bool) -> None:
        if columns:
            text = columns_text(columns, found, brush, headers=headers)
        elif listing is None:
            clock = evaluation.tree.clock
            text = allocations_text(found, clock, brush, wide=wide, headers=headers)
        else:
            text = listing_text(listing, found, brush, wide=wide, headers=headers)
        emit(text)

    return show


def _columns(form: str) -> list[tuple[str, Callable[[Any], Values]]]:
    """The header and the path of each column that a form names."""
    if not form.startswith(_COLUMNS):
        return []
    found = []
    for column in _split(form.removeprefix(_COLUMNS)):
        header, colon, path = column.partition(":")
        if not colon or not header.strip():
            raise UsageError(
                f"-o custom-columns: {column!r} is no HEADER:PATH", "NAME:.metadata.name"
            )
        found.append((header.strip(), _read("-o custom-columns", parse_path, path)))
    return found


def _split(text: str) -> list[str]:
    """The columns: commas within brackets divide none."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _order(text: str) -> str | Callable[[Any], Values]:
    if not text or text in ORDERS:
        return text
    if text[0] not in ".{":
        raise UsageError(
            f"--sort-by: no order {text!r}", f"one of {', '.join(ORDERS)}, or a path: .spec.cidr"
        )
    return _read("--sort-by", parse_path, text)


def _read(option_: str, parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except (SelectorError, TemplateError) as wrong:
        raise UsageError(f"{option_}: {wrong}", "ipam get --help") from None


def _bodies(found: Sequence[Item]) -> list[dict[str, Any]]:
    return [dict(item.body()) for item in found if item.body is not None]


def _document(what: str, found: Sequence[Item]) -> dict[str, Any]:
    listing = _LISTINGS[what]
    if listing is None:
        return {
            "apiVersion": record_kind.API_VERSION,
            "kind": record_kind.LIST_KIND,
            "items": _bodies(found),
        }
    return document_list(f"{listing.kind.kind}List", _bodies(found))


def _root(what: str, found: Sequence[Item], *, is_one: bool) -> dict[str, Any]:
    """The object that was asked for by its name, else the list, as for kubectl; paths begin there."""
    bodies = _bodies(found)
    return bodies[0] if is_one and len(bodies) == 1 else _document(what, found)


def _named(item: dict[str, Any]) -> str:
    group = str(item["apiVersion"]).partition("/")[0]
    return f"{str(item['kind']).lower()}.{group}/{item['metadata']['name']}\n"


def _missing(what: str, chosen: Chosen, evaluation: Evaluation) -> int:
    """Say which names are not there, and of which of them addresses are held still."""
    owners = (it.owner for it in evaluation.state.records if it.is_released)
    held = {name for owner in owners for name in (owner.name, owner.short)}
    for name, near in chosen.missing:
        hint = f"; did you mean {escape(near)}?" if near else ""
        if name in held:
            hint = f"; its addresses are held still: ipam who {escape(name)} --history"
        tell(f"ipam: {what} {escape(repr(name))} not found{hint}")
    return ExitCode.WRONG if chosen.missing else ExitCode.OK
