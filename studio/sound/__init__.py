"""Playback, waveforms, assembly and encoding."""
