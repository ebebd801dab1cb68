"""Reconcile runs and the commands around them."""
