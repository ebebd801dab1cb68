"""A page for those who ask by HTTP."""

from typing import NamedTuple


class Page(NamedTuple):
    """A page of HTML.

    Attributes:
        policy: What a browser lets it do, as a Content-Security-Policy.
    """

    html: bytes
    policy: str
