"""YAML documents: parser, schemas, and edits."""
