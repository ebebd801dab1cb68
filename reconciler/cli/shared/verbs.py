"""The verbs and their one-line help. The module of a verb is loaded only when it is used."""

from importlib import import_module
from keyword import iskeyword

import click
from msgspec import Struct

from reconciler import __version__
from reconciler.cli.shared.helping import helped
from reconciler.cli.shared.mistakes import explained, meant
from reconciler.cli.shared.options import common_options
from reconciler.documents.shipped import commit


class Verb(Struct, frozen=True):
    """What `ipam --help` says of a verb."""

    section: str
    help: str


VERBS = {
    "init": Verb("Author", "A new repository: Settings, an example, CI, schemas for editors."),
    "import": Verb("Author", "What lives already, as files: clusters, CSV, NetBox."),
    "schema": Verb("Author", "The JSON Schema of a kind."),
    "demo": Verb("Author", "The whole job on an example repository, told step by step."),
    "move": Verb("Author", "The files by which a claim moves to another pool."),
    "check": Verb("Review", "Findings, capacity and brakes for a pull request."),
    "plan": Verb("Review", "The exact addresses that reconciling this revision gives out."),
    "simulate": Verb("Review", "How many more tenants fit, and which pool fills."),
    "reconcile": Verb("Operate", "Plan, commit the records, push, apply."),
    "apply": Verb("Operate", "Bring the clusters to the committed records."),
    "render": Verb("Operate", "The objects of every cluster, as files."),
    "doctor": Verb("Operate", "What of Git, clusters, rights and versions is in order."),
    "status": Verb("Inspect", "How full each pool is."),
    "map": Verb("Inspect", "The addresses of a pool, drawn: who holds which, and what is free."),
    "report": Verb("Inspect", "One page: all pools, maps, the past, and a search."),
    "get": Verb("Inspect", "Pools, allocations and tenants, as kubectl get shows them."),
    "who": Verb("Inspect", "Who has an address, or had it, and by which commit."),
    "history": Verb("Inspect", "What happened to addresses, by which commit of whom."),
    "forecast": Verb("Inspect", "How long pools will do, by what the past tells."),
    "find": Verb("Inspect", "Where a run of addresses is free."),
    "explain": Verb("Inspect", "Why a claim has, or cannot get, its addresses."),
    "verify": Verb("Inspect", "Whether every reconcile commit is what its plan makes."),
    "help": Verb("Inspect", "The help of a verb; --all lists every verb."),
    "completion": Verb("Inspect", "Completion for your shell."),
    "version": Verb("Inspect", "The version."),
}
"""The verbs in the order of the help. Each is a function of its name in a module of its name."""

PROMINENT = (
    *("init", "import", "check", "plan", "simulate", "reconcile"),
    *("apply", "doctor", "status", "get", "who", "explain"),
)
"""Those that `ipam --help` shows; `ipam help --all` shows the others, too."""

_SECTIONS = ("Author", "Review", "Operate", "Inspect")


class LazyGroup(click.Group):
    """A group that knows its verbs' help without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in the order of the table."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the module of a verb, and what completes its values for a shell that asks."""
        if cmd_name not in VERBS:
            return None
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        module = import_module(f"reconciler.cli.{name}")
        command: click.Command = getattr(module, name)
        if ctx.resilient_parsing:
            import_module("reconciler.cli.shared.completing").complete_by_name(command)
        return helped(cmd_name, command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that is meant; with the nearest ones where there is none.

        Raises:
            UsageError: There is none.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            near = meant(args[0], VERBS)
            said = f"No verb {args[0]!r}.{near or ' ipam --help lists them.'}"
            raise click.UsageError(said, ctx) from None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What stands before the verb.

        Raises:
            UsageError: It belongs behind the verb, or nowhere.
        """
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as wrong:
            raise explained(wrong, self, ctx, given) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The prominent verbs by section, and the names of the others."""
        del ctx
        self.write_verbs(formatter, [name for name in VERBS if name in PROMINENT])
        others = ", ".join(name for name in VERBS if name not in PROMINENT)
        with formatter.section("More"):
            formatter.write_text(f"{others}. ipam help --all tells what each does.")

    def write_verbs(self, formatter: click.HelpFormatter, names: list[str]) -> None:
        """Some verbs by section."""
        for section in _SECTIONS:
            rows = [(name, VERBS[name].help) for name in names if VERBS[name].section == section]
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)


def version_line(commit: str) -> str:
    """The version in one line, with the commit where one is known."""
    return f"ipam {__version__} ({commit[:12]})" if commit else f"ipam {__version__}"


def _tell_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if value and not ctx.resilient_parsing:
        click.echo(version_line(commit()))
        ctx.exit()


@click.command(
    cls=LazyGroup,
    options_metavar="[-C DIR] [--root DIR] [-q|-v]",
    subcommand_metavar="VERB [OPTIONS]",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 fine, 1 wrong content, 2 changes pending, 3 a gate, 4 Git, 5 a cluster,"
    " 6 rewritten history, 64 usage, 70 a bug.",
)
@common_options
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_version,
    help="Show the version and exit.",
)
def ipam() -> None:
    """Hand out IP addresses from Git: planned in a pull request, recorded in commits.

    Options of a verb go after it: ipam VERB --help shows them.
    """
