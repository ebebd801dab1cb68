"""What a terminal shows: a module for each verb that has text of its own, and what they share."""
