"""`doctor`: each thing that has to be in order is a check; Git and each cluster have their own."""
