"""`demo`: a guided example in a new repository."""

import contextlib
import io
import os
import shlex
import shutil
import subprocess  # nosec B404  # runs Git as a person would
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from reconciler.apply.targets import cluster_kinds
from reconciler.cli.commands import VerbCommand
from reconciler.cli.entry import INTERRUPTED, run
from reconciler.cli.options import color_options
from reconciler.cli.output import emit, painter
from reconciler.documents.text import escape
from reconciler.documents.validators import folder as shipped
from reconciler.model.errors import ExitCode, GitError, UsageError
from reconciler.report.text.table import Colour

_WIDTH = 88
_TALKATIVE = ("commit", "merge", "push", "switch")
_PERSON = {"NAME": "Robin Example", "EMAIL": "robin@example.com"}


class Stage:
    """Folder of a demo, with its output and its commands.

    Git gets the identity and dates of the demo, without the user's configuration. The demo
    therefore runs in an empty environment, and its commits have the same ids everywhere.
    """

    def __init__(self, folder: Path, color: str) -> None:
        self.folder = folder.absolute()
        self.shown_folder = folder
        self.repo = self.folder / "repo"
        self._brush = painter(color)
        is_coloured = self._brush.paint("", Colour.BOLD) != ""
        self._colour = {"FORCE_COLOR" if is_coloured else "NO_COLOR": "1"}
        self._chapter = 0
        self._is_silent = False

    def prepare(self, date: int) -> None:
        """Create the repository and its remote.

        Raises:
            UsageError: The folder is not new or empty.
        """
        hint = "name a folder that is new or empty"
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"{self.shown_folder} is not a folder", hint)
        if self.folder.is_dir() and any(self.folder.iterdir()):
            raise UsageError(f"{self.shown_folder} is not empty", hint)
        self.folder.mkdir(parents=True, exist_ok=True)
        _copy(shipped("example-repo"), self.repo)
        remote = str(self.folder / "remote.git")
        self.git("init", "--quiet", "--bare", "--template=", "-b", "main", remote)
        self.git("init", "--quiet", "--template=", "-b", "main")
        self.git("remote", "add", "origin", "../remote.git")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "Example repository", date=date)
        self.git("push", "--quiet", "--set-upstream", "origin", "main")

    def chapter(self, title: str, *paragraphs: str) -> None:
        """Begin a chapter with its number, its title, and its subject."""
        self._chapter += 1
        line = self._brush.paint(f"{self._chapter}. {title}", Colour.BOLD, Colour.BLUE)
        emit(f"\n{line}\n")
        self.say(*paragraphs)

    def suggest(self, command: str, why: str) -> None:
        """Print a command to try, with its purpose."""
        emit(f"  {self._brush.paint(command.ljust(40), Colour.BOLD)} {why}\n")

    def say(self, *paragraphs: str) -> None:
        """Print text, wrapped to a readable length."""
        for paragraph in paragraphs:
            emit(f"\n{textwrap.fill(paragraph, _WIDTH, break_on_hyphens=False)}\n")
        self._is_silent = False

    def show(self, *command: str, output: str = "", exit_code: int = 0) -> None:
        """Print a command as typed, with its output and its exit code."""
        line = self._brush.paint(escape(shlex.join(command)), Colour.BOLD)
        gap = "" if self._is_silent else "\n"
        emit(f"{gap}{self._brush.paint('$', Colour.DIM)} {line}\n")
        self._is_silent = not output
        bar = self._brush.paint("│", Colour.DIM)
        emit("".join(f"{bar} {line}".rstrip() + "\n" for line in output.splitlines()))
        if exit_code:
            emit(f"{bar} {self._brush.paint(f'exit code {exit_code}', Colour.YELLOW)}\n")

    def git(self, *arguments: str, date: int = 0) -> str:
        """Run Git as a user would, without printing it, and return its output.

        Raises:
            GitError: Git failed.
        """
        stamp = {f"GIT_{who}_DATE": f"{date} +0000" for who in ("AUTHOR", "COMMITTER")}
        person = {
            f"GIT_{who}_{part}": value
            for who in ("AUTHOR", "COMMITTER")
            for part, value in _PERSON.items()
        }
        done = subprocess.run(  # noqa: S603 - fixed commands, no shell  # nosec B603 B607
            ["git", *arguments],  # noqa: S607 - the git that the person uses
            cwd=self.repo,
            env={**_environment_of_git(), **person, **(stamp if date else {})},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise GitError(
                f"git {arguments[0]}: {done.stderr.strip()}",
                f"remove {self.shown_folder} and begin again",
            )
        return done.stdout.rstrip("\n")

    def shown_git(self, *arguments: str, date: int = 0) -> None:
        """Run Git and print it, without its progress output."""
        command, *rest = arguments
        quiet = ("--quiet",) if command in _TALKATIVE else ()
        self.show("git", *arguments, output=self.git(command, *quiet, *rest, date=date))

    def ipam(self, *arguments: str, expected: int = 0) -> None:
        """Run a command in this process, in the repository, and print it.

        Raises:
            UsageError: The command did not end with the expected exit code.
        """
        output = io.StringIO()
        with (
            contextlib.chdir(self.repo),
            _environment(self._colour),
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
        ):
            code = run(arguments)
        self.show("ipam", *arguments, output=output.getvalue(), exit_code=code)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if code != expected:
            raise UsageError(
                f"ipam {arguments[0]} ended with {code}, and not with {expected} as it does when"
                " nobody else changed the repository",
                f"remove {self.shown_folder} and begin again",
            )


def _copy(source: Path, target: Path) -> None:
    """Copy a packaged folder, wherever the package is installed."""
    target.mkdir(parents=True)
    for item in source.iterdir():
        if item.is_dir():
            _copy(item, target / item.name)
        else:
            (target / item.name).write_bytes(item.read_bytes())


def _environment_of_git() -> dict[str, str]:
    """Return an environment without the user's Git configuration."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


@contextlib.contextmanager
def _environment(extra: Mapping[str, str]) -> Iterator[None]:
    """Remove variables that would change a command from the environment while the block runs."""
    before = dict(os.environ)
    for name in before:
        if name.startswith("IPAM_") or name in ("NO_COLOR", "FORCE_COLOR"):
            del os.environ[name]
    os.environ.update(extra)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


# Fixed times of the demo's commits, so that they have the same ids everywhere.
_IMPORTED = 1_771_232_400  # 2026-02-16T09:00:00Z
_PROPOSED = 1_772_442_720  # 2026-03-02T09:12:00Z
_MERGED = 1_772_444_400  # 2026-03-02T09:40:00Z
_ROLLED_OUT = 1_772_546_700  # 2026-03-03T14:05:00Z

_CLUSTER = cluster_kinds()[0].resource
_MODELINE = f"# yaml-language-server: $schema=../../.schemas/{_CLUSTER.kind}.json\n"
_REFUNDS = "tenants/payments/refunds.yaml"
_REGIONS = "tenants/search/regions.yaml"
_POOL = "../rendered/team-payments.refunds/IPAddressPool/metallb-system.default-pool.yaml"
_NEXT = {
    "ipam get tenants": "who holds what",
    "ipam explain team-platform/gpu-farm": "why it got its addresses where it did",
    "ipam check --base main -o json": "the same for machines",
    "ipam --help": "everything else",
}
_ADD = "add-refunds"
_ROLL_OUT = "roll-out-regions"


@click.command(cls=VerbCommand)
@click.argument("folder", type=click.Path(path_type=Path), default="demo", metavar="[DIR]")
@color_options
def demo(folder: Path, color: str) -> int:
    """Run the whole job on the example repository in DIR, which is made, told step by step."""
    if shutil.which("git") is None:
        raise UsageError("git is not installed")
    stage = Stage(folder, color)
    stage.prepare(_IMPORTED)
    for chapter in (
        *(_present, _virtual_ips, _clusters, _add_a_tenant, _merge, _reconcile, _render),
        *(_run_full, _where_to_look),
    ):
        chapter(stage)
    return ExitCode.OK


def _present(stage: Stage) -> None:
    folder = stage.shown_folder
    stage.chapter(
        "The repository as it stands",
        f"{folder}/repo is a Git repository as a platform team keeps it, with a bare remote beside"
        f" it in {folder}/remote.git. People write pools, providers, teams and tenants. Who holds"
        " which addresses is written beside them, in allocations/: by the reconciler, never by"
        " hand.",
    )
    stage.show("cd", f"{folder}/repo")
    stage.ipam("status")
    stage.say("Half of the 32 addresses at the edge are given out. vlan40-pool begins to fill.")


def _virtual_ips(stage: Stage) -> None:
    stage.chapter(
        "Virtual IPs are planned with them",
        "One plan covers the pools of all systems, IPv4 and IPv6, so that no address is given out"
        " twice. These are NovaEdge's:",
    )
    stage.ipam("get", "ippools")
    stage.ipam("get", "vips")
    stage.say(
        "A VIP gets the lowest free address, or the one that it names; one that asks for both IP"
        " versions gets both or neither."
    )


def _clusters(stage: Stage) -> None:
    stage.chapter(
        "So are the clusters of Cluster API",
        "They ask for nothing. A pool says by its labels which class of clusters it serves, and"
        " whether API servers or ingress; each Cluster of that class gets one address of each.",
    )
    stage.ipam("get", "globalinclusterippools")
    stage.ipam("get", "clusters")
    stage.say(
        "builds says by an annotation that nothing comes in, so it holds one address only. A"
        " Cluster that names its own endpoint keeps it, and takes none from a pool."
    )


def _add_a_tenant(stage: Stage) -> None:
    stage.chapter(
        "A branch adds a tenant",
        "The payments team wants a cluster. It says what it wants, and names no address:",
    )
    stage.git("switch", "--quiet", "-C", _ADD, "main")
    stage.show("git", "switch", "-c", _ADD)
    text = _MODELINE + _tenant("team-payments", "refunds", "payments")
    _put(stage, _REFUNDS, text)
    stage.show("cat", _REFUNDS, output=text)
    stage.shown_git("add", _REFUNDS)
    stage.shown_git("commit", "-m", "Add the refunds cluster", date=_PROPOSED)
    stage.say("What a pull request shows: is it right, and which addresses exactly will it give?")
    stage.ipam("check", "--base", "main")
    stage.ipam("plan", "--base", "main")
    stage.say(
        "It takes the next two addresses of the pool, and nobody else moves. The digest names just"
        " these decisions: look for it again below."
    )


def _merge(stage: Stage) -> None:
    stage.chapter("It is merged", "Somebody approves. The merge itself gives out nothing yet:")
    stage.shown_git("switch", "main")
    stage.shown_git("merge", "--no-ff", "-m", "Merge add-refunds", _ADD, date=_MERGED)
    stage.shown_git("push", "origin", "main")
    stage.ipam("plan", "--detailed-exitcode", expected=ExitCode.CHANGES)
    stage.say("Exit code 2: changes are pending. Scripts can tell, and the digest is the same.")


def _reconcile(stage: Stage) -> None:
    stage.chapter(
        "Reconcile",
        "One command, run by CI on main: fetch, plan, commit the records, push. If somebody else"
        " pushes at the same time, it reads and plans anew; nobody's commit is lost.",
    )
    stage.ipam("reconcile")
    log = ("-C", "../remote.git", "log", "-1", "--name-only", "main")
    stage.show("git", *log, output=stage.git(*log))
    stage.say(
        "One record, one file. The trailers say which plan was carried out, and on what."
        " Anybody who reconciles that commit makes the same commit, byte for byte."
    )
    stage.ipam("plan", "--detailed-exitcode")


def _render(stage: Stage) -> None:
    stage.chapter(
        "What the clusters get",
        "From the committed records, a folder for each cluster: for kubectl, Flux or Argo CD.",
    )
    stage.ipam("render", "--out", "../rendered")
    text = (stage.repo / _POOL).read_text(encoding="utf-8")
    stage.show("cat", _POOL, output=text)
    stage.say("MetalLB in the new cluster announces these two addresses, and no others.")


def _run_full(stage: Stage) -> None:
    stage.chapter(
        "A branch would run the pool full",
        "The search team rolls out to eight regions at once. Each of the clusters is described"
        " rightly, but there is room for seven.",
    )
    regions = ("ams", "arn", "cdg", "dub", "fra", "mad", "mxp", "waw")
    tenants = [_tenant("team-search", f"edge-{region}", "search") for region in regions]
    stage.git("switch", "--quiet", "-C", _ROLL_OUT)
    _put(stage, _REGIONS, _MODELINE + "---\n".join(tenants))
    stage.git("add", _REGIONS)
    stage.git("commit", "--quiet", "-m", "Search in eight regions", date=_ROLLED_OUT)
    stage.git("switch", "--quiet", "main")
    stage.shown_git("switch", _ROLL_OUT)
    stage.ipam("check", "--base", "main", expected=ExitCode.GATE)
    stage.say(
        "Exit code 3: right, but it may not pass. The check says what would help, before anything"
        " was merged, and before the last free address was gone."
    )
    stage.shown_git("switch", "main")
    stage.ipam("simulate", "--tenants", "8", expected=ExitCode.GATE)


def _where_to_look(stage: Stage) -> None:
    folder = stage.shown_folder
    stage.chapter(
        "Where to look next",
        f"All of it is in {folder}/repo, and yours to play with: change a file, commit, plan.",
    )
    emit("\n")
    for command, why in _NEXT.items():
        stage.suggest(command, why)
    stage.say(
        "Its README.md tells how a team works with it. .github/workflows/ipam.yml does in CI what"
        " was done here by hand. tenants/platform/legacy-billing-pins.yaml brings in a cluster"
        f" that has addresses already. {folder}/rendered holds what the clusters get."
    )
    if shutil.which("ipam") is None:
        stage.say(f"ipam itself is {Path(sys.argv[0]).resolve()}.")


def _tenant(namespace: str, name: str, team: str) -> str:
    return (
        f"apiVersion: {_CLUSTER.api_version}\nkind: {_CLUSTER.kind}\n"
        f"metadata:\n  name: {name}\n  namespace: {namespace}\n"
        f"spec:\n  teamRef: {{name: {team}}}\n  kubernetesVersion: v1.31.4\n"
        "  workers:\n    replicas: 3\n"
    )


def _put(stage: Stage, path: str, text: str) -> None:
    (stage.repo / path).write_text(text, encoding="utf-8", newline="\n")
