"""Objects in clusters: desired state, plans, and execution."""
