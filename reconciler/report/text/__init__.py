"""Text for terminals."""
