"""Live clusters with MetalLB's controller, and the plain repository that an import makes of them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Capture, Ran, ipam
from tests.cli.test_plain import FOREIGN
from tests.e2e.test_metallb_page import require_kept
from tests.envtest.processes import free_port, until
from tests.envtest.servers import ApiServer
from tests.families.plain.examples import HEAD, SETTINGS
from tests.loadbalancers.clusters import service
from tests.loadbalancers.test_real import METALLB, RealCluster, theirs
from tests.world import CLOCK, commit, git, repository, write

Files = Mapping[str, str | bytes | None]
HOUR, WEEK = 3_600, 7 * 86_400
SERVICES = "/api/v1/namespaces/default/services"


class PlainSite:
    """A plain repository, and the clusters that it describes.

    Attributes:
        time: Time of `ipam` and of commits.
        clusters: The clusters by name.
        since: A version of each cluster before its first Service.
        services: The Services of each cluster that a watch must have seen.
    """

    def __init__(
        self,
        folder: Path,
        servers: Mapping[str, ApiServer],
        capsys: Capture,
        patch: pytest.MonkeyPatch,
    ) -> None:
        self.capsys = capsys
        self.time: int = CLOCK
        patch.setattr("reconciler.cli.options.now", lambda: float(self.time))
        patch.setenv("KUBECONFIG", str(folder / "of-something-else"))  # no hub
        self.repo = repository(folder / "repo", {"ipam.yaml": SETTINGS})
        self.clusters = {name: RealCluster("MetalLB", it) for name, it in servers.items()}
        self.since = {
            name: it.get("/api/v1/services")["metadata"]["resourceVersion"]
            for name, it in servers.items()
        }
        self.services: dict[str, list[str]] = {name: [] for name in servers}
        self.kubeconfigs = folder / "kubeconfigs"
        self.kubeconfigs.mkdir()
        for name, server in servers.items():
            (self.kubeconfigs / f"{name}.kubeconfig").write_bytes(server.kubeconfig.read_bytes())

    def pools(self, cluster: str, **addresses: str) -> None:
        """Pools of another owner. All of them but dmz serve any Service."""
        for name, ranges in addresses.items():
            spec: dict[str, Any] = {"autoAssign": False} if name == "dmz" else {}
            pool = theirs("IPAddressPool", name, addresses=ranges.split(), **spec)
            self.clusters[cluster].api.put(pool, path=f"{METALLB}/ipaddresspools")

    def remove(self, cluster: str, pool: str) -> None:
        """The owner of a pool deletes it."""
        path = f"{METALLB}/ipaddresspools/{pool}"
        assert self.clusters[cluster].api.request("DELETE", path)[0] == 200

    def start(self) -> None:
        """Start the controller of each cluster."""
        for it in self.clusters.values():
            it.api.start_metallb()

    def serve(self, cluster: str, name: str, address: str = "") -> None:
        """A Service, which gets an address, or exactly this one."""
        asked: dict[str, Any] = {"metallb.io/loadBalancerIPs": address} if address else {}
        given = self.clusters[cluster].serve(name, annotations=asked)
        assert given == address or not address
        self.services[cluster].append(name)

    def ask(self, cluster: str, name: str) -> None:
        """A Service for which no address is free."""
        made = service(name, "", ports=[{"port": 80}])
        self.clusters[cluster].api.put(made, path=SERVICES)
        self.services[cluster].append(name)

    def given(self, cluster: str, name: str) -> None:
        until(lambda: self.clusters[cluster].address(name), f"{name} has an address")

    def delete(self, cluster: str, name: str) -> None:
        assert self.clusters[cluster].api.request("DELETE", f"{SERVICES}/{name}")[0] == 200

    def imported(self, *words: str, applies: bool = True) -> None:
        """Import and adopt the clusters."""
        folder = sorted(self.kubeconfigs.iterdir())
        self.run("import", "cluster", *folder, *words)
        self.commit()
        self.reconcile(*("--adopt",) * applies, applies=applies)

    def run(self, *words: str | Path, code: int = 0) -> Ran:
        """A command on the repository, which ends with a code."""
        ran = ipam(self.capsys, *words, "--repo", self.repo)
        assert ran.code == code, ran.out + ran.err
        assert not FOREIGN.search(ran.out + ran.err)
        return ran

    def reconcile(self, *words: str, code: int = 0, later: int = 90, applies: bool = True) -> Ran:
        """Reconcile and apply, some seconds later."""
        self.time += later
        reach = ("--clusters", self.kubeconfigs) if applies else ("--no-apply",)
        ran = self.run("reconcile", *reach, *words, code=code)
        git(self.repo, "reset", "-q", "--hard", "main")
        return ran

    def commit(self, files: Files | None = None) -> None:
        """Commit files, and remove those without content."""
        self.time += 10
        write(self.repo, {path: text for path, text in (files or {}).items() if text is not None})
        for path in (path for path, text in (files or {}).items() if text is None):
            (self.repo / path).unlink()
        commit(self.repo, "change", self.time)

    def text(self, cluster: str) -> str:
        return self.path(cluster).read_text("utf-8")

    def path(self, cluster: str) -> Path:
        return self.repo / "clusters" / f"{cluster}.yaml"

    def edit(self, cluster: str, old: str, new: str) -> None:
        """Change the document of a cluster."""
        text = self.text(cluster)
        assert old in text, text
        self.commit({f"clusters/{cluster}.yaml": text.replace(old, new)})

    def permit(self, slot: str) -> None:
        """Merge an Override of kind move for the claim of an entry."""
        spec = f"{{kind: move, scope: plain/ClusterTarget/_/{slot}, reason: it goes, expires: '2026-03-10'}}"
        name = "2026-02-15-" + slot.replace("/", "-").replace(".", "-")
        text = f"{HEAD}kind: Override\nmetadata: {{name: {name}}}\nspec: {spec}\n"
        self.commit({f"overrides/{name}.yaml": text})

    def announced(self, cluster: str, pool: str = "internal") -> list[str] | None:
        found = self.clusters[cluster].specs().get(f"IPAddressPool {pool}")
        return found and found["addresses"]

    @contextmanager
    def away(self, cluster: str) -> Iterator[None]:
        """Nothing answers where the kubeconfig of a cluster leads to."""
        path = self.kubeconfigs / f"{cluster}.kubeconfig"
        text = path.read_text("utf-8")
        api = self.clusters[cluster].api
        path.write_text(text.replace(api.url, f"https://127.0.0.1:{free_port()}"), "utf-8")
        yield
        path.write_text(text, "utf-8")

    def require_kept(self) -> None:
        """A watch never saw a Service lose or change its address."""
        for name, services in self.services.items():
            if services:
                require_kept(self.clusters[name].api, self.since[name], *services)


@pytest.fixture
def site(
    tmp_path: Path, tenants: tuple[ApiServer, ...], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> PlainSite:
    """Two clusters with a pool each, and a third one with two."""
    site = PlainSite(
        tmp_path,
        dict(zip(("prod-1", "prod-2", "prod-3"), tenants, strict=True)),
        capsys,
        monkeypatch,
    )
    site.pools("prod-1", internal="10.22.0.16/28")
    site.pools("prod-2", internal="10.22.0.48-10.22.0.51")
    site.pools("prod-3", internal="10.22.0.52-10.22.0.55", dmz="10.22.0.64-10.22.0.67")
    site.start()
    return site
