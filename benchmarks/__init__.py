"""The figures of docs/concepts/performance.md, reproducible by `make bench`."""
