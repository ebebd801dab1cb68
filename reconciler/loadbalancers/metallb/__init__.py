"""MetalLB."""

from reconciler.loadbalancers.interface import Capability, Controller
from reconciler.loadbalancers.metallb import kinds, objects
from reconciler.loadbalancers.metallb.importing import imported
from reconciler.model.objects import PREFIX

CONTROLLER = Controller(
    name="MetalLB",
    oldest="0.15.3",
    pool=kinds.ADDRESS_POOL,
    others=(kinds.ADVERTISEMENT, kinds.BGP_ADVERTISEMENT),
    state=kinds.CONFIGURATION_STATE,
    namespace=kinds.NAMESPACE,
    capabilities=frozenset(Capability),
    names=kinds.both("address-pool"),
    pins=kinds.both("loadBalancerIPs"),
    sharing=kinds.both("allow-shared-ip"),
    named=f"{PREFIX}metallb-pool",
    objects=objects.objects,
    addresses=objects.addresses,
    with_addresses=objects.with_addresses,
    live=objects.live,
    changed=objects.changed,
    takers=objects.takers,
    selects=objects.selects,
    renamed=objects.renamed,
    aggregation=objects.aggregation,
    state_error=objects.state_error,
    read_at=objects.read_at,
    imported=imported,
)
