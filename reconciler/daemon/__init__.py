"""Long-running reconciliation."""
