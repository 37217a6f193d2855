"""Measurements of this engine, for `engine.bench`; nothing here is loaded while a book is read."""
