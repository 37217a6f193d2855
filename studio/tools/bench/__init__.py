"""Measurements side by side: backends, stages, samplers, engines, and whether a bit has changed."""
