"""Permitted kinds of folders, and permitted address spaces of pools."""

import pytest

from reconciler.documents.findings import Finding
from reconciler.model.settings import Settings
from reconciler.planning.documents import misplaced
from tests.planning.outcome import Files, codes
from tests.world import SMALL, pool, provider, settings_text, tenant, tree_of

TEAM = "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: Team\nmetadata: {name: blue}\n"
TARGET = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: ClusterTarget\nmetadata: {name: edge}\n"
NAMED = Settings(
    kinds=(("pools", ()), ("tenants", ("TenantCluster",)), ("tenants/in", ("Team", "NetworkPool")))
)


def wrong(path: str, text: str, settings: Settings) -> list[Finding]:
    (document,) = tree_of({path: text}).sources[0].documents
    return misplaced(document, settings)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pools/a.yaml", pool()), ("providers/a/b.yaml", provider()), ("teams/a.yaml", TEAM),
        ("tenants/a.yaml", tenant("one")), ("clusters/a.yaml", TARGET), ("tenants/a.yaml", TARGET),
    ],
)  # fmt: skip
def test_each_kind_has_its_usual_folder(path: str, text: str) -> None:
    assert wrong(path, text, Settings()) == []


@pytest.mark.parametrize(
    ("path", "text", "message", "home"),
    [
        ("pools/a/b.yaml", TEAM, "Team blue is in pools/", "teams/"),
        ("pools/a.yaml", TARGET, "ClusterTarget edge is in pools/", "tenants/ or clusters/"),
    ],
)
def test_a_kind_in_the_usual_folder_of_others_is_a_warning(
    path: str, text: str, message: str, home: str
) -> None:
    (found,) = wrong(path, text, Settings())
    assert (found.severity, found.code) == ("warning", "kind-in-wrong-folder")
    assert found.message == f"{message}, a folder for other kinds"
    assert found.hint == f"move it to {home}, or list the kind in spec.kinds of Settings"
    assert found.location.pointer == "/kind"


def test_a_layout_of_its_own_is_no_wrong_folder() -> None:
    assert wrong("pools/a.yaml", TEAM, Settings(sources=("pools",))) == []
    assert wrong("pools/a.yaml", TEAM, Settings(sources=("pools/a.yaml", "teams"))) == []
    assert wrong("tenants/pools/a.yaml", pool(), Settings(sources=("tenants/pools", "pools"))) == []


@pytest.mark.parametrize(
    ("path", "text", "message", "hint"),
    [
        ("tenants/a.yaml", TEAM, "tenants/ (allowed: TenantCluster)", "move it to tenants/in/"),
        ("tenants/in/a.yaml", tenant("one"), "tenants/in/ (allowed: Team and NetworkPool)",
         "move it to tenants/"),
        ("pools/a.yaml", provider(), "pools/ (allowed: nothing)", "add the kind to spec.kinds of Settings"),
    ],
)  # fmt: skip
def test_a_kind_that_a_named_folder_does_not_hold_is_an_error(
    path: str, text: str, message: str, hint: str
) -> None:
    (found,) = wrong(path, text, NAMED)
    assert (found.severity, found.code) == ("error", "kind-in-wrong-folder")
    assert found.message.endswith(f"is not allowed in {message}")
    assert found.hint == hint


def test_a_kind_that_a_named_folder_holds_is_right_there_and_others_go_by_the_usual() -> None:
    assert wrong("tenants/a.yaml", tenant("one"), NAMED) == []
    assert wrong("tenants/in/b/a.yaml", pool(), NAMED) == []
    assert [item.severity for item in wrong("teams/a.yaml", provider(), NAMED)] == ["warning"]


@pytest.mark.parametrize(
    ("listed", "space", "hint"),
    [
        ("[default]", "", None), ("[default, lab]", "lab", None),
        ("[default, lab]", "labs", "did you mean lab?"),
        ("[lab]", "", "add it to spec.addressSpaces of Settings"),
    ],
)  # fmt: skip
def test_a_pool_names_an_address_space_that_settings_list(
    listed: str, space: str, hint: str | None
) -> None:
    text = pool()
    if space:
        annotation = f"system, annotations: {{gitops-ipam.dev/address-space: {space}}}}}"
        text = text.replace("system}", annotation)
    settings = settings_text(f"{{addressSpaces: {listed}}}")
    files: Files = {**SMALL, "pools/edge.yaml": text, "ipam.yaml": settings}
    if hint is None:
        assert codes(files) == []
    else:
        assert ("error", "address-space-unknown") in codes(files)
        found = [it for source in tree_of(files).sources for it in source.findings]
        assert [item.hint for item in found] == [hint]
