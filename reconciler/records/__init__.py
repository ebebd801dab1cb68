"""Allocation records as files."""
