"""API servers: which ones may be reached, what is asked of them, and what their answers mean."""
