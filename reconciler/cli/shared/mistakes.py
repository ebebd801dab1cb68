"""What is said of a verb that is none, and of an option that stands before the verb."""

from collections.abc import Iterable, Sequence

import click

from reconciler.findings import alike

# What other tools call it.
_ELSEWHERE = {
    **dict.fromkeys(("diff", "preview"), "plan"),
    **dict.fromkeys(("lint", "validate"), "check"),
    **dict.fromkeys(("list", "ls", "show"), "get"),
    **dict.fromkeys(("sync", "push"), "reconcile"),
}


def meant(word: str, verbs: Iterable[str]) -> str:
    """` Did you mean ...?` for a verb, also for one of other tools; or nothing."""
    return suggestion(_ELSEWHERE.get(word.lower(), word), verbs)


def suggestion(word: str, known: Iterable[str]) -> str:
    """` Did you mean ...?`, or nothing where nothing is near."""
    asked, names = word.lower(), list(known)
    near = [asked] if asked in names else alike(asked, names, 2, 0.65)
    return f" Did you mean {' or '.join(near)}?" if near else ""


def explained(
    wrong: click.NoSuchOption, group: click.Group, ctx: click.Context, args: Sequence[str]
) -> click.UsageError:
    """The mistake in words: an option of the verb that follows goes behind it.

    Args:
        wrong: What click says.
        group: The verbs.
        ctx: That of the group.
        args: All that was given.
    """
    verb = next((word for word in args if word in group.list_commands(ctx)), "")
    if not verb:
        return wrong
    command = group.get_command(ctx, verb)
    known = {name for param in command.params for name in param.opts} if command else set()
    if wrong.option_name not in known:
        near = suggestion(wrong.option_name, known)
        return click.UsageError(f"No option {wrong.option_name} before {verb}.{near}", ctx)
    at = args.index(verb)
    words = [*args[at:], *args[:at]]
    said = f"{wrong.option_name} is an option of {verb} and goes behind it: ipam {' '.join(words)}"
    return click.UsageError(said, ctx)
