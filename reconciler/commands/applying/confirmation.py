"""What MetalLB says of its configuration, after it has seen what was written."""

from reconciler.clusters.metallb import NAMESPACE, controller_time, state_error
from reconciler.clusters.resources import CONFIGURATION_STATE
from reconciler.model.instant import format_instant
from reconciler.ports import Cluster, NoSuchKindError

_POLL_SECONDS = 0.1
_POLLS = 50
_LATE = "MetalLB's controller has not confirmed the change yet"


def confirm(cluster: Cluster, since: int | None, notes: list[str]) -> str:
    """What MetalLB says is wrong; empty when nothing is, or when it is too old to tell.

    Args:
        cluster: Where it is.
        since: The server's time of the write; None when nothing was written.
        notes: Gets what a person should know.
    """
    try:
        states = cluster.list(CONFIGURATION_STATE, NAMESPACE)
        for _ in range(_POLLS):
            seen = controller_time(states)
            if since is None or seen is None or seen >= format_instant(since):
                break
            cluster.pause(_POLL_SECONDS)
            states = cluster.list(CONFIGURATION_STATE, NAMESPACE)
        else:
            notes.append(_LATE)
    except NoSuchKindError:
        return ""  # MetalLB before 0.15.3 says nothing of its configuration
    return state_error(states)
