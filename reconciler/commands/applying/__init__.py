"""Apply: the committed records to the clusters, by server-side apply."""
