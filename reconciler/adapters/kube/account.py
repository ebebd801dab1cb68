"""Where a pod finds its account in the cluster that it runs in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass(frozen=True)
class Account:
    """The account of the pod that this runs in."""

    environment: Mapping[str, str]
    folder: Path = field(default_factory=lambda: ACCOUNT)
    name: str = "management"

    def is_there(self) -> bool:
        """Whether this runs in a pod that has an account; many pods have none."""
        names = ("KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT")
        return all(map(self.environment.get, names)) and (self.folder / "token").is_file()

    def is_renewable(self) -> bool:
        """Tokens of pods change every hour."""
        return True
