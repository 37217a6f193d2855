"""Rhapsode: a terminal studio for narrating books with local voices."""

__version__ = "0.1.0"
