"""`get`, `who`, and `history`: objects, holders of addresses, and events."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, takewhile

import click

from reconciler.addresses import asked_range, mistaken
from reconciler.cli import opening, options, output
from reconciler.cli.commands import VerbCommand
from reconciler.cli.options import option
from reconciler.documents.findings import article_list, meant, plural
from reconciler.documents.text import escape
from reconciler.history.commits import Caused
from reconciler.history.who import WhoAnswer, moment_of, nearest_name, what_happened
from reconciler.history.who import who as find_out
from reconciler.model import objects
from reconciler.model.errors import ExitCode, UsageError
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import read_own_settings
from reconciler.records.emit import is_own
from reconciler.report import listing
from reconciler.report import queries as documents
from reconciler.report.text import queries as text

_LISTINGS = listing.listings()
_POOLS = "pools"


class _What(click.ParamType[str]):
    name = "what"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        known = listing.words()
        word, slash, name = value.partition("/")
        found = known.get(word.lower())
        if found is None:
            hint = meant(word.lower(), known) or f"use one of: {', '.join(_LISTINGS)}"
            self.fail(f"ipam get cannot list {word!r}; {hint}", param, ctx)
        return f"{found}{slash}{name}"


@click.command(
    cls=VerbCommand,
    help=f"List objects in the columns of kubectl get.\n\nWHAT: {', '.join(_LISTINGS)}.",
)
@click.argument("what", type=_What(), metavar="WHAT[/NAME]")
@click.argument("names", nargs=-1)
@options.reading
@option("-n", "--namespace", metavar="NAME", default="", help="List only this namespace.")
@option("-A", "--all-namespaces", is_flag=True, help="List all namespaces (the default).")
@option(
    *("-l", "--selector"),
    metavar="LABELS",
    default="",
    help="List only objects with these labels: a=b,c!=d.",
)
@option("--pool", metavar="POOL", default="", help="List only objects with addresses of this pool.")
@option("--team", metavar="NAME", default="", help="List only objects of this team.")
@option("--sort-by", type=click.Choice([*listing.ORDERS]), help="Sort the list in this order.")
@option("--no-headers", is_flag=True, help="Leave out the header line.")
@output.options("text", "wide", "name", "json", "yaml")
def get(
    what: str,
    names: tuple[str, ...],
    reading: options.Reading,
    namespace: str,
    all_namespaces: bool,
    selector: str,
    pool: str,
    team: str,
    sort_by: str | None,
    no_headers: bool,
    result: output.Result,
) -> int:
    """List resources, such as pools, tenants, or records."""
    what, _, name = what.partition("/")
    names = (name, *names) if name else names
    space = "" if all_namespaces else namespace
    query = listing.ListQuery(names, space, _selector(selector), pool, team)
    evaluation = opening.open_source(reading).evaluation(result.brush)
    what = listing.meant(what, evaluation.documents)
    chosen = listing.choose(listing.items(evaluation, _LISTINGS[what]), query)
    found = sorted(chosen.items, key=listing.ORDERS[sort_by]) if sort_by else chosen.items
    if found or not names:
        is_one = len(names) == 1
        _show(what, evaluation, found, result, has_headers=not no_headers, is_one=is_one)
    if not names and result.output in ("text", "wide"):
        if not found:
            is_at = f" in {space} namespace." if space else ""
            output.note(f"No resources found{is_at}")
        kind, claims = _LISTINGS[what], evaluation.state.claims
        if what == "claims" and kind and (more := sum(it.kind != kind.kind.kind for it in claims)):
            output.note(f"{plural(more, 'claim')} of other kinds: ipam plan --all")
        if what == _POOLS and (others := _of_other_kinds(evaluation)):
            output.note(
                f"pools of other kinds: {article_list((f'ipam get {it}' for it in others), 'and')}"
            )
    return _missing(what, chosen, evaluation)


def _of_other_kinds(evaluation: Evaluation, name: str = "") -> list[str]:
    """Return the listings of pools, with a name or with any, that are no NetworkPools."""
    kinds = {key.kind for key in evaluation.state.pools if name in ("", key.name)}
    there = [(it, listing) for it, listing in _LISTINGS.items() if listing is not None]
    return [it for it, listing in there if it != _POOLS and listing.kind.kind in kinds]


def _selector(value: str) -> Callable[[listing.Labels], bool] | None:
    try:
        return listing.parse_selector(value) if value else None
    except ValueError as wrong:
        raise UsageError(f"--selector: {wrong}", "ipam get --help") from None


def _show(
    what: str,
    evaluation: Evaluation,
    found: Sequence[listing.ListedItem],
    result: output.Result,
    *,
    has_headers: bool,
    is_one: bool,
) -> None:
    kind, is_wide = _LISTINGS[what], result.output == "wide"
    if result.output in ("text", "wide"):
        brush, clock = result.brush, evaluation.tree.clock
        if kind is None:
            output.emit(
                text.allocations_text(found, clock, brush, wide=is_wide, headers=has_headers)
            )
        else:
            output.emit(text.listing_text(kind, found, brush, wide=is_wide, headers=has_headers))
        return
    bodies = [dict(item.body()) for item in found if item.body is not None]
    if result.output == "name":
        for item in bodies:
            group = str(item["apiVersion"]).partition("/")[0]
            output.emit(f"{str(item['kind']).lower()}.{group}/{item['metadata']['name']}\n")
    elif is_one and len(bodies) == 1:
        output.emit_document(bodies[0], result.output)
    else:
        version, name = _record_version(bodies, evaluation), objects.LIST_KIND
        if kind is not None:
            version, name = "v1", f"{kind.kind.kind}List"
        listed = {"apiVersion": version, "kind": name, "items": bodies}
        output.emit_document(listed, result.output)


def _record_version(bodies: Sequence[listing.ListedBody], evaluation: Evaluation) -> str:
    """Return the API version of the listed records, or of the pools if the list is empty or mixed."""
    versions = {str(it["apiVersion"]) for it in bodies}
    is_ours = versions == {objects.API_VERSION} if versions else False
    families = {key.family for key in evaluation.state.pools}
    is_ours |= not versions and bool(families) and all(map(is_own, families))
    return objects.API_VERSION if is_ours else objects.RECORD_API_VERSION


def _missing(what: str, chosen: listing.Selection, evaluation: Evaluation) -> int:
    owners = (it.owner for it in evaluation.state.records if it.is_released)
    held = {name for owner in owners for name in (owner.name, owner.short)}
    for name, similar in chosen.missing:
        hint = f"; did you mean {escape(similar)}?" if similar else ""
        if what == _POOLS and (others := _of_other_kinds(evaluation, name)):
            hint = f"; it has another kind: run ipam get {others[0]} {escape(name)}"
        if name in held:
            hint = f"; its addresses are still held: run ipam who {escape(name)} --history"
        output.tell(f"ipam: {what} {escape(repr(name))} not found{hint}")
    return ExitCode.WRONG if chosen.missing else ExitCode.OK


@click.command(cls=VerbCommand)
@click.argument("asked", metavar="ADDRESS|CIDR|NAME")
@options.reading
@options.past
@option("--history", "past", is_flag=True, help="Also show all events of the addresses.")
@output.options("text", "json", "yaml", "csv")
def who(
    asked: str, reading: options.Reading, at: str | None, past: bool, result: output.Result
) -> int:
    """Show the holder of an address, since when, and the commit and author behind it.

    For a CIDR or a range such as 10.0.0.0-10.0.0.9, it lists each part. For a name, it lists all
    addresses of that tenant, team, record, or pool. Exit code 1 if the repository has no match.
    """
    read, brush = opening.open_past(reading, at), result.brush
    evaluation = read.evaluation(brush)
    with output.progress("reading"):
        history = read.history(evaluation.tree.settings)
        answer = find_out(evaluation, history, asked)
    if not answer.is_known:
        _require_meant(asked)
    holders, brought = answer.holders, answer.brought
    events = what_happened(history, answer.asked) if past else None
    if result.is_document:
        listed = None if events is None else list(events)
        revision = evaluation.tree.revision
        document = documents.holders_document(answer.asked, revision, holders, brought, listed)
        output.emit_document(document, result.output)
        is_known = bool(listed) or answer.is_known
    else:
        if result.output == "text":
            output.emit(text.who_text(holders, brought, brush))
        elif events is None:
            output.emit("".join(documents.holder_rows(holders, brought)))
        is_known = bool(events and _stream(events, result)) or answer.is_known
    if not is_known:
        _unknown(answer, looked_back=past)
    return ExitCode.OK if is_known else ExitCode.WRONG


def _stream(events: Iterator[Caused], result: output.Result) -> int:
    brush, is_csv = result.brush, result.output == "csv"
    rows = documents.event_rows(events) if is_csv else text.events_text(events, brush)
    count = 0
    for row in rows:
        output.emit(row, flushes=True)
        count += 1
    return count - is_csv  # a table has a header


def _unknown(answer: WhoAnswer, *, looked_back: bool) -> None:
    if answer.range is not None:
        output.tell(f"{answer.asked} is not in any pool of this repository")
        return
    similar = answer.near
    hint = f"; did you mean {similar}?" if similar else "; to list names, run ipam get allocations"
    before = "" if looked_back else "; to list earlier holders, add --history"
    output.tell(f"no tenant, team, record, or pool is named {answer.asked!r}{hint}{before}")


def _require_meant(asked: str) -> None:
    if asked_range(asked) is None and (wrong := mistaken(asked)) is not None:
        raise UsageError(str(wrong), wrong.hint)


@click.command(cls=VerbCommand)
@click.argument("asked", metavar="[CLAIM|POOL]", required=False)
@options.history
@option("--since", metavar="DATE", help="List only events since this date, time, or age (30d).")
@option(
    *("-n", "--number"),
    metavar="N",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="List at most N events. 0 lists all.",
)
@output.options("text", "json", "yaml", "csv")
def history(
    asked: str | None,
    reading: options.Reading,
    since: str | None,
    number: int,
    result: output.Result,
) -> int:
    """List events of addresses: allocated, grown, moved, released, freed.

    Name a claim, tenant, team, record, pool, or addresses to list only their events. For each
    event, ipam shows the commit, and the person, the pull request, and the document behind it.
    """
    read = opening.open_source(reading)
    past = read.history(read_own_settings(read.source).settings)
    events = what_happened(past, asked) if asked is not None else past.events()
    if since is not None:
        events = takewhile(_later(since, read.source.clock()), events)
    first = next(events, None)
    if first is None and asked is not None and since is None:
        _require_meant(asked)
    events = chain(() if first is None else (first,), events)
    shown = islice(events, number or None)
    if result.is_document:
        found = list(shown)
        count = len(found)
        output.emit_document(documents.history_document(past.start, found), result.output)
    else:
        count = _stream(shown, result)
    if count and next(events, None) is not None:
        output.tell("Older events are not shown: -n 0 lists all")
    if count or asked is None or since is not None:
        return ExitCode.OK
    similar = nearest_name(asked, filter(None, past.known.values()))
    output.tell(f"no events of {asked!r}{f'; did you mean {similar}?' if similar else ''}")
    return ExitCode.WRONG


def _later(since: str, clock: int) -> Callable[[Caused], bool]:
    moment = moment_of(since, clock, is_end=False)
    if moment is None:
        hint = "write 2026-02-15, 2026-02-15T10:00Z, or 30d (before the revision)"
        raise UsageError(f"--since {since!r} is not a time", hint)
    return lambda event: event[0].row.clock >= moment
