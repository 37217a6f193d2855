"""Widgets: given data, they draw it and post messages."""
