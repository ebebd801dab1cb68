"""A net below the planner: reads records in its own way, and tells which ranges are held twice."""
