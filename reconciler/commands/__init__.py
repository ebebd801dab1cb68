"""What each verb does, on ports that it is given: parse nothing, print nothing."""
