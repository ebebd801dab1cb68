"""Questions to a person on a terminal. What is asked goes to stderr, like all that is no result."""

import sys
from collections.abc import Mapping

import click


def is_terminal() -> bool:
    """Somebody is there to answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def choose(question: str, answers: Mapping[str, str], default: str) -> str:
    """One of some answers: a word, each told with what it means."""
    click.echo(question, err=True)
    width = max(map(len, answers))
    for answer, meaning in answers.items():
        click.echo(f"  {answer.ljust(width)}   {meaning}".rstrip(), err=True)
    choice = click.Choice(list(answers))
    picked: str = click.prompt("  ", type=choice, default=default, err=True, show_choices=False,
                               prompt_suffix=" ")  # fmt: skip
    return picked


class Agreement:
    """Asks about one thing after the other, until the person says yes to all of them."""

    def __init__(self, *, asks: bool) -> None:
        self.asks = asks

    def is_given(self, question: str) -> bool:
        """Whether the person agrees: `y`, `n`, `a` for all that follow.

        Raises:
            Abort: `q`.
        """
        if not self.asks:
            return True
        choice = click.Choice(["y", "n", "a", "q"], case_sensitive=False)
        said = click.prompt(f"{question} (yes, no, all, quit)", type=choice, default="y", err=True,
                            show_choices=False)  # fmt: skip
        if said == "q":
            raise click.Abort
        self.asks = said != "a"
        return bool(said != "n")
