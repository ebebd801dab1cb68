"""Codes about capacity limits, release limits, and clocks."""

TEXTS = {
    "capacity": (
        "The plan takes a pool past its capacity limit.",
        "Widen the pool or add another one. To permit this plan, merge an Override with `kind: "
        "gate`.",
    ),
    "brake": (
        "The plan releases more records than the release limit (`spec.brakes`) allows, so no "
        "release is carried out.",
        "Restore the removed documents. If the releases are intended, merge an Override with "
        "`kind: brake`, or run `ipam reconcile --allow-release N`.",
    ),
    "brake-held": (
        "The release limit holds a release back, so the claim keeps its addresses. The message "
        "names the commit that removed the document.",
        "Restore the document, or merge an Override with `kind: brake`.",
    ),
    "clock-ahead": (
        "A commit is dated more than an hour in the future. Nothing expires until that is fixed.",
        "Correct the clock of the machine that made the commit, or of this machine, then commit "
        "again.",
    ),
    "clock-behind": (
        "The clock of this machine is behind the date of the commit. Nothing expires until it has "
        "caught up.",
        "Correct the clock of this machine.",
    ),
}
