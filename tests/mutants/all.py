"""All mutants."""

from tests.mutants.applying import APPLYING
from tests.mutants.elastic import ELASTIC
from tests.mutants.folders import FOLDERS
from tests.mutants.incremental import INCREMENTAL
from tests.mutants.intake import INTAKE
from tests.mutants.observed import OBSERVED
from tests.mutants.planning import PLANNING
from tests.mutants.records import RECORDS
from tests.mutants.telling import TELLING
from tests.mutants.unread import UNREAD
from tests.mutants.vips import VIPS
from tests.mutants.watching import WATCHING

MUTANTS = (
    *(*PLANNING, *UNREAD, *INCREMENTAL, *APPLYING, *FOLDERS),
    *(*RECORDS, *TELLING, *VIPS, *OBSERVED, *ELASTIC, *INTAKE, *WATCHING),
)
