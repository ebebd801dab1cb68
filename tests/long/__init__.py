"""Runs that take minutes or an hour, by hand: `python -m tests.long.soak`, `python -m tests.long.pulls`."""
