"""The only code that touches the world: Git, clusters, and this machine's files and processes."""
