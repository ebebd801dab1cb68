"""The page about MetalLB, played on real API servers with MetalLB's controller."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_plain import FOREIGN
from tests.documentation import ROOT, Said, Terminal, blocks, masked
from tests.envtest.servers import ApiServer
from tests.world import CLOCK

PAGE = ROOT / "docs" / "tutorials" / "metallb.md"
# The clock moves a minute with each command, so that no command comes too early for a move.
PROGRAM = """
from pathlib import Path
from reconciler.cli import options, main
clock = Path(r"{clock}")
options.now = lambda: float(clock.read_text())
main()
"""
_UIDS = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_NOTE = re.compile(r"^  note MetalLB's controller has not confirmed .*\n", re.MULTILINE)


class Shell(Terminal):
    """A terminal with kubectl, and a folder of kubeconfigs."""

    def __init__(self, folder: Path, servers: dict[str, ApiServer]) -> None:
        super().__init__(folder)
        self.clock, self.moment = folder / "clock", CLOCK
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
        self.moment += 90
        self.clock.write_text(str(self.moment), encoding="utf-8")
        for who in ("AUTHOR", "COMMITTER"):
            self._environment[f"GIT_{who}_DATE"] = f"{self.moment} +0000"
        return super().run(script)


def played(shell: Shell) -> Iterator[Said]:
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        if block.mark == "served":
            yield from shell.play(block)


def plain(text: str) -> str:
    return masked(_UIDS.sub("…", _NOTE.sub("", text)))


def write_page(said: list[Said]) -> None:
    """Write the outputs into the page anew."""
    text, commands = PAGE.read_text(encoding="utf-8"), iter(said)
    for block in blocks(text):
        if block.mark != "served":
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
    said = list(played(shell))
    failed = [f"$ {it.command}\n{it.came}" for it in said if it.status != 0]
    assert not failed, failed[0]
    if pytestconfig.getoption("--update-golden"):
        write_page(said)
    else:
        for one in said:
            assert plain(one.came) == plain(one.shown), one.command
    watched = addresses_over_time(servers["prod-1"], since["prod-1"])
    assert sorted(watched) == ["shop", "shop-new", "www"]
    for name, given in watched.items():
        held = [it for it in given if it]
        assert held, name
        # Without an address only before the first one; afterwards always with the same.
        assert given == [[]] * (len(given) - len(held)) + [held[0]] * len(held), name
    require_no_foreign_word(shell.place, said, servers)


def require_no_foreign_word(repo: Path, said: list[Said], servers: dict[str, ApiServer]) -> None:
    """No word of Butler or NovaEdge is in the repository, its outputs, or its clusters' objects."""
    for one in said:
        assert not FOREIGN.search(one.came), one.command
    for path in repo.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            assert not FOREIGN.search(path.read_text("utf-8")), path
    for server in servers.values():
        listed = ("ipaddresspools", "l2advertisements", "bgpadvertisements")
        places = [f"/apis/metallb.io/v1beta1/{kind}" for kind in listed]
        places += [f"/api/v1/{kind}" for kind in ("configmaps", "events", "namespaces", "secrets")]
        for place in places:
            assert not FOREIGN.search(json.dumps(server.get(place))), place
