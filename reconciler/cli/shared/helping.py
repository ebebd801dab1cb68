"""How the help of a verb is set: its options in groups, and what it is used for."""

from collections.abc import Sequence
from typing import Any

import click

from reconciler.cli.shared.examples import EXAMPLES

_OWN = "Options"
# Options by what they are about. Those of a verb alone are not here.
GROUPS = {
    "Reading": ("repo", "rev", "worktree", "remote", "branch", "base", "at", "apply_result"),
    "Result": ("output", "outs", "out", "color", "metrics_file"),
    "Clusters": ("kubeconfig", "context", "cluster", "clusters", "allow_exec", "timeout"),
    "Applying": (
        *("no_apply", "crds", "policies", "break_glass", "adopt", "require_all", "re_enrol"),
        *(
            "force_withdraw",
            "force_withdraw_claim",
            "confirm_withdrawn",
            "default_port",
            "lb_class",
            "shard",
        ),
    ),
    "Running on": (
        *("interval", "watch", "resync", "leader_elect", "log_format", "listen"),
        *("tls_cert", "tls_key", "hook_secret_file"),
    ),
    "Everywhere": ("directory", "root", "quiet", "verbose", "debug", "help", "version"),
}
_GROUP_OF = {name: title for title, names in GROUPS.items() for name in names}


class _Helped(click.Command):
    """Help in groups, with examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of the verb alone first, then by what they are about."""
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in (_OWN, *GROUPS)}
        for param in self.get_params(ctx):
            row = param.get_help_record(ctx)
            if row is not None:
                name = "help" if "--help" in param.opts else param.name or ""
                rows[_GROUP_OF.get(name, _OWN)].append(row)
        for title, found in rows.items():
            if found:
                with formatter.section(title):
                    formatter.write_dl(found)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What it is used for, line by line."""
        super().format_epilog(ctx, formatter)
        shown = EXAMPLES.get(self.name or "", ())
        if shown:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in _set(shown)))


class VerbCommand(_Helped):
    """A verb."""


class VerbGroup(_Helped, click.Group):
    """A verb that has verbs of its own."""


def helped(name: str, command: click.Command) -> click.Command:
    """A verb as its module defines it, with what all verbs have."""
    told: dict[str, Any] = {
        "name": name,
        "context_settings": command.context_settings,
        "callback": command.callback,
        "params": command.params,
        "help": command.help,
        "epilog": command.epilog,
        "short_help": command.short_help,
        "options_metavar": command.options_metavar,
    }
    if isinstance(command, click.Group):
        inner = {it: helped(it, found) for it, found in command.commands.items()}
        return VerbGroup(**told, commands=inner)
    return VerbCommand(**told)


def _set(shown: Sequence[tuple[str, str]]) -> list[str]:
    """Each line, with what it is for behind it, or above it where both are too long."""
    lines = []
    width = max((len(it[0]) for it in shown if len(it[0]) <= 46), default=0)
    for command, why in shown:
        if len(command) > width:
            lines += [f"# {why}", command]
        else:
            lines.append(f"{command.ljust(width)}  # {why}")
    return lines
