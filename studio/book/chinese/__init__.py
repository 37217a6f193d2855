"""Chinese reading rules."""
