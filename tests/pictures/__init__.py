"""The comment of a pull request as a forge shows it: an HTML page, and pictures for the docs.

The source is the golden of the first pull request in the story. `make pictures` renders it, and a
test fails if the pictures are older."""
