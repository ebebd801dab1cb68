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
from reconciler.report.json import envelope, json_text


class Verb(Struct, frozen=True):
    """Entry of a command in `ipam --help`, and its module of `reconciler.cli`."""

    section: str
    module: str
    help: str


VERBS = {
    "init": Verb(
        "Author", "init", "A new repository: Settings, an example, CI, schemas for editors."
    ),
    "import": Verb("Author", "import_", "What lives already, as files: clusters, CSV, NetBox."),
    "schema": Verb("Author", "authoring", "The JSON Schema of a kind."),
    "demo": Verb("Author", "demo", "The whole job on an example repository, told step by step."),
    "move": Verb("Author", "authoring", "The files by which a claim moves to another pool."),
    "check": Verb("Review", "review", "Findings, capacity and brakes for a pull request."),
    "plan": Verb(
        "Review", "review", "The exact addresses that reconciling this revision gives out."
    ),
    "simulate": Verb("Review", "capacity", "How many more tenants fit, and which pool fills."),
    "reconcile": Verb("Operate", "reconcile", "Plan, commit the records, push, apply."),
    "apply": Verb("Operate", "operate", "Bring the clusters to the committed records."),
    "render": Verb("Operate", "operate", "The objects of every cluster, as files."),
    "doctor": Verb("Operate", "operate", "What of Git, clusters, rights and versions is in order."),
    "status": Verb("Inspect", "capacity", "How full each pool is."),
    "map": Verb(
        "Inspect", "capacity", "The addresses of a pool, drawn: who holds which, and what is free."
    ),
    "report": Verb("Inspect", "capacity", "One page: all pools, maps, the past, and a search."),
    "get": Verb("Inspect", "queries", "Pools, allocations and tenants, as kubectl get shows them."),
    "who": Verb("Inspect", "queries", "Who has an address, or had it, and by which commit."),
    "history": Verb("Inspect", "queries", "What happened to addresses, by which commit of whom."),
    "forecast": Verb("Inspect", "capacity", "How long pools will do, by what the past tells."),
    "find": Verb("Inspect", "capacity", "Where a run of addresses is free."),
    "explain": Verb("Inspect", "explain", "Why a claim has, or cannot get, its addresses."),
    "verify": Verb("Inspect", "operate", "Whether every reconcile commit is what its plan makes."),
    "help": Verb("Inspect", "commands", "The help of a verb; --all lists every verb."),
    "completion": Verb("Inspect", "completion", "Completion for your shell."),
    "version": Verb("Inspect", "commands", "The version."),
}
"""The commands in help order."""

_EXAMPLES = """\
ipam init addresses  # a new repository in a new folder
ipam init . --forge gitlab  # here, with CI of GitLab
ipam init --dry-run  # what it would write
ipam import csv sheet.csv --dry-run  # what a sheet would become
ipam import netbox prefixes.json --out .  # write what is in an export
ipam import cluster one.kubeconfig two.kubeconfig  # what lives in clusters
ipam schema  # the kinds
ipam schema Settings  # the schema of one
ipam schema --out .schemas  # all of them, for editors
ipam schema --codeowners  # whose folder is whose, by the teams
ipam demo /tmp/ipam-demo  # in a folder that may be deleted afterwards
ipam move team-platform/gpu-farm --to vlan41-pool  # write what moves it, to be reviewed
ipam check  # what is committed
ipam check --worktree  # what is on disk
ipam check pools tenants  # files by themselves
ipam check --base main  # a branch beside the one it goes to
ipam check --base main --output-file junit=../ipam.xml  # for CI, too
ipam plan  # what reconcile would do now
ipam plan --base main -o markdown  # as a comment on a pull request
ipam plan --rev main --all  # another revision, with what stays
ipam plan --detailed-exitcode  # 2 when changes are pending
ipam simulate --tenants 4  # tenants like those that there are
ipam simulate --tenants 4 --lb 2 --nodes 3  # of another shape
ipam reconcile  # commit, and push where there is a remote
ipam reconcile --no-apply --branch main  # as a job of CI
ipam reconcile --kubeconfig hub.kubeconfig --clusters kubeconfigs/  # and bring clusters to it
ipam reconcile --remote ssh://git@git.example.com/addresses.git --watch  # run on, without a checkout
ipam apply --kubeconfig hub.kubeconfig --clusters kubeconfigs/ --dry-run  # what would change in clusters
ipam apply --crds --require-all  # with the cluster of $KUBECONFIG
ipam render --out ../rendered  # a folder for each cluster
ipam render --out ../rendered -o json  # how many files each has, for programs
ipam doctor  # of Git
ipam doctor --kubeconfig hub.kubeconfig  # of clusters, too
ipam status  # a line for each pool
ipam status --bars  # a bar for each, with its last 90 days
ipam status --rev HEAD~1 -o json  # as it was, for programs
ipam map  # a few rows for each pool
ipam map vlan40-pool  # a pool, with who holds what
ipam map vlan40-pool -o svg  # as a picture
ipam map vlan40-pool --rev HEAD~1 -o json  # as it was, for programs
ipam report --out ../report.html  # what is committed
ipam report --base main --out ../change.html  # and what merging a branch changes
ipam get pools  # what kinds there are: ipam get --help
ipam get tenants -o wide  # with all columns
ipam get allocations -o json  # for programs
ipam who 10.92.90.49  # who has an address, since when, by whose commit
ipam who 10.40.0.0/24 -o csv  # all who have one of a network, for a sheet
ipam who 10.92.90.49 --history  # who had it before
ipam history  # the newest first
ipam history vlan40-pool -n 5  # of one pool
ipam forecast  # of all pools
ipam forecast vlan40-pool  # of one
ipam forecast --apply-result applied.json  # with what Services leave idle
ipam find --count 8  # the runs where eight addresses fit
ipam find --count 4 --pool vlan40-pool  # in one pool
ipam explain team-platform/gpu-farm  # a claim
ipam explain gpu-farm --apply-result applied.json  # with what is idle
ipam explain 10.40.0.70  # what stands at an address
ipam explain --codes  # what the codes of findings mean
ipam verify  # all commits of the branch
ipam verify HEAD~1..HEAD  # the newest ones
ipam help plan  # as ipam plan --help
ipam help --all  # every verb
eval "$(ipam completion bash)"  # in ~/.bashrc
ipam completion zsh  # what is evaluated
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
    "Reading": "repo rev worktree remote branch base at apply_result",
    "Result": "output outs out color metrics_file",
    "Clusters": "kubeconfig context cluster clusters allow_exec timeout",
    "Applying": "no_apply crds policies break_glass adopt require_all re_enrol force_withdraw"
    " force_withdraw_claim confirm_withdrawn default_port lb_class shard",
    "Running on": "interval watch resync leader_elect log_format listen tls_cert tls_key"
    " hook_secret_file",
    "Everywhere": "directory root quiet verbose debug help version",
}
_GROUP_OF = {name: title for title, names in GROUPS.items() for name in names.split()}
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
    return click.UsageError(f"No verb {word!r}. {hint}", ctx)


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
        verb = next((word for word in args if word in VERBS), "VERB")
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as wrong:
            message = f"No option {wrong.option_name} before {verb}. Options of a verb go after it."
            raise click.UsageError(message, ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        self.write_verbs(formatter, _SHOWN)
        others = ", ".join(name for name in VERBS if name not in _SHOWN)
        with formatter.section("More"):
            formatter.write_text(f"{others}. ipam help --all tells what each does.")

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
    subcommand_metavar="VERB [OPTIONS]",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 fine, 1 wrong content, 2 changes pending, 3 a gate, 4 Git, 5 a cluster,"
    " 6 rewritten history, 64 usage, 70 a bug.",
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
    """Hand out IP addresses from Git: planned in a pull request, recorded in commits.

    Options of a verb go after it: ipam VERB --help shows them.
    """


@click.command(cls=VerbCommand)
@click.argument("verb", required=False)
@option("--all", "everything", is_flag=True, help="List every verb.")
@options.debug
@click.pass_context
def help(ctx: click.Context, verb: str | None, everything: bool) -> int:  # noqa: A001 - its name
    """Tell about a verb, as `ipam VERB --help` does."""
    settings: Any = ipam.context_settings
    top = click.Context(ipam, info_name="ipam", **settings)
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
    inner = click.Context(command, parent=top, info_name=verb, **settings)
    output.emit(command.get_help(inner) + "\n")
    return 0


@click.command(cls=VerbCommand)
@output.options("text", "json")
def version(result: output.Result) -> int:
    """Print the version, and the commit that it was built from, where that is known."""
    known = _commit()
    if result.output == "json":
        document = {**envelope("Version"), "version": __version__, "commit": known or None}
        output.emit(json_text(document))
    else:
        output.emit(f"{version_line(known)}\n")
    return 0
