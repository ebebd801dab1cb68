"""Bugs planted by hand, one at a time, which the tests have to notice."""
