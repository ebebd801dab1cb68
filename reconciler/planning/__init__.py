"""Allocation planning: from documents and records to decisions."""
