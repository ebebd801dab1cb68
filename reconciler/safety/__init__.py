"""Final safety check of allocations, independent of the planner."""
