"""How a server is reached: its connections, its proxy, its certificates, and who asks.

The official client's configuration finds the credentials (tokens, plugins, the account of a pod),
and its connection pool is what carries the requests. Certificates are given to the pool here: the
client would leave them in temporary files for as long as the process lives.
"""

import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from reconciler.adapters.kube.account import Account
from reconciler.adapters.kube.certificate import expiry
from reconciler.adapters.kube.deadline import Deadline
from reconciler.adapters.kube.kubeconfig import Kubeconfig, is_loopback, read_file
from reconciler.adapters.kube.sockets import limited
from reconciler.ports import CONTACTS, ClusterError, KubeconfigError


class Session(NamedTuple):
    """Where to send requests, and what to say of who sends them."""

    pool: Any
    server: str
    authorization: Callable[[], str]

    def __repr__(self) -> str:
        """Nothing of it is fit to be shown."""
        return "Session()"


def enter(
    access: Kubeconfig | Account, deadline: Deadline, environment: Mapping[str, str]
) -> Session:
    """A way into the server. Sends nothing to it; a plugin for credentials is run.

    Raises:
        KubeconfigError: The credentials or certificates cannot be used.
    """
    from kubernetes.client import Configuration
    from kubernetes.client.rest import RESTClientObject

    configuration = Configuration()
    try:
        context = (
            _kubeconfig(access, configuration, deadline.timeouts.clocks.wall)
            if isinstance(access, Kubeconfig)
            else _account(access, configuration)
        )
    except ClusterError:
        raise
    except Exception as failure:  # noqa: BLE001 - loaders raise whatever a kubeconfig makes them
        # The text of the failure may hold values.
        message = f"kubeconfig of {access.name}: its credentials cannot be read"
        raise KubeconfigError(f"{message} ({type(failure).__name__})") from None
    server = str(configuration.host).rstrip("/")
    configuration.retries = False
    configuration.connection_pool_maxsize = CONTACTS
    configuration.proxy, configuration.no_proxy = _proxy(access, server, environment)
    configuration.proxy_headers = _proxy_headers(configuration.proxy or "")
    configuration.ssl_ca_cert = configuration.cert_file = configuration.key_file = None
    pool = RESTClientObject(configuration).pool_manager
    pool.connection_pool_kw["ssl_context"] = context
    classes = pool.pool_classes_by_scheme
    pool.pool_classes_by_scheme = {name: limited(kind, deadline) for name, kind in classes.items()}
    return Session(pool, server, lambda: _authorization(access.name, configuration))


def _kubeconfig(
    access: Kubeconfig, configuration: Any, wall: Callable[[], float]
) -> ssl.SSLContext:
    from kubernetes.config.kube_config import KubeConfigLoader

    is_tls = access.server.startswith("https:")
    context = _trusting(access.name, access.data("certificate-authority"), is_tls=is_tls)
    _prove(access, context, wall)
    # Certificates are loaded by now; a plugin may ask what cluster it is for.
    keys = access.cluster if "exec" in access.user else ("server", "tls-server-name")
    cluster = {key: access.cluster[key] for key in keys if key in access.cluster}
    hidden = ("client-certificate", "client-certificate-data", "client-key", "client-key-data")
    user = {key: value for key, value in access.user.items() if key not in hidden}
    path = user.pop("tokenFile", "")
    if path:
        # As kubectl does, it goes before a token that is written out.
        token = read_file(access.name, Path(path), "tokenFile").decode("utf-8", "replace")
        user["token"] = token.strip()
    loader = KubeConfigLoader(
        {
            "current-context": "one",
            "contexts": [{"name": "one", "context": {"cluster": "one", "user": "one"}}],
            "clusters": [{"name": "one", "cluster": cluster}],
            "users": [{"name": "one", "user": user}],
        }
    )
    loader.load_and_set(configuration)
    if "exec" in user:
        _check_plugin(access.name, configuration, context)
    return context


def _check_plugin(name: str, configuration: Any, context: ssl.SSLContext) -> None:
    if configuration.cert_file and configuration.key_file:
        context.load_cert_chain(configuration.cert_file, configuration.key_file)
    elif not configuration.auth_settings():
        raise KubeconfigError(f"kubeconfig of {name}: key exec: the plugin gave no credentials")


def _account(access: Account, configuration: Any) -> ssl.SSLContext:
    from kubernetes.config.incluster_config import InClusterConfigLoader

    authority = access.folder / "ca.crt"
    loader = InClusterConfigLoader(
        token_filename=str(access.folder / "token"),
        cert_filename=str(authority),
        environ=access.environment,
    )
    loader.load_and_set(configuration)
    return _trusting(access.name, authority.read_bytes())


def _trusting(name: str, authority: bytes, *, is_tls: bool = True) -> ssl.SSLContext:
    """TLS from 1.2 on that trusts the given certificates, or the system's when there are none."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # As Go does: a certificate that is named is trusted, signed by itself or not.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        if authority:
            context.load_verify_locations(cadata=authority.decode("ascii", "replace"))
        elif is_tls:  # they are many, and take longer to read than a whole run takes otherwise
            context.load_default_certs()
    except (ssl.SSLError, ValueError) as failure:
        why = "key certificate-authority-data: it holds no certificate that can be read"
        raise KubeconfigError(f"kubeconfig of {name}: {why}") from failure
    return context


def _prove(access: Kubeconfig, context: ssl.SSLContext, wall: Callable[[], float]) -> None:
    """Load the client certificate, if there is one."""
    certificate, key = access.data("client-certificate"), access.data("client-key")
    if not certificate:
        return
    start = f"kubeconfig of {access.name}: key client-certificate-data:"
    until = expiry(certificate)
    if until is not None and until < wall():
        raise KubeconfigError(f"{start} the certificate has expired")
    try:
        # OpenSSL takes a key from a file only. Nobody else may read it, and it is gone at once.
        with NamedTemporaryFile(prefix="ipam-") as file:
            file.write(certificate + b"\n" + key)
            file.flush()
            context.load_cert_chain(file.name, password="")  # nosec B106  # the key has none
    except ssl.SSLError as failure:
        why = "it does not fit client-key-data, or one of them cannot be read"
        raise KubeconfigError(f"{start} {why}") from failure
    except OSError as failure:
        raise ClusterError(
            f"{start} no temporary file can be made: {failure.strerror}"
        ) from failure


def _proxy(
    access: Kubeconfig | Account, server: str, environment: Mapping[str, str]
) -> tuple[str | None, str | None]:
    """The proxy, and what goes past it; the loopback always does."""
    url = urlsplit(server)
    if is_loopback(url.hostname or ""):
        return None, None
    named = access.cluster.get("proxy-url") if isinstance(access, Kubeconfig) else None
    name = f"{url.scheme}_proxy"
    proxy = environment.get(name) or environment.get(name.upper())
    return named or proxy or None, environment.get("no_proxy") or environment.get("NO_PROXY")


def _proxy_headers(proxy: str) -> Mapping[str, str] | None:
    """Who asks the proxy, when its address says it; the client does not look there."""
    from urllib3 import make_headers

    url = urlsplit(proxy)
    if url.username is None:
        return None
    return make_headers(proxy_basic_auth=unquote(f"{url.username}:{url.password or ''}"))


def _authorization(name: str, configuration: Any) -> str:
    """The header's value; the client reads tokens that change again by itself, in time."""
    try:
        told = configuration.auth_settings().get("BearerToken", {}).get("value") or ""
    except Exception as failure:  # noqa: BLE001 - so do their hooks
        raise KubeconfigError(
            f"kubeconfig of {name}: its credentials cannot be read ({type(failure).__name__})"
        ) from None
    value = str(told).strip()
    if not value.isascii() or not value.isprintable():
        raise KubeconfigError(
            f"kubeconfig of {name}: its token holds characters that no header takes"
        )
    return value
