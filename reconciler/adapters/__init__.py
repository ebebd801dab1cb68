"""The only code that touches the world: Git, the file system, and (by the same rules) clusters."""
