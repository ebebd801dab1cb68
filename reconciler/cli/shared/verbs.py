"""The verbs and their one-line help. The module of a verb is loaded only when it is used."""

from importlib import import_module
from typing import NamedTuple

import click

from reconciler import __version__


class Verb(NamedTuple):
    """What `ipam --help` says of a verb."""

    section: str
    help: str


VERBS = {
    "check": Verb("Review", "Findings, capacity and brakes for a pull request."),
    "plan": Verb("Review", "The exact addresses that reconciling this revision gives out."),
    "simulate": Verb("Review", "How many more tenants fit, and which pool fills."),
    "reconcile": Verb("Operate", "Plan, commit the records, push, apply."),
    "apply": Verb("Operate", "Bring the clusters to the committed records."),
    "render": Verb("Operate", "The objects of every cluster, as files."),
    "status": Verb("Inspect", "How full each pool is."),
    "get": Verb("Inspect", "Pools, allocations and tenants, as kubectl get shows them."),
    "explain": Verb("Inspect", "Why a claim has, or cannot get, its addresses."),
    "verify": Verb("Inspect", "Whether every reconcile commit is what its plan makes."),
    "doctor": Verb("Inspect", "What of Git, clusters, rights and versions is in order."),
    "schema": Verb("Author", "The JSON Schema of a kind."),
    "demo": Verb("Author", "The whole job on an example repository, told step by step."),
    "completion": Verb("Author", "Completion for your shell."),
    "version": Verb("Author", "The version."),
}
"""The verbs in the order of the help. Each is a function of its name in a module of its name."""

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
        if cmd_name not in VERBS:
            return None
        module = import_module(f"reconciler.cli.{cmd_name}")
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
