"""The Helm chart of `deploy/chart/`, and the manifests that are rendered from it."""
