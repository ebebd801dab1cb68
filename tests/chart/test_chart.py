"""The chart with the real helm: lint, rendered manifests, and refused values."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import click
import pytest

from reconciler.cli.commands import ipam
from tests.chart.rendering import (
    CHART,
    DEPLOY,
    MATRIX,
    NAME,
    PLAIN,
    Manifest,
    helm,
    manifests,
    only,
    pods,
    rendered,
    template,
)

# These need helm from `make envtest`, like tests with real servers.
pytestmark = pytest.mark.served
ALL = {**MATRIX, **PLAIN}
GOLDEN = Path(__file__).parent / "golden" / "default.yaml"
# Labels in the ServiceMonitor and `kubectl logs` commands of capi-vip-allocator's users.
THEIRS = {"control-plane": "capi-vip-allocator-controller-manager"}


def found(name: str, *words: str) -> list[Manifest]:
    return manifests(rendered(ALL[name], *words))


@pytest.mark.parametrize("name", sorted(ALL))
def test_helm_has_nothing_against_the_chart(name: str) -> None:
    done = helm("lint", "--strict", str(CHART), "--values", str(ALL[name]))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[WARNING]" not in done.stdout
    assert "[ERROR]" not in done.stdout


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_plain_manifests_are_rendered_from_the_chart(name: str) -> None:
    wanted = rendered(PLAIN[name])
    assert (DEPLOY / name).read_text(encoding="utf-8") == wanted, "make manifests"


def test_the_default_is_rendered_as_it_was(pytestconfig: pytest.Config) -> None:
    text = rendered(MATRIX["default"])
    if pytestconfig.getoption("--update-golden"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_rights_can_be_narrowed_to_namespaces_of_tenants_and_widened_to_policies() -> None:
    bound = [
        (item["kind"], item["metadata"].get("namespace"), item["roleRef"]["name"])
        for item in found("tls")
        if item["kind"].endswith("Binding")
    ]
    name = "gitops-ipam"
    assert sorted(bound, key=str) == [
        ("ClusterRoleBinding", None, name),
        ("ClusterRoleBinding", None, f"{name}-policies"),
        ("RoleBinding", "butler-system", name),
        ("RoleBinding", "team-a", f"{name}-kubeconfigs"),
        ("RoleBinding", "team-b", f"{name}-kubeconfigs"),
    ]
    verbs = {
        form: {
            verb
            for item in found(form)
            if item["kind"] in ("ClusterRole", "Role")
            for rule in item["rules"]
            if "secrets" in rule["resources"]
            for verb in rule["verbs"]
        }
        for form in ("default", "tls")
    }
    assert verbs == {"default": {"get", "list", "watch"}, "tls": {"get"}}


def test_it_takes_the_place_of_a_controller_in_its_own_namespace_under_its_name() -> None:
    words = ("template", "ipam", str(CHART), "--namespace", "butler-system")
    name = ("--set", "nameOverride=butler-controller")
    done = helm(*words, *name, "--values", str(MATRIX["default"]))
    assert done.returncode == 0, done.stderr
    objects = manifests(done.stdout)
    assert not any(item["kind"] == "Namespace" for item in objects)
    (pod,) = pods(objects).values()
    assert pod["metadata"]["labels"]["app.kubernetes.io/name"] == "butler-controller"


@pytest.mark.parametrize("name", sorted(ALL))
def test_objects_are_named_once_in_the_namespace_of_the_release(name: str) -> None:
    def named(item: Manifest) -> tuple[str, str, str]:
        meta = item["metadata"]
        return item["kind"], meta.get("namespace", ""), meta["name"]

    names = [named(item) for item in found(name)]
    assert len(names) == len(set(names))
    homes = {namespace for _, namespace, _ in names}
    tenants = {"metallb-system", "kube-system", "team-a", "team-b"}
    assert homes <= {"", "gitops-ipam", "butler-system", *tenants}
    assert not any("helm.sh/hook" in str(item["metadata"]) for item in found(name))
    assert not any(item["kind"] == "Secret" for item in found(name))


@pytest.mark.parametrize("name", sorted(ALL))
def test_pods_have_no_privilege_and_mount_what_they_name(name: str) -> None:
    for pod in pods(found(name)).values():
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"]
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        (container,) = spec["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        mounts = {item["name"]: item["mountPath"] for item in container["volumeMounts"]}
        assert set(mounts) == {item["name"] for item in spec["volumes"]}
        told = " ".join([*container["args"], *(it.get("value", "") for it in container["env"])])
        for path in re.findall(r"/etc/gitops-ipam/[\w-]+", told):
            assert path in mounts.values(), path


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_flag_is_one_of_its_verb(name: str) -> None:
    for pod in pods(found(name)).values():
        verb, *words = pod["spec"]["containers"][0]["args"]
        command = ipam.get_command(click.Context(ipam), verb)
        assert command is not None
        known = {name for option in command.params for name in option.opts}
        assert {word for word in words if word.startswith("--")} <= known


def test_a_token_that_may_write_is_given_only_to_who_commits() -> None:
    secrets = {}
    for name, pod in pods(found("cronjobs")).items():
        (token,) = [
            entry for entry in pod["spec"]["containers"][0]["env"] if "TOKEN" in entry["name"]
        ]
        secrets[name] = token["valueFrom"]["secretKeyRef"]["name"]
    assert secrets == {
        "gitops-ipam-reconcile": "ipam-git-write",
        "gitops-ipam-apply": "ipam-git-read",
    }


def test_keys_lie_where_the_arguments_say() -> None:
    (pod,) = pods(found("tls")).values()
    container = pod["spec"]["containers"][0]
    volumes = {item["name"]: item for item in pod["spec"]["volumes"]}
    secrets = {name: it["secret"]["secretName"] for name, it in volumes.items() if "secret" in it}
    assert secrets == {
        "ssh": "ipam-git-ssh",
        "signing": "ipam-signing",
        "management": "management-kubeconfig",
        "kubeconfigs": "tenant-kubeconfigs",
        "tls": "ipam-tls",
        "hook": "ipam-hook",
    }
    environment = {entry["name"]: entry.get("value") for entry in container["env"]}
    assert environment["GIT_SSH_COMMAND"] == (
        "ssh -F none -i /etc/gitops-ipam/ssh/ssh-privatekey"
        " -o UserKnownHostsFile=/etc/gitops-ipam/ssh/known_hosts"
        " -o IdentitiesOnly=yes -o StrictHostKeyChecking=yes -o BatchMode=yes"
    )
    assert environment["GIT_SSL_CAINFO"] == "/etc/gitops-ipam/authority/ca.crt"
    assert "IPAM_GIT_TOKEN" not in environment
    # Its kubeconfig for the management cluster is in a Secret, so it needs no service account here.
    assert pod["spec"]["automountServiceAccountToken"] is False
    assert not any("--branch" in word for word in container["args"])
    at = container["args"].index("--root")
    assert container["args"][at + 1] == "$(ROOT)"
    assert only(found("tls"), "ConfigMap")["data"]["ROOT"] == "infra/ipam"


def test_probes_and_the_monitor_speak_tls_where_the_server_does() -> None:
    for name, scheme in (("default", "HTTP"), ("monitoring", "HTTPS")):
        (pod,) = pods(found(name)).values()
        container = pod["spec"]["containers"][0]
        probes = [container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "liveness")]
        assert [(it["path"], it["port"], it["scheme"]) for it in probes] == [
            ("/healthz", "metrics", scheme)
        ] * 2
        ready = container["readinessProbe"]["httpGet"]
        assert (ready["path"], ready["scheme"]) == ("/readyz", scheme)
    (endpoint,) = only(found("monitoring"), "ServiceMonitor")["spec"]["endpoints"]
    assert (endpoint["scheme"], endpoint["tlsConfig"]) == ("https", {"insecureSkipVerify": True})


def test_the_monitors_and_log_lines_of_capi_vip_allocator_find_it() -> None:
    for name in ("default", "monitoring"):
        objects = found(name)
        service = only(objects, "Service")
        assert service["metadata"]["labels"].items() >= THEIRS.items()
        (port,) = service["spec"]["ports"]
        assert (port["name"], port["port"]) == ("metrics", 8080)
    for name in ("default", "one-job", "cronjobs"):
        for pod in pods(found(name)).values():
            assert pod["metadata"]["labels"].items() >= THEIRS.items()


def test_selectors_choose_exactly_what_they_are_about() -> None:
    objects = found("monitoring")
    deployment, service = only(objects, "Deployment"), only(objects, "Service")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    chosen: list[Any] = [
        deployment["spec"]["selector"]["matchLabels"],
        service["spec"]["selector"],
        only(objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        only(objects, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
    ]
    assert all(selector.items() <= labels.items() for selector in chosen)
    # Selectors have no configurable labels, because selectors of a Deployment cannot change.
    assert not any("control-plane" in selector for selector in chosen)
    monitored = only(objects, "ServiceMonitor")["spec"]["selector"]["matchLabels"]
    assert monitored.items() <= service["metadata"]["labels"].items()


def test_who_is_not_named_does_not_reach_the_port() -> None:
    policy = only(found("default"), "NetworkPolicy")["spec"]
    (rule,) = policy["ingress"]
    assert rule["from"] == [
        {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
    ]
    assert policy["policyTypes"] == ["Ingress"]
    shut = only(found("default", "--set", "networkPolicy.from=null"), "NetworkPolicy")["spec"]
    assert "ingress" not in shut
    assert "ingress" not in only(found("cronjobs"), "NetworkPolicy")["spec"]
    policy = only(found("tls"), "NetworkPolicy")["spec"]
    (rule,) = policy["ingress"]
    names = [it["namespaceSelector"]["matchLabels"].popitem()[1] for it in rule["from"]]
    assert names == ["monitoring", "ingress-nginx"], "the rule for webhooks blocks other clients"
    (rule,) = policy["egress"]
    assert [item["port"] for item in rule["ports"]] == [53, 53, 22, 6443]


def test_a_change_of_the_remote_starts_the_daemon_anew() -> None:
    sums = []
    for remote in ("https://a.example.com/x.git", "https://b.example.com/x.git"):
        (pod,) = pods(found("default", "--set", f"git.remote={remote}")).values()
        sums.append(pod["metadata"]["annotations"]["checksum/config"])
    assert len(set(sums)) == 2


def test_rules_and_dashboards_are_carried_as_they_are(tmp_path: Path) -> None:
    rule = {"alert": "Full", "expr": "x > 1", "annotations": {"summary": "{{ $labels.pool }} is"}}
    groups = [{"name": "pools", "rules": [rule]}]
    rules = {"kind": "PrometheusRule", "spec": {"groups": groups}}
    board = '{"title": "Pools", "legendFormat": "{{pool}}"}\n'
    chart = tmp_path / "chart"
    shutil.copytree(CHART, chart)
    folder = chart / "files" / "monitoring"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "alerts.yaml").write_text(json.dumps(rules))
    (folder / "pools.json").write_text(board)
    done = helm("template", NAME, str(chart), "--values", str(MATRIX["monitoring"]))
    assert done.returncode == 0, done.stderr
    objects = manifests(done.stdout)
    made = only(objects, "PrometheusRule", f"{NAME}-alerts")
    assert made["spec"] == {"groups": groups}
    assert made["metadata"]["labels"]["release"] == "prometheus"
    carried = only(objects, "ConfigMap", f"{NAME}-dashboard")
    assert carried["data"] == {"pools.json": board}
    assert carried["metadata"]["labels"]["grafana_dashboard"] == "1"


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("daemon.replica=3", "additional properties 'replica' not allowed"),
        ("mode=operator", "must be one of 'daemon', 'cronjobs', 'rights', 'tenant'"),
        ("http.port=80", "minimum: got 80, want 1,024"),
        ("git.remote=http://git.example.com/a.git", "does not match pattern"),
        ("git.remote=https://me:word@git.example.com/a.git", "does not match pattern"),
        ("daemon.interval=soon", "does not match pattern"),
        ("image.digest=sha256:12", "does not match pattern"),
        ("runAsUser=0", "minimum: got 0, want 1"),
        ("cronjobs.schedule=often", "does not match pattern"),
        ("daemon.terminationGracePeriodSeconds=5", "minimum: got 5, want 21"),
        ("git.remote=", "git.remote is empty: name the repository"),
        ("git.token.secret=", "git.token.secret is empty, and git.remote is an https URL"),
        ("git.remote=git@git.example.com:a.git", "git.ssh.secret is empty, and git.remote"),
        ("persistence.enabled=true", "persistence.accessMode is not ReadWriteMany"),
        ("clusters.breakGlass={oncall}", "clusters.breakGlass needs clusters.policies=true"),
    ],
)
def test_a_wrong_value_is_refused_in_words(setting: str, words: str) -> None:
    done = template(MATRIX["default"], "--set", setting)
    assert done.returncode != 0
    assert words in done.stderr, done.stderr
    assert "goroutine" not in done.stderr


@pytest.mark.parametrize("mode", ["daemon", "cronjobs", "rights", "tenant"])
def test_what_is_said_after_an_installation_names_what_is_there(mode: str) -> None:
    words = ("install", "gitops-ipam", str(CHART), "--dry-run=client", "--namespace", "gitops-ipam")
    done = helm(*words, "--values", str(MATRIX["default"]), "--set", f"mode={mode}")
    assert done.returncode == 0, done.stderr
    _, _, notes = done.stdout.partition("\nNOTES:\n")
    named = re.findall(r"(?:deployment|cronjob)/([\w-]+)", notes)
    made = pods(manifests(done.stdout.partition("\nMANIFEST:\n")[2].partition("\nNOTES:")[0]))
    assert set(named) <= set(made)
    assert notes.strip()
