"""CosyVoice3: a voice cloned from a few seconds of speech, in torch, from the official checkpoint.

Speech tokens from a language model (`llm_torch`, `decoding`, `sampler`), a mel spectrogram from the
tokens (`flow`), a waveform from the mel (`vocoder`). `narrator` ties them together.

Du et al., “CosyVoice 3: Towards In-the-wild Speech Generation via Scaling-up and Post-training”,
2025 (arXiv 2505.17589). The model folder is Fun-CosyVoice3-0.5B's (Apache-2.0). Nothing here
imports torch, tokenizers or onnxruntime before a model is loaded.
"""
