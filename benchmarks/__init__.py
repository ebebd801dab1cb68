"""The figures of docs/performance.md, reproducible by `make bench`."""
