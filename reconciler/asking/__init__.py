"""The questions of every day: who has an address, where a run is free, what happened, how long."""
