"""`demo`: a guided example in a new repository."""

import contextlib
import io
import os
import shlex
import shutil
import subprocess  # nosec B404  # runs Git as a person would
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from reconciler.cli import options
from reconciler.cli.commands import VerbCommand
from reconciler.cli.entry import INTERRUPTED, run
from reconciler.cli.output import emit, painter
from reconciler.documents.text import escape
from reconciler.documents.validators import folder as shipped
from reconciler.families.clusters import cluster_kinds
from reconciler.model.errors import ExitCode, GitError, UsageError
from reconciler.report.text.table import Colour

# Git gets the identity and dates of the demo, without the user's configuration, so that the
# commits have the same ids everywhere.
_ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    **{f"GIT_{who}_NAME": "Robin Example" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "robin@example.com" for who in ("AUTHOR", "COMMITTER")},
}
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
    "ipam get tenants": "all tenants and their addresses",
    "ipam explain team-platform/gpu-farm": "why a tenant has its addresses",
    "ipam check --base main -o json": "the result as JSON",
    "ipam --help": "everything else",
}


class _Stage:
    def __init__(self, folder: Path, color: str) -> None:
        self.shown_folder = folder
        self.repo = folder.absolute() / "repo"
        self.brush = painter(color)
        self._chapter = 0
        self._again = f"remove {folder}, then run the command again"

    def prepare(self) -> None:
        folder, hint = self.repo.parent, "pass a new or empty folder"
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{self.shown_folder} is not a folder", hint)
        if folder.is_dir() and any(folder.iterdir()):
            raise UsageError(f"{self.shown_folder} is not empty", hint)
        shutil.copytree(shipped("example-repo"), self.repo, copy_function=shutil.copyfile)
        for where in (("--bare", "../remote.git"), (".",)):
            self.git("init", "--quiet", "--template=", "-b", "main", *where)
        self.git("remote", "add", "origin", "../remote.git")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "Example repository", date=_IMPORTED)
        self.git("push", "--quiet", "--set-upstream", "origin", "main")

    def chapter(self, title: str, *paragraphs: str) -> None:
        self._chapter += 1
        emit(f"\n{self.brush.paint(f'{self._chapter}. {title}', Colour.BOLD, Colour.BLUE)}\n")
        self.say(*paragraphs)

    def say(self, *paragraphs: str) -> None:
        for paragraph in paragraphs:
            emit(f"\n{textwrap.fill(paragraph, 88, break_on_hyphens=False)}\n")

    def show(self, *command: str, printed: str = "", exit_code: int = 0) -> None:
        line = self.brush.paint(escape(shlex.join(command)), Colour.BOLD)
        emit(f"\n{self.brush.paint('$', Colour.DIM)} {line}\n")
        bar = self.brush.paint("│", Colour.DIM)
        emit("".join(f"{bar} {line}".rstrip() + "\n" for line in printed.splitlines()))
        if exit_code:
            emit(f"{bar} {self.brush.paint(f'exit code {exit_code}', Colour.YELLOW)}\n")

    def git(self, *arguments: str, date: int = 0) -> str:
        dates = {f"GIT_{who}_DATE": f"{date} +0000" for who in ("AUTHOR", "COMMITTER")}
        done = subprocess.run(  # noqa: S603 - fixed commands, no shell  # nosec B603 B607
            ["git", *arguments],  # noqa: S607 - the git that the person uses
            cwd=self.repo,
            env={**_ENVIRONMENT, **(dates if date else {})},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise GitError(f"git {arguments[0]}: {done.stderr.strip()}", self._again)
        return done.stdout.rstrip("\n")

    def shown_git(self, command: str, *arguments: str, date: int = 0) -> None:
        quiet = ("--quiet",) if command in ("commit", "merge", "push", "switch") else ()
        printed = self.git(command, *quiet, *arguments, date=date)
        self.show("git", command, *arguments, printed=printed)

    def shown_file(self, path: str, text: str = "") -> None:
        if text:
            (self.repo / path).write_text(text, encoding="utf-8", newline="\n")
        self.show("cat", path, printed=(self.repo / path).read_text(encoding="utf-8"))

    def ipam(self, *arguments: str, expected: int = 0) -> None:
        printed = io.StringIO()
        is_colored = self.brush.paint("", Colour.BOLD) != ""
        with (
            contextlib.chdir(self.repo),
            _variables("FORCE_COLOR" if is_colored else "NO_COLOR"),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            code = run(arguments)
        self.show("ipam", *arguments, printed=printed.getvalue(), exit_code=code)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if code != expected:
            message = f"ipam {arguments[0]} ended with {code}, not with {expected}"
            raise UsageError(message, self._again)


@contextlib.contextmanager
def _variables(color: str) -> Iterator[None]:
    before = dict(os.environ)
    for name in before:
        if name.startswith("IPAM_") or name in ("NO_COLOR", "FORCE_COLOR"):
            del os.environ[name]
    os.environ[color] = "1"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _tenant(namespace: str, name: str, team: str) -> str:
    return (
        f"apiVersion: {_CLUSTER.api_version}\nkind: {_CLUSTER.kind}\n"
        f"metadata:\n  name: {name}\n  namespace: {namespace}\n"
        f"spec:\n  teamRef: {{name: {team}}}\n  kubernetesVersion: v1.31.4\n"
        "  workers:\n    replicas: 3\n"
    )


@click.command(cls=VerbCommand)
@click.argument("folder", type=click.Path(path_type=Path), default="demo", metavar="[DIR]")
@options.color
def demo(folder: Path, color: str) -> int:
    """Create the example repository in DIR, and walk through a change, step by step."""
    if shutil.which("git") is None:
        raise UsageError("git is not installed")
    stage = _Stage(folder, color)
    stage.prepare()
    for part in (_look, _add_a_tenant, _reconcile, _run_full, _end):
        part(stage)
    return ExitCode.OK


def _look(stage: _Stage) -> None:
    folder = stage.shown_folder
    stage.chapter(
        "The repository",
        f"{folder}/repo is a sample repository of a platform team. Its remote is"
        f" {folder}/remote.git. People write pools, providers, teams, and tenants."
        " Only the reconciler writes allocations/, which records the holder of each address.",
    )
    stage.show("cd", f"{folder}/repo")
    stage.ipam("status")
    stage.say("Half of the 32 addresses at the edge are allocated. vlan40-pool is filling up.")
    stage.chapter(
        "Virtual IPs are in the same plan",
        "One plan covers the pools of all systems, IPv4 and IPv6, so that no address is allocated"
        " twice. These are the pools and VIPs of NovaEdge:",
    )
    stage.ipam("get", "ippools")
    stage.ipam("get", "vips")
    stage.say(
        "A VIP gets the lowest free address, or the address that it names. A VIP that asks for both"
        " IP versions gets both or neither."
    )
    stage.chapter(
        "Clusters of Cluster API are in the same plan",
        "You write no requests for these clusters. Pool labels name a cluster class and a role: control"
        " plane or ingress. Each Cluster of the class gets one address per role.",
    )
    stage.ipam("get", "globalinclusterippools")
    stage.ipam("get", "clusters")
    stage.say(
        "Cluster builds disables ingress with an annotation, so it has only one address. A Cluster"
        " that names its own endpoint keeps it, and gets no address from a pool."
    )


def _add_a_tenant(stage: _Stage) -> None:
    stage.chapter(
        "Add a tenant on a branch",
        "The payments team wants a cluster. The file describes the cluster, and names no address:",
    )
    stage.shown_git("switch", "-c", "add-refunds")
    stage.shown_file(_REFUNDS, _MODELINE + _tenant("team-payments", "refunds", "payments"))
    stage.shown_git("add", _REFUNDS)
    stage.shown_git("commit", "-m", "Add the refunds cluster", date=_PROPOSED)
    stage.say("On the pull request, CI checks the change and shows its exact addresses:")
    stage.ipam("check", "--base", "main")
    stage.ipam("plan", "--base", "main")
    stage.say(
        "The cluster gets the next two addresses of the pool, and no other tenant moves. The digest"
        " (sha256) identifies this plan. It appears again below."
    )
    stage.chapter("Merge the branch", "A reviewer approves. The merge allocates nothing yet:")
    stage.shown_git("switch", "main")
    stage.shown_git("merge", "--no-ff", "-m", "Merge add-refunds", "add-refunds", date=_MERGED)
    stage.shown_git("push", "origin", "main")
    stage.ipam("plan", "--detailed-exitcode", expected=ExitCode.CHANGES)
    stage.say("For scripts, exit code 2 means that changes are pending. The digest is the same.")


def _reconcile(stage: _Stage) -> None:
    stage.chapter(
        "Reconcile",
        "On main, CI runs one command, which fetches, plans, commits the records, and pushes. If"
        " another job pushes at the same time, the command fetches and plans again. No commit is lost.",
    )
    stage.ipam("reconcile")
    log = ("-C", "../remote.git", "log", "-1", "--name-only", "main")
    stage.show("git", *log, printed=stage.git(*log))
    stage.say(
        "Each record is a file. The trailers name the plan and its base."
        " Any machine that reconciles this base makes the same commit, byte for byte."
    )
    stage.ipam("plan", "--detailed-exitcode")
    stage.chapter(
        "Files for the clusters",
        "ipam render writes a folder for each cluster, for kubectl, Flux, or Argo CD.",
    )
    stage.ipam("render", "--out", "../rendered")
    stage.shown_file(_POOL)
    stage.say("MetalLB in the new cluster announces these two addresses, and no others.")


def _run_full(stage: _Stage) -> None:
    stage.chapter(
        "Stop a change that fills the pool",
        "The search team rolls out to eight regions at once. Each document is valid, but the pool"
        " has room for seven.",
    )
    regions = ("ams", "arn", "cdg", "dub", "fra", "mad", "mxp", "waw")
    tenants = [_tenant("team-search", f"edge-{region}", "search") for region in regions]
    stage.shown_git("switch", "-c", "roll-out-regions")
    text = _MODELINE + "---\n".join(tenants)
    (stage.repo / _REGIONS).write_text(text, encoding="utf-8", newline="\n")
    stage.shown_git("add", _REGIONS)
    stage.shown_git("commit", "-m", "Search in eight regions", date=_ROLLED_OUT)
    stage.ipam("check", "--base", "main", expected=ExitCode.GATE)
    stage.say(
        "Exit code 3: the change is valid, but a limit blocks it. The check suggests fixes before the"
        " merge."
    )
    stage.shown_git("switch", "main")
    stage.ipam("simulate", "--tenants", "8", expected=ExitCode.GATE)


def _end(stage: _Stage) -> None:
    folder = stage.shown_folder
    stage.chapter(
        "Next steps",
        f"Everything is in {folder}/repo. Try it: change a file, commit, and run ipam plan.",
    )
    emit("\n")
    for command, why in _NEXT.items():
        emit(f"  {stage.brush.paint(command.ljust(40), Colour.BOLD)} {why}\n")
    stage.say(
        "README.md describes how a team works with the repository. .github/workflows/ipam.yml runs"
        " the same steps in CI. tenants/platform/legacy-billing-pins.yaml describes a cluster that"
        f" already had addresses. {folder}/rendered contains the files for the clusters."
    )
    if shutil.which("ipam") is None:
        stage.say(f"The command ipam is {Path(sys.argv[0]).resolve()}.")
