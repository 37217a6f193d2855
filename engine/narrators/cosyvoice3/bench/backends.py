"""The language model's backends that are on this machine, each loaded from the same weights."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from typing import Any

import torch

from engine.narrators.cosyvoice3 import decoding, devices, llm_batched
from engine.narrators.cosyvoice3.bench import model
from engine.narrators.cosyvoice3.bench.literal import LiteralSampler
from engine.narrators.cosyvoice3.bench.sampler import masked
from engine.narrators.cosyvoice3.config import LlmConfig
from engine.narrators.cosyvoice3.decoding import Asked
from engine.narrators.cosyvoice3.llm_torch import SpeechLlm
from engine.narrators.cosyvoice3.sampler import Floats
from engine.narrators.cosyvoice3.weights import State
from engine.registry import Fatal

DTYPES = {"fp32": torch.float32, "fp16": torch.float16}
COPIED = {"cuda": 1 << 30, "mps": 1 << 28, "cpu": 1 << 26}
"""Bytes that are copied to learn a device's bandwidth: more than its caches hold."""
COPIES = 4
BATCHES = (4, 16)
"""How many lines are said together: what is usual, and the most that the engine's option takes."""


@dataclass(frozen=True)
class Turn:
    """One line, said once; seconds."""

    tokens: list[int]
    prefill: float
    steps: float
    """Within the network, from asking for a step to its logits on the host."""
    decode: float
    """Of everything after the prefill, sampling included."""
    beside: list[list[int]] = field(default_factory=list)
    """What was said together with it."""


class Timed:
    """A backend with a clock around it."""

    def __init__(self, backend: decoding.Backend) -> None:
        """Start the clock at nothing."""
        self._backend = backend
        self.config = backend.config
        self.prefilled = self.stepped = 0.0

    def prefill(self, **line: Any) -> Floats:
        """Begin a sequence; see `decoding.Backend.prefill`."""
        begun = time.perf_counter()
        logits = self._backend.prefill(**line)
        self.prefilled += time.perf_counter() - begun
        return logits

    def step(self, token: int) -> Floats:
        """Add one speech token; see `decoding.Backend.step`."""
        begun = time.perf_counter()
        logits = self._backend.step(token)
        self.stepped += time.perf_counter() - begun
        return logits


@dataclass
class Runner:
    """One backend, ready to speak."""

    name: str
    precision: str
    device: str
    llm: decoding.Backend
    read: int
    """Bytes of weights that a token has to read."""
    element: int
    """Bytes of a number in its cache."""
    copy: Callable[[], float]
    """Measures a copy on its device: bytes read and written, by second."""
    sampler: str = "host"
    lines: int = 1
    """Lines that it says together."""
    turns: list[Turn] = field(default_factory=list)

    def say(self, line: model.Line, tokens: int, seed: int) -> Turn:
        """Say a line of a length."""
        timed = Timed(self.llm)
        begun = time.perf_counter()
        said = decoding.generate(
            timed,
            prompt_text=[],
            text=line.text,
            prompt_speech=line.prompt_speech,
            seed=seed,
            min_len=tokens,
            max_len=tokens,
        )
        whole = time.perf_counter() - begun
        return Turn(said.tokens, timed.prefilled, timed.stepped, whole - timed.prefilled)


class DeviceRunner(Runner):
    """The eager loop with the literal sampler on the device; the logits never leave it."""

    llm: SpeechLlm

    @torch.inference_mode()
    def say(self, line: model.Line, tokens: int, seed: int) -> Turn:
        """Say a line of a length."""
        llm, device = self.llm, torch.device(self.llm.device)
        begun = time.perf_counter()
        x = llm.prefix(prompt_text=[], text=line.text, prompt_speech=line.prompt_speech)
        cache = llm._roomy(x.shape[1], tokens, x)
        cache.filled = 0
        logits = llm._network(x, cache)
        devices.wait(device)
        between = time.perf_counter()
        literal, said = LiteralSampler(device, seed), []
        for step in range(tokens):
            said.append(literal.sample(masked(logits, llm.config), said))
            if step + 1 < tokens:
                x = llm._network.speech_embedding.weight[said[-1]].view(1, 1, -1)
                logits = llm._network(x, cache)
        devices.wait(device)
        decode = time.perf_counter() - between
        return Turn(said, between - begun, 0.0, decode)


class BatchedRunner(Runner):
    """The eager loop over several lines at once."""

    llm: SpeechLlm

    def say(self, line: model.Line, tokens: int, seed: int) -> Turn:
        """Say a line and its siblings, each with a seed of its own, to the same length."""
        first: list[float] = []

        def begun(token: int) -> None:
            if not first:
                first.append(time.perf_counter())

        siblings = model.siblings(line, self.lines)
        asked = [
            Asked([], it.text, it.prompt_speech, seed + row, tokens, tokens)
            for row, it in enumerate(siblings)
        ]
        at = time.perf_counter()
        listeners = [begun, *[decoding.nobody] * (len(asked) - 1)]
        said = llm_batched.generate(self.llm, asked, on_token=listeners)
        end = time.perf_counter()
        spoken = [it.tokens for it in said if isinstance(it, decoding.Spoken)]
        assert len(spoken) == self.lines, said
        return Turn(spoken[0], first[0] - at, 0.0, end - first[0], spoken[1:])


def there(
    state: State, config: LlmConfig, device: torch.device, wanted: list[str]
) -> tuple[list[Runner], list[dict[str, str]]]:
    """Load every backend that this machine has.

    Args:
        state: The weights; they are copied.
        config: Their shapes.
        device: Where torch runs.
        wanted: Names; empty for all of them.

    Returns:
        The runners, the oracle (``eager fp32``) first, and what is not there, with the reason.

    Raises:
        Absent: A name is none.
    """
    runners, absent = [], []
    loaders = dict(_loaders(state, config, device))
    for name in wanted:
        if name not in loaders:
            known = ", ".join(f"“{loader}”" for loader in loaders)
            raise Absent(f"There is no backend “{name}”; there are {known}.")
    for name, load in loaders.items():
        if wanted and name not in wanted:
            continue
        try:
            runners.append(load())
        except Absent as missing:
            absent.append({"backend": name, "why": str(missing)})
    return runners, absent


class Absent(Exception):
    """This machine has no such backend; the text says why."""


Loader = Callable[[], Runner]


def _loaders(state: State, config: LlmConfig, device: torch.device) -> Iterator[tuple[str, Loader]]:
    """Names of all backends, and what loads each."""
    eager = cache(lambda precision: SpeechLlm.load(state, config, device, DTYPES[precision]))
    for precision in DTYPES:
        yield f"eager {precision}", lambda p=precision: _eager(Runner, eager(p), device, p)
    for precision in DTYPES:
        yield (
            f"eager {precision}, device sampler",
            lambda p=precision: _eager(DeviceRunner, eager(p), device, p),
        )
    for precision in DTYPES:
        for lines in BATCHES:
            yield (
                f"batched {precision}, {lines} lines",
                lambda p=precision, n=lines: _batched(eager(p), device, p, n),
            )
    for kernels in ("torch", "triton"):
        for precision in DTYPES:
            yield (
                f"captured {kernels} {precision}",
                lambda k=kernels, p=precision: _captured(state, config, device, k, p),
            )
    for precision in ("fp32", "fp16", "q8"):
        yield f"mlx {precision}", lambda p=precision: _mlx(state, config, p)


def _eager(kind: type[Runner], llm: SpeechLlm, device: torch.device, precision: str) -> Runner:
    """The loop of torch, one operator after the other."""
    made = _torch(kind, f"eager {precision}", llm, device, precision)
    if kind is DeviceRunner:
        made.name, made.sampler = made.name + ", device sampler", "device"
    return made


def _batched(llm: SpeechLlm, device: torch.device, precision: str, lines: int) -> Runner:
    """That loop over several lines at once."""
    name = f"batched {precision}, {lines} lines"
    made = _torch(BatchedRunner, name, llm, device, precision)
    made.lines = lines
    return made


def _captured(
    state: State, config: LlmConfig, device: torch.device, kernels: str, precision: str
) -> Runner:
    """The step as a CUDA graph."""
    if device.type != "cuda":
        raise Absent("there is no NVIDIA GPU")
    from engine.narrators.cosyvoice3.llm_captured import CapturedSpeechLlm

    try:
        llm = CapturedSpeechLlm.load(state, config, device, DTYPES[precision], kernels=kernels)
    except ImportError:
        raise Absent("Triton is not installed") from None
    return _torch(Runner, f"captured {kernels} {precision}", llm, device, precision)


def _torch(
    kind: type[Runner], name: str, llm: SpeechLlm, device: torch.device, precision: str
) -> Runner:
    """A runner of torch."""
    parameters = llm._network.named_parameters()
    read = sum(p.nbytes for key, p in parameters if not key.startswith("speech_embedding"))
    element = DTYPES[precision].itemsize
    return kind(name, precision, device.type, llm, read, element, lambda: copied(device))


def _mlx(state: State, config: LlmConfig, precision: str) -> Runner:
    """The network of MLX; it runs on the thread that loads it."""
    if find_spec("mlx") is None:
        raise Absent("MLX is not installed")
    import mlx.core as mx

    from engine.narrators.cosyvoice3.llm_mlx import MlxSpeechLlm

    device = "gpu" if mx.is_available(mx.Device(mx.gpu)) else "cpu"
    try:
        llm = MlxSpeechLlm.load(state, config, device, precision)
    except Fatal as error:
        raise Absent(str(error).rstrip(".")) from error
    weights = llm._network.weights
    rows = ("speech_embedding", "embed_tokens")
    read = sum(it.nbytes for key, it in weights.items() if not key.startswith(rows))
    element = 2 if precision == "fp16" else 4
    where = mx.Device(mx.gpu if device == "gpu" else mx.cpu)

    def copy() -> float:
        with mx.stream(where):
            source = mx.zeros((2, COPIED["cpu"] // 8), mx.float32)
            mx.eval(source)
            spent = []
            for _ in range(COPIES):
                begun = time.perf_counter()
                mx.eval(mx.concatenate([source[1], source[0]]))
                spent.append(time.perf_counter() - begun)
            return 2 * source.nbytes / min(spent)  # the first asks the system for memory

    return Runner(f"mlx {precision}", precision, f"mlx {device}", llm, read, element, copy)


def copied(device: torch.device) -> float:
    """Bytes read and written by second, of a plain copy on a device."""
    size = COPIED[device.type]
    source = torch.zeros(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    target.copy_(source)
    devices.wait(device)
    begun = time.perf_counter()
    for _ in range(COPIES):
        target.copy_(source)
    devices.wait(device)
    return 2 * size * COPIES / (time.perf_counter() - begun)
