"""The past of what a verb reads, wired to Git and the cache."""

from reconciler.adapters.git.annals import GitAnnals
from reconciler.cli.shared.opening import Read
from reconciler.commands.annals import History
from reconciler.model.settings import Settings


def history_of(read: Read, settings: Settings) -> History:
    """The past of a revision; that of HEAD for a work tree."""
    head = read.source.revision() or read.repository.resolve("HEAD")
    source = read.repository.source(head.id)
    return History(GitAnnals(read.repository.git), source, settings, head.id)
