"""Kinds and annotations of MetalLB."""

from reconciler.model.objects import Resource

NAMESPACE = "metallb-system"
"""The default namespace."""

_VERSION = "metallb.io/v1beta1"

ADDRESS_POOL = Resource(_VERSION, "IPAddressPool", "ipaddresspools")
ADVERTISEMENT = Resource(_VERSION, "L2Advertisement", "l2advertisements")
BGP_ADVERTISEMENT = Resource(_VERSION, "BGPAdvertisement", "bgpadvertisements")
CONFIGURATION_STATE = Resource(_VERSION, "ConfigurationState", "configurationstates")


def both(name: str) -> tuple[str, str]:
    """Return both forms of an annotation, the newer first. MetalLB reads the first that is set."""
    return f"metallb.io/{name}", f"metallb.universe.tf/{name}"
