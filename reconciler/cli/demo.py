"""The demo."""


def run_demo(folder: object, color: str) -> int:
    """Nothing yet."""
    return 0
