"""Judging takes: signal checks and verdicts."""
