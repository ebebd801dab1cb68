"""Reader of Butler documents."""

from collections.abc import Iterator

from msgspec.structs import replace

from reconciler.addresses import IPSet, format_short
from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding, error, join_limited, shown, warning
from reconciler.families.butler import kinds, pools, tenants
from reconciler.families.butler.requests import own_claims, read_pin, read_requests
from reconciler.families.demand import DEMAND
from reconciler.families.fields import refuse
from reconciler.families.interface import CurrentRecords, FamilyReading, Grower, StatedNetworks
from reconciler.model.key import Key, is_name
from reconciler.model.objects import Ref, tenant_name
from reconciler.model.plan import Blocked, ByHand, Gateway
from reconciler.model.settings import POOL_NAME, Settings

_INSIDE = {"podCIDR": "pods", "serviceCIDR": "services"}


def read(documents: Documents, held: CurrentRecords | None, settings: Settings) -> FamilyReading:
    """Return the reading of all Butler documents; without records, without claims of tenants."""
    return _Reader(documents, settings).read(held)


class _Reader:
    def __init__(self, documents: Documents, settings: Settings) -> None:
        self.documents = documents
        self.settings = settings
        self.providers = pools.Providers(documents)
        self.teams = frozenset(documents.every(kinds.TEAM, ""))
        self.reading = FamilyReading()
        self.networks = pools.Networks(documents, self.reading, settings)
        for document in documents.of(kinds.POOL):
            self.networks.read(document)

    def read(self, held: CurrentRecords | None) -> FamilyReading:
        reading, records = self.reading, held or {}
        reading.findings += self.providers.findings
        for provider in self.providers.all():
            self._provided(provider)
        asked = read_requests(self.networks, self.providers, records, self.settings.observed)
        grown = tenants.grown_slots(records)
        lacking = any(provider.lacks_mode for provider in self.providers.all())
        recorded = {key.owner for key in records} if lacking else frozenset()
        for document in self.documents.of(kinds.TENANT):
            usable, is_new = self.provider_of(document), kinds.owner(document) not in recorded
            self._judge_choice(document, is_new=is_new)
            networks = self.networks.of(usable) if usable is not None else []
            self._inside(document, networks)
            if usable is None or held is None:
                self._manual_range(document)
                continue
            name = (document.namespace, document.name)
            demand = self.documents.find(DEMAND.id, *name)
            reading.report(document, *tenants.judge_chosen_pools(document, usable))
            if name in grown or demand is not None:
                reading.growing.add(kinds.owner(document))
            if demand is not None:
                reading.report(demand, *tenants.judge_demand_use(demand, usable))
            tenant = tenants.Tenant(document, usable, networks, demand)
            own = own_claims(tenant, records, grown.get(name, []), asked.get(name, []), reading)
            self._manual_range(document, own)
        return reading

    def provider_of(self, document: Document) -> pools.Provider | None:
        """Return the tenant's provider, None if unknown or unreadable: then it is protected."""
        provider, key = self.providers.of(document)
        found: Finding | None = None
        if provider is None and not self.documents.unread(kinds.PROVIDER, *key):
            place = document.at("spec", "providerConfigRef", "name")
            message = f"{document.title}: ProviderConfig {'/'.join(key)} does not exist in this repository"
            spaces = self.documents.namesakes(kinds.PROVIDER, key[1])
            message += f" (only in {join_limited(spaces)})" if spaces else ""
            hint = "correct spec.providerConfigRef, or add the provider"
            found = error("reference-not-found", place, message, hint)
        elif provider is not None and provider.team not in (None, tenants.owner_of(document).team):
            place = document.at("spec", "teamRef", "name")
            message = f"{document.title} belongs to team {tenants.owner_of(document).team}, but ProviderConfig"
            message += f" {provider.document.name} belongs to team {provider.team}"
            found = error(
                "team-mismatch",
                place,
                message,
                "use a provider of the platform, or of the same team",
            )
        if provider is None or found is not None:
            self.reading.report(document, *([found] if found else []))
            self._protect(document)
            return None
        if provider.is_ipam:
            is_unread = any(map(self.networks.is_unread, provider.pools))
            if len(self.networks.of(provider)) < len(provider.pools) or not provider.pools:
                self._protect(document)
            if is_unread or not provider.pools:
                return None
        self._judge_team(document)
        return provider if provider.is_ipam else None

    def _judge_choice(self, document: Document, *, is_new: bool) -> None:
        """Report a provider that the tenant does not name, and one that gives it nothing."""
        provider, (_, name) = self.providers.of(document)
        steps, what = ("spec", "providerConfigRef"), f"ProviderConfig {name}"
        if self.providers.is_arbitrary(document):
            say = error if self.settings.implicit_is_error else warning
            message = f"{document.title} has no providerConfigRef, so it uses {what} (first name)"
            hint = f"set spec.providerConfigRef.name (for example to {name}), or name a provider"
            found = say("provider-implicit", document.at(*steps), message, f"{hint} default")
            self.reading.report(document, found)
        if (
            is_new
            and provider
            and provider.lacks_mode
            and tenants.manual_range(document, []) is None
        ):
            message = f"{document.title} gets no addresses, because {what} has no network.mode"
            hint = f"set spec.network.mode of {what} to ipam, or choose another provider"
            found = warning("provider-mode", document.at(*steps), message, hint)
            self.reading.report(document, found)

    def _protect(self, document: Document) -> None:
        self.reading.protected.add(kinds.owner(document))

    def _judge_team(self, document: Document) -> None:
        reference = document.spec.get("teamRef")
        if reference and self.teams and reference["name"] not in self.teams:
            place = document.at("spec", "teamRef", "name")
            message = f"Team {reference['name']} does not exist in this repository"
            hint = "correct the name, or add the team"
            self.reading.report(document, warning("reference-not-found", place, message, hint))

    def _manual_range(self, document: Document, claim: Key | None = None) -> None:
        item = tenants.manual_range(document, [])
        if item is None:
            return
        provider, _ = self.providers.of(document)
        by_hand = ByHand(None)
        if provider is not None:
            quota = provider.quota((document.namespace, document.name), kinds.LB)
            by_hand = ByHand(None if document.unread else provider.pools, quota, claim=claim)
        place = document.at(*tenants.MANUAL)
        self.reading.blocked.append(Blocked(item, tenants.manual_title(document), place, by_hand))

    def _inside(self, document: Document, networks: list[pools.NetworkPool]) -> None:
        networking = document.spec.get("networking") or {}
        stated = [
            StatedNetworks(use, networking[field], ("spec", "networking", field))
            for field, use in _INSIDE.items()
            if field in networking
        ]
        if stated:
            self.reading.add_inside(document, stated, (it.pool.space for it in networks))

    def _provided(self, provider: pools.Provider) -> None:
        """Report missing pools of a provider, and hold back its gateway, which is never given out."""
        document, reading = provider.document, self.reading
        if provider.lacks_mode:
            message = f"{document.title} names pools but no network.mode, so it serves no tenant"
            hint = "set spec.network.mode to ipam, or to cloud if it must not allocate addresses"
            place = document.at("spec", "network")
            reading.report(document, warning("provider-mode", place, message, hint))
        if (gateway := provider.gateway) is not None:
            title = f"{document.namespace}/{document.name} (gateway)"
            place = document.at(*pools.GATEWAY)
            reading.gateways.append(Gateway(gateway, title, provider.pools, place))
            if not provider.pools:
                reading.blocked.append(Blocked(gateway, title, place))
        listed = (document.spec.get("network") or {}).get("poolRefs") or ()
        for index, reference in enumerate(listed):
            key = kinds.pool_key(kinds.SYSTEM, reference["name"])
            if self.networks.find(key) is not None:
                self._hold_back(provider, key)
            elif provider.is_ipam and key not in reading.frozen:
                steps = ("spec", "network", "poolRefs", index, "name")
                message = f"{kinds.POOL.kind} {key.short} does not exist in this repository"
                hint = "correct the name, or add the pool"
                reading.report_missing(document, steps, key, message, hint)

    def _hold_back(self, provider: pools.Provider, key: Key) -> None:
        gateway, pool = provider.gateway, self.reading.pools[key]
        if gateway is None or not pool.usable.covers(gateway):
            return
        message = f"gateway {format_short(gateway)} of ProviderConfig {provider.document.name}"
        message += f" is in pool {pool.key.name} but not reserved; it will not be allocated"
        hint = f"add {format_short(gateway)}/32 to spec.reserved"
        found = warning("gateway-in-pool", pool.source, message, hint)
        self.reading.report(provider.document, found)
        held = IPSet((gateway,))
        more = replace(pool, usable=pool.usable - held, reserved=pool.reserved | held)
        self.reading.pools[key] = more


def judge(document: Document, settings: Settings) -> list[Finding]:
    """Return findings about a document with a valid schema; without any, it can be read."""
    found: list[Finding] = []
    match document.kind.id:
        case kind if kind == kinds.POOL:
            network, found = pools.read_pool(document, settings)
            return found if network is None else []
        case kind if kind == kinds.PROVIDER:
            provider, found = pools.read_provider(document)
            return found if provider is None else []
        case kind if kind == kinds.TENANT:
            tenants.manual_range(document, found)
            _check_pool_name(document, found)
        case kind if kind == kinds.REQUEST:
            read_pin(document, found)
    return found


def may_own(documents: Documents, namespace: str, name: str) -> bool:
    """Return whether a tenant of a name, or an unreadable file that might describe it, exists."""
    found = documents.find(kinds.TENANT, namespace, name)
    return found is not None or bool(documents.unread(kinds.TENANT, namespace, name))


def growers(documents: Documents, settings: Settings) -> Iterator[Grower]:
    """Yield tenants of elastic providers, if their growth can be determined."""
    reader = _Reader(documents, settings)
    for document in documents.of(kinds.TENANT):
        provider = reader.provider_of(document)
        if provider is not None and provider.is_elastic:
            tenant = tenants.Tenant(document, provider, reader.networks.of(provider))
            namespace, name = document.namespace, document.name
            yield Grower(
                owner=kinds.owner(document),
                cluster=tenant_name(namespace, name),
                ref=Ref(kinds.TENANT_CLUSTER, namespace, name),
                increment=provider.increment,
                claim=tenant.grown,
            )


def _check_pool_name(document: Document, found: list[Finding]) -> None:
    name = document.annotations().get(kinds.NAMED)
    if name is not None and not is_name(name):
        message = f"{kinds.NAMED} is {shown(name)}, which is not a valid object name"
        steps = ("metadata", "annotations", kinds.NAMED)
        hint = f"write, for example, {POOL_NAME}"
        refuse(found, document, steps, "annotation-invalid", message, hint)
