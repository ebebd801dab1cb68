"""Tests of what a new repository begins with."""
