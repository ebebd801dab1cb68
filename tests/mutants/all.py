"""All mutants."""

from tests.mutants.announced import ANNOUNCED
from tests.mutants.applying import APPLYING
from tests.mutants.asking import ASKING
from tests.mutants.brakes import BRAKES
from tests.mutants.comparing import COMPARING
from tests.mutants.elastic import ELASTIC
from tests.mutants.folders import FOLDERS
from tests.mutants.importing import IMPORTING
from tests.mutants.incremental import INCREMENTAL
from tests.mutants.intake import INTAKE
from tests.mutants.moves import MOVES
from tests.mutants.observed import OBSERVED
from tests.mutants.ownership import OWNERSHIP
from tests.mutants.planning import PLANNING
from tests.mutants.proposing import PROPOSING
from tests.mutants.records import RECORDS
from tests.mutants.renaming import RENAMES
from tests.mutants.starting import STARTING
from tests.mutants.telling import TELLING
from tests.mutants.transfers import TRANSFERS
from tests.mutants.truth import TRUTH
from tests.mutants.unread import UNREAD
from tests.mutants.vips import VIPS
from tests.mutants.watching import WATCHING

MUTANTS = (
    *(*BRAKES, *PLANNING, *UNREAD, *INCREMENTAL, *APPLYING, *FOLDERS),
    *(*RECORDS, *TELLING, *VIPS, *OBSERVED, *ELASTIC, *INTAKE, *WATCHING, *TRUTH, *MOVES, *RENAMES),
    *STARTING,
    *ASKING,
    *IMPORTING,
    *ANNOUNCED,
    *PROPOSING,
    *TRANSFERS,
    *OWNERSHIP,
    *COMPARING,
)
