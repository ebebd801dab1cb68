"""`help`: the help of a verb, or all verbs."""

import click

from reconciler.cli.shared import streams
from reconciler.cli.shared.mistakes import meant
from reconciler.cli.shared.options import debug_option, option
from reconciler.cli.shared.verbs import VERBS, ipam


@click.command()
@click.argument("verb", required=False)
@option("--all", "everything", is_flag=True, help="List every verb.")
@debug_option
@click.pass_context
def help(ctx: click.Context, verb: str | None, everything: bool) -> int:  # noqa: A001 - its name
    """Tell about a verb, as `ipam VERB --help` does."""
    top = click.Context(ipam, info_name="ipam", **ipam.context_settings)
    if everything:
        formatter = top.make_formatter()
        ipam.write_verbs(formatter, list(VERBS))
        streams.write(formatter.getvalue().lstrip("\n"))
        return 0
    if verb is None:
        streams.write(ipam.get_help(top) + "\n")
        return 0
    command = ipam.get_command(top, verb)
    if command is None:
        near = meant(verb, VERBS) or " ipam help --all lists them."
        raise click.UsageError(f"No verb {verb!r}.{near}", ctx)
    inner = click.Context(command, parent=top, info_name=verb, **ipam.context_settings)
    streams.write(command.get_help(inner) + "\n")
    return 0
