"""Addresses as plain integers: ranges, sets of ranges, and their text."""

from reconciler.addresses.iprange import IPRange
from reconciler.addresses.ipset import IPSet

__all__ = ["IPRange", "IPSet"]
