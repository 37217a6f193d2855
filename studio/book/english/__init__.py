"""English reading rules: what stands on the page, and what a reader says."""
