"""Import of existing addresses."""
