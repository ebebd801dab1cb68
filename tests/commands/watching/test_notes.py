"""What a daemon knows of clusters from its own work."""

from reconciler.commands.watching.notes import Notes


def test_what_an_apply_reads_is_no_look() -> None:
    notes = Notes()
    notes.note("a/web", ["1"])
    assert notes.is_known("a/web", "1")
    assert not notes.is_known("a/web", "1", looks=True)
    notes.note("a/web", ["1"], looks=True)
    notes.note("a/web", ["1"])  # read once more, by an apply
    assert notes.is_known("a/web", "1", looks=True)
    assert not notes.is_known("a/shop", "1")
