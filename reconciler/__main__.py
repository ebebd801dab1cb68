"""`python -m reconciler` is `ipam`."""

from reconciler.cli import main

if __name__ == "__main__":
    main()
