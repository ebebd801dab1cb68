"""Reading a revision: whole, in parts, or only what may have changed since an earlier run."""
