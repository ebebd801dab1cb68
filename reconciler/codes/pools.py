"""Codes about pools and address spaces."""

TEXTS = {
    "address-invalid": (
        "The value is not an IP address in canonical form, for example because of leading zeros or "
        "capital letters.",
        "Write the address as the hint shows, such as `10.40.0.10` or `2001:db8::10`.",
    ),
    "cidr-invalid": (
        "The value is not a CIDR in canonical form, for example because host bits are set.",
        "Write the network address and the prefix length, such as `10.40.0.0/24`.",
    ),
    "family-mismatch": (
        "An address has the wrong IP version: both ends of a range, or a claim and its pool, must "
        "have the same one.",
        "Use addresses of one IP version, or name a pool of the version that the claim needs.",
    ),
    "special-purpose": (
        "The range is reserved by RFC 6890, for example for multicast, and cannot be used on a "
        "network.",
        "Choose another range.",
    ),
    "pool-too-large": (
        "The network is larger than a /8 of IPv4 or a /32 of IPv6.",
        "Split it into several pools.",
    ),
    "reserved-outside-pool": (
        "A reserved range is not in its pool.",
        "Remove the reserved range, or widen the pool.",
    ),
    "reserved-overlap": (
        "Two reserved ranges overlap.",
        "Remove one of them, or merge them into one range.",
    ),
    "reserved-straddles-range": (
        "A reserved range crosses the boundary of an allocatable range.",
        "Move one end of the reserved range, so that it is fully inside or fully outside of the "
        "allocatable range.",
    ),
    "range-reversed": ("The start of a range is after its end.", "Swap start and end."),
    "range-outside-pool": (
        "A range is not in the network of its pool.",
        "Narrow the range, or widen the network.",
    ),
    "ranges-unsorted": (
        "The ranges of a pool overlap, or are not in ascending order.",
        "Sort the ranges by `start`, and remove overlaps.",
    ),
    "range-ignored": (
        "`start` and `end` are ignored, because one of them is missing or the pool also has "
        "`ranges`.",
        "Set both `start` and `end`, or remove them and use `ranges`.",
    ),
    "pool-empty": (
        "The pool cannot allocate any address, because all of its addresses are reserved or "
        "excluded.",
        "Remove a reserved range, or add addresses to the pool.",
    ),
    "pool-ambiguous": (
        "Two pools serve the same class of clusters in the same role. The pool whose name sorts "
        "first is tried first.",
        "Give each pool its own classes, or accept the order: a full pool is skipped.",
    ),
    "label-unfit": (
        "A label of a pool does not select any cluster, or API servers reject its value.",
        'Correct the value. To list several, set the label to `"true"` and write the list in the '
        "annotation of the same name.",
    ),
    "pool-overlap": (
        "Two pools share addresses, or a pool contains addresses in use or a network of pods or "
        "services.",
        "Shrink one pool. Only if the networks never connect, put one pool into another address "
        "space: `gitops-ipam.dev/address-space`.",
    ),
    "pool-added": ("A change adds a pool.", "Review its ranges, capacity limit, and thresholds."),
    "pool-changed": ("A change edits a pool.", "Review the fields that the message lists."),
    "pool-shrunk": (
        "A change removes addresses from the network of a pool. Recorded ranges in them stay "
        "allocated.",
        "Keep the network, and list the unused addresses in `spec.reserved`; or merge an Override "
        "with `kind: shrink` first.",
    ),
    "pool-unreserved": (
        "A change makes reserved addresses of a pool allocatable.",
        "Restore the reserved range, unless nothing on the network uses its addresses.",
    ),
    "gate-changed": (
        "A change edits the capacity limit or the thresholds of a pool. The check still uses the "
        "values of the base.",
        "Review the old and new values in the message.",
    ),
    "pool-removed": (
        "A pool is missing, but records still hold its addresses.",
        "Restore the pool, and keep it until its records are released. If you renamed it, add the "
        "annotation `gitops-ipam.dev/formerly: NAMESPACE/OLD-NAME`.",
    ),
    "gateway-in-pool": (
        "The address of a gateway or router is in a pool, but not reserved there. It will not be "
        "allocated.",
        "Add the address to the reserved ranges of the pool.",
    ),
    "address-space-added": (
        "A change adds an address space, in which the same addresses can be allocated again.",
        "Check that its networks never connect to the others, and list it in `spec.addressSpaces` "
        "of Settings.",
    ),
    "address-space-changed": (
        "A change puts a pool into another address space. If the pool holds addresses, this is an "
        "error, because another pool could allocate them again.",
        "Set the address space back, and create a new pool in the other space.",
    ),
    "address-space-overlap": (
        "A pool or a new allocation shares addresses with another address space, so they would be "
        "used twice.",
        "Remove the annotation `gitops-ipam.dev/address-space` and narrow the pool, unless the "
        "networks never connect.",
    ),
    "address-space-unknown": (
        "A document names an address space that is not in `spec.addressSpaces` of Settings.",
        "Correct the name, or add it to `spec.addressSpaces`.",
    ),
}
