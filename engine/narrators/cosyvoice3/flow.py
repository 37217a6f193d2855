"""CosyVoice3's flow: speech tokens and a voice in, mel spectrogram out.

The diffusion transformer of dit.py predicts the velocity that carries noise to a mel spectrogram;
Euler steps follow it, each with and without the conditions (classifier-free guidance, both rows in
one batch). CosyVoice3: arXiv 2505.17589. Names are those of flow.pt. 25 tokens and 50 mel frames
make a second: 2 frames a token.

The start is not random: it is always the same noise, sliced from frame 0 (`noise.flow_noise`). So
the same tokens give the same mel, whatever was made before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.narrators.cosyvoice3.config import FlowConfig
from engine.narrators.cosyvoice3.dit import Estimator, Step
from engine.narrators.cosyvoice3.modules import filled, full_precision
from engine.narrators.cosyvoice3.noise import MAX_FRAMES, flow_noise
from engine.narrators.cosyvoice3.weights import precision_of
from engine.registry import Refusal

FRAMES_PER_SECOND = 50
MAX_STEPS = 1_000
"""More Euler steps than anybody can mean."""

_LOOKBACK_KERNEL = 3
_KEPT_STEPS = 4
"""Numbers of steps whose modulations are kept (5 MB each at full size)."""

Ids = Sequence[int]
OnStep = Callable[[int, int], None]
"""Told after each Euler step how many of how many are done; whatever it raises ends the work."""


class PreLookahead(nn.Module):
    """Lets each token hear the next three: two convolutions and a residual."""

    def __init__(self, config: FlowConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.lookahead = config.lookahead
        hidden = config.lookahead_channels
        self.conv1 = nn.Conv1d(config.mel, hidden, config.lookahead + 1)
        self.conv2 = nn.Conv1d(hidden, config.mel, _LOOKBACK_KERNEL)

    def forward(self, x: Tensor, context: Tensor | None) -> Tensor:
        """Tokens x (1, n, mel), and those after them (1, 3, mel) or None at the end → as x."""
        y = x.transpose(1, 2)  # (1, mel, n)
        if context is None:
            y = F.pad(y, (0, self.lookahead))
        else:
            y = torch.cat([y, context.transpose(1, 2)], dim=2)
        y = F.leaky_relu(self.conv1(y))  # (1, hidden, n)
        y = self.conv2(F.pad(y, (_LOOKBACK_KERNEL - 1, 0)))  # (1, mel, n)
        return y.transpose(1, 2) + x


class Decoder(nn.Module):
    """What the checkpoint calls the holder of the transformer."""

    def __init__(self, config: FlowConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.estimator = Estimator(config)


class FlowNet(nn.Module):
    """All of flow.pt."""

    def __init__(self, config: FlowConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.input_embedding = nn.Embedding(config.vocab, config.mel)
        self.spk_embed_affine_layer = nn.Linear(config.speaker, config.mel)
        self.pre_lookahead_layer = PreLookahead(config)
        self.decoder = Decoder(config)


def times(steps: int) -> tuple[Tensor, Tensor]:
    """The cosine schedule: the time of each step and its length, float32 (steps,) both.

    The time is the sum of the lengths so far, as float32 adds them up.
    """
    grid = 1 - torch.cos(torch.linspace(0, 1, steps + 1) * 0.5 * torch.pi)
    t, dt = grid[0], grid[1] - grid[0]
    ts, dts = [], []
    for k in range(1, steps + 1):
        ts.append(t)
        dts.append(dt)
        t = t + dt
        if k < steps:
            dt = grid[k + 1] - t
    return torch.stack(ts), torch.stack(dts)


class Flow:
    """The flow with its weights; one thread at a time."""

    def __init__(self, net: FlowNet, config: FlowConfig, device: torch.device) -> None:
        """Join what `load` made."""
        self._net = net
        self._config = config
        self._device = device
        self._steps: dict[int, tuple[Step, ...]] = {}

    @classmethod
    def load(cls, state: Mapping[str, Tensor], config: FlowConfig, device: torch.device) -> Flow:
        """Copy the tensors of flow.pt to the device; those that make modulations stay as they are.

        Args:
            state: From `load_state`. A file that is mapped stays so: its half a gigabyte that sees
                the time alone is read once and then charged to nobody.
            config: From `flow_config`, which checks the state.
            device: What it is to run on; always in float32.
        """
        device = torch.device(device)
        placed = {
            key: tensor.float() if _of_time(key) else tensor.float().to(device, copy=True)
            for key, tensor in state.items()
        }
        return cls(filled(lambda: FlowNet(config), placed), config, device)

    @property
    def precision(self) -> str:
        """What its weights are stored in; see `weights.precision_of`."""
        return precision_of(self._net)

    @property
    def device(self) -> str:
        """Where its weights lie, but for those that only see time: read off one of them."""
        return self._net.input_embedding.weight.device.type

    @torch.inference_mode()
    def mel(
        self,
        tokens: Ids,
        *,
        prompt_tokens: Ids,
        prompt_mel: Tensor,
        speaker: Tensor,
        steps: int = 10,
        on_step: OnStep | None = None,
        streaming: bool = False,
        finalize: bool = True,
    ) -> Tensor:
        """Make the log-mel spectrogram of speech tokens in a voice.

        Args:
            tokens: What is to be heard, n ids.
            prompt_tokens: Those of the reference, P ids; may be empty.
            prompt_mel: The reference's log-mel, (2 · P, mel); tensor or array.
            speaker: The reference's speaker vector, (192,) in any length; tensor or array.
            steps: Euler steps.
            on_step: Called after each of them; may raise to end the work.
            streaming: Frames look no further than the end of their chunk.
            finalize: Whether the tokens end here; if not, the last three are context only.

        Returns:
            Float32 (mel, 2 · n) on the device, six frames fewer if not final.

        Raises:
            Refusal: The input does not fit together, or is too long.
        """
        prompt_mel = torch.as_tensor(prompt_mel, dtype=torch.float32)
        speaker = torch.as_tensor(speaker, dtype=torch.float32).flatten()
        self._check(tokens, prompt_tokens, prompt_mel, speaker, steps, finalize)
        with full_precision(self._device):
            means = self.means([*prompt_tokens, *tokens], finalize)  # (T, mel)
            conditions = self._conditions(means, prompt_mel, self.voice(speaker))
            out = self._solve(conditions, self._schedule(steps), on_step, streaming)
        return out[len(prompt_mel) :].T.contiguous()

    def means(self, tokens: Ids, finalize: bool) -> Tensor:
        """What the tokens (n) say of each frame: (2 · n, mel), or 2 · (n - 3) if not final."""
        ids = torch.tensor(tokens, device=self._device)[None]
        embedded = self._net.input_embedding(ids)  # (1, n, mel)
        layer = self._net.pre_lookahead_layer
        if finalize:
            heard = layer(embedded, None)
        else:
            ahead = self._config.lookahead
            heard = layer(embedded[:, :-ahead], embedded[:, -ahead:])
        return heard[0].repeat_interleave(self._config.token_mel_ratio, dim=0)

    def voice(self, speaker: Tensor) -> Tensor:
        """Speaker vector (192,) → (mel,)."""
        unit = F.normalize(speaker.to(self._device), dim=0)
        return self._net.spk_embed_affine_layer(unit)

    def velocity(
        self, inputs: Tensor, step: Step, rotary: tuple[Tensor, Tensor], mask: Tensor | None
    ) -> Tensor:
        """Inputs (2, T, 4 · mel) → velocities with and without the conditions (2, T, mel)."""
        return self._net.decoder.estimator(inputs, step, rotary, mask)

    def _conditions(self, means: Tensor, prompt_mel: Tensor, voice: Tensor) -> Tensor:
        """The transformer's inputs (2, T, 4 · mel): x to be filled in; row 1 has no conditions."""
        mel = self._config.mel
        inputs = torch.zeros(2, len(means), 4 * mel, device=self._device)
        inputs[0, : len(prompt_mel), mel : 2 * mel] = prompt_mel.to(self._device)
        inputs[0, :, 2 * mel : 3 * mel] = means
        inputs[0, :, 3 * mel :] = voice
        return inputs

    def _solve(
        self,
        inputs: Tensor,
        schedule: Sequence[Step],
        on_step: OnStep | None,
        streaming: bool,
    ) -> Tensor:
        """Follow the velocities from the noise: (T, mel)."""
        length, mel, rate = inputs.shape[1], self._config.mel, self._config.cfg_rate
        x = flow_noise()[0, :, :length].T.to(self._device).contiguous()  # (T, mel)
        rotary = self._net.decoder.estimator.rotary_embed(length)
        mask = self._chunks(length) if streaming else None
        for done, step in enumerate(schedule, 1):
            inputs[:, :, :mel] = x
            with_them, without = self.velocity(inputs, step, rotary, mask)
            x = x + step.dt * ((1 + rate) * with_them - rate * without)
            if on_step is not None:
                on_step(done, len(schedule))
        return x

    def _chunks(self, length: int) -> Tensor:
        """Which frames a frame may look at when streaming, (T, T): to the end of its chunk."""
        frame = torch.arange(length, device=self._device)
        end = (frame // self._config.chunk + 1) * self._config.chunk
        return frame[None, :] < end[:, None]

    def _schedule(self, steps: int) -> tuple[Step, ...]:
        """The steps with their modulations, made the first time that this many are asked for."""
        known = self._steps.get(steps)
        if known is not None:
            return known
        t, dt = times(steps)
        blocks, last = self._net.decoder.estimator.modulations(t)
        blocks, last = [by.to(self._device) for by in blocks], last.to(self._device)
        made = tuple(
            Step(float(t[k]), float(dt[k]), tuple(by[k] for by in blocks), last[k])
            for k in range(steps)
        )
        if len(self._steps) >= _KEPT_STEPS:
            self._steps.clear()
        self._steps[steps] = made
        return made

    def _check(
        self,
        tokens: Ids,
        prompt_tokens: Ids,
        prompt_mel: Tensor,
        speaker: Tensor,
        steps: int,
        finalize: bool,
    ) -> None:
        """Refuse what cannot be done."""
        vocab, mel, ratio = self._config.vocab, self._config.mel, self._config.token_mel_ratio
        if not 1 <= steps <= MAX_STEPS:
            raise Refusal(f"The flow can take 1 to {MAX_STEPS} steps, not {steps}.")
        if len(tokens) <= (0 if finalize else self._config.lookahead):
            raise Refusal("There are no speech tokens to be voiced.")
        for token in (*prompt_tokens, *tokens):
            if not 0 <= token < vocab:
                raise Refusal(
                    f"Speech token {token} is none of this model’s, which are 0 to {vocab - 1}."
                )
        if tuple(prompt_mel.shape) != (ratio * len(prompt_tokens), mel):
            raise Refusal(
                f"The reference has {len(prompt_tokens)} speech tokens and a mel spectrogram of "
                f"{' × '.join(map(str, prompt_mel.shape))}; "
                f"{ratio * len(prompt_tokens)} × {mel} belongs to it."
            )
        if len(speaker) != self._config.speaker:
            raise Refusal(
                f"The speaker vector has {len(speaker)} numbers; "
                f"this model’s has {self._config.speaker}."
            )
        frames = ratio * (len(prompt_tokens) + len(tokens))
        if frames > MAX_FRAMES:
            raise Refusal(
                f"The clip and its reference would be {frames / FRAMES_PER_SECOND:.0f} s long "
                f"together; CosyVoice3 goes to {MAX_FRAMES // FRAMES_PER_SECOND} s. "
                "Split the text."
            )


def _of_time(key: str) -> bool:
    """Whether a tensor is of the layers that see the step's time alone."""
    return any(part in key for part in (".time_embed.", ".attn_norm.", ".norm_out."))
