"""Allocation: from a state to a plan. Knows no YAML, no family and no cluster."""
