"""Records: the files in Git that state allocations; read, written and compared byte for byte."""
