"""German reading rules."""
