"""HTML page of the whole repository."""
