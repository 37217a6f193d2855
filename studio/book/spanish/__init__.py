"""Spanish reading rules."""
