"""YAML documents: reading, schemas, and edits."""
