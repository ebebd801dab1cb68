"""Where the parts of a document stand: found only when there is something to report."""

Steps = tuple[str | int, ...]


def dotted(steps: Steps) -> str:
    """`spec.tenantAllocation.ranges[0].start`, the way Kubernetes names fields."""
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".") or "document"


class Places:
    """Where each key and value of one document stands: steps to (line, column), both from 1."""

    def __init__(self, lines: int = 0) -> None:
        """Begin with nothing; so many lines of the file stand before what is read for it."""
        self.lines = lines
        self.keys: dict[Steps, tuple[int, int]] = {}
        self.values: dict[Steps, tuple[int, int]] = {}

    def of(self, steps: Steps, *, key: bool = False) -> tuple[int, int]:
        """The place of a value (or its key), else of the nearest thing around it that exists."""
        if key and steps in self.keys:
            line, column = self.keys[steps]
            return line + self.lines, column
        while steps not in self.values and steps:
            steps = steps[:-1]
        line, column = self.values.get(steps, (1, 1))
        return line + self.lines, column
