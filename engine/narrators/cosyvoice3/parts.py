"""The loaded model: tokenizer, three networks, two ONNX models, and what they turned out to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from engine.narrators.cosyvoice3 import config, frontend, llms
from engine.narrators.cosyvoice3.config import BadModel
from engine.narrators.cosyvoice3.decoding import Speaker
from engine.narrators.cosyvoice3.flow import Flow
from engine.narrators.cosyvoice3.frontend import Features
from engine.narrators.cosyvoice3.options import Options
from engine.narrators.cosyvoice3.reference import Reference
from engine.narrators.cosyvoice3.sampler import BadLogits
from engine.narrators.cosyvoice3.tokenizer import Tokenizer
from engine.narrators.cosyvoice3.vocoder import Vocoder
from engine.narrators.cosyvoice3.voice_cache import VoiceCache
from engine.narrators.cosyvoice3.weights import AGAIN, load_state
from engine.registry import Transient


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Everything that a clip is made with."""

    tokenizer: Tokenizer
    llm: Speaker
    flow: Flow
    vocoder: Vocoder
    sessions: frontend.Sessions
    cache: VoiceCache

    @property
    def backend(self) -> str:
        """What does the arithmetic: ``torch``, with the way it runs the LLM, or ``mlx+torch``."""
        name = self.llm.backend
        return name if name.split()[0] == "torch" else f"{name}+torch"

    @property
    def precision(self) -> str:
        """Number formats of the weights: ``fp32``, or ``fp16+fp32`` where the LLM's are halved.

        Read off the tensors. The pitch network, which is in float64 always, is left out.
        """
        found = {*self.llm.precision.split("+"), self.flow.precision, self.vocoder.precision}
        return "+".join(sorted(found))

    @property
    def device(self) -> str:
        """Where the weights lie: ``cpu``, ``cuda``, ``mps``; read off the tensors."""
        return "+".join(sorted({self.llm.device, self.flow.device, self.vocoder.device}))

    def features(self, heard: Reference) -> Features:
        """What the model hears of a reference; made once and kept.

        Raises:
            BadModel: The ONNX models do not belong to the networks.
        """
        found = self.cache.features(
            heard.digest, lambda: frontend.features(heard.samples, heard.rate, self.sessions)
        )
        tokens, known = found.speech_tokens, self.llm.config.speech_tokens
        if len(tokens) and not (tokens.min() >= 0 and tokens.max() < known):
            raise BadModel(
                f"“speech_tokenizer_v3.onnx” gives the speech token {tokens.max()}, and “llm.pt” "
                f"knows 0 to {known - 1}: they are not of one model; {AGAIN}."
            )
        return found

    def warm_up(self, steps: int) -> None:
        """Make a tenth of a second: what a first run prepares is not on a clip's account, and an
        operator that the device lacks is known before there is one.

        Raises:
            BadModel: What comes out are no numbers.
        """
        try:
            said = self.llm.generate(
                prompt_text=[],
                text=[self.tokenizer.end_of_prompt],
                prompt_speech=[],
                seed=0,
                min_len=2,
                max_len=2,
            )
            mel = self.flow.mel(
                said.tokens,
                prompt_tokens=[0],
                prompt_mel=torch.zeros(2, frontend.MEL_BANDS),
                speaker=torch.ones(frontend.SPEAKER),
                steps=steps,
            )
            self.vocoder.wave(mel)
        except (BadLogits, Transient) as error:
            raise BadModel(
                f"The model's weights give values that are not numbers; {AGAIN}."
            ) from error


def load(
    folder: Path,
    device: torch.device,
    options: Options,
    backend: str,
    model: str,
    progress: Callable[[float], None],
) -> Parts:
    """Load a model folder.

    Args:
        folder: In the official layout, all its files there.
        device: Where the networks run. The ONNX models run on the CPU.
        options: For precision and cache.
        backend: What the language model runs on; from `llms.choose`.
        model: Fingerprint of the weights.
        progress: Told how far it is, 0 to 1; what it raises ends the work.

    Raises:
        BadModel: A file is damaged or of another model, or they do not belong together.
        Fatal: The language model cannot run so.
    """
    blank = folder / "CosyVoice-BlankEN"
    tokenizer = Tokenizer.of(blank)
    progress(0.05)
    state = load_state(folder / "llm.pt", "llm")
    shapes = config.llm_config(state, blank / "config.json")
    if tokenizer.size > shapes.vocab:
        raise BadModel(
            f"“vocab.json” and the special tokens have {tokenizer.size} tokens, and “llm.pt” knows "
            f"{shapes.vocab}: they are not of one model; {AGAIN}."
        )
    llm = llms.load(backend, state, shapes, device, options)
    progress(0.5)
    state = load_state(folder / "flow.pt", "flow")
    flow_shapes = config.flow_config(state)
    if flow_shapes.vocab != shapes.speech_tokens:
        raise BadModel(
            f"“flow.pt” knows {flow_shapes.vocab} speech tokens and “llm.pt” "
            f"{shapes.speech_tokens}: they are not of one model; {AGAIN}."
        )
    flow = Flow.load(state, flow_shapes, device)
    progress(0.8)
    state = load_state(folder / "hift.pt", "vocoder")
    vocoder = Vocoder.load(state, config.vocoder_config(state), device)
    progress(0.85)
    sessions = frontend.open_sessions(folder)
    progress(0.95)
    voices = options.cache / "voices" if options.cache is not None else None
    return Parts(tokenizer, llm, flow, vocoder, sessions, VoiceCache(voices, model))
