"""What each command of `rhapsode` does; `studio.cli` parses, these act."""
