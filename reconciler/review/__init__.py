"""Review of a change against its base."""
