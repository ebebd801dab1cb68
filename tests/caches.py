"""Cache folders of test runs, outside of the checkout."""

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_IS_VIRTUAL = sys.prefix != sys.base_prefix
_FOLDER = Path(sys.prefix) if _IS_VIRTUAL else Path(tempfile.gettempdir()) / "gitops-ipam-tests"

# In the environment, for the workers of xdist and for each Python that a test starts.
_BYTECODE = os.environ.setdefault("PYTHONPYCACHEPREFIX", str(_FOLDER / "pycache"))
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(_FOLDER / "hypothesis"))
sys.pycache_prefix = _BYTECODE

# For those to which a test gives an environment of its own.
PYTHON = {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": _BYTECODE}
