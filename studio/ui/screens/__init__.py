"""The screens of the studio."""
