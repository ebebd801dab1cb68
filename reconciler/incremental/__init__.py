"""What of a plan is known from an earlier run: groups of files that bear on nothing else."""
