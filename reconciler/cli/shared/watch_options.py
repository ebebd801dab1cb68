"""Options of `reconcile --watch`, as one value."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

import click
from msgspec import Struct

from reconciler.cli.shared.cluster_options import Reach
from reconciler.cli.shared.options import option, parse_seconds
from reconciler.ports import UsageError

F = TypeVar("F", bound=Callable[..., Any])

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
    """How a daemon runs.

    Attributes:
        resync: Seconds between two rounds over everything.
        elects: It works only while it holds the Lease.
        log_format: Of stderr.
    """

    resync: int
    elects: bool
    log_format: str


def watch_options(function: F) -> F:
    """How a daemon runs: the verb gets `watch`, None when it shall not."""

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
    """Whether a reconcile asks clusters.

    Without an apply, too, a cluster that somebody names is asked before addresses come free, and
    for what it needs.

    Raises:
        UsageError: A daemon would have clusters that it never watches: an apply begins watches. Or
            what asks clusters is not installed.
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
