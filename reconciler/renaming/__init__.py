"""Which records go on under another name: what a document that was renamed keeps (`docs/renaming.md`).

A rename is told by the tree alone: a document says what it was called before, nothing of that name
is there any more, and records of that name are. Whatever is in doubt keeps what it holds, and
nothing new is given for it.
"""
