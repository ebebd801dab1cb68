"""Options of clusters and watching."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from msgspec import Struct

from reconciler.apply.target import ApplyOptions
from reconciler.cli.files import require_clusters
from reconciler.cli.options import option, parse_seconds
from reconciler.kube.clusters import KubeClusters
from reconciler.kube.deadline import Timeouts
from reconciler.kube.interface import Clusters
from reconciler.kube.kubeconfig import ServiceAccount
from reconciler.model.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])
OptionGroup = tuple[Callable[[Any], Any], ...]

_REACHING = (
    option(
        "--kubeconfig",
        type=click.Path(path_type=Path),
        help="The management cluster; else $KUBECONFIG, else the pod's account.",
    ),
    option("--context", metavar="NAME", default="", help="Context of that kubeconfig."),
    option(
        "--cluster",
        "cluster",
        metavar="[NAMESPACE/]NAME=PATH",
        multiple=True,
        help="Kubeconfig of a tenant cluster.",
    ),
    option(
        "--clusters",
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="Folder of <namespace>.<name>.kubeconfig files.",
    ),
    option(
        "--allow-exec",
        is_flag=True,
        help="Let kubeconfigs that you name run programs, read files and name proxies.",
    ),
    option(
        "--timeout", metavar="DURATION", default="60s", show_default=True, help="For each cluster."
    ),
)
_WISHING = (
    option("--crds", is_flag=True, help="Install and upgrade the CRDs."),
    option(
        "--policies/--no-policies",
        default=None,
        help="Install or remove the admission policies; else they stay as they are.",
    ),
    option("--break-glass", metavar="GROUP", multiple=True, help="Who may pass the policies."),
    option("--adopt", is_flag=True, help="Take over objects that belong to others."),
    option("--require-all", is_flag=True, help="A tenant without kubeconfig is a failure."),
    option("--re-enrol", metavar="CLUSTER", multiple=True, help="Accept another identity."),
    option("--force-withdraw", is_flag=True, help="Withdraw addresses that Services use."),
    option(
        "--force-withdraw-claim",
        metavar="CLAIM",
        multiple=True,
        help="The same of what this claim has left, and of no other.",
    ),
    option(
        "--confirm-withdrawn",
        metavar="CLUSTER",
        multiple=True,
        help="It announces nothing any more.",
    ),
    option(
        "--default-port",
        metavar="PORT",
        type=click.IntRange(1, 65535),
        default=ApplyOptions().default_port,
        show_default=True,
        help="Of an endpoint that names none.",
    ),
)


class Reach(Struct, frozen=True):
    """Cluster connection options of the command line."""

    kubeconfig: Path | None
    context: str
    clusters: Mapping[str, Path]
    folder: Path | None
    allow_exec: bool
    timeout_seconds: float

    def require(self) -> None:
        """Refuse to start if the client library is not installed.

        Raises:
            UsageError: The library is missing.
        """
        require_clusters(
            "asking the clusters that --kubeconfig, $KUBECONFIG or the pod's account name"
        )

    def open(self) -> Clusters:
        """Return the adapter for these options."""
        return KubeClusters(
            self.kubeconfig,
            self.context,
            self.clusters,
            self.folder,
            allow_exec=self.allow_exec,
            timeouts=Timeouts(self.timeout_seconds),
            environment=os.environ,
        )

    @property
    def is_named_by_person(self) -> bool:
        """Whether the user named a management cluster."""
        return self.kubeconfig is not None or bool(os.environ.get("KUBECONFIG"))

    @property
    def is_named(self) -> bool:
        """Whether the user named a management cluster, or a service account of the pod names one."""
        return self.is_named_by_person or ServiceAccount(os.environ).is_there()


def reaching_options(function: F) -> F:
    """Add the connection options and pass them to the command as `reach`."""
    return _decorated(function, _REACHING, "reach", _reach)


def wishing_options(function: F) -> F:
    """Add the apply options and pass them to the command as `wish`."""
    return _decorated(function, _WISHING, "wish", _wish)


def _decorated(function: F, group: OptionGroup, name: str, build: Callable[..., object]) -> F:
    """Return a command that gets the options of one group as a single value."""

    @wraps(function)
    def gathering(**values: Any) -> Any:
        own = {key: values.pop(key) for key in signature(build).parameters}
        return function(**values, **{name: build(**own)})

    result: Any = gathering
    for decorate in reversed(group):
        result = decorate(result)
    return cast(F, result)


def _reach(
    kubeconfig: Path | None,
    context: str,
    cluster: Sequence[str],
    clusters: Path | None,
    allow_exec: bool,
    timeout: str,
) -> Reach:
    named: dict[str, Path] = {}
    for text in cluster:
        name, equals, path = text.partition("=")
        if not (equals and name and path) or name.count("/") > 1:
            message = f"--cluster {text!r} is not [NAMESPACE/]NAME=PATH"
            raise UsageError(message, "for example team-a/web=web.kubeconfig")
        if name in named:
            raise UsageError(f"--cluster names {name} twice")
        named[name] = Path(path)
    seconds = parse_seconds("--timeout", timeout)
    return Reach(kubeconfig, context, named, clusters, allow_exec, seconds)


def _wish(
    crds: bool,
    policies: bool | None,
    break_glass: Sequence[str],
    adopt: bool,
    require_all: bool,
    re_enrol: Sequence[str],
    force_withdraw: bool,
    force_withdraw_claim: Sequence[str],
    confirm_withdrawn: Sequence[str],
    default_port: int,
) -> ApplyOptions:
    if break_glass and not policies:
        raise UsageError("--break-glass needs --policies")
    if not all(break_glass):
        raise UsageError("--break-glass names no group")
    return ApplyOptions(
        crds=crds,
        policies=policies,
        break_glass=tuple(break_glass),
        adopt=adopt,
        require_all=require_all,
        re_enrol=frozenset(re_enrol),
        force_withdraw=force_withdraw,
        forced_claims=frozenset(force_withdraw_claim),
        confirm_withdrawn=frozenset(confirm_withdrawn),
        default_port=default_port,
    )


_OPTIONS = (
    option("--watch", is_flag=True, help="Run on, and react to Git and clusters."),
    option(
        "--resync", metavar="DURATION", help="With --watch: go over everything so often.  [10m]"
    ),
    option("--leader-elect", is_flag=True, help="With --watch: work only while holding the Lease."),
    option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        help="With --watch: form of the lines on stderr; json leaves stdout empty.  [text]",
    ),
)


class Watch(Struct, frozen=True):
    """Options of a daemon.

    Attributes:
        resync: Seconds between two full runs.
        elects: Whether it works only while it holds the Lease.
        log_format: Format of stderr.
    """

    resync: int
    elects: bool
    log_format: str


def watch_options(function: F) -> F:
    """Add the daemon options and pass them to the command as `watch`, or None without a daemon."""

    @wraps(function)
    def gathering(**values: Any) -> Any:
        own = {key: values.pop(key) for key in signature(_watch).parameters}
        return function(**values, watch=_watch(**own))

    result: Any = gathering
    for decorate in reversed(_OPTIONS):
        result = decorate(result)
    return cast(F, result)


def _watch(
    watch: bool, resync: str | None, leader_elect: bool, log_format: str | None
) -> Watch | None:
    if not watch:
        given = {"--resync": resync, "--leader-elect": leader_elect, "--log-format": log_format}
        alone = next((name for name, value in given.items() if value), "")
        if alone:
            raise UsageError(f"{alone} needs --watch")
        return None
    return Watch(parse_seconds("--resync", resync or "10m"), leader_elect, log_format or "text")


def are_asked(reach: Reach, watch: Watch | None, *, applies: bool) -> bool:
    """Report whether a reconcile reads clusters.

    A named cluster is also read without an apply: before addresses are released, and for its needs.

    Raises:
        UsageError: A daemon would never watch its clusters, because only an apply starts watches,
            or the client library is not installed.
    """
    if not applies:
        _require_no_watch(reach, watch)
    is_asked = reach.is_named if applies else reach.is_named_by_person
    if is_asked:
        reach.require()
    return is_asked


def _require_no_watch(reach: Reach, watch: Watch | None) -> None:
    if watch is not None and reach.is_named_by_person:
        raise UsageError(
            "--watch watches the clusters that it applies to: with --no-apply none of those that"
            " --kubeconfig or $KUBECONFIG name",
            "leave out --no-apply; or --interval in place of --watch, which asks them once a run;"
            " or name no cluster, and Git alone is watched",
        )
