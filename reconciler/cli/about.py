"""`completion`, `version`: what ipam tells of itself, without loading what it works with."""

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from reconciler import __version__
from reconciler.cli import streams
from reconciler.cli.options import debug_option, output_options

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command()
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@debug_option
def completion(shell: str) -> int:
    """Print the completion script of a shell: `eval "$(ipam completion bash)"`."""
    from reconciler.cli.group import ipam

    streams.write(_SHELLS[shell](ipam, {}, "ipam", "_IPAM_COMPLETE").source() + "\n")
    return 0


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
