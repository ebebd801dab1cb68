"""YAML and JSON Schema: bytes of a tree to documents with places, and documents to bytes."""
