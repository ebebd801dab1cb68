"""Address arithmetic."""
