"""Checks of Git and of each cluster."""
