"""Looking at clusters: what they ask for, before it is written into Git."""
