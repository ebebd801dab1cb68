"""A line of the annals: a commit of the branch, and which of the files that matter it touched."""

import re
from typing import NamedTuple

# How forges name a change in the message of its merge, the surest first.
_REQUESTS = (
    (re.compile(r"\AMerge pull request (#[0-9]+) from "), "{}"),
    (re.compile(r"^See merge request \S*?(![0-9]+)$", re.MULTILINE), "{}"),
    (re.compile(r"\AMerged in .* \(pull request (#[0-9]+)\)$", re.MULTILINE), "{}"),
    (re.compile(r"\AMerged PR ([0-9]+): "), "#{}"),
    (re.compile(r"\A[^\n]*\(([#!][0-9]+)\)$", re.MULTILINE), "{}"),
)
_PLAN = re.compile(r"^Ipam-Plan: sha256:[0-9a-f]{64}$", re.MULTILINE | re.ASCII)


class Touch(NamedTuple):
    """A file that a commit touched: its path, and its ids before and after; empty for no file."""

    path: str
    old: str
    new: str


class Row(NamedTuple):
    """A commit of the line of first parents.

    Attributes:
        id: Its id.
        clock: Committer date in seconds since 1970.
        author: Name and address of who wrote it.
        subject: The first line of its message.
        request: The pull request or merge request that its message names, as `#12` or `!12`.
        is_plan: It says that reconcile made it. For display: nothing else follows from it.
        is_cut: The history that is at hand ends here, so what it touched cannot be told.
        touched: Files below the folders that were asked for, by path.
    """

    id: str
    clock: int
    author: str
    subject: str
    request: str
    is_plan: bool
    is_cut: bool
    touched: tuple[Touch, ...]


def row_of(
    about: tuple[str, int, str], message: str, touched: tuple[Touch, ...], *, is_cut: bool
) -> Row:
    """The line of a commit.

    Args:
        about: Its id, its date and its author.
        message: What it says.
        touched: Files, by path.
        is_cut: Its parents are not at hand.
    """
    subject = message.strip().partition("\n")[0].strip()
    is_plan = _PLAN.search(message) is not None
    return Row(*about, subject, request_of(message), is_plan, is_cut, () if is_cut else touched)


def request_of(message: str) -> str:
    """The pull request or merge request that a message names; empty for none."""
    text = message.strip()
    for pattern, form in _REQUESTS:
        if found := pattern.search(text):
            return form.format(found.group(1))
    return ""
