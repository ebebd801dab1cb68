"""An answer that is no list is not taken for an empty one."""

import pytest

from reconciler.model.errors import ClusterError
from reconciler.model.objects import NODE
from tests.kube.kubeconfigs import cluster_of
from tests.kube.server import Reply, serving


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"kind": "Status", "status": "Success"},
        {"ok": True},
        {"items": 5},
        {"items": "no"},
        {"items": [5]},
        {"items": [{}, None]},
        {"items": [], "metadata": {"continue": 5}},
    ],
)
def test_what_is_no_list_does_not_say_that_nothing_is_there(answer: dict[str, object]) -> None:
    with (
        serving(Reply(200, answer)) as server,
        pytest.raises(ClusterError, match="list Node: the answer is not a list"),
    ):
        cluster_of(server).list(NODE)
