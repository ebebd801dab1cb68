"""The page about MetalLB, played on real API servers with MetalLB's controller."""

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from reconciler.model.instant import parse_instant
from tests.cli.test_plain import FOREIGN
from tests.documentation import ROOT, Said, Terminal, blocks, masked
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.loadbalancers.test_real import METALLB, RealCluster, theirs
from tests.world import CLOCK

KINDS = ("ipaddresspools", "l2advertisements", "bgpadvertisements")
PAGE = ROOT / "docs" / "tutorials" / "metallb.md"
LEAVING = ROOT / "docs" / "how-to" / "leave-ipam.md"
# The clock moves a minute with each command, so that no command comes too early for a move.
PROGRAM = """
import faulthandler
from pathlib import Path
from reconciler.cli import options, main
clock = Path(r"{clock}")
options.now = lambda: float(clock.read_text())
faulthandler.enable()
main()
"""
_UIDS = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_NOTE = re.compile(r"^  note MetalLB's controller has not confirmed .*\n", re.MULTILINE)


class Shell(Terminal):
    """A terminal with kubectl, and a folder of kubeconfigs."""

    def __init__(self, folder: Path, servers: dict[str, ApiServer]) -> None:
        super().__init__(folder)
        self.clock, self.moment, self.servers = folder / "clock", CLOCK, servers
        program = folder / "ipam.py"
        program.write_text(PROGRAM.format(clock=self.clock), encoding="utf-8")
        (folder / "bin" / "ipam").write_text(
            f'#!/bin/sh\nexec {sys.executable} {program} "$@"\n', encoding="utf-8"
        )
        kubectl = next(iter(servers.values())).fleet.assets.binaries["kubectl"]
        (folder / "bin" / "kubectl").symlink_to(kubectl)
        merged: dict[str, Any] = {"apiVersion": "v1", "kind": "Config"}
        place = self.place / "kubeconfigs"
        place.mkdir()
        for name, server in servers.items():
            text = server.kubeconfig.read_text("utf-8")
            (place / f"{name}.kubeconfig").write_text(text, encoding="utf-8")
            own = json.loads(text)
            for kind, value in (("clusters", "cluster"), ("users", "user")):
                merged.setdefault(kind, []).append({"name": name, value: own[kind][0][value]})
            context = {"name": name, "context": {"cluster": name, "user": name}}
            merged.setdefault("contexts", []).append(context)
        (folder / "kubeconfig").write_text(json.dumps(merged), encoding="utf-8")
        self._environment["KUBECONFIG"] = str(folder / "kubeconfig")

    def run(self, script: str) -> tuple[int, str]:
        if script.startswith("ipam reconcile"):
            until(self._waited, "each Service is older than pendingAfter")
        self.moment += 90
        self.clock.write_text(str(self.moment), encoding="utf-8")
        for who in ("AUTHOR", "COMMITTER"):
            self._environment[f"GIT_{who}_DATE"] = f"{self.moment} +0000"
        return super().run(script)

    def _waited(self) -> bool:
        """Whether the newest Service of each cluster has existed for two seconds."""
        made = [
            parse_instant(service["metadata"]["creationTimestamp"]) or 0
            for server in self.servers.values()
            for service in server.get("/api/v1/services")["items"]
        ]
        return max(made) + 2 < time.time()


def played(shell: Shell, mark: str, *, updates: bool) -> list[Said]:
    """Run the blocks of a mark, and require the outputs in the page, or write them."""
    every = blocks(PAGE.read_text(encoding="utf-8"))
    ran = [it for block in every if block.mark == mark for it in shell.play(block)]
    home = str(shell.place.parent)
    said = [it._replace(came=it.came.replace(home, "~")) for it in ran]
    failed = [f"$ {it.command}\n{it.came}" for it in said if it.status != 0]
    assert not failed, failed[0]
    if updates:
        write_page(said, mark)
    else:
        for one in said:
            assert plain(one.came) == plain(one.shown), one.command
    return said


def plain(text: str) -> str:
    return masked(_UIDS.sub("…", _NOTE.sub("", text)))


def write_page(said: list[Said], mark: str) -> None:
    """Write the outputs to the page."""
    text, commands = PAGE.read_text(encoding="utf-8"), iter(said)
    for block in blocks(text):
        if block.mark != mark:
            continue
        count = len(re.findall(r"^\$ ", block.text, re.MULTILINE)) or 1
        told = [next(commands) for _ in range(count)]
        if block.language == "console":
            new = "".join(f"$ {it.command}\n{_NOTE.sub('', it.came)}" for it in told)
            text = text.replace(f"```console\n{block.text}", f"```console\n{new}", 1)
    PAGE.write_text(text, encoding="utf-8")


def addresses_over_time(server: ApiServer, since: str) -> dict[str, list[list[str]]]:
    """The addresses of each Service, by a watch from a version on."""
    path = f"/api/v1/services?watch=true&resourceVersion={since}&timeoutSeconds=2"
    headers = {"Authorization": f"Bearer {server.fleet.tokens['admin']}"}
    answer = server.pool.request("GET", server.url + path, headers=headers)
    found: dict[str, list[list[str]]] = {}
    for line in answer.data.decode().splitlines():
        event = json.loads(line)
        assert event["type"] in ("ADDED", "MODIFIED", "DELETED"), event
        service = event["object"]
        given = service["status"]["loadBalancer"].get("ingress") or ()
        found.setdefault(service["metadata"]["name"], []).append([it["ip"] for it in given])
    return found


def test_the_page_of_metallb_is_so_and_no_service_loses_its_address(
    tmp_path: Path, tenants: tuple[ApiServer, ...], pytestconfig: pytest.Config
) -> None:
    servers = dict(zip(("prod-1", "prod-2"), tenants, strict=False))
    since = {}
    for name, server in servers.items():
        server.namespace("edge")
        server.start_metallb()
        since[name] = server.get("/api/v1/services")["metadata"]["resourceVersion"]
    shell = Shell(tmp_path, servers)
    said = played(shell, "served", updates=pytestconfig.getoption("--update-golden"))
    require_kept(servers["prod-1"], since["prod-1"], "shop", "shop-new", "www")
    require_kept(servers["prod-2"], since["prod-2"], *"abcde")
    require_no_foreign_word(shell.place, said, servers)


def require_kept(server: ApiServer, since: str, *names: str) -> None:
    """A watch since a version never saw a Service lose or change its address."""
    watched = addresses_over_time(server, since)
    assert sorted(watched) == sorted(names)
    for name, given in watched.items():
        held = [it for it in given if it]
        assert held, name
        # Without an address only at the beginning, and then always with the same one.
        assert given == [[]] * (len(given) - len(held)) + [held[0]] * len(held), name


def specs(server: ApiServer) -> dict[str, Any]:
    """The specs of all objects of MetalLB."""
    return {
        f"{kind} {it['metadata']['name']}": it["spec"]
        for kind in KINDS
        for it in server.get(f"/apis/metallb.io/v1beta1/{kind}")["items"]
    }


LIVE = {
    "prod-1": (
        theirs("IPAddressPool", "internal", addresses=["10.22.0.16-10.22.0.31"]),
        theirs("IPAddressPool", "dmz", addresses=["10.99.0.8/29"], autoAssign=False),
    ),
    "prod-2": (
        theirs("IPAddressPool", "internal", addresses=["10.22.0.32-10.22.0.39"]),
        theirs(
            *("IPAddressPool", "dmz"),
            addresses=["10.99.0.16-10.99.0.19", "2001:db8:99::10-2001:db8:99::1f"],
            serviceAllocation={"namespaces": ["edge"]},
        ),
    ),
    "prod-3": (
        theirs("IPAddressPool", "internal", addresses=["10.22.0.48/29"]),
        theirs("IPAddressPool", "dmz", addresses=["10.99.0.20/30"], autoAssign=False),
    ),
}


def test_the_page_of_metallb_imports_live_clusters_and_changes_no_address(
    tmp_path: Path, tenants: tuple[ApiServer, ...], pytestconfig: pytest.Config
) -> None:
    servers = dict(zip(LIVE, tenants, strict=True))
    before, since = {}, {}
    for name, server in servers.items():
        server.put(*LIVE[name], path=f"{METALLB}/ipaddresspools")
    uplink = theirs("BGPAdvertisement", "uplink", ipAddressPools=["dmz"])
    servers["prod-1"].put(uplink, path=f"{METALLB}/bgpadvertisements")
    for name, server in servers.items():
        server.namespace("edge")
        since[name] = server.get("/api/v1/services")["metadata"]["resourceVersion"]
        server.start_metallb()
        RealCluster("MetalLB", server).serve("shop")
        before[name] = specs(server)
    shell = Shell(tmp_path, servers)
    said = played(shell, "live", updates=pytestconfig.getoption("--update-golden"))
    for name, server in servers.items():
        require_kept(server, since[name], "shop")
        more = ["10.22.0.64-10.22.0.67"] if name == "prod-2" else []
        before[name]["ipaddresspools internal"]["addresses"] += more
        assert specs(server) == before[name]
    require_no_foreign_word(shell.place, said, servers)
    require_undone(shell, servers["prod-1"], before["prod-1"])


def require_undone(shell: Shell, server: ApiServer, before: dict[str, Any]) -> None:
    """An adoption is undone as the page says: no spec changes, and ipam knows the objects no more."""
    (undo,) = (it for it in blocks(LEAVING.read_text("utf-8")) if "managed-by-" in it.text)
    assert [it.status for it in shell.play(undo)] == [0]
    status, told = shell.run("ipam apply --clusters ../kubeconfigs")
    assert (status, told.count("✗ failed metallb.io")) == (5, 2), told
    assert specs(server) == before
    shell.run("rm ../kubeconfigs/prod-1.kubeconfig")
    assert shell.run("ipam apply --clusters ../kubeconfigs")[0] == 0


def require_no_foreign_word(repo: Path, said: list[Said], servers: dict[str, ApiServer]) -> None:
    """No word of Butler or NovaEdge is in the repository, its outputs, or its clusters' objects."""
    for one in said:
        assert not FOREIGN.search(one.came), one.command
    for path in repo.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            assert not FOREIGN.search(path.read_text("utf-8")), path
    for server in servers.values():
        places = [f"/apis/metallb.io/v1beta1/{kind}" for kind in KINDS]
        places += [f"/api/v1/{kind}" for kind in ("configmaps", "events", "namespaces", "secrets")]
        for place in places:
            assert not FOREIGN.search(json.dumps(server.get(place))), place
