"""Documents of other APIs in a source folder are errors, and block only related claims."""

import pytest

from reconciler.model.plan import Grant, Release
from tests.planning.outcome import without
from tests.world import SMALL, evaluation_of, reconciled, tenant

DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, namespace: team-a}\nspec: {replicas: 1}\n"
DONE = reconciled({**SMALL, "tenants/two.yaml": tenant("two")})


@pytest.mark.parametrize(
    ("api", "kind"),
    [
        ("apps/v1", "Deployment"),
        ("v1", "ConfigMap"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("kustomize.config.k8s.io/v1beta1", "Kustomization"),
        ("bootstrap.cluster.x-k8s.io/v1beta1", "KubeadmConfigTemplate"),
    ],
)
def test_a_foreign_kind_is_an_error_and_the_rest_of_the_file_goes_on(api: str, kind: str) -> None:
    foreign = DEPLOYMENT.replace("apps/v1", api).replace("Deployment", kind)
    files = {
        **without(DONE, "tenants/two.yaml"),
        "tenants/x.yaml": f"{foreign}---\n{tenant('new')}",
    }
    evaluation = evaluation_of(files)
    assert [it.code for it in evaluation.findings] == ["kind-unknown"]
    decided = {it.claim.name: type(it) for it in evaluation.plan.decisions}
    assert (decided["new"], decided["two"]) == (Grant, Release)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kind: TenantCluster", "kind: TenantCluste"),
        ("butler.butlerlabs.dev/", "butler.butlerlabs.de/"),
        ("butler.butlerlabs.dev/v1alpha1", "v1alpha1"),
        ("kind: TenantCluster", "kind: Deployment"),
        ("kind: TenantCluster\n", ""),
    ],
)
def test_what_may_be_a_misspelling_still_holds_back_releases(old: str, new: str) -> None:
    files = {**DONE, "tenants/two.yaml": tenant("two").replace(old, new)}
    evaluation = evaluation_of(files)
    assert not any(isinstance(it, Release) for it in evaluation.plan.decisions)
