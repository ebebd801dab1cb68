"""Addresses for Kubernetes clusters, planned in a pull request and recorded in Git."""

__version__ = "0.1.0"
