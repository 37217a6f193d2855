"""Qwen3-TTS on MLX: voices that are cloned, built in, or described."""
