"""What admission policies keep of Butler's objects when somebody changes them."""

from reconciler.families._objects import UpdateRule
from reconciler.families.butler.resources import NETWORK_POOL

UPDATE_RULES = (
    UpdateRule(
        NETWORK_POOL,
        {
            "oldCidr": "oldObject.?spec.?cidr.orValue('')",
            "newCidr": "object.?spec.?cidr.orValue('')",
        },
        "!isCIDR(variables.oldCidr) || (isCIDR(variables.newCidr) &&"
        " cidr(variables.newCidr).containsCIDR(variables.oldCidr))",
        "the CIDR of a pool may grow, but must keep every address that it had",
        "'the CIDR may grow, but must keep every address of ' + variables.oldCidr",
    ),
)
