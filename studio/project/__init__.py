"""What is kept on disk: the store, the clips, the settings file and the history."""
