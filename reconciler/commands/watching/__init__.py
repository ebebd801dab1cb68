"""Watching: what a daemon does with what clusters and Git tell it."""
