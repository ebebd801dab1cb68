"""The daemon: watches, rounds, health, metrics, and the Lease."""
