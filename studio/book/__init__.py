"""A manuscript becomes chapters and segments: pure functions, no project, no interface."""
