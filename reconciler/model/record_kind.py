"""The kind of object that states an allocation: one for all families, and none of them owns it.

Its name is Butler's, because Butler's users have tools that list `IPAllocation`; the records of every
other family are written as the same kind (`contract.md` §3). So these words belong to the record, not
to the family of that name, and stand here alone: what reads or writes records, in files or in clusters,
takes them from this piece.
"""

from reconciler.model.resource import Resource

GROUP = "butler.butlerlabs.dev"
API_VERSION = f"{GROUP}/v1alpha1"
KIND = "IPAllocation"
LIST_KIND = f"{KIND}List"
PLURAL = "ipallocations"
SHORT = ("ipa",)
"""Short names, as `kubectl get` takes them."""
LABEL = f"{GROUP}/"
"""What the labels of a record begin with."""

FINALIZER = f"{GROUP}/ipallocation"
RESOURCE = Resource(
    API_VERSION, KIND, PLURAL, finalizer=FINALIZER, fixed_in=("Allocated", "Released")
)
ALLOCATED_BY = "networkpool-controller"
ANNOUNCED = "until-unused"
"""What `status.announced` says of a record that its claim has left."""

STILL_ANNOUNCED = "gitops-ipam.dev/announced"
"""The annotation that says the same of the object in a cluster."""

NAMESPACE = "butler-system"
"""Where a record lies that names no namespace, and where the records of claims are written."""

CLAIM = "gitops-ipam.dev/claim"
"""The annotation that names the claim."""
