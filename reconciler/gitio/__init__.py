"""Git: repositories, revisions, work trees, remotes."""

import os

# Without it the import of GitPython fails if Git is not installed, and nothing could say so.
os.environ["GIT_PYTHON_REFRESH"] = "quiet"
