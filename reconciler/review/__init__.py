"""Review of a change: one value for the change, and a list of checks on it."""
