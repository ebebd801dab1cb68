"""Codes about providers, teams, and claims."""

TEXTS = {
    "variable-missing": (
        "A ClusterClass lacks the variable that receives the address, so its patches cannot use "
        "it.",
        "Add the variable to the ClusterClass.",
    ),
    "claim-paused": (
        "The owner of the claim is paused or being deleted, so it gets no new addresses.",
        "End the pause to allocate an address.",
    ),
    "reference-not-found": (
        "A document refers to another one that is not in this repository.",
        "Correct the name or namespace, or add the missing document.",
    ),
    "provider-added": ("A change adds a provider.", "Review its pools and quotas."),
    "provider-changed": ("A change edits a provider.", "Review the fields that the message lists."),
    "provider-without-pools": (
        "The provider has `network.mode: ipam`, but `poolRefs` is empty.",
        "Add at least one pool to `network.poolRefs`.",
    ),
    "provider-mode": (
        "The `network.mode` of a provider does not fit its cloud, or is missing although "
        "`poolRefs` is set. Without it, tenants get no addresses.",
        "Set `network.mode` to `ipam`, or to `cloud` if the cloud assigns the addresses.",
    ),
    "provider-implicit": (
        "The tenant does not name a provider, several exist, and none is named `default`. The "
        "first one by name is used.",
        "Name a provider in the `spec` of the tenant.",
    ),
    "team-added": ("A change adds a team.", "Review its namespaces, folders, pools, and limits."),
    "team-changed": ("A change edits a team.", "Review the fields that the message lists."),
    "team-mismatch": (
        "The provider that the tenant names belongs to another team.",
        "Name a provider of the tenant's team, or one without a team.",
    ),
    "not-yours": (
        "A document asks for something that its Team does not permit: a folder, namespace, pool, "
        "number of addresses, or addresses of another team.",
        "Move or correct the document as the hint shows, or ask the platform team to change the "
        "Team.",
    ),
    "namespace-implicit": (
        "A new document has no `metadata.namespace`, but all other documents of its kind have one.",
        "Set `metadata.namespace`.",
    ),
    "manual-range": (
        "A range or address set by hand cannot be used as written: it overlaps another one, is "
        "outside of its pools, or exceeds a quota.",
        "Choose free addresses: `ipam find --count N` lists some. To let `ipam` choose, remove the "
        "field.",
    ),
    "manual-range-added": (
        "A change adds a range or address set by hand. It is in use without a record.",
        "Check that the range is free on the network.",
    ),
    "manual-range-changed": (
        "A change edits a range or address set by hand. It is in use without a record.",
        "Check that the old range is not in use, and that the new one is free on the network.",
    ),
    "manual-range-removed": (
        "A change removes or narrows a range without a record, so its addresses are free immediately. "
        "If the change also allocates them, this is an error.",
        "Check that nothing uses the range. To reuse its addresses, remove it in its own change "
        "first, or merge an Override with `kind: record`.",
    ),
    "pin-count": (
        "A count or size differs from the size of the pinned range. The pinned range decides.",
        "Remove the count or size.",
    ),
    "pin-conflict": (
        "A tenant and its request pin different ranges for the same claim.",
        "Pin the same range in both, or remove one pin. For a second range, use a request with "
        "another name.",
    ),
    "pin-contested": (
        "Two claims pin the same addresses, and no record shows the owner.",
        "Find out which claim uses the addresses, and change or remove the other pin.",
    ),
    "pin-stands-for-claim": (
        "A pinned request is used as its tenant's own claim, so the tenant does not get another "
        "range.",
        "Keep it, if the tenant needs only this range. For a second range, set a larger "
        "`lbPoolSize` in the tenant.",
    ),
    "request-beside-claim": (
        "A request is additional: its tenant also gets addresses of its own.",
        "Keep it, if both are needed. Otherwise pin the range in a request in the namespace of the pool.",
    ),
    "load-balancer-new": (
        "The tenant has node addresses only from requests, and its first load-balancer range would "
        "be new.",
        "If its load balancers already have addresses, describe them in a request of type "
        "`loadbalancer` before you merge.",
    ),
    "size-smaller": (
        "The tenant asks for fewer addresses than it holds. It keeps all of them.",
        "Set the size to the number that the tenant holds, or release a whole range as the hint "
        "shows.",
    ),
    "family-without-pool": (
        "A request names an IP family, but none of its pools has addresses of that family.",
        "Name an AddressPool of that family, or remove the family.",
    ),
    "aggregate-too-wide": (
        "The BGP aggregate of the announcement would contain addresses of other claims.",
        "Ask for whole blocks: set `prefixLength` to the aggregation length or less, or change the "
        "aggregation length.",
    ),
    "pools-mixed": (
        "The IPAddressPool of one cluster contains ranges of two pools.",
        "If these are two networks, move one range: `ipam move NAMESPACE/NAME/SLOT --to POOL`.",
    ),
    "pool-exhausted": (
        "The pools of the claim do not have enough free addresses.",
        "Run `ipam explain NAMESPACE/NAME` to see patches that make room, and add `--write 1` to "
        "apply the first one.",
    ),
    "pool-fragmented": (
        "A pool has enough free addresses, but not in one contiguous range.",
        "Run `ipam explain NAMESPACE/NAME` to see patches that make room, or ask for fewer "
        "addresses.",
    ),
    "request-too-large": (
        "The claim is larger than any of its pools, even when they are empty.",
        "Ask for fewer addresses, or add a larger pool.",
    ),
    "pool-not-found": (
        "The pools that the claim names do not exist in this repository, or the claim does not "
        "name any pool.",
        "Correct the name of the pool, or add the pool.",
    ),
    "no-matching-pool": (
        "No pool has labels that match the class and role of the claim.",
        "Add the labels in the hint to a pool.",
    ),
    "auto-assign-disabled": (
        "The pool has `autoAssign: false`, or leaves it out, so a claim must name an address.",
        "Set `spec.address` in the claim, or set `autoAssign: true` in the pool.",
    ),
    "pin-outside-pool": (
        "The pinned range is not in the pool.",
        "Pin a range in the pool (`ipam find --pool POOL --count N` lists some), or widen the "
        "pool.",
    ),
    "pin-straddles-ranges": (
        "The pinned range spans two ranges of the pool.",
        "Pin a range that is in one of them, or join the two ranges.",
    ),
    "pin-reserved": (
        "The pinned range contains reserved addresses of the pool.",
        "Pin another range, or remove the reserved range from the pool. For a network, broadcast, or "
        "anycast address, set `spec.useAllAddresses: true` in the AddressPool.",
    ),
    "pin-taken": (
        "The pinned range contains addresses that another claim holds, or that are still in "
        "retention.",
        "Pin a free range: `ipam find --pool POOL --count N` lists some. `ipam who ADDRESS` shows "
        "the holder.",
    ),
    "quota-exceeded": (
        "The claim would exceed its tenant's quota in the provider.",
        "Ask for fewer addresses, or raise the quota in the provider.",
    ),
    "limit-exceeded": (
        "The record of the claim would exceed `spec.limits`, so later runs could not read the "
        "repository.",
        "Raise `spec.limits` in `ipam.yaml` in its own change, or remove unused claims.",
    ),
    "pool-frozen": (
        "The pool is blocked: it is paused, or one of its records or another file cannot be read.",
        "Fix the file that the message names: `git log -p -- PATH` shows what changed. To end a "
        "pause, remove the pause annotation of the pool.",
    ),
}
