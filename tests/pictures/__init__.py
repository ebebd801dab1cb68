"""The comment of a pull request as a forge shows it: a page, and pictures of it for the docs.

The comment is that of the story's first pull request, so its golden is the source: `make pictures`
takes what stands there, and a test tells when the pictures are older than it."""
