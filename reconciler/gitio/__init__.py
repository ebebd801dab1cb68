"""Git repositories, revisions, work trees, and remotes."""

import os

# Without this setting, importing GitPython fails if Git is not installed, before ipam can report
# it.
os.environ["GIT_PYTHON_REFRESH"] = "quiet"
