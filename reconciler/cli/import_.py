"""`import`: existing addresses as files whose plan moves nothing."""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import click
from msgspec import Struct

from reconciler.addresses import NotationError, parse_cidr
from reconciler.cli import cluster_options, opening, options, output
from reconciler.cli.commands import VerbGroup
from reconciler.cli.options import option, repeatable
from reconciler.documents.findings import Location, meant, shown
from reconciler.families.importing import ImportedNetwork, Writing
from reconciler.gitio.files import write_all
from reconciler.importing.assembling import assemble
from reconciler.importing.manifests import ManifestCluster, Owner, clusters_in
from reconciler.importing.run import ImportSource, files_found, looked, netbox_rows
from reconciler.importing.sources import ImportedSource, slug, writing
from reconciler.importing.tables import MAX_BYTES, TYPES, Assumed, said_type
from reconciler.kube.clusters import open_contexts
from reconciler.kube.interface import Cluster
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.key import is_label
from reconciler.model.pool import DEFAULT_SPACE
from reconciler.planning.documents import Tree
from reconciler.planning.read import read_tree
from reconciler.report.queries import import_document
from reconciler.report.text.runs import import_text, next_text


@click.group(name="import", cls=VerbGroup)
def import_() -> None:
    """Write files for addresses that are already in use. No address changes, and ipam only reads the sources.

    ipam writes pools, clusters, and requests for exactly the ranges in use, and shows their plan. It
    never replaces a file. Exit code 1 if there are conflicts, such as two holders of one address,
    an address outside of all pools, or a row that cannot be read.
    """


class Opened(NamedTuple):
    """A repository, the writer of its documents, and its folder."""

    tree: Tree
    writer: Writing
    folder: Path

    def owner(self, owner: Owner) -> Owner:
        """Return the owner of a cluster, without a namespace if its kind has none."""
        return ("", owner[1]) if self.writer.entries is not None else owner


class Target(Struct, frozen=True):
    """Options that all import sources share."""

    repo: Path
    out: Path | None
    add_pool: tuple[str, ...]
    partial: bool
    dry_run: bool
    default_namespace: str
    address_space: str
    tenants: bool
    provider: str | None

    def opened(self) -> Opened:
        """Return the repository."""
        if self.provider is not None and not self.tenants:
            raise UsageError("--provider needs --tenants", "add --tenants, or omit --provider")
        read = opening.open_source(options.Reading(self.repo, worktree=True))
        tree = read_tree(read.source)
        writer = writing(tree)
        if self.tenants and writer.entries is not None:
            message = f"--tenants: clusters of this repository are {writer.kind.kind}s"
            raise UsageError(message, "omit --tenants")
        return Opened(tree, writer, read.ground or self.repo)

    def finish(self, found: ImportedSource, result: output.Result, opened: Opened) -> int:
        """Compare the found addresses with the repository, and write the files."""
        described = tuple(map(_described, self.add_pool))
        found = ImportedSource(described=described).with_more(found)
        to = _label(self.address_space)
        found = found.mapped(
            lambda it: [it._replace(space=to)] if it.space == DEFAULT_SPACE else [it]
        )
        with output.progress("planning"):
            provider = self.provider or "" if self.tenants else None
            made = assemble(opened.tree, found, provider)
        out = self.out or opened.folder
        is_written = not self.dry_run and (self.partial or not made.conflicts)
        written = write_all(out, made.files) if is_written else []
        is_done = out == opened.folder and not made.conflicts
        folders = " ".join(sorted({f"{Path(it).parts[0]}/" for it in written if is_done}))
        entered = [] if out.resolve() == Path.cwd() else [(f"cd {quote(str(out))}", "")]
        code = ExitCode.WRONG if made.conflicts else ExitCode.OK
        result.show(
            lambda brush: (
                import_text(made, written, brush, str(out))
                + (next_text(entered, folders, brush) if folders else "")
            ),
            lambda: import_document(made, written, code),
        )
        return code


_target: options.Decorator[Any] = options.gathered(
    "target",
    Target,
    option(
        "--default-namespace",
        metavar="NAME",
        default="default",
        show_default=True,
        help="Use this namespace for owners without one.",
    ),
    option(
        "--address-space",
        metavar="NAME",
        default=DEFAULT_SPACE,
        show_default=True,
        help="Use this address space for addresses without one.",
    ),
    options.repository,
    options.out("the files", is_folder=True, show_default="the repository"),
    option(
        *("--pool", "--add-pool", "add_pool"),
        metavar="NAME=CIDR",
        multiple=True,
        help="Add this pool, for addresses outside all pools. Repeatable.",
    ),
    option("--tenants", is_flag=True, help="Also write a TenantCluster for each imported owner."),
    option("--provider", metavar="NAME", help="Use this ProviderConfig. Default: one that fits."),
    option("--partial", is_flag=True, help="Write the other files if there are conflicts."),
    options.dry_run,
)
_STDIN = Path("-")
_files = click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)


def _shared(function: options.F) -> options.F:
    decorated: options.F = _target(output.options("text", "json", "yaml")(function))
    return decorated


_mapped = repeatable("--map", "COLUMN=MEANING", "Set the meaning of a column.", "mapped")
_types = repeatable("--map-type", "TEXT=TYPE", f"Map a type: {', '.join(TYPES)}.", "types")


@import_.command()
@_files
@_mapped
@_types
@option(
    "--type",
    "type_",
    type=click.Choice(["loadbalancer", "nodes"]),
    help="Use this type for rows without one. Default: detect from the columns.",
)
@_shared
def csv(
    files: Sequence[Path],
    mapped: Sequence[str],
    types: Sequence[str],
    type_: str | None,
    target: Target,
    result: output.Result,
) -> int:
    """Import a table. Its headers name the columns, such as ip, name, pool, team.

    Meanings: address, range, cidr, mask, start, end, ipv6, name, cluster, namespace, pool, type,
    team, space, description, status, used, ignore.
    """
    assumed = _assumed(target, types, mapped, type_ or "")
    return target.finish(files_found(map(_read, files), assumed), result, target.opened())


@import_.command(short_help="Import a NetBox export.")
@_files
@_mapped
@_types
@_shared
def netbox(
    files: Sequence[Path],
    mapped: Sequence[str],
    types: Sequence[str],
    target: Target,
    result: output.Result,
) -> int:
    """Import a NetBox export: prefixes, IP ranges, and IP addresses, as JSON or CSV."""
    assumed = _assumed(target, types, mapped)
    found = files_found(map(_read, files), assumed, netbox_rows)
    return target.finish(found, result, target.opened())


def _assumed(
    target: Target, types: Sequence[str], mapped: Sequence[str], default: str = ""
) -> Assumed:
    meanings = dict(_pair("--map", text, "COLUMN=MEANING") for text in mapped)
    pairs = (_pair("--map-type", text, "TEXT=TYPE") for text in types)
    named = {said_type(text): meaning for text, meaning in pairs}
    if wrong := min({*named.values()} - {*TYPES}, default=""):
        hint = meant(wrong, TYPES) or f"use one of: {', '.join(TYPES)}"
        raise UsageError(f"--map-type: {shown(wrong)} is not a type", hint)
    return Assumed(_label(target.default_namespace), default, named, meanings)


class MetalLB(Struct, frozen=True):
    """Options about MetalLB in clusters."""

    kept: tuple[str, ...]
    metallb_namespace: str

    def pools(self) -> dict[str, str]:
        """Return the pools to keep, by cluster."""
        return dict(_pair("--metallb-pool", text, "CLUSTER=POOL") for text in self.kept)

    def found(
        self, opened: Opened, clusters: Iterable[tuple[Owner, Cluster | ManifestCluster]]
    ) -> ImportedSource:
        """Return the content of clusters, by the owner of their MetalLB pools."""
        pools = self.pools()
        if pools and opened.writer.entries is not None:
            raise UsageError("--metallb-pool: ipam keeps all pools of a cluster", "omit it")
        looks = [ImportSource(it, at, pools.pop("/".join(it), "")) for it, at in clusters]
        if pools:
            named = ", ".join("/".join(source.owner) for source in looks)
            message = f"--metallb-pool: no cluster {shown(min(pools))}"
            raise UsageError(message, f"use one of: {named}")
        with output.progress("reading clusters"):
            usual = opened.tree.settings.pool_name
            return looked(looks, usual, self.metallb_namespace, opened.writer)


_metallb: options.Decorator[Any] = options.gathered(
    "metallb",
    MetalLB,
    repeatable(
        "--metallb-pool", "CLUSTER=POOL", "Keep this pool, if a cluster has several.", "kept"
    ),
    option(
        "--metallb-namespace",
        metavar="NAME",
        default="",
        help="Read MetalLB in this namespace only. Default: any.",
    ),
)


@import_.command(short_help="Import pools and Services of live clusters.")
@click.argument("kubeconfigs", nargs=-1, required=True, metavar="[NAME=]KUBECONFIG...")
@repeatable("--context", "NAME", "Use this context. Default: the current one.", "contexts")
@_metallb
@options.allow_exec
@options.timeout
@_shared
def cluster(
    kubeconfigs: Sequence[str],
    contexts: Sequence[str],
    metallb: MetalLB,
    allow_exec: bool,
    timeout: str,
    target: Target,
    result: output.Result,
) -> int:
    """Import objects of clusters: MetalLB pools, their Services, and all kinds that ipam supports.

    NAME is [NAMESPACE/]NAME of the cluster. Default: from the file name, if that is
    <namespace>.<name>.kubeconfig, or from the context.
    """
    cluster_options.require_clusters("import cluster")
    metallb.pools()  # a mistake of theirs comes before any connection
    seconds = options.parse_seconds("--timeout", timeout)
    namespace = _label(target.default_namespace)
    read = target.opened()
    with ExitStack() as stack:
        clusters: list[tuple[Owner, Cluster]] = []
        for text in kubeconfigs:
            name, path = _named(text)
            for title, opened in open_contexts(
                path, contexts, seconds, os.environ, allow_exec=allow_exec
            ):
                stack.callback(opened.close)
                stem = path.stem if path.suffix == ".kubeconfig" else ""
                if read.writer.entries is not None and not contexts and is_label(stem):
                    title = stem
                clusters.append((read.owner(_owner(name, stem, title, namespace)), opened))
        found = metallb.found(read, clusters)
    return target.finish(found, result, read)


@import_.command(short_help="Import 'kubectl get -o yaml' output.")
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE...")
@_metallb
@_shared
def manifests(files: Sequence[str], metallb: MetalLB, target: Target, result: output.Result) -> int:
    """Import objects from files, in the format of kubectl get -o yaml or -o json. Use - for stdin.

    NAME is [NAMESPACE/]NAME of the cluster whose MetalLB pools are in the file. Default: from the
    file name, such as <namespace>.<name>.yaml.
    """
    namespace = _label(target.default_namespace)
    opened = target.opened()
    read: list[tuple[Owner, str, bytes]] = []
    firsts: dict[Owner, tuple[str, Path]] = {}
    for name, path in map(_named, files):
        stem = path.stem if path != _STDIN else "stdin"
        owner = opened.owner(_owner(name, stem, stem, namespace))
        given, other = firsts.setdefault(owner, (name, path))
        if other != path and not (name and given):
            message = f"{other} and {path} are both cluster {'/'.join(filter(None, owner))}"
            raise UsageError(message, "pass each file as NAME=PATH")
        read.append((owner, *_read(path)))
    clusters, more = clusters_in(read)
    found = metallb.found(opened, clusters.items()).with_more(more)
    return target.finish(found, result, opened)


def _read(path: Path) -> tuple[str, bytes]:
    if path == _STDIN:
        return "stdin", sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with path.open("rb") as file:
            return str(path), file.read(MAX_BYTES + 1)
    except OSError as failed:
        raise UsageError(f"{path}: {failed.strerror}", "pass a readable file") from failed


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
        raise UsageError(f"{text!r} is not a Kubernetes name", "use a-z, 0-9, and -")
    return text


def _named(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals or Path(text).exists():
        return "", Path(text)
    return name, Path(path)


def _owner(name: str, stem: str, context: str, namespace: str) -> Owner:
    if name:
        before, slash, last = name.rpartition("/")
        return (_label(before) if slash else namespace), _label(last)
    before, dot, last = stem.partition(".")
    if dot and is_label(before) and is_label(last):
        return before, last
    before, slash, last = context.rpartition("/")
    if not (owner := slug(last)):
        raise UsageError(f"cannot derive a cluster name from {context!r}", "pass team-a/web=PATH")
    return (slug(before) if slash else "") or namespace, owner
