"""What becomes of desired objects beside what the cluster holds: each family fits its own."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from reconciler.clusters.desired import DesiredObject, desired_object, owned_by
from reconciler.clusters.plan import Draft
from reconciler.clusters.snapshot import Objects
from reconciler.clusters.steps import Own, Patch
from reconciler.families import families
from reconciler.families._objects import Fit
from reconciler.model.resource import Manifest, Ref


class Fits:
    """How the families fit some desired objects; nothing where none of them says anything."""

    def __init__(self, desired: Sequence[DesiredObject], live: Objects) -> None:
        self._desired, self._live = desired, live
        self._found: dict[Ref, Fit] = {}
        self._unowned: list[Own] = []
        there = {ref: item.manifest for ref, item in live.items()}
        for own in (family.objects for family in families()):
            if own.fit is not None:
                kinds = frozenset(own.resources)
                wanted = {it.ref: _whole(it) for it in desired if it.ref.resource in kinds}
                self._found |= own.fit(wanted, there)

    def whole(self, draft: Draft) -> list[DesiredObject]:
        """The objects to bring, but for those that are left as they are; of others, says why."""
        for ref, fit in self._found.items():
            if fit.error:
                draft.fail(str(ref), fit.error)
        return [found for item in self._desired if (found := self._fitted(item)) is not None]

    def patch(self, draft: Draft) -> None:
        """Write the parts of objects that are there."""
        for item in self._desired:
            if (step := self._patch(item)) is not None:
                draft.add(step)

    def own(self, draft: Draft) -> None:
        """Write owners that are made by then."""
        for own in self._unowned:
            draft.add(own)

    def _fitted(self, item: DesiredObject) -> DesiredObject | None:
        found = self._found.get(item.ref)
        if item.part is not None:
            return None
        if found is None:
            return item
        if found.manifest is None:
            return None
        manifest = found.manifest
        uids = {ref: self._live[ref].uid for ref, _ in found.owners if ref in self._live}
        if found.owners and len(uids) == len(found.owners):
            manifest = owned_by(manifest, found.owners, uids)
        fitted = desired_object(manifest, is_status_only=item.body is None)
        if len(uids) < len(found.owners):
            self._unowned.append(Own(fitted, found.owners, self._live))
        return replace(fitted, rests_on=item.rests_on)

    def _patch(self, item: DesiredObject) -> Patch | None:
        found, live = self._found.get(item.ref), self._live.get(item.ref)
        if item.part is None or found is None or found.manifest is None or live is None:
            return None
        told: dict[str, str] = {"uid": live.uid}
        if found.takes:  # what is taken is just as it was read
            told["resourceVersion"] = live.version
        metadata = {**(found.manifest.get("metadata") or {}), **told}
        manifest = {**found.manifest, "metadata": metadata}
        # What cannot be is left out of the fields by who fits them; what is in them has to be there.
        failed = {ref for ref, fit in self._found.items() if fit.error}
        needed = tuple(ref for ref in item.rests_on if ref not in failed)
        return Patch(item.ref, manifest, needed, takes=found.takes)


def _whole(item: DesiredObject) -> Manifest:
    """All that an object shall be, or that is ours of it."""
    said: Mapping[str, object] = item.body or item.part or _named(item.ref)
    return said if item.status is None else {**said, "status": item.status}


def _named(ref: Ref) -> Manifest:
    place = {"namespace": ref.namespace} if ref.namespace else {}
    return {
        "apiVersion": ref.resource.api_version,
        "kind": ref.resource.kind,
        "metadata": {"name": ref.name, **place},
    }
