"""HTTP: metrics, health, and a bell that forges ring; nothing is served out of a file."""
