"""`demo`: the main job on the example repository, told step by step with the real verbs."""

import shutil
import sys
from pathlib import Path

import click

from reconciler.cli.shared.demo_stage import Stage
from reconciler.cli.shared.options import debug_option, option
from reconciler.cli.shared.output import emit
from reconciler.clusters.announcing import cluster_kinds
from reconciler.ports import ExitCode, UsageError

# The people of the story commit at these times, so its commits have the same ids everywhere.
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


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default="demo", metavar="[DIR]")
@option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@debug_option
def demo(folder: Path, color: str) -> int:
    """Run the whole job on the example repository in DIR, told step by step.

    DIR is made; a second run goes on with what the first left.
    """
    if shutil.which("git") is None:
        raise UsageError("git is not installed")
    return run_demo(folder, color)


def run_demo(folder: Path, color: str) -> int:
    """Tell the story in a folder; a second run goes on with what the first left.

    Args:
        folder: Where it plays; made when it is not there.
        color: `auto`, `always` or `never`.

    Raises:
        UsageError: The folder holds something else, or its repository was changed by hand.
    """
    stage = Stage(folder, color)
    is_new = stage.prepare(_IMPORTED)
    _as_it_stands(stage, is_new=is_new)
    _virtual_ips(stage)
    _made_clusters(stage)
    if _has(stage, "main", _REFUNDS):
        _added_before(stage)
    else:
        _add_a_tenant(stage)
        _merge(stage)
    _reconcile(stage)
    _render(stage)
    _run_full(stage)
    _where_to_look(stage)
    return ExitCode.OK


def _has(stage: Stage, branch: str, path: str) -> bool:
    """Whether a branch is there and holds a file."""
    is_there = stage.git("branch", "--list", branch)
    return bool(is_there and stage.git("ls-tree", "--name-only", branch, "--", path))


def _as_it_stands(stage: Stage, *, is_new: bool) -> None:
    made = (
        f"{stage.shown_folder}/repo is a Git repository as a platform team keeps it, with a bare"
        f" remote beside it in {stage.shown_folder}/remote.git."
        if is_new
        else f"An earlier run made {stage.shown_folder}/repo and its remote; this one goes on."
    )
    stage.chapter(
        "The repository as it stands",
        f"{made} People write pools, providers, teams and tenants. Who holds which addresses is"
        " written beside them, in allocations/: by the reconciler, never by hand.",
    )
    stage.show("cd", f"{stage.shown_folder}/repo")
    stage.ipam("status")
    part = "Half" if is_new else "A good half"
    stage.say(f"{part} of the 32 addresses at the edge are given out. vlan40-pool begins to fill.")


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


def _made_clusters(stage: Stage) -> None:
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
    _write(stage, _REFUNDS, _MODELINE + _tenant("team-payments", "refunds", "payments"))
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


def _added_before(stage: Stage) -> None:
    stage.chapter(
        "The tenant is there already",
        f"An earlier run added and merged {_REFUNDS}. It is not added twice; a tenant that has its"
        " addresses keeps them, whatever is planned around it:",
    )
    if stage.git("rev-parse", "main") != stage.git("rev-parse", "main", at=stage.remote):
        stage.shown_git("push", "origin", "main")
    stage.ipam("check")
    stage.ipam("explain", "team-payments/refunds")


def _reconcile(stage: Stage) -> None:
    before = stage.git("rev-parse", "main", at=stage.remote)
    stage.chapter(
        "Reconcile",
        "One command, run by CI on main: fetch, plan, commit the records, push. If somebody else"
        " pushes at the same time, it reads and plans anew; nobody's commit is lost.",
    )
    stage.ipam("reconcile")
    log = ("log", "-1", "--name-only", "main")
    output = stage.git(*log, at=stage.remote)
    stage.show("git", "-C", "../remote.git", *log, output=output)
    if before == stage.git("rev-parse", "main", at=stage.remote):
        stage.say("Nothing was left to do, so nothing was committed and nothing was pushed.")
    else:
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
    if not _has(stage, _ROLL_OUT, _REGIONS):
        _roll_out(stage)
    stage.shown_git("switch", _ROLL_OUT)
    stage.ipam("check", "--base", "main", expected=ExitCode.GATE)
    stage.say(
        "Exit code 3: right, but it may not pass. The check says what would help, before anything"
        " was merged, and before the last free address was gone."
    )
    stage.shown_git("switch", "main")
    stage.ipam("simulate", "--tenants", "8", expected=ExitCode.GATE)


def _roll_out(stage: Stage) -> None:
    regions = ("ams", "arn", "cdg", "dub", "fra", "mad", "mxp", "waw")
    tenants = [_tenant("team-search", f"edge-{region}", "search") for region in regions]
    stage.git("switch", "--quiet", "-C", _ROLL_OUT, "main")
    _put(stage, _REGIONS, _MODELINE + "---\n".join(tenants))
    stage.git("add", _REGIONS)
    stage.git("commit", "--quiet", "-m", "Search in eight regions", date=_ROLLED_OUT)
    stage.git("switch", "--quiet", "main")


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


def _write(stage: Stage, path: str, text: str) -> None:
    _put(stage, path, text)
    stage.show("cat", path, output=text)
