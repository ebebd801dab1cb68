"""What the clusters of elastic tenants ask for: growth and shrinking, by pure functions only."""
