"""`help`: the help of a command, or all commands."""

import click

from reconciler.cli import output
from reconciler.cli.commands import VERBS, closest, ipam
from reconciler.cli.options import debug_option, option


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
        output.write(formatter.getvalue().lstrip("\n"))
        return 0
    if verb is None:
        output.write(ipam.get_help(top) + "\n")
        return 0
    command = ipam.get_command(top, verb)
    if command is None:
        near = closest(verb, VERBS) or " ipam help --all lists them."
        raise click.UsageError(f"No verb {verb!r}.{near}", ctx)
    inner = click.Context(command, parent=top, info_name=verb, **ipam.context_settings)
    output.write(command.get_help(inner) + "\n")
    return 0
