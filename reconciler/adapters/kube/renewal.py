"""When credentials are read anew: once, for all threads whose old ones were refused."""

from collections.abc import Callable
from threading import Lock

from reconciler.adapters.kube.session import Session
from reconciler.ports import ClusterError


class Sessions:
    """The session that counts, and those before it. Several threads may use them."""

    def __init__(self, enter: Callable[[], Session]) -> None:
        self._enter = enter
        self._all = [enter()]
        self._refusal: ClusterError | None = None
        self._lock = Lock()

    @property
    def current(self) -> Session:
        """The one to ask with."""
        return self._all[-1]

    def renew(self, refused: Session) -> None:
        """See to new credentials: once, for all threads whose old ones were refused.

        Raises:
            ClusterError: There are none.
        """
        with self._lock:
            if self.current is not refused:
                return  # another thread did it
            if self._refusal is None:
                try:
                    self._all.append(self._enter())
                except ClusterError as failure:
                    self._refusal = failure
            if self._refusal is not None:  # each thread gets an exception of its own
                raise type(self._refusal)(str(self._refusal), self._refusal.hint)

    def close(self) -> None:
        """Let go of all connections."""
        for session in self._all:
            session.pool.clear()
