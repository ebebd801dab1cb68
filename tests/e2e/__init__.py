"""The whole of it: the command, Git, and real API servers."""
