"""One reader per kind of manuscript file; all give a `Manuscript`."""
