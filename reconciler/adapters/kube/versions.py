"""In which of its versions a kind is spoken of with a server: the newest that both know.

That costs no discovery. Objects are listed anyway, and a list of a version that the server does not
serve fails at once. Behind this border all objects are of the version by which their kind is known,
whatever the server: what we read and write has one name and one meaning in all of them.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from reconciler.clusters.resources import resource_of
from reconciler.model.resource import Manifest, Resource
from reconciler.ports import NoSuchKindError

_T = TypeVar("_T")


class Versions:
    """The versions in which one server is spoken to. Several threads may use it.

    Args:
        look: Asks for something of a kind, in the version that it names, to see whether it is served.
    """

    def __init__(self, look: Callable[[Resource], object]) -> None:
        self._look = look
        self._spoken: dict[Resource, Resource] = {}

    def asked(self, resource: Resource, ask: Callable[[Resource], _T]) -> _T:
        """What the server answers in the newest version that it serves.

        Raises:
            NoSuchKindError: It serves none of them.
            ClusterError: Whatever else it answers.
        """
        known = self._spoken.get(resource)
        *newer, last = resource.in_each_version() if known is None else (known,)
        for version in newer:
            try:
                answer = ask(version)
            except NoSuchKindError:
                continue
            self._spoken[resource] = version
            return answer
        answer = ask(last)
        self._spoken[resource] = last
        return answer

    def of(self, resource: Resource) -> Resource:
        """The kind in the version that the server is spoken to in."""
        if not resource.versions:
            return resource
        if resource not in self._spoken:
            try:
                self.asked(resource, self._look)
            except NoSuchKindError:  # its CRD may come: that is not remembered
                return resource
        return self._spoken[resource]

    def outward(self, manifest: Manifest) -> Manifest:
        """An object as the server shall get it."""
        resource = resource_of(manifest)
        if not resource.versions:
            return manifest
        return _named(manifest, self.of(resource), self.of)


def inward(manifest: dict[str, Any], resource: Resource) -> dict[str, Any]:
    """An object as a server gave it, in the version by which its kind is known.

    Args:
        manifest: The object. Nothing is known of its shape yet.
        resource: Its kind.
    """
    if not resource.versions:
        return manifest
    return _named(manifest, resource, lambda known: known)


def _named(
    manifest: Manifest, resource: Resource, version: Callable[[Resource], Resource]
) -> dict[str, Any]:
    """An object in a version of its kind, whose owners are each named in one of theirs."""
    named = {**manifest, "apiVersion": resource.api_version}
    metadata = manifest.get("metadata")
    owners = metadata.get("ownerReferences") if isinstance(metadata, Mapping) else None
    if isinstance(metadata, Mapping) and isinstance(owners, list):
        said = [_owner(owner, version) for owner in owners]
        named["metadata"] = {**metadata, "ownerReferences": said}
    return named


def _owner(owner: Any, version: Callable[[Resource], Resource]) -> Any:
    try:
        known = resource_of(owner)
    except (KeyError, TypeError):  # of a kind that is not ours, or no reference at all
        return owner
    return {**owner, "apiVersion": version(known).api_version}
