"""What verbs share: options, streams, signals, the loop, how files and branches are opened."""
