"""The commands of `ipam`, their help, and `help` and `version`."""

import os
from collections.abc import Container
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from reconciler import __version__
from reconciler.cli import options, output
from reconciler.cli.options import option
from reconciler.documents.validators import commit
from reconciler.model.errors import ReconcilerError
from reconciler.report.formats import envelope, json_text


class Verb(Struct, frozen=True):
    """Entry of a command in `ipam --help`, and its module of `reconciler.cli`."""

    section: str
    module: str
    help: str


VERBS = {
    "init": Verb(
        "Author", "init", "Create a repository: Settings, an example, CI, editor schemas."
    ),
    "import": Verb("Author", "import_", "Write files for addresses in use: clusters, CSV, NetBox."),
    "schema": Verb("Author", "authoring", "Print the JSON Schema of a kind."),
    "demo": Verb("Author", "demo", "Walk through a change on an example repository."),
    "move": Verb("Author", "authoring", "Write the files that move a claim to another pool."),
    "check": Verb("Review", "review", "Report findings and limits for a pull request."),
    "plan": Verb("Review", "review", "Show the exact addresses that reconcile would allocate."),
    "simulate": Verb("Review", "capacity", "Show how many tenants fit, and which pool fills."),
    "reconcile": Verb("Operate", "reconcile", "Plan, commit the records, push, and apply."),
    "apply": Verb("Operate", "operate", "Apply the committed records to the clusters."),
    "render": Verb("Operate", "operate", "Write the objects of every cluster as files."),
    "doctor": Verb("Operate", "operate", "Check Git, clusters, permissions, and versions."),
    "status": Verb("Inspect", "capacity", "Show how full each pool is."),
    "map": Verb("Inspect", "capacity", "Draw the addresses of a pool: holders and free ranges."),
    "report": Verb("Inspect", "report", "Write an HTML page of all pools: maps, history, search."),
    "get": Verb("Inspect", "queries", "List pools, allocations, and tenants, as kubectl get does."),
    "who": Verb("Inspect", "queries", "Show the holder of an address, and the commit behind it."),
    "history": Verb("Inspect", "queries", "List events of addresses, with commit and author."),
    "forecast": Verb("Inspect", "capacity", "Estimate from the history when pools fill up."),
    "find": Verb("Inspect", "capacity", "Find contiguous free addresses."),
    "explain": Verb("Inspect", "explain", "Explain the addresses of a claim, or why it has none."),
    "verify": Verb("Inspect", "operate", "Check that every reconcile commit matches its plan."),
    "help": Verb("Inspect", "commands", "Show the help of a command. --all lists every command."),
    "completion": Verb("Inspect", "completion", "Print the completion script for your shell."),
    "version": Verb("Inspect", "commands", "Print the version."),
}
"""The commands in help order."""

_EXAMPLES = """\
ipam init addresses  # a new repository in a new folder
ipam init . --forge gitlab  # here, with CI of GitLab
ipam init --dry-run  # show the files, write nothing
ipam import csv sheet.csv --dry-run  # show the files for a spreadsheet
ipam import netbox prefixes.json --out .  # write the files for an export
ipam import cluster one.kubeconfig two.kubeconfig  # addresses in use in clusters
ipam schema  # list the kinds
ipam schema Settings  # the schema of one kind
ipam schema --out .schemas  # all schemas, for editors
ipam schema --codeowners  # the owners of each team's folders
ipam demo /tmp/ipam-demo  # in a folder that you can delete afterwards
ipam move team-platform/gpu-farm --to vlan41-pool  # write the files to review
ipam check  # the commit that is checked out
ipam check --worktree  # the files on disk
ipam check pools tenants  # only these files
ipam check --base main  # a branch compared with its base
ipam check --base main --output-file junit=../ipam.xml  # with a report for CI
ipam plan  # the plan of the next reconcile
ipam plan --base main -o markdown  # for a comment on a pull request
ipam plan --rev main --all  # another revision, with unchanged claims
ipam plan --detailed-exitcode  # exit with 2 if changes are pending
ipam simulate --tenants 4  # tenants like the existing ones
ipam simulate --tenants 4 --lb 2 --nodes 3  # tenants of another size
ipam reconcile  # commit, and push if there is a remote
ipam reconcile --no-apply --branch main  # in a CI job
ipam reconcile --kubeconfig hub.kubeconfig --clusters kubeconfigs/  # also apply to clusters
ipam reconcile --remote ssh://git@git.example.com/addresses.git --watch  # keep running, without a checkout
ipam apply --kubeconfig hub.kubeconfig --clusters kubeconfigs/ --dry-run  # show the changes in clusters
ipam apply --crds --require-all  # use the cluster of $KUBECONFIG
ipam render --out ../rendered  # one folder per cluster
ipam render --out ../rendered -o json  # files per cluster, for programs
ipam doctor  # check Git
ipam doctor --kubeconfig hub.kubeconfig  # also check clusters
ipam status  # one line per pool
ipam status --bars  # one bar per pool, with its last 90 days
ipam status --rev HEAD~1 -o json  # an earlier state, for programs
ipam map  # a few rows per pool
ipam map vlan40-pool  # one pool, with the holders
ipam map vlan40-pool -o svg  # as a picture
ipam map vlan40-pool --rev HEAD~1 -o json  # an earlier state, for programs
ipam report --out ../report.html  # the committed state
ipam report --base main --out ../change.html  # with the effect of a merge
ipam get pools  # other kinds: ipam get --help
ipam get tenants -o wide  # with all columns
ipam get allocations -o json  # for programs
ipam who 10.92.90.49  # holder, date, and commit
ipam who 10.40.0.0/24 -o csv  # all holders in a network, for a spreadsheet
ipam who 10.92.90.49 --history  # also earlier holders
ipam history  # the newest events first
ipam history vlan40-pool -n 5  # the newest five of a pool
ipam forecast  # all pools
ipam forecast vlan40-pool  # one pool
ipam forecast --apply-result applied.json  # with idle addresses
ipam find --count 8  # free ranges of eight addresses
ipam find --count 4 --pool vlan40-pool  # in one pool
ipam explain team-platform/gpu-farm  # a claim
ipam explain gpu-farm --apply-result applied.json  # with idle addresses
ipam explain 10.40.0.70  # an address
ipam explain --codes  # cause and fix of each finding code
ipam verify  # all commits of the branch
ipam verify HEAD~1..HEAD  # the newest commit
ipam help plan  # same as ipam plan --help
ipam help --all  # every command
eval "$(ipam completion bash)"  # in ~/.bashrc
ipam completion zsh  # print the script
ipam version -o json  # for programs
"""

PROMINENT = {
    "Author": ("init", "import"),
    "Review": ("check", "plan", "simulate"),
    "Operate": ("reconcile", "apply", "doctor"),
    "Inspect": ("status", "get", "who", "explain"),
}
"""The commands in `ipam --help`, by section. `ipam help --all` also shows the others."""
_SHOWN = {name for names in PROMINENT.values() for name in names}

_OWN = "Options"
# Options by topic. Options of a single command are not listed.
GROUPS = {
    "Input": "repo rev worktree remote branch base at apply_result",
    "Output": "output outs out color metrics_file",
    "Clusters": "kubeconfig context cluster clusters allow_exec timeout",
    "Apply options": "no_apply crds policies break_glass adopt require_all enroll take_over force_withdraw"
    " force_withdraw_claim confirm_withdrawn default_port lb_class shard",
    "Loop and daemon": "interval watch resync leader_elect log_format listen tls_cert tls_key"
    " hook_secret_file",
    "Global options": "directory root quiet verbose debug help version",
}
GROUP_OF = {name: title for title, names in GROUPS.items() for name in names.split()}
# Names of commands in other tools.
_ELSEWHERE = {
    **dict.fromkeys(("diff", "preview"), "plan"),
    **dict.fromkeys(("lint", "validate"), "check"),
    **dict.fromkeys(("list", "ls", "show"), "get"),
    **dict.fromkeys(("sync", "push"), "reconcile"),
}


def examples(verb: str) -> list[tuple[str, str]]:
    """Return the examples of a verb: command lines and their purposes."""
    lines = [line.split("  # ") for line in _EXAMPLES.splitlines()]
    return [(line, why) for line, why in lines if f"ipam {verb} " in f"{line} "]


class VerbCommand(click.Command):
    """Command whose help has option groups and examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the command first, then the shared ones by topic."""
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in (_OWN, *GROUPS)}
        for param in self.get_params(ctx):
            row = param.get_help_record(ctx)
            if row is not None and isinstance(param, click.Option):
                name = "help" if "--help" in param.opts else param.name or ""
                rows[GROUP_OF.get(name, _OWN)].append(row)
        for title, found in rows.items():
            if found:
                with formatter.section(title):
                    formatter.write_dl(found)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, with their purpose at the end of the line, or above a long one."""
        super().format_epilog(ctx, formatter)
        shown = examples(self.name or "")
        width = max((len(line) for line, _ in shown if len(line) <= 46), default=0)
        if shown:
            with formatter.section("Examples"):
                for line, why in shown:
                    if len(line) > width:
                        formatter.write(f"  # {why}\n  {line}\n")
                    else:
                        formatter.write(f"  {line.ljust(width)}  # {why}\n")


class VerbGroup(VerbCommand, click.Group):
    """Command with subcommands."""

    command_class = VerbCommand


def unknown_verb(word: str, ctx: click.Context) -> click.UsageError:
    """Return the error for a verb that does not exist. It suggests similar ones."""
    asked = _ELSEWHERE.get(word.lower(), word.lower())
    near = [asked] if asked in VERBS else get_close_matches(asked, list(VERBS), 2, 0.65)
    hint = f"Did you mean {' or '.join(near)}?" if near else "ipam help --all lists them."
    return click.UsageError(f"No command {word!r}. {hint}", ctx)


class _LazyGroup(click.Group):
    """Group that shows the help of its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        module = import_module(f"reconciler.cli.{verb.module}")
        command: click.Command = getattr(module, "import_" if cmd_name == "import" else cmd_name)
        if ctx.resilient_parsing:
            import_module("reconciler.cli.completion").complete_by_name(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            raise unknown_verb(args[0], ctx) from None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        verb = next((word for word in args if word in VERBS), "COMMAND")
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as wrong:
            message = (
                f"No option {wrong.option_name} before {verb}. Options of a command go after it."
            )
            raise click.UsageError(message, ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        self.write_verbs(formatter, _SHOWN)
        others = ", ".join(name for name in VERBS if name not in _SHOWN)
        with formatter.section("More"):
            formatter.write_text(f"{others}. ipam help --all describes them.")

    def write_verbs(self, formatter: click.HelpFormatter, names: Container[str]) -> None:
        for section in PROMINENT:
            found = [it for it in VERBS.items() if it[0] in names and it[1].section == section]
            with formatter.section(section):
                formatter.write_dl([(name, verb.help) for name, verb in found])


def version_line(commit: str) -> str:
    """Return the version, with the commit if it is known."""
    return f"ipam {__version__} ({commit[:12]})" if commit else f"ipam {__version__}"


def _commit() -> str:
    """Return the commit of the build, or of a checkout without changes; empty if unknown."""
    root = Path(__file__).parents[2]
    if (known := commit()) or not (root / "hatch_build.py").is_file():
        return known
    from reconciler.gitio.repository import open_repository, uncommitted

    with suppress(ReconcilerError, OSError):
        repository = open_repository(root, dict(os.environ))
        changed = uncommitted(repository, ("reconciler", "schemas", "starter"))
        return "" if changed else repository.resolve("HEAD").id
    return ""


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if value and not ctx.resilient_parsing:
        click.echo(version_line(_commit()))
        ctx.exit()


@click.command(
    cls=_LazyGroup,
    options_metavar="[-C DIR] [--root DIR] [-q|-v]",
    subcommand_metavar="COMMAND [OPTIONS]",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 OK, 1 invalid content, 2 changes pending, 3 blocked by a limit, 4 Git,"
    " 5 a cluster, 6 rewritten history, 64 usage, 70 a bug.",
)
@options.common
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def ipam() -> None:
    """Allocate IP addresses from Git: plan in a pull request, record in commits.

    Run 'ipam COMMAND --help' for the options of a command.
    """


@click.command(cls=VerbCommand)
@click.argument("verb", metavar="[COMMAND]", required=False)
@option("--all", "everything", is_flag=True, help="List every command.")
@options.debug
@click.pass_context
def help(ctx: click.Context, verb: str | None, everything: bool) -> int:  # noqa: A001 - its name
    """Show the help of a command, as its option --help does."""
    top = ctx.find_root()
    if everything:
        formatter = top.make_formatter()
        group: Any = ipam
        group.write_verbs(formatter, VERBS)
        output.emit(formatter.getvalue().lstrip("\n"))
        return 0
    if verb is None:
        output.emit(ipam.get_help(top) + "\n")
        return 0
    command = ipam.get_command(top, verb)
    if command is None:
        raise unknown_verb(verb, ctx)
    inner = click.Context(command, parent=top, info_name=verb)
    output.emit(command.get_help(inner) + "\n")
    return 0


@click.command(cls=VerbCommand)
@output.options("text", "json")
def version(result: output.Result) -> int:
    """Print the version, and the commit it was built from if known."""
    known = _commit()
    if result.output == "json":
        document = {**envelope("Version"), "version": __version__, "commit": known or None}
        output.emit(json_text(document))
    else:
        output.emit(f"{version_line(known)}\n")
    return 0
