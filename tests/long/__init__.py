"""Runs that take minutes or an hour, by hand: `python -m tests.long.soak`, `… .two`. No test waits for them."""
