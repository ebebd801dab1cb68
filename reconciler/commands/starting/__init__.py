"""What a new repository begins with: which files, for which forge, beside what is there."""
