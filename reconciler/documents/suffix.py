"""Which files are read, by the ends of their names."""

_YAML = (".yaml", ".yml")


def is_yaml(path: str) -> bool:
    """Files of other names are not read: neither what people write nor records."""
    return path.endswith(_YAML)


def without_suffix(path: str) -> str:
    """The path without what makes it one that is read."""
    return path.rpartition(".")[0] if is_yaml(path) else path
