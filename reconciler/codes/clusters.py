"""Codes about clusters, demand, and imports."""

TEXTS = {
    "cluster-pool-renamed": (
        "A change renames the pool object in a cluster. While Services use the old one, "
        "`ipam apply` keeps it and exits with 5. `ipam render` does not keep it.",
        "Keep the old name, unless no Service uses the pool.",
    ),
    "objects-changed": (
        "A change edits the object of an entry in a cluster, such as its advertisement or labels.",
        "Review the fields that the message lists.",
    ),
    "announcement-lost": (
        "A change makes a cluster stop announcing addresses, or its controller take them from "
        "Services. Services that use them lose connectivity at the next apply. If a pool is removed, "
        "`ipam apply` waits while Services use it. `ipam render` does not wait.",
        "Revert the edit, unless no Service uses the addresses.",
    ),
    "announcement-moved": (
        "A change moves addresses from one cluster to another in one step, so Services in the "
        "first cluster lose connectivity.",
        "Create a new claim for the other cluster and release the old one later, or merge an "
        "Override with `kind: move` first.",
    ),
    "adoption-conflict": (
        "The addresses in the `status` of a copied manifest cannot be adopted, because they "
        "contradict its `spec` or each other.",
        "Correct `spec` or `status`, so that both name the addresses in use.",
    ),
    "import-conflict": (
        "An import found a row or object that cannot be classified or read, or a range that "
        "already belongs to another owner.",
        "Decide it by hand: correct the row in the source or exclude it, then run `ipam import` "
        "again.",
    ),
    "observed-edited": (
        "A file that only `ipam reconcile` writes was edited or moved.",
        "Revert the edit: `git restore --source=BASE -- PATH`.",
    ),
    "demand-unused": (
        "The tenant grew, but its provider no longer lets tenants grow. The tenant keeps its "
        "addresses, and does not get more.",
        "Remove the entries of the Demand to release their addresses, or set `allocationMode: "
        "elastic` in the provider.",
    ),
    "demand-unasked": (
        "The demand of a cluster cannot be read, so the cluster neither grows nor shrinks.",
        "Run `ipam doctor` to check the connection and the permissions in the cluster.",
    ),
    "intake-rejected": (
        "An object of the management cluster cannot be copied to Git. Its last copy is used, if "
        "there is one.",
        "Fix the object in the cluster, or add its kind or namespace to `spec.intake` of Settings.",
    ),
    "intake-held": (
        "Copies of deleted objects are kept: too many were deleted at the same time, a deleted pool is in use, "
        "or the cluster has another identity.",
        "Check the management cluster. If the deletions are intended, run `ipam reconcile "
        "--allow-release N`.",
    ),
    "intake-doubt": (
        "The management cluster could not be read completely, so copies of missing objects stay.",
        "Run `ipam doctor` to check the connection and the permissions in the cluster.",
    ),
    "expiry-held": (
        "The retention of a released record has ended, but a cluster might still announce its range, "
        "so the range stays reserved.",
        "Let `ipam reconcile` reach the cluster. If the cluster no longer exists, run `ipam "
        "reconcile --confirm-withdrawn CLUSTER`.",
    ),
}
