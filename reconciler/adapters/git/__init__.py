"""Repositories: what is read of them by revision, how a commit is made, and how it is published."""
