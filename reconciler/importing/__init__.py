"""What lives already, as documents: pure, from what was read to files, conflicts and a table."""
