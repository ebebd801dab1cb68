"""What a revision is judged by beside what it says itself."""

from collections.abc import Mapping

from msgspec import Struct, field

from reconciler.model.contract import Contract
from reconciler.model.override import Overrides
from reconciler.model.settings import Settings


class Terms(Struct, frozen=True):
    """What a revision is judged by beside what it says itself.

    Attributes:
        settings: Settings of another revision to use instead of its own.
        overrides: The Overrides to go by; None for those that stood before it.
        allow_release: How many releases a person expects.
        retained: Released records that stay although their retention has ended, and why.
        left: What clusters said of records that claims left when they moved: why they are announced
            still, or nothing where nobody uses them any more.
        contracts: What teams may ask for by the base of a change.
    """

    settings: Settings | None = None
    overrides: Overrides | None = None
    allow_release: int | None = None
    retained: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    contracts: tuple[Contract, ...] = ()


OWN_TERMS = Terms()
"""It is judged by itself."""
