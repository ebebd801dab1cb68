"""Which kubeconfigs are used, and which are refused, and why."""

from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from reconciler.kube.clusters import KubeClusters
from reconciler.kube.kubeconfig import MAX_BYTES, check_kubeconfig, merge, parse, read_files
from reconciler.model.errors import KubeconfigError
from tests.kube.kubeconfigs import CANARY, TOKEN, data, kubeconfig

SECRET = b64encode(f"-----BEGIN x-----{CANARY}".encode()).decode()
BASIC = {"username": "me", "password": CANARY}


def _of(**change: Any) -> bytes:
    return data(kubeconfig() | change)


def _user(**keys: Any) -> bytes:
    return data(kubeconfig(user={**TOKEN, **keys}))


def _cluster(**keys: Any) -> bytes:
    return data(kubeconfig(cluster=keys))


def _server(url: object) -> bytes:
    return data(kubeconfig(cluster={"server": url}))


def _context(**keys: Any) -> bytes:
    return _of(contexts=[{"name": "here", "context": {"cluster": "c", "user": "u"} | keys}])


_CASES: list[tuple[bytes, str]] = [
    (b"", "it is not a mapping"),
    (b"a: 1\n---\nb: 2\n", "it is not a mapping"),
    (b"a: [\n", "it is not plain YAML (yaml-syntax, line 2)"),
    (b"\xff\xfe", "it is not plain YAML (not-utf8, line 1)"),
    (b"[" * 50_000, "it is not plain YAML (yaml-too-deep, line 1)"),
    (f"token: &a {CANARY}\nother: *a\n".encode(), "it is not plain YAML (yaml-anchor, line 1)"),
    (f"token: {CANARY}\ntoken: x\n".encode(), "it is not plain YAML (yaml-duplicate-key, line 2)"),
    (f"token: !!python/object:os.system {CANARY}\n".encode(), "yaml-tag"),
    (_of(kind=CANARY), "key kind is not Config"),
    (_of(clusters={}), "the cluster of key contexts.context.cluster does not exist"),
    (_of(clusters=CANARY), "key clusters is not a list"),
    (_of(users=[CANARY]), "key users: an entry has no name"),
    (_of(users=[{"name": "u", "user": [CANARY]}]), "key users.user is not a mapping"),
    (_of(**{"current-context": ""}), "key current-context is missing"),
    (_of(**{"current-context": 7}), "key current-context is missing"),
    (_of(**{"current-context": CANARY}), "the context of current-context does not exist"),
    (_context(cluster=CANARY), "the cluster of key contexts.context.cluster does not exist"),
    (_context(user=CANARY), "the user of key contexts.context.user does not exist"),
    (_user(exec={"command": CANARY}), "key exec is not allowed"),
    (_user(**{"auth-provider": {"name": CANARY}}), "key auth-provider is not allowed"),
    (_user(tokenFile=f"/{CANARY}"), "key tokenFile is not allowed"),
    (_user(**{"client-certificate": f"/{CANARY}"}), "key client-certificate is not allowed"),
    (_user(**{"client-key": f"/{CANARY}"}), "key client-key is not allowed"),
    (_cluster(**{"certificate-authority": f"/{CANARY}"}), "key certificate-authority is not"),
    (_cluster(**{"insecure-skip-tls-verify": True}), "key insecure-skip-tls-verify is not"),
    (_cluster(**{"proxy-url": f"http://{CANARY}"}), "key proxy-url is not allowed"),
    (_user(**{"as": CANARY}), "key as: impersonation is not supported"),
    (_user(tokn=CANARY), "key 'tokn' of users.user is not known"),
    (_cluster(**{"insecure": True}), "key 'insecure' of clusters.cluster is not known"),
    (_user(token=7), "key token is not a string"),
    (_user(token=f"{CANARY}\n"), "key token contains characters that HTTP headers do not permit"),
    (_user(token=f"{CANARY}é"), "key token contains characters that HTTP headers do not permit"),
    (data(kubeconfig(user=BASIC | {"password": f"{CANARY}\r\nX: y"})), "key password contains"),
    (_server(7), "key server is missing"),
    (_server(CANARY), "key server is not the URL of a server"),
    (_server(f"https://[{CANARY}"), "key server is not a URL"),
    (_server(f"https://{CANARY}:99999"), "key server is not a URL"),
    (_server(f"http://{CANARY}"), "key server is not https"),
    (_server(f"http://127.0.0.1.{CANARY}.example"), "key server is not https"),
    (_server(f"file:///{CANARY}"), "key server is not the URL of a server"),
    (_server(f"https://me:{CANARY}@192.0.2.1"), "key server contains a user or a password"),
    (_server(f"https://192.0.2.1/?a={CANARY}"), "key server is not the URL of a server"),
    (_server(f"https://192.0.2.1/ {CANARY}"), "key server is not the URL of a server"),
    (_cluster(**{"certificate-authority-data": f"{CANARY}!"}), "is not base64"),
    (_cluster(**{"certificate-authority-data": "YQ"}), "is not base64"),
    (_cluster(**{"certificate-authority-data": "YWJj"}), "does not contain PEM"),
    (_cluster(**{"certificate-authority-data": SECRET}), "no readable certificate"),
    (_user(**{"client-certificate-data": SECRET}), "key client-key-data is missing"),
    (_user(**{"client-key-data": SECRET}), "key client-certificate-data is missing"),
    (
        _user(**{"client-certificate-data": SECRET, "client-key-data": SECRET}),
        "key client-certificate-data: it does not match client-key-data",
    ),
    (
        _user(**{"client-certificate-data": SECRET, "client-key-data": "@"}),
        "key client-key-data is not base64",
    ),
]


@pytest.mark.parametrize(("config", "message"), _CASES, ids=[case[1] for case in _CASES])
def test_a_kubeconfig_is_refused_and_its_values_are_not_told(config: bytes, message: str) -> None:
    with pytest.raises(KubeconfigError) as caught:
        KubeClusters().connect("team/one", config, is_named=True)
    told = f"{caught.value!r} {caught.value} {caught.value.hint}"
    assert str(caught.value).startswith("kubeconfig of team/one: ")
    assert message in told
    assert CANARY not in told


_FILES: list[tuple[Mapping[str, Any], str]] = [
    ({"tokenFile": f"/nowhere/{CANARY}"}, "the file of tokenFile does not exist"),
    ({"tokenFile": CANARY}, "key tokenFile is a relative path"),
    ({"exec": CANARY}, "key exec is not a mapping"),
    ({"exec": {"command": f"/nowhere/{CANARY}"}}, "key exec: the plugin returned no credentials"),
    ({"client-certificate": f"/{CANARY}", "client-key": f"/{CANARY}"}, "the file of client-certificate does not exist"),
]  # fmt: skip


@pytest.mark.parametrize(("user", "message"), _FILES, ids=[case[1] for case in _FILES])
def test_what_is_allowed_must_still_work(user: Mapping[str, Any], message: str) -> None:
    with pytest.raises(KubeconfigError) as caught:
        KubeClusters(allow_exec=True).connect(
            "team/one", data(kubeconfig(user=user)), is_named=True
        )
    assert message in str(caught.value)
    assert CANARY not in str(caught.value)


def test_no_flag_turns_off_the_check_of_certificates() -> None:
    skip = "insecure-skip-tls-verify"
    with pytest.raises(KubeconfigError, match=skip):
        KubeClusters(allow_exec=True).connect("team/one", _cluster(**{skip: True}), is_named=True)
    KubeClusters().connect("team/one", _cluster(**{skip: False}), is_named=True)


@pytest.mark.parametrize(
    "server",
    ["https://192.0.2.1:6443/", "https://rancher.example/k8s/clusters/c-1", "http://[::1]:8080"],
)
def test_a_plain_kubeconfig_is_used(server: str) -> None:
    found = check_kubeconfig("team/one", parse("team/one", data(kubeconfig(server))))
    assert found.server == server.rstrip("/")
    assert CANARY not in repr(found)
    assert CANARY not in repr(
        KubeClusters().connect("team/one", data(kubeconfig(server)), is_named=True)
    )


def test_a_scheme_is_written_as_one_likes() -> None:
    config = parse("team/one", data(kubeconfig("HTTPS://192.0.2.1:6443/")))
    for is_named in (True, False):
        assert (
            check_kubeconfig("team/one", config, is_named=is_named).server
            == "https://192.0.2.1:6443"
        )


def test_a_context_may_be_chosen() -> None:
    config = kubeconfig()
    config["contexts"].append({"name": "there", "context": {"cluster": "d", "user": "u"}})
    config["clusters"].append({"name": "d", "cluster": {"server": "https://192.0.2.9"}})
    assert check_kubeconfig("x", config, "there").server == "https://192.0.2.9"
    with pytest.raises(KubeconfigError, match="the context of --context does not exist"):
        check_kubeconfig("x", config, "elsewhere")


def test_a_user_is_not_needed() -> None:
    config = kubeconfig()
    config["contexts"][0]["context"].pop("user")
    assert check_kubeconfig("x", config).user == {}


# Several files


def test_the_first_file_that_says_a_thing_wins() -> None:
    first: dict[str, Any] = {"clusters": [{"name": "c", "cluster": {"server": "https://first"}}]}
    second = kubeconfig("https://second")
    third = kubeconfig("https://third") | {"current-context": "other"}
    merged = merge([first, second, third])
    assert merged["current-context"] == "here"
    assert check_kubeconfig("x", merged).server == "https://first"


def test_files_that_are_not_there_are_passed_over_while_one_is(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_bytes(data(kubeconfig("https://192.0.2.7")))
    assert (
        check_kubeconfig("x", read_files("x", [tmp_path / "gone", there])).server
        == "https://192.0.2.7"
    )
    with pytest.raises(KubeconfigError, match=r"no file of \$KUBECONFIG exists"):
        read_files("x", [tmp_path / "gone"])


def test_paths_in_a_kubeconfig_are_those_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_bytes(data(kubeconfig(user={"tokenFile": "token"})))
    found = check_kubeconfig("x", read_files("x", [path]), allow_exec=True)
    assert found.user["tokenFile"] == str(tmp_path / "token")


def test_a_file_that_is_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_bytes(b" " * (MAX_BYTES + 1))
    with pytest.raises(KubeconfigError, match="larger than 1048576 bytes"):
        read_files("x", [path])
