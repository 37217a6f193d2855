"""The disposable process that hosts a narrator; it never imports the studio."""
