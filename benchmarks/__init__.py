"""The figures of docs/reference/performance.md, reproducible by `make bench`."""
