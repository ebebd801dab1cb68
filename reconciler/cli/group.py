"""The verbs and their one-line help. Each module is loaded only when its verb is used."""

from importlib import import_module
from typing import NamedTuple

import click

from reconciler import __version__


class Verb(NamedTuple):
    """Where a verb is, and what `ipam --help` says of it."""

    module: str
    section: str
    help: str


VERBS = {
    "check": Verb("review", "Review", "Findings, capacity and brakes for a pull request."),
    "plan": Verb(
        "review", "Review", "The exact addresses that reconciling this revision gives out."
    ),
    "simulate": Verb("review", "Review", "How many more tenants fit, and which pool fills."),
    "reconcile": Verb("operate", "Operate", "Plan, commit the records, push, apply."),
    "apply": Verb("deliver", "Operate", "Bring the clusters to the committed records."),
    "render": Verb("operate", "Operate", "The objects of every cluster, as files."),
    "status": Verb("inspect", "Inspect", "How full each pool is."),
    "get": Verb("inspect", "Inspect", "Pools, allocations and tenants, as kubectl get shows them."),
    "explain": Verb("inspect", "Inspect", "Why a claim has, or cannot get, its addresses."),
    "doctor": Verb("doctor", "Inspect", "What of Git, clusters, rights and versions is in order."),
    "schema": Verb("author", "Author", "The JSON Schema of a kind."),
    "demo": Verb("author", "Author", "The whole job on an example repository, told step by step."),
    "completion": Verb("about", "Author", "Completion for your shell."),
    "version": Verb("about", "Author", "The version."),
}
_SECTIONS = ("Review", "Operate", "Inspect", "Author")


class LazyGroup(click.Group):
    """A group that knows its verbs' help without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in the order of the table."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the module of a verb."""
        del ctx
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        module = import_module(f"reconciler.cli.{verb.module}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs by section."""
        del ctx
        for section in _SECTIONS:
            rows = [(name, verb.help) for name, verb in VERBS.items() if verb.section == section]
            with formatter.section(section):
                formatter.write_dl(rows)


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 fine, 1 wrong content, 2 changes pending, 3 a gate, 4 Git, 5 a cluster,"
    " 6 rewritten history, 64 usage, 70 a bug.",
)
@click.version_option(__version__, prog_name="ipam", message="%(prog)s %(version)s")
def ipam() -> None:
    """Hand out IP addresses from Git: planned in a pull request, recorded in commits."""
