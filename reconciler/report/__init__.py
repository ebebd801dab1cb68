"""Evaluations as text for people and JSON for programs. Every function returns a string."""
