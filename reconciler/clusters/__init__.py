"""What is applied to clusters and what was: pure, from manifests that were read to writes to make."""
