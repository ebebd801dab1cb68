"""Desired and observed state of clusters, and plans. Pure functions of manifests."""
