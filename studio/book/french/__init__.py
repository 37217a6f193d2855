"""French reading rules."""
