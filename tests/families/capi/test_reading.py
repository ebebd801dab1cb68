"""Documents of an earlier revision: they count, give nothing new, and are not reported again."""

from dataclasses import replace

from reconciler.documents.document import Documents
from reconciler.families.capi import FAMILY
from reconciler.families.capi.kinds import CLASS, CLUSTER, GLOBAL_POOL
from reconciler.families.capi.reading import judge
from reconciler.families.interface import ProjectionInput
from reconciler.model.settings import Settings
from tests.families.capi.trees import cluster, document, of, pool
from tests.world import evaluation_of

LACKING = document("ClusterClass", "cluster.x-k8s.io/v1beta1", {"name": "web"}, {})


def test_what_counts_as_it_was_gives_nothing_new_and_is_not_told_again() -> None:
    known = evaluation_of(of(pool(role="true"), pool("doors", role="ingress"), cluster(), LACKING))
    assert known.findings
    every = [it for kind in (GLOBAL_POOL, CLUSTER, CLASS) for it in known.documents.of(kind)]
    old = Documents(replace(item, unread="x.yaml") for item in every)
    reading = FAMILY.read(old, {}, Settings())
    assert reading.findings == ()
    assert set(reading.frozen.values()) == {"x.yaml"}
    assert {claim.doubt for claim in reading.claims.values()} == {"x.yaml"}


def test_a_pool_that_cannot_be_read_is_none() -> None:
    (there,) = evaluation_of(of(pool())).documents.of(GLOBAL_POOL)
    wrong = replace(there, body={**there.body, "spec": {**there.spec, "addresses": ["x"]}})
    reading = FAMILY.read(Documents([wrong]), None, Settings())
    assert reading.pools == {}
    assert [item.code for item in reading.findings] == ["address-invalid"]
    given = ProjectionInput(Documents([wrong]), reading, (), {}, "")
    assert FAMILY.project(given) == ()


def test_the_class_may_be_of_another_namespace() -> None:
    for version, topology in (
        ("v1beta1", {"class": "web", "classNamespace": "classes"}),
        ("v1beta2", {"classRef": {"name": "web", "namespace": "classes"}}),
    ):
        (found,) = evaluation_of(of(cluster(version=version, topology=topology))).documents.of(
            CLUSTER
        )
        assert judge(found, Settings()) == []
