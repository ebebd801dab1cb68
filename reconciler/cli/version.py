"""`version`: which version this is, and of which commit; it loads nothing that it works with."""

import click

from reconciler import __version__
from reconciler.cli.shared import streams
from reconciler.cli.shared.options import output_options
from reconciler.cli.shared.verbs import version_line
from reconciler.documents.shipped import commit
from reconciler.report.machine import envelope, json_text


@click.command()
@output_options("text", "json")
def version(output: str, color: str) -> int:
    """Print the version, and the commit that it was built from, where that is known."""
    del color
    known = commit()
    if output == "json":
        streams.write(
            json_text({**envelope("Version"), "version": __version__, "commit": known or None})
        )
    else:
        streams.write(f"{version_line(known)}\n")
    return 0
