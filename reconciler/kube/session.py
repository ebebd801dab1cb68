"""Sessions with API servers. Certificates are set here: the client library would leave files."""

import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from reconciler.kube.interface import CONTACTS
from reconciler.kube.kubeconfig import Kubeconfig, ServiceAccount, is_loopback, read_file, refused
from reconciler.model.errors import ClusterError, KubeconfigError


class Session(NamedTuple):
    """A connection pool, and a source of the authorization header."""

    pool: Any
    server: str
    authorization: Callable[[], str]

    def __repr__(self) -> str:
        return "Session()"


class Credentials:
    """The current session, which is replaced when its credentials expire. Threads can share it."""

    def __init__(self, open_session: Callable[[], Session]) -> None:
        self._open_session = open_session
        self._sessions = [open_session()]
        self._failure: ClusterError | None = None
        self._lock = Lock()

    @property
    def current(self) -> Session:
        """Return the session for the next request."""
        return self._sessions[-1]

    def renew(self, refused: Session) -> None:
        """Read the credentials again, once for all threads whose session was refused."""
        with self._lock:
            if self.current is not refused:
                return
            if self._failure is None:
                try:
                    self._sessions.append(self._open_session())
                except ClusterError as failure:
                    self._failure = failure
            if self._failure is not None:  # each thread raises an exception of its own
                raise type(self._failure)(str(self._failure), self._failure.hint)

    def close(self) -> None:
        """Close all connections."""
        for session in self._sessions:
            session.pool.clear()


def open_session(
    access: Kubeconfig | ServiceAccount, wall: Callable[[], float], environment: Mapping[str, str]
) -> Session:
    """Return a session. Sends no request, but runs the credential plugin if there is one."""
    from kubernetes import client, config
    from urllib3 import make_headers

    configuration = client.Configuration()
    try:
        context = (
            _kubeconfig(access, config, configuration, wall)
            if isinstance(access, Kubeconfig)
            else _account(access, config, configuration)
        )
    except ClusterError:
        raise
    except Exception as failure:  # noqa: BLE001 - loaders raise any exception
        raise _unreadable(access.name, failure) from None
    server = str(configuration.host).rstrip("/")
    configuration.retries = False
    configuration.connection_pool_maxsize = CONTACTS
    configuration.proxy, configuration.no_proxy = _proxy(access, server, environment)
    proxy = urlsplit(configuration.proxy or "")
    if proxy.username is not None:
        user = unquote(f"{proxy.username}:{proxy.password or ''}")
        configuration.proxy_headers = make_headers(proxy_basic_auth=user)
    configuration.ssl_ca_cert = configuration.cert_file = configuration.key_file = None
    pool = client.rest.RESTClientObject(configuration).pool_manager
    pool.connection_pool_kw["ssl_context"] = context
    return Session(pool, server, lambda: _authorization(access.name, configuration))


def _kubeconfig(
    access: Kubeconfig, config: Any, configuration: Any, wall: Callable[[], float]
) -> ssl.SSLContext:
    is_tls = access.server.startswith("https:")
    context = _trusting(access.name, access.data("certificate-authority"), is_tls=is_tls)
    _load_client_certificate(access, context, wall)
    # Certificates are loaded already. A plugin can ask for the cluster's data.
    keys = access.cluster if "exec" in access.user else ("server", "tls-server-name")
    cluster = {key: access.cluster[key] for key in keys if key in access.cluster}
    hidden = ("client-certificate", "client-certificate-data", "client-key", "client-key-data")
    user = {key: value for key, value in access.user.items() if key not in hidden}
    path = user.pop("tokenFile", "")
    if path:
        # A file has precedence over an inline token, as in kubectl.
        token = read_file(access.name, Path(path), "tokenFile").decode("utf-8", "replace")
        user["token"] = token.strip()
    loader = config.kube_config.KubeConfigLoader(
        {
            "current-context": "one",
            "contexts": [{"name": "one", "context": {"cluster": "one", "user": "one"}}],
            "clusters": [{"name": "one", "cluster": cluster}],
            "users": [{"name": "one", "user": user}],
        }
    )
    loader.load_and_set(configuration)
    if "exec" in user and configuration.cert_file and configuration.key_file:
        context.load_cert_chain(configuration.cert_file, configuration.key_file)
    elif "exec" in user and not configuration.auth_settings():
        raise refused(access.name, "key exec: the plugin returned no credentials")
    return context


def _account(access: ServiceAccount, config: Any, configuration: Any) -> ssl.SSLContext:
    authority = access.folder / "ca.crt"
    loader = config.incluster_config.InClusterConfigLoader(
        token_filename=str(access.folder / "token"),
        cert_filename=str(authority),
        environ=access.environment,
    )
    loader.load_and_set(configuration)
    return _trusting(access.name, authority.read_bytes())


def _trusting(name: str, authority: bytes, *, is_tls: bool = True) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # A given certificate is trusted even if it is not self-signed, as in Go.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        if authority:
            context.load_verify_locations(cadata=authority.decode("ascii", "replace"))
        elif is_tls:
            context.load_default_certs()
    except (ssl.SSLError, ValueError) as failure:
        why = "key certificate-authority-data contains no readable certificate"
        raise refused(name, why) from failure
    return context


def _load_client_certificate(
    access: Kubeconfig, context: ssl.SSLContext, wall: Callable[[], float]
) -> None:
    certificate, key = access.data("client-certificate"), access.data("client-key")
    if not certificate:
        return
    start = "key client-certificate-data:"
    until = certificate_expiry(certificate)
    if until is not None and until < wall():
        raise refused(access.name, f"{start} the certificate has expired")
    try:
        # OpenSSL reads keys from files only. The file is private and deleted at once.
        with NamedTemporaryFile(prefix="ipam-") as file:
            file.write(certificate + b"\n" + key)
            file.flush()
            context.load_cert_chain(file.name, password="")  # nosec B106  # no password
    except ssl.SSLError as failure:
        why = "it does not match client-key-data, or one of them cannot be read"
        raise refused(access.name, f"{start} {why}") from failure
    except OSError as failure:
        message = f"kubeconfig of {access.name}: {start} cannot create a temporary file"
        raise ClusterError(f"{message}: {failure.strerror}") from failure


def _proxy(
    access: Kubeconfig | ServiceAccount, server: str, environment: Mapping[str, str]
) -> tuple[str | None, str | None]:
    url = urlsplit(server)
    if is_loopback(url.hostname or ""):
        return None, None
    named = access.cluster.get("proxy-url") if isinstance(access, Kubeconfig) else None
    name = f"{url.scheme}_proxy"
    proxy = environment.get(name) or environment.get(name.upper())
    return named or proxy or None, environment.get("no_proxy") or environment.get("NO_PROXY")


def _authorization(name: str, configuration: Any) -> str:
    try:
        token = configuration.auth_settings().get("BearerToken", {}).get("value") or ""
    except Exception as failure:  # noqa: BLE001 - hooks of credentials raise any exception
        raise _unreadable(name, failure) from None
    value = str(token).strip()
    if not value.isascii() or not value.isprintable():
        raise refused(name, "the token contains characters that HTTP headers do not permit")
    return value


def _unreadable(name: str, failure: Exception) -> KubeconfigError:
    # The message of the exception can contain values.
    return refused(name, f"the credentials cannot be read ({type(failure).__name__})")


def certificate_expiry(pem: bytes) -> int | None:
    """Return when the first certificate of a PEM file expires, in seconds since 1970, or None."""
    from cryptography.x509 import InvalidVersion, load_pem_x509_certificate

    try:
        return int(load_pem_x509_certificate(pem).not_valid_after_utc.timestamp())
    except (ValueError, InvalidVersion):
        return None
