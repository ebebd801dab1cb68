"""Git repositories, revisions, work trees, and remotes."""

import os

# Without these settings, importing GitPython runs `git version` twice, and fails if Git is not
# installed, before ipam can report it.
os.environ["GIT_PYTHON_REFRESH"] = "quiet"
os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = ""
