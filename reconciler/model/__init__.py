"""Values that all layers share."""
