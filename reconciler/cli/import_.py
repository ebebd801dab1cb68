"""`import`: existing addresses as files whose plan moves nothing."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from reconciler.addresses import NotationError, parse_cidr
from reconciler.cli.files import require_clusters
from reconciler.cli.opening import open_source
from reconciler.cli.options import F, option, output_options, parse_seconds, repository_option
from reconciler.cli.output import emit, emit_document, painter, progress
from reconciler.documents.findings import Location, shown
from reconciler.gitio.files import write_all
from reconciler.importing.found import ImportedNetwork, ImportedSource, slug
from reconciler.importing.run import ImportSource, files_found, imported, looked
from reconciler.importing.tables import MAX_BYTES, Assumed
from reconciler.kube.clusters import open_contexts
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.key import is_label
from reconciler.planning.read import read_own_settings
from reconciler.report.queries import import_document
from reconciler.report.text.runs import import_text


class Where(NamedTuple):
    """Options that all import sources share."""

    repo: Path
    out: Path | None
    partial: bool
    dry_run: bool
    pools: tuple[str, ...]
    output: str
    color: str


@click.group(name="import")
def import_() -> None:
    """Bring in what lives already: read only, and nobody moves.

    Writes pools, tenants and requests of just the ranges that are in use, never in the place of
    another file, and shows the plan that they lead to. Exit code 1 when something has to be decided
    first: two holders of one address, an address outside of every pool, a row that cannot be read.
    """


def _shared(function: F) -> F:
    decorators: list[Callable[[F], F]] = [
        output_options("text", "json", "yaml"),
        option("--dry-run", is_flag=True, help="Write nothing."),
        option("--partial", is_flag=True, help="With conflicts, write what has none."),
        option(
            "--pool",
            "pools",
            metavar="NAME=CIDR",
            multiple=True,
            help="A pool to describe for addresses that lie in none.",
        ),
        option(
            "--out",
            type=click.Path(path_type=Path),
            show_default="the repository",
            help="Folder to write to.",
        ),
        repository_option,
    ]
    for decorate in decorators:
        function = decorate(function)
    return function


_namespace = option(
    "--namespace", default="default", show_default=True, help="Of owners whose source names none."
)


@import_.command()
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@option("--map", "mapped", metavar="COLUMN=MEANING", multiple=True, help="What a column means.")
@option(
    "--type",
    "type_",
    type=click.Choice(["loadbalancer", "nodes"]),
    help="Of rows that say none; else load balancers where a column names clusters.",
)
@_namespace
@_shared
def csv(
    files: Sequence[Path],
    mapped: Sequence[str],
    type_: str | None,
    namespace: str,
    **where: object,
) -> int:
    """Rows of a table: columns are told by their headers, such as ip, name, pool, team.

    Meanings: address, range, cidr, start, end, name, cluster, namespace, pool, type, team, space,
    description, status, ignore.
    """
    meanings = dict(_pair("--map", text, "COLUMN=MEANING") for text in mapped)
    assumed = Assumed(_label(namespace), type_ or "")
    found = files_found(map(_read, files), assumed, mapped=meanings)
    return _finish(found, _where(where))


@import_.command()
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@_namespace
@_shared
def netbox(files: Sequence[Path], namespace: str, **where: object) -> int:
    """An export of NetBox: prefixes, IP ranges and IP addresses, as JSON or CSV."""
    found = files_found(map(_read, files), Assumed(_label(namespace)))
    return _finish(found, _where(where))


@import_.command()
@click.argument("kubeconfigs", nargs=-1, required=True, metavar="[NAME=]KUBECONFIG...")
@option("--context", "contexts", multiple=True, help="Contexts to read; else the current one.")
@option(
    "--metallb-pool",
    "kept",
    metavar="CLUSTER=POOL",
    multiple=True,
    help="The pool of a cluster that ipam keeps, where it has several.",
)
@option("--allow-exec", is_flag=True, help="Let kubeconfigs run programs and name proxies.")
@option("--timeout", metavar="DURATION", default="60s", show_default=True, help="For each cluster.")
@_namespace
@_shared
def cluster(
    kubeconfigs: Sequence[str],
    contexts: Sequence[str],
    kept: Sequence[str],
    allow_exec: bool,
    timeout: str,
    namespace: str,
    **where: object,
) -> int:
    """Objects of clusters: MetalLB's pools with their Services, and all kinds that ipam serves.

    NAME is [NAMESPACE/]NAME; else the file's, if that is <namespace>.<name>.kubeconfig, else the
    context's.
    """
    require_clusters("import cluster")

    pools = dict(_pair("--metallb-pool", text, "CLUSTER=POOL") for text in kept)
    seconds = parse_seconds("--timeout", timeout)
    home, looks = _label(namespace), []
    asked = _where(where)
    settings = read_own_settings(open_source(asked.repo, "HEAD", worktree=True).source).settings
    for text in kubeconfigs:
        name, path = _named(text)
        for title, opened in open_contexts(
            path, contexts, seconds, os.environ, allow_exec=allow_exec
        ):
            owner = _owner(name, path, title, home)
            looks.append(ImportSource(owner, opened, pools.pop("/".join(owner), "")))
    if pools:
        message = f"--metallb-pool: no cluster {shown(min(pools))}"
        named = ", ".join("/".join(look.owner) for look in looks)
        raise UsageError(message, f"there are: {named}")
    try:
        with progress("reading clusters"):
            found = looked(looks, settings.metallb_pool)
    finally:
        for look in looks:
            look.cluster.close()
    return _finish(found, asked)


def _finish(found: ImportedSource, where: Where) -> int:
    """Compare the found addresses with the repository, and write the files."""
    described = tuple(map(_described, where.pools))
    found = ImportedSource(described=described).with_more(found)
    read = open_source(where.repo, "HEAD", worktree=True)
    with progress("planning"):
        result = imported(read.source, found)
    out = where.out or read.ground or where.repo
    written: list[str] = []
    if not where.dry_run and (where.partial or not result.conflicts):
        written = write_all(out, result.files)
    code = ExitCode.WRONG if result.conflicts else ExitCode.OK
    if where.output == "text":
        emit(import_text(result, written, painter(where.color), str(out)))
    else:
        emit_document(import_document(result, written, code), where.output)
    return code


def _where(options: Mapping[str, object]) -> Where:
    return Where(**options)  # type: ignore[arg-type]  # click gives what `_shared` asks for


def _read(path: Path) -> tuple[str, bytes]:
    try:
        with path.open("rb") as file:
            return str(path), file.read(MAX_BYTES + 1)
    except OSError as failed:
        raise UsageError(f"{path}: {failed.strerror}", "name a file that you may read") from failed


def _described(text: str) -> ImportedNetwork:
    name, cidr = _pair("--pool", text, "NAME=CIDR")
    try:
        extent = parse_cidr(cidr)
    except NotationError as failed:
        raise UsageError(f"--pool {name}: {failed}", failed.hint) from failed
    return ImportedNetwork(_label(name), extent, Location(f"--pool {name}"))


def _pair(name: str, text: str, form: str) -> tuple[str, str]:
    key, equals, value = text.rpartition("=")
    if not (key and equals and value):
        raise UsageError(f"{name} {text!r} is not {form}")
    return key, value


def _label(text: str) -> str:
    if not is_label(text):
        raise UsageError(f"{text!r} is no name of Kubernetes", "write it in a-z, 0-9 and -")
    return text


def _named(text: str) -> tuple[str, Path]:
    """Split an optional name from a path. An existing path is never split."""
    name, equals, path = text.partition("=")
    if not equals or Path(text).exists():
        return "", Path(text)
    return name, Path(path)


def _owner(name: str, path: Path, context: str, namespace: str) -> tuple[str, str]:
    """Return the namespace and the name of a cluster."""
    if name:
        before, slash, last = name.rpartition("/")
        return (_label(before) if slash else namespace), _label(last)
    before, dot, last = path.name.removesuffix(".kubeconfig").partition(".")
    if path.suffix == ".kubeconfig" and dot and is_label(before) and is_label(last):
        return before, last
    before, slash, last = context.rpartition("/")
    if not (owner := slug(last)):
        hint = "name it: team-a/web=PATH"
        raise UsageError(f"no name can be made of context {context!r}", hint)
    return (slug(before) if slash else "") or namespace, owner
