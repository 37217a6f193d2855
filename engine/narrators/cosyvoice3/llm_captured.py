"""The speech language model with its step recorded once and replayed, for NVIDIA GPUs.

A step of `llm_torch` is some six hundred small operations, and asking the GPU for them takes ten
times as long as doing them. Here a step has fixed shapes (`static_step`), so the whole of it, with
the token's way to the device and the logits' way back, is captured in a CUDA graph and started by
one call. The prefix goes through the network of `llm_torch` as it is.

The cache has a length out of a few, the buckets. A sequence is in the smallest that holds it and
moves on when it has filled it; the storage grows and keeps what it holds. Which bucket it is
depends on the position alone, so a take does not depend on what was made before it.

Two kinds of step can be captured: torch's operators, or the kernels of `llm_triton`, which need
Triton and a C compiler. They add up in another order than the eager path and than each other: in
float32 the tokens are the same as far as has been tried, in float16 a take is another one. So
`backend` names the step that runs, and with it recipes differ.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.narrators.cosyvoice3.config import LlmConfig
from engine.narrators.cosyvoice3.llm_torch import Cache, Network, SpeechLlm
from engine.narrators.cosyvoice3.sampler import Floats
from engine.narrators.cosyvoice3.static_step import PlainStep, Step, Weights, join
from engine.narrators.cosyvoice3.weights import State

BUCKETS = (512, 1024, 2048, 4096, 8192)
"""Lengths of the cache that a step is captured for; beyond them, multiples of the last."""
KERNELS = ("auto", "torch", "triton")


def bucket_of(positions: int) -> int:
    """The smallest bucket that holds so many positions."""
    for bucket in BUCKETS:
        if positions <= bucket:
            return bucket
    return -(-positions // BUCKETS[-1]) * BUCKETS[-1]


class CapturedSpeechLlm(SpeechLlm):
    """The language model with a step of fixed shapes; a `decoding.Backend`."""

    _step: Step
    _captured: bool

    @classmethod
    def load(
        cls,
        state: State,
        config: LlmConfig,
        device: str | torch.device = "cuda",
        dtype: torch.dtype = torch.float32,
        *,
        kernels: str = "auto",
        captured: bool = True,
    ) -> CapturedSpeechLlm:
        """Give a network its weights; see `SpeechLlm.load`.

        Args:
            state: From `weights.load_state`.
            config: From `config.llm_config`.
            device: Where the body runs; a CUDA device where steps are captured.
            dtype: What the weights are cast to.
            kernels: Whose the step's kernels are: ``torch``, ``triton``, or ``auto``, which is
                Triton where it works. `backend` says which.
            captured: Whether steps are captured and replayed; if not, they run one operation after
                the other, on any device, which is for tests.

        Raises:
            ImportError: There is no Triton, and ``triton`` was asked for.
        """
        llm = super().load(state, config, device, dtype)
        assert isinstance(llm, cls)
        llm._captured = captured
        llm._step = _step(llm._network, config, kernels)
        return llm

    def __init__(self, config: LlmConfig, network: Network, embed_tokens: Tensor) -> None:
        """Join what `load` made, and make room for what goes to the device and comes back."""
        super().__init__(config, network, embed_tokens)
        like = network.llm_decoder.weight
        pinned = like.is_cuda
        self._at = torch.zeros(2, dtype=torch.int64, device=like.device)
        self._asked = torch.zeros(2, dtype=torch.int64, pin_memory=pinned)
        self._heard = torch.empty(len(like), pin_memory=pinned)
        self._asked_here, self._heard_here = self._asked.numpy(), self._heard.numpy()
        self._done = torch.cuda.Event() if like.is_cuda else None
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}
        self._end = 0

    @property
    def backend(self) -> str:
        """``torch cuda-graph`` or ``torch cuda-graph+triton``; ``static`` where not captured."""
        names = ("cuda-graph" if self._captured else "static", self._step.name)
        return "torch " + "+".join(name for name in names if name)

    @property
    def built_with(self) -> dict[str, str]:
        """The version of Triton, where its kernels run."""
        return self._step.built_with

    @property
    def room(self) -> int:
        """Steps that the sequence may still take."""
        return self._end - self._cache.filled if self._cache else 0

    def _roomy(self, prefix: int, room: int, like: Tensor) -> Cache:
        """The storage with room for the prefix and a step; it grows when a sequence needs more."""
        self._end = bucket_of(prefix + room)
        if self._cache is not None:
            self._cache.filled = 0  # nothing of the sequence before is moved
        return self._grown(bucket_of(prefix + 1), like)

    def _grown(self, bucket: int, like: Tensor) -> Cache:
        """The storage with room for a bucket, and with what it held."""
        old = self._cache
        if old is not None and old.room >= bucket:
            return old
        self._graphs.clear()  # they write into the old one
        self._cache = new = Cache(self._config, bucket, like)
        if old is not None:
            new.held[..., : old.filled, :] = old.held[..., : old.filled, :]
            new.filled = old.filled
        return new

    @torch.inference_mode()
    def step(self, token: int) -> Floats:
        """Add one speech token; see `decoding.Backend.step`.

        Raises:
            RuntimeError: There is no sequence, or no room left in it.
        """
        if self._cache is None or self.room <= 0:
            raise RuntimeError("There is no sequence to go on with, or no room left in it.")
        bucket = bucket_of(self._cache.filled + 1)
        cache = self._grown(bucket, self._network.llm_decoder.weight)
        self._asked_here[0], self._asked_here[1] = token, cache.filled
        if self._captured:
            graph = self._graphs.get(bucket) or self._capture(cache, bucket)
            graph.replay()
        else:
            self._go(cache, bucket)
        if self._done is not None:
            self._done.record()
            self._done.synchronize()
        cache.filled += 1
        return self._heard_here.copy()

    def _go(self, cache: Cache, bucket: int) -> None:
        """Token and position to the device, a step, the logits back; nothing is waited for."""
        self._at.copy_(self._asked, non_blocking=True)
        self._heard.copy_(self._step(self._at, cache, bucket), non_blocking=True)

    def _capture(self, cache: Cache, bucket: int) -> torch.cuda.CUDAGraph:
        """Record the step, after it has run once: kernels are compiled and loaded by that.

        That run writes what the replay will write again. Work of other threads on streams of their
        own goes on meanwhile, and is not recorded.
        """
        device = self._at.device
        here, aside = torch.cuda.current_stream(device), torch.cuda.Stream(device)
        aside.wait_stream(here)
        with torch.cuda.stream(aside):
            self._go(cache, bucket)
        aside.synchronize()
        graph = torch.cuda.CUDAGraph()
        pool = next(iter(self._graphs.values())).pool() if self._graphs else None
        with torch.cuda.graph(graph, pool=pool, stream=aside, capture_error_mode="thread_local"):
            self._go(cache, bucket)
        self._graphs[bucket] = graph
        return graph


def _step(network: Network, config: LlmConfig, kernels: str) -> Step:
    """The step that is asked for, over the network's weights."""
    weights = join(network)
    if kernels == "triton":
        return _triton(weights, config)
    if kernels == "auto" and weights.head.is_cuda:
        try:
            step = _triton(weights, config)
            # A whole step, so that every kernel is built; it takes a C compiler, and may need more
            # of a GPU than an old one has. Whatever it is, `backend` tells that it stayed away.
            at = torch.zeros(2, dtype=torch.int64, device=weights.head.device)
            with torch.inference_mode():
                step(at, Cache(config, BUCKETS[0], weights.head), BUCKETS[0])
            return step
        except Exception:
            return PlainStep(weights, config)
    return PlainStep(weights, config)


def _triton(weights: Weights, config: LlmConfig) -> Step:
    """The step in Triton's kernels, which is imported only here: it is not everywhere."""
    from engine.narrators.cosyvoice3.llm_triton import TritonStep

    return TritonStep(weights, config)
