"""`version`: the version and its commit."""

import click

from reconciler import __version__
from reconciler.cli import output as cli_output
from reconciler.cli.commands import version_line
from reconciler.cli.options import output_options
from reconciler.documents.validators import commit
from reconciler.report.json import envelope, json_text


@click.command()
@output_options("text", "json")
def version(output: str, color: str) -> int:
    """Print the version, and the commit that it was built from, where that is known."""
    del color
    known = commit()
    if output == "json":
        cli_output.write(
            json_text({**envelope("Version"), "version": __version__, "commit": known or None})
        )
    else:
        cli_output.write(f"{version_line(known)}\n")
    return 0
