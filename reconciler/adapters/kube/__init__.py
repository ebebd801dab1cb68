"""Client for Kubernetes API servers."""
