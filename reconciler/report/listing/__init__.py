"""What `ipam get` lists: which objects, chosen how, in what form (kubectl's conventions)."""
