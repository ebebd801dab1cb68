"""`ipam`, also as `python -m reconciler`."""

import gc

# A run reads much and drops little: frequent collections would cost a fifth of it, from the first
# module that it loads.
gc.set_threshold(100_000, 50, 100)

from reconciler.cli import main  # noqa: E402 - after that

if __name__ == "__main__":
    main()
