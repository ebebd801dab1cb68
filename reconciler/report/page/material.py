"""What a page is made from, as values."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reconciler.asking.applied import ApplyResult
from reconciler.asking.causes import Cause
from reconciler.asking.happenings import Happening
from reconciler.asking.lives import Life
from reconciler.asking.outlook import Outlook, Past
from reconciler.asking.rows import Row
from reconciler.asking.served import Served
from reconciler.evaluate import Evaluation
from reconciler.model.key import Key
from reconciler.review.result import Compared


class Given(NamedTuple):
    """What clusters told, in files that somebody gives.

    Attributes:
        applied: The result of an apply; None for none.
        served: How long growth waited; None where nobody says.
    """

    applied: ApplyResult | None = None
    served: Sequence[Served] | None = None


class Material(NamedTuple):
    """What a page is made from.

    Attributes:
        evaluation: Of the revision: its pools and its records as they stand.
        compared: The same as `check` has it, beside its base where there is one.
        base: Id of that; None for none.
        rows: Its commits, newest first.
        told: What happened in them, newest first.
        lives: What held which addresses in them.
        is_whole: There is no older commit.
        outlooks: How long pools will do, by pool.
        idle: Addresses that no Service uses, by pool; None where nobody looked.
    """

    evaluation: Evaluation
    compared: Compared
    base: str | None
    rows: Sequence[Row]
    told: Sequence[tuple[Happening, Cause | None]]
    lives: Sequence[Life]
    is_whole: bool
    past: Past
    outlooks: Mapping[Key, Outlook]
    idle: Mapping[Key, int] | None
    given: Given
