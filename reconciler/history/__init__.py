"""Allocation history and forecasts."""
