"""The command line: its commands, their options, and what of `studio.commands` runs for each."""
