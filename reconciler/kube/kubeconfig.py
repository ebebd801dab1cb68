"""Kubeconfigs: reading, merging, and the permitted keys. Messages never contain a value."""

import binascii
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from reconciler.documents import yaml
from reconciler.documents.findings import shown
from reconciler.model.errors import KubeconfigError

MAX_BYTES = 1024 * 1024
SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")

_ALLOW = "use --allow-exec to permit it"
_INLINE = "put all data into the kubeconfig of the Secret"
LISTS = ("clusters", "contexts", "users")
CLUSTER_FILES = ("certificate-authority",)
USER_FILES = ("client-certificate", "client-key", "tokenFile")
_TEXTS = {
    *("certificate-authority-data", "tls-server-name", "proxy-url", *CLUSTER_FILES),
    *("client-certificate-data", "client-key-data", "token", "username", "password", *USER_FILES),
}
_CLUSTER_KEYS = {"server", "insecure-skip-tls-verify", "disable-compression", "extensions"}
_USER_KEYS = {"exec", "auth-provider", "extensions"}
_IMPERSONATION = ("as", "as-uid", "as-groups", "as-user-extra")


@dataclass(frozen=True)
class Kubeconfig:
    """The cluster and the user of one context, checked. Messages call the cluster `name`."""

    name: str
    server: str
    cluster: Mapping[str, Any] = field(repr=False)
    user: Mapping[str, Any] = field(repr=False)

    def data(self, key: str) -> bytes:
        """Return the data of `KEY-data`, or of the file that `KEY` names, or nothing."""
        holder = self.cluster if key in CLUSTER_FILES else self.user
        inline = holder.get(f"{key}-data")
        if inline:
            return _decoded(self.name, f"{key}-data", inline)
        path = holder.get(key)
        return read_file(self.name, Path(path), key) if path else b""

    def is_renewable(self) -> bool:
        """Return whether credentials that are read again can be new ones."""
        return bool(self.user.keys() & {"exec", "auth-provider", "tokenFile"})


@dataclass(frozen=True)
class ServiceAccount:
    """The service account of the pod that this process runs in."""

    environment: Mapping[str, str]
    folder: Path = field(default_factory=lambda: SERVICE_ACCOUNT)
    name: str = "management"

    def is_there(self) -> bool:
        """Return whether this process runs in a pod with a service account."""
        names = ("KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT")
        return all(map(self.environment.get, names)) and (self.folder / "token").is_file()


def read_file(cluster: str, path: Path, key: str = "") -> bytes:
    """Return the bytes of a kubeconfig, or of a file that its `key` names."""
    what = f"the file of {key}" if key else f"the file {path}"
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError as failure:
        raise refused(cluster, f"{what} does not exist") from failure
    except (OSError, ValueError) as failure:
        why = getattr(failure, "strerror", None) or "not a path"
        raise refused(cluster, f"{what} cannot be read: {why}") from failure
    if len(data) > MAX_BYTES:
        raise refused(cluster, f"{what} is larger than {MAX_BYTES} bytes")
    return data


def parse(cluster: str, data: bytes) -> Mapping[str, Any]:
    """Return a kubeconfig as plain values."""
    reading = yaml.read(data)
    if reading.problems:
        problem = reading.problems[0]
        where = f", line {problem.line}" if problem.line else ""
        raise refused(cluster, f"it is not plain YAML ({problem.code}{where})")
    if len(reading.documents) != 1 or not isinstance(reading.documents[0].value, dict):
        raise refused(cluster, "it is not a mapping")
    value: Mapping[str, Any] = reading.documents[0].value
    if value.get("kind", "Config") != "Config":
        raise refused(cluster, "key kind is not Config")
    for key in LISTS:
        _entries(cluster, value, key)
    return value


def read_files(cluster: str, paths: Sequence[Path]) -> Mapping[str, Any]:
    """Merge kubeconfigs as kubectl does: paths are relative to each file, missing files skipped."""
    present = [path for path in paths if path.exists()]
    if not present:
        raise refused(cluster, "no file of $KUBECONFIG exists")
    return merge(
        _make_absolute(parse(cluster, read_file(cluster, path)), path.absolute().parent)
        for path in present
    )


def merge(configs: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Merge kubeconfigs; the first entry of each name is used."""
    merged: dict[str, Any] = {}
    found: dict[str, dict[str, Any]] = {key: {} for key in LISTS}
    for config in configs:
        if config.get("current-context"):
            merged.setdefault("current-context", config["current-context"])
        for key in LISTS:
            for entry in config.get(key) or ():
                found[key].setdefault(entry["name"], entry)
    return merged | {key: list(entries.values()) for key, entries in found.items()}


def _make_absolute(config: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    for part, inner, keys in (
        ("clusters", "cluster", CLUSTER_FILES),
        ("users", "user", USER_FILES),
    ):
        for entry in config.get(part) or ():
            value = entry.get(inner)
            for key in keys if isinstance(value, dict) else ():
                if value.get(key) and isinstance(value[key], str):
                    value[key] = str(folder / value[key])
    return config


def check_kubeconfig(
    cluster: str,
    config: Mapping[str, Any],
    context: str = "",
    *,
    allow_exec: bool = False,
    is_named: bool = True,
) -> Kubeconfig:
    """Return the cluster and the user of a context, or of the current one, if all keys are allowed."""
    name = context or config.get("current-context")
    if not name or not isinstance(name, str):
        raise refused(cluster, "key current-context is missing", "pass --context")
    chosen = _named(cluster, config, "contexts", name)
    if chosen is None:
        key = "--context" if context else "current-context"
        raise refused(cluster, f"the context of {key} does not exist")
    server = _named(cluster, config, "clusters", chosen.get("cluster"))
    if server is None:
        raise refused(cluster, "the cluster of key contexts.context.cluster does not exist")
    user = _named(cluster, config, "users", chosen.get("user"))
    if user is None and chosen.get("user"):
        raise refused(cluster, "the user of key contexts.context.user does not exist")
    # A tenant controls the kubeconfig of a Secret, so it never runs commands or reads files.
    hint = ("" if allow_exec else _ALLOW) if is_named else _INLINE
    found = _checked(cluster, server, user or {}, hint)
    if not is_named and not found.server.startswith("https:"):
        raise refused(cluster, "key server is not https", _INLINE)
    return found


def _checked(
    name: str, cluster: Mapping[str, Any], user: Mapping[str, Any], hint: str
) -> Kubeconfig:
    _check_keys(name, "clusters.cluster", cluster, _CLUSTER_KEYS)
    if set(user).intersection(_IMPERSONATION):
        raise refused(name, "key as: impersonation is not supported")
    _check_keys(name, "users.user", user, _USER_KEYS)
    if cluster.get("insecure-skip-tls-verify"):
        mend = "set certificate-authority-data"
        raise refused(name, "key insecure-skip-tls-verify is not allowed", mend)
    for key in ("exec", "auth-provider", *USER_FILES, "certificate-authority", "proxy-url"):
        value = user.get(key) or cluster.get(key)
        if value and hint:
            raise refused(name, f"key {key} is not allowed", hint)
        if value and key in (*USER_FILES, *CLUSTER_FILES) and not Path(value).is_absolute():
            raise refused(name, f"key {key} is a relative path", "write the data inline")
    _check_credentials(name, user)
    found = Kubeconfig(name, _server(name, cluster.get("server")), cluster, user)
    for key in (*CLUSTER_FILES, "client-certificate", "client-key"):
        found.data(key)
    return found


def _check_credentials(name: str, user: Mapping[str, Any]) -> None:
    for key in ("token", "username", "password"):
        if not (user.get(key, "").isprintable() and user.get(key, "").isascii()):
            raise refused(name, f"key {key} contains characters that HTTP headers do not permit")
    missing = [key for key in USER_FILES[:2] if not (user.get(f"{key}-data") or user.get(key))]
    if len(missing) == 1:
        raise refused(name, f"key {missing[0]}-data is missing")
    for key in user.keys() & {"exec", "auth-provider"}:
        if not isinstance(user[key], dict):
            raise refused(name, f"key {key} is not a mapping")


def _check_keys(name: str, where: str, found: Mapping[str, Any], known: set[str]) -> None:
    for key, value in found.items():
        if key not in known | _TEXTS:
            raise refused(name, f"key {shown(key)} of {where} is not known")
        if key in _TEXTS and not isinstance(value, str):
            raise refused(name, f"key {key} is not a string")


def _server(name: str, server: object) -> str:
    if not server or not isinstance(server, str):
        raise refused(name, "key server is missing")
    try:
        url = urlsplit(server)
        host, _port = url.hostname or "", url.port
    except ValueError:
        # The message of the exception can contain the address.
        raise refused(name, "key server is not a URL") from None
    if not host or not server.isprintable() or " " in server or url.query or url.fragment:
        raise refused(name, "key server is not the URL of a server")
    if url.username is not None or url.password is not None:
        raise refused(name, "key server contains a user or a password")
    if url.scheme != "https" and not (url.scheme == "http" and is_loopback(host)):
        raise refused(name, "key server is not https")
    return url.scheme + server[len(url.scheme) :].rstrip("/")


def is_loopback(host: str) -> bool:
    """Return whether a host is the loopback."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _decoded(name: str, key: str, text: str) -> bytes:
    try:
        data = b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as failure:
        raise refused(name, f"key {key} is not base64") from failure
    if b"-----BEGIN " not in data:
        raise refused(name, f"key {key} does not contain PEM")
    return data


def _entries(cluster: str, config: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    entries = config.get(key) or []
    if not isinstance(entries, list):
        raise refused(cluster, f"key {key} is not a list")
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise refused(cluster, f"key {key}: an entry has no name")
    return entries


def _named(
    cluster: str, config: Mapping[str, Any], key: str, name: object
) -> Mapping[str, Any] | None:
    inner = key.removesuffix("s")
    for entry in _entries(cluster, config, key):
        if entry["name"] == name:
            value = entry.get(inner) or {}
            if not isinstance(value, dict):
                raise refused(cluster, f"key {key}.{inner} is not a mapping")
            return value
    return None


def refused(cluster: str, why: str, hint: str = "") -> KubeconfigError:
    """Return the error for a cluster's kubeconfig."""
    return KubeconfigError(f"kubeconfig of {cluster}: {why}", hint)
