"""Options of clusters."""

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from reconciler.apply.targets import ApplyOptions
from reconciler.cli import options
from reconciler.cli.options import Decorator, gathered, option, repeatable
from reconciler.gitio.files import with_extra
from reconciler.kube.clusters import KubeClusters
from reconciler.kube.deadline import Timeouts
from reconciler.model.errors import UsageError

CLUSTERS = ("cryptography", "kubernetes", "prometheus_client")
"""Modules of the extra `clusters` in `pyproject.toml`."""


def require_clusters(what: str) -> None:
    """Refuse to start if the extra `clusters` is needed but not installed."""
    missing = []
    for name in CLUSTERS:
        try:
            missing += [] if find_spec(name) is not None else [name]
        except (ImportError, ValueError):
            missing.append(name)
    if not missing:
        return
    source = with_extra("clusters")
    where = (
        ""
        if "SOURCE" not in source
        else ", with SOURCE as the place that this ipam was installed from"
    )
    hint = f"pip install '{source}', or pipx install --force '{source}'{where}"
    raise UsageError(f"{what} needs packages that are not installed: {', '.join(missing)}", hint)


def require_reach() -> None:
    """Refuse to start if the client library is not installed."""
    require_clusters("asking the clusters that --kubeconfig, $KUBECONFIG or the pod's account name")


def _reach(
    kubeconfig: Path | None,
    context: str,
    cluster: Sequence[str],
    clusters: Path | None,
    allow_exec: bool,
    timeout: str,
) -> KubeClusters:
    named: dict[str, Path] = {}
    for text in cluster:
        name, equals, path = text.partition("=")
        if not (equals and name and path) or name.count("/") > 1:
            message = f"--cluster {text!r} is not [NAMESPACE/]NAME=PATH"
            raise UsageError(message, "write, for example, team-a/web=web.kubeconfig")
        if name in named:
            raise UsageError(f"--cluster {name} appears twice")
        named[name] = Path(path)
    seconds = options.parse_seconds("--timeout", timeout)
    return KubeClusters(
        *(kubeconfig, context, named, clusters),
        allow_exec=allow_exec,
        timeouts=Timeouts(seconds),
        environment=os.environ,
    )


reach: Decorator[Any] = gathered(
    "reach",
    _reach,
    option(
        "--kubeconfig",
        type=click.Path(path_type=Path),
        help="Use this management cluster. Default: $KUBECONFIG or in-cluster.",
    ),
    option("--context", metavar="NAME", default="", help="Use this context of the kubeconfig."),
    repeatable("--cluster", "[NAMESPACE/]NAME=PATH", "Use this kubeconfig for a tenant cluster."),
    option(
        "--clusters",
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="Use the <namespace>.<name>.kubeconfig files in DIR.",
    ),
    options.allow_exec,
    options.timeout,
)
"""Adds the connection options, and passes them as `reach`."""


def _apply_options(
    break_glass: Sequence[str],
    enroll: Sequence[str],
    take_over: Sequence[str],
    force_withdraw_claim: Sequence[str],
    confirm_withdrawn: Sequence[str],
    policies: bool | None,
    **switches: Any,
) -> ApplyOptions:
    if break_glass and not policies:
        raise UsageError("--break-glass needs --policies")
    if not all(break_glass):
        raise UsageError("--break-glass names no group")
    return ApplyOptions(
        break_glass=tuple(break_glass),
        enroll=frozenset(enroll),
        take_over=frozenset(take_over),
        forced_claims=frozenset(force_withdraw_claim),
        confirm_withdrawn=frozenset(confirm_withdrawn),
        **switches,
    )


apply: Decorator[Any] = gathered(
    "wanted",
    _apply_options,
    option("--crds", is_flag=True, help="Install and upgrade the CRDs."),
    option(
        "--policies/--no-policies",
        default=None,
        help="Install or remove admission policies. Default: keep them.",
    ),
    options.break_glass,
    option("--adopt", is_flag=True, help="Take over existing objects that ipam did not create."),
    option(
        "--allow-delete",
        metavar="N",
        type=click.IntRange(0),
        help="Delete at most N objects of the management cluster.",
    ),
    option("--require-all", is_flag=True, help="Fail if a tenant has no kubeconfig."),
    repeatable("--enroll", "CLUSTER", "Register this cluster, or accept its new uid."),
    repeatable("--take-over", "CLUSTER", "Take over a cluster of another repository."),
    option("--force-withdraw", is_flag=True, help="Withdraw addresses that Services use."),
    repeatable(
        *("--force-withdraw-claim", "CLAIM"), "Withdraw old ranges of CLAIM, even if in use."
    ),
    repeatable(
        *("--confirm-withdrawn", "CLUSTER"), "Confirm that CLUSTER announces no released range."
    ),
    option(
        "--default-port",
        metavar="PORT",
        type=click.IntRange(1, 65535),
        default=ApplyOptions().default_port,
        show_default=True,
        help="Use this port for endpoints without one.",
    ),
)
"""Adds the apply options, and passes them as `wanted`."""
