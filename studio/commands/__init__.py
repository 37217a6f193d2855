"""What each command of `rhapsode` does; `studio.command_line` parses, these act."""
