"""`completion`: the completion script of a shell."""

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from reconciler.cli import output
from reconciler.cli.commands import ipam
from reconciler.cli.options import debug_option

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command()
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@debug_option
def completion(shell: str) -> int:
    """Print the completion script of a shell: `eval "$(ipam completion bash)"`."""
    output.write(_SHELLS[shell](ipam, {}, "ipam", "_IPAM_COMPLETE").source() + "\n")
    return 0
