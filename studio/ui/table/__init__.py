"""The table of actions, one file per kind of work; `studio.ui.actions` puts it together."""
