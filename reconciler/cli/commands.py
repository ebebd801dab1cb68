"""Commands, help, and completion."""

import contextlib
import io
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem
from msgspec import Struct

from reconciler import __version__
from reconciler.cli.opening import evaluated, open_here
from reconciler.cli.options import common_options
from reconciler.codes import CODES
from reconciler.documents.findings import alike
from reconciler.documents.validators import commit
from reconciler.model.settings import Settings
from reconciler.planning.documents import schema_files
from reconciler.planning.evaluate import Evaluation
from reconciler.report.listing import items, listings

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "init": (
        ("ipam init addresses", "a new repository in a new folder"),
        ("ipam init . --forge gitlab", "here, with CI of GitLab"),
        ("ipam init --dry-run", "what it would write"),
    ),
    "import": (
        ("ipam import csv sheet.csv --dry-run", "what a sheet would become"),
        ("ipam import netbox prefixes.json --out .", "write what is in an export"),
        ("ipam import cluster one.kubeconfig two.kubeconfig", "what lives in clusters"),
    ),
    "schema": (
        ("ipam schema", "the kinds"),
        ("ipam schema Settings", "the schema of one"),
        ("ipam schema --all .schemas", "all of them, for editors"),
        ("ipam schema --codeowners", "whose folder is whose, by the teams"),
    ),
    "demo": (("ipam demo /tmp/ipam-demo", "in a folder that may be deleted afterwards"),),
    "move": (
        (
            "ipam move team-platform/gpu-farm --to vlan41-pool",
            "write what moves it, to be reviewed",
        ),
    ),
    "check": (
        ("ipam check", "what is committed"),
        ("ipam check --worktree", "what is on disk"),
        ("ipam check --base main", "a branch beside the one it goes to"),
        ("ipam check --base main --out junit=../ipam.xml", "for CI, too"),
    ),
    "plan": (
        ("ipam plan", "what reconcile would do now"),
        ("ipam plan --base main -o markdown", "as a comment on a pull request"),
        ("ipam plan --rev main --all", "another revision, with what stays"),
        ("ipam plan --detailed-exitcode", "2 when changes are pending"),
    ),
    "simulate": (
        ("ipam simulate --tenants 4", "tenants like those that there are"),
        ("ipam simulate --tenants 4 --lb 2 --nodes 3", "of another shape"),
    ),
    "reconcile": (
        ("ipam reconcile", "commit, and push where there is a remote"),
        ("ipam reconcile --no-apply --branch main", "as a job of CI"),
        (
            "ipam reconcile --kubeconfig management.kubeconfig --clusters kubeconfigs/",
            "and bring clusters to it",
        ),
        (
            "ipam reconcile --remote ssh://git@git.example.com/addresses.git --watch",
            "run on, without a checkout",
        ),
    ),
    "apply": (
        (
            "ipam apply --kubeconfig management.kubeconfig --clusters kubeconfigs/ --dry-run",
            "what would change in clusters",
        ),
        ("ipam apply --crds --require-all", "with the cluster of $KUBECONFIG"),
    ),
    "render": (
        ("ipam render --out ../rendered", "a folder for each cluster"),
        ("ipam render --out ../rendered -o json", "how many files each has, for programs"),
    ),
    "doctor": (
        ("ipam doctor", "of Git"),
        ("ipam doctor --kubeconfig management.kubeconfig", "of clusters, too"),
    ),
    "status": (
        ("ipam status", "a line for each pool"),
        ("ipam status --bars", "a bar for each, with its last 90 days"),
        ("ipam status --rev HEAD~1 -o json", "as it was, for programs"),
    ),
    "map": (
        ("ipam map", "a few rows for each pool"),
        ("ipam map vlan40-pool", "a pool, with who holds what"),
        ("ipam map vlan40-pool --svg", "as a picture"),
        ("ipam map vlan40-pool --rev HEAD~1 -o json", "as it was, for programs"),
    ),
    "report": (
        ("ipam report --out ../report.html", "what is committed"),
        ("ipam report --base main --out ../change.html", "and what merging a branch changes"),
    ),
    "get": (
        ("ipam get pools", "what kinds there are: ipam get --help"),
        ("ipam get tenants -o wide", "with all columns"),
        ("ipam get allocations -o json", "for programs"),
    ),
    "who": (
        ("ipam who 10.92.90.49", "who has an address, since when, by whose commit"),
        ("ipam who 10.40.0.0/24 -o csv", "all who have one of a network, for a sheet"),
        ("ipam who 10.92.90.49 --history", "who had it before"),
    ),
    "history": (
        ("ipam history", "the newest first"),
        ("ipam history vlan40-pool -n 5", "of one pool"),
    ),
    "forecast": (
        ("ipam forecast", "of all pools"),
        ("ipam forecast vlan40-pool", "of one"),
        ("ipam forecast --apply-result applied.json", "with what Services leave idle"),
    ),
    "find": (
        ("ipam find --count 8", "the runs where eight addresses fit"),
        ("ipam find --count 4 --pool vlan40-pool", "in one pool"),
    ),
    "explain": (
        ("ipam explain team-platform/gpu-farm", "a claim"),
        ("ipam explain gpu-farm --apply-result applied.json", "with what is idle"),
        ("ipam explain 10.40.0.70", "what stands at an address"),
        ("ipam explain --codes", "what the codes of findings mean"),
    ),
    "verify": (
        ("ipam verify", "all commits of the branch"),
        ("ipam verify HEAD~1..HEAD", "the newest ones"),
    ),
    "help": (("ipam help plan", "as ipam plan --help"), ("ipam help --all", "every verb")),
    "completion": (
        ('eval "$(ipam completion bash)"', "in ~/.bashrc"),
        ("ipam completion zsh", "what is evaluated"),
    ),
    "version": (("ipam version -o json", "for programs"),),
}
"""Examples by command: a command line and its purpose."""


_OWN = "Options"
# Options by topic. Options of a single command are not listed.
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
        """Write the examples, one per line."""
        super().format_epilog(ctx, formatter)
        shown = EXAMPLES.get(self.name or "", ())
        if shown:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in _set(shown)))


class VerbCommand(_Helped):
    """Single command."""


class VerbGroup(_Helped, click.Group):
    """Command with subcommands."""


def helped(name: str, command: click.Command) -> click.Command:
    """Return the command of a module with the options that all commands have."""
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
    """Return lines with their purpose at the end, or above if a line would be too long."""
    lines = []
    width = max((len(it[0]) for it in shown if len(it[0]) <= 46), default=0)
    for command, why in shown:
        if len(command) > width:
            lines += [f"# {why}", command]
        else:
            lines.append(f"{command.ljust(width)}  # {why}")
    return lines


# Names of commands in other tools.
_ELSEWHERE = {
    **dict.fromkeys(("diff", "preview"), "plan"),
    **dict.fromkeys(("lint", "validate"), "check"),
    **dict.fromkeys(("list", "ls", "show"), "get"),
    **dict.fromkeys(("sync", "push"), "reconcile"),
}


def closest(word: str, verbs: Iterable[str]) -> str:
    """Return ` Did you mean ...?` for a command, also of other tools, or empty."""
    return suggestion(_ELSEWHERE.get(word.lower(), word), verbs)


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ` Did you mean ...?`, or empty if no name is similar."""
    asked, names = word.lower(), list(known)
    near = [asked] if asked in names else alike(asked, names, 2, 0.65)
    return f" Did you mean {' or '.join(near)}?" if near else ""


def explained(
    wrong: click.NoSuchOption, group: click.Group, ctx: click.Context, args: Sequence[str]
) -> click.UsageError:
    """Return the usage error with an explanation: command options belong after the command.

    Args:
        wrong: Error of click.
        group: The commands.
        ctx: Context of the group.
        args: All arguments.
    """
    verb = next((word for word in args if word in group.list_commands(ctx)), "")
    if not verb:
        return wrong
    command = group.get_command(ctx, verb)
    known = {name for param in command.params for name in param.opts} if command else set()
    if wrong.option_name not in known:
        near = suggestion(wrong.option_name, known)
        return click.UsageError(f"No option {wrong.option_name} before {verb}.{near}", ctx)
    at = args.index(verb)
    words = [*args[at:], *args[:at]]
    said = f"{wrong.option_name} is an option of {verb} and goes behind it: ipam {' '.join(words)}"
    return click.UsageError(said, ctx)


class Verb(Struct, frozen=True):
    """Entry of a command in `ipam --help`."""

    section: str
    help: str


VERBS = {
    "init": Verb("Author", "A new repository: Settings, an example, CI, schemas for editors."),
    "import": Verb("Author", "What lives already, as files: clusters, CSV, NetBox."),
    "schema": Verb("Author", "The JSON Schema of a kind."),
    "demo": Verb("Author", "The whole job on an example repository, told step by step."),
    "move": Verb("Author", "The files by which a claim moves to another pool."),
    "check": Verb("Review", "Findings, capacity and brakes for a pull request."),
    "plan": Verb("Review", "The exact addresses that reconciling this revision gives out."),
    "simulate": Verb("Review", "How many more tenants fit, and which pool fills."),
    "reconcile": Verb("Operate", "Plan, commit the records, push, apply."),
    "apply": Verb("Operate", "Bring the clusters to the committed records."),
    "render": Verb("Operate", "The objects of every cluster, as files."),
    "doctor": Verb("Operate", "What of Git, clusters, rights and versions is in order."),
    "status": Verb("Inspect", "How full each pool is."),
    "map": Verb("Inspect", "The addresses of a pool, drawn: who holds which, and what is free."),
    "report": Verb("Inspect", "One page: all pools, maps, the past, and a search."),
    "get": Verb("Inspect", "Pools, allocations and tenants, as kubectl get shows them."),
    "who": Verb("Inspect", "Who has an address, or had it, and by which commit."),
    "history": Verb("Inspect", "What happened to addresses, by which commit of whom."),
    "forecast": Verb("Inspect", "How long pools will do, by what the past tells."),
    "find": Verb("Inspect", "Where a run of addresses is free."),
    "explain": Verb("Inspect", "Why a claim has, or cannot get, its addresses."),
    "verify": Verb("Inspect", "Whether every reconcile commit is what its plan makes."),
    "help": Verb("Inspect", "The help of a verb; --all lists every verb."),
    "completion": Verb("Inspect", "Completion for your shell."),
    "version": Verb("Inspect", "The version."),
}
"""The commands in help order. Each is a function in a module, both with its name."""

PROMINENT = (
    *("init", "import", "check", "plan", "simulate", "reconcile"),
    *("apply", "doctor", "status", "get", "who", "explain"),
)
"""The commands in `ipam --help`. `ipam help --all` also shows the others."""

_SECTIONS = ("Author", "Review", "Operate", "Inspect")


class LazyGroup(click.Group):
    """Group that shows the help of its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all commands, in the order of the table."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command, and add value completion if a shell requests it."""
        if cmd_name not in VERBS:
            return None
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        module = import_module(f"reconciler.cli.{name}")
        command: click.Command = getattr(module, name)
        if ctx.resilient_parsing:
            import_module("reconciler.cli.commands").complete_by_name(command)
        return helped(cmd_name, command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the user named.

        Raises:
            UsageError: The command does not exist. The message suggests similar names.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            near = closest(args[0], VERBS)
            said = f"No verb {args[0]!r}.{near or ' ipam --help lists them.'}"
            raise click.UsageError(said, ctx) from None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments before the command.

        Raises:
            UsageError: An option belongs after the command, or does not exist.
        """
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as wrong:
            raise explained(wrong, self, ctx, given) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the prominent commands by section, and the names of the others."""
        del ctx
        self.write_verbs(formatter, [name for name in VERBS if name in PROMINENT])
        others = ", ".join(name for name in VERBS if name not in PROMINENT)
        with formatter.section("More"):
            formatter.write_text(f"{others}. ipam help --all tells what each does.")

    def write_verbs(self, formatter: click.HelpFormatter, names: list[str]) -> None:
        """Write some commands by section."""
        for section in _SECTIONS:
            rows = [(name, VERBS[name].help) for name in names if VERBS[name].section == section]
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)


def version_line(commit: str) -> str:
    """Return the version in one line, with the commit if it is known."""
    return f"ipam {__version__} ({commit[:12]})" if commit else f"ipam {__version__}"


def _tell_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if value and not ctx.resilient_parsing:
        click.echo(version_line(commit()))
        ctx.exit()


@click.command(
    cls=LazyGroup,
    options_metavar="[-C DIR] [--root DIR] [-q|-v]",
    subcommand_metavar="VERB [OPTIONS]",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 fine, 1 wrong content, 2 changes pending, 3 a gate, 4 Git, 5 a cluster,"
    " 6 rewritten history, 64 usage, 70 a bug.",
)
@common_options
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_version,
    help="Show the version and exit.",
)
def ipam() -> None:
    """Hand out IP addresses from Git: planned in a pull request, recorded in commits.

    Options of a verb go after it: ipam VERB --help shows them.
    """


_MAX_COMPLETING = 200
# For more files, planning would make completion slow, so only records are read.
SMALL_FILES = 2_000


def revisions(values: dict[str, Any]) -> Iterable[str]:
    """Return branches, tags, and special revision names."""
    git = _repository(values).git
    listed = git.run(
        "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/remotes"
    )
    names = listed.out.decode("utf-8", "replace").splitlines()
    yield from ("HEAD", "HEAD~1")
    yield from (name.split("/", 2)[2] for name in names if not name.endswith("/HEAD"))


def claims(values: dict[str, Any]) -> Iterable[str]:
    """Return owners that hold or request addresses, as namespace/name."""
    paths = _paths(values)
    for parts in _records(paths):
        owner = parts[-1].rpartition(".")[0].rpartition(".")[0]
        yield owner if parts[-2] == "_" else f"{parts[-2]}/{owner}"
    if len(paths) <= SMALL_FILES:
        for decision in _evaluation(values).plan.decisions:
            key = decision.claim
            yield f"{key.namespace}/{key.name}" if key.namespace else key.name


def pools(values: dict[str, Any]) -> Iterable[str]:
    """Return the names of pools."""
    paths = _paths(values)
    yield from (parts[-3].partition(".")[2] or parts[-3] for parts in _records(paths))
    if len(paths) <= SMALL_FILES:
        yield from (key.name for key in _evaluation(values).plan.before)


def listed(values: dict[str, Any]) -> Iterable[str]:
    """Return the resource names for lists, in the plural."""
    del values
    return listings()


def named(values: dict[str, Any]) -> Iterable[str]:
    """Return the names of listed objects, of the kind already typed."""
    found = items(_evaluation(values), listings()[values["what"]])
    return [item.name for item in found if item.name not in values["names"]]


def teams(values: dict[str, Any]) -> Iterable[str]:
    """Return teams that hold addresses."""
    return [record.owner.team for record in _evaluation(values).state.records]


def verbs(values: dict[str, Any]) -> Iterable[str]:
    """Return the commands, for the help of one."""
    del values
    return VERBS


def kinds(values: dict[str, Any]) -> Iterable[str]:
    """Return the kinds that have a schema."""
    del values
    return schema_files()


def codes(values: dict[str, Any]) -> Iterable[str]:
    """Return the codes of findings."""
    del values
    return CODES


Source = Callable[[dict[str, Any]], Iterable[str]]
BY_NAME: dict[str, tuple[Source, ...]] = {
    "rev": (revisions,),
    "base": (revisions,),
    "reach": (revisions,),
    "branch": (revisions,),
    "claim": (claims,),
    "pool": (pools,),
    "pools": (pools,),
    "what": (listed,),
    "kind": (kinds,),
    "code": (codes,),
    "asked": (claims, pools),
    "names": (named,),
    "team": (teams,),
    "verb": (verbs,),
    "[CLAIM|CODE]": (claims, codes),
    "DATE|REV": (revisions,),
    "[POOL]": (pools,),
}
"""Completion of a parameter, by its metavar or its name, for every command."""


def complete_by_name(command: click.Command) -> None:
    """Add value completion to the parameters of a command."""
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        complete_by_name(inner)
    for param in command.params:
        sources = BY_NAME.get(param.metavar or "") or BY_NAME.get(param.name or "")
        if sources:
            vars(param)["shell_complete"] = _completer(sources)


def _completer(
    sources: Sequence[Source],
) -> Callable[[click.Context, str], list[CompletionItem]]:
    def complete(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found: dict[str, None] = {}
        for source in sources:
            is_silent = contextlib.redirect_stderr(io.StringIO())
            with contextlib.suppress(Exception), is_silent, ctx.scope(cleanup=False):
                for value in source(ctx.params):
                    if value.startswith(incomplete) and value.isprintable():
                        found[value] = None
        return [CompletionItem(value) for value in sorted(found)[:_MAX_COMPLETING]]

    return complete


def _repository(values: dict[str, Any]) -> Any:

    return open_here(values.get("repo") or Path())


def _paths(values: dict[str, Any]) -> list[str]:
    git = _repository(values).git
    rev = values.get("rev") or "HEAD"
    names = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", "--end-of-options")
    listed = git.run(*names, rev, *git.root.inside([]))
    paths: list[str] = listed.out.decode("utf-8", "replace").split("\0")
    return [git.root.outside(path) for path in paths]


def _records(paths: Iterable[str]) -> list[list[str]]:
    """Return the path parts of records: they contain pool, owner's namespace, owner, and slot."""
    parts = [path.split("/") for path in paths if path.startswith(f"{Settings().records}/")]
    return [it for it in parts if len(it) >= 5]


def _evaluation(values: dict[str, Any]) -> Evaluation:

    worktree, rev = bool(values.get("worktree")), values.get("rev") or "HEAD"
    repo = values.get("repo") or Path()
    return evaluated(repo, rev, "never", worktree=worktree)
