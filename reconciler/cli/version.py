"""`version`: which version this is, told without loading what it works with."""

import click

from reconciler import __version__
from reconciler.cli.shared import streams
from reconciler.cli.shared.options import output_options


@click.command()
@output_options("text", "json")
def version(output: str, color: str) -> int:
    """Print the version."""
    del color
    if output == "json":
        from reconciler.report.machine import envelope, json_text

        streams.write(json_text({**envelope("Version"), "version": __version__}))
    else:
        streams.write(f"ipam {__version__}\n")
    return 0
