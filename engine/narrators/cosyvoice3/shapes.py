"""Every tensor that each of the three networks has, by key: what strict loading is held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.narrators.cosyvoice3.weights import Shape

if TYPE_CHECKING:
    from engine.narrators.cosyvoice3.config import FlowConfig, LlmConfig, VocoderConfig

SPECIALS = 200
"""Rows of the speech vocabulary after the speech tokens: sos, eos, task, fill, and spare ones."""


def llm_shapes(c: LlmConfig) -> dict[str, Shape]:
    """Every tensor of the LLM."""
    q, kv = c.heads * c.head_dim, c.kv_heads * c.head_dim
    rows = c.speech_tokens + SPECIALS
    shapes: dict[str, Shape] = {
        "llm_decoder.weight": (rows, c.hidden),
        "speech_embedding.weight": (rows, c.hidden),
        "llm.model.model.embed_tokens.weight": (c.vocab, c.hidden),
        "llm.model.model.norm.weight": (c.hidden,),
    }
    for layer in range(c.layers):
        at = f"llm.model.model.layers.{layer}."
        for name, width in (("q", q), ("k", kv), ("v", kv)):
            shapes[f"{at}self_attn.{name}_proj.weight"] = (width, c.hidden)
            shapes[f"{at}self_attn.{name}_proj.bias"] = (width,)
        shapes[at + "self_attn.o_proj.weight"] = (c.hidden, q)
        shapes[at + "mlp.gate_proj.weight"] = (c.intermediate, c.hidden)
        shapes[at + "mlp.up_proj.weight"] = (c.intermediate, c.hidden)
        shapes[at + "mlp.down_proj.weight"] = (c.hidden, c.intermediate)
        shapes[at + "input_layernorm.weight"] = (c.hidden,)
        shapes[at + "post_attention_layernorm.weight"] = (c.hidden,)
    return shapes


def flow_shapes(c: FlowConfig) -> dict[str, Shape]:
    """Every tensor of the flow decoder."""
    inner = c.heads * c.dim_head

    def with_bias(key: str, *shape: int) -> dict[str, Shape]:
        return {f"{key}.weight": shape, f"{key}.bias": shape[:1]}

    at = "decoder.estimator."
    shapes: dict[str, Shape] = {
        "input_embedding.weight": (c.vocab, c.mel),
        at + "rotary_embed.inv_freq": (c.dim_head // 2,),
        **with_bias("spk_embed_affine_layer", c.mel, c.speaker),
        **with_bias("pre_lookahead_layer.conv1", c.lookahead_channels, c.mel, c.lookahead + 1),
        **with_bias("pre_lookahead_layer.conv2", c.mel, c.lookahead_channels, 3),
        **with_bias(at + "time_embed.time_mlp.0", c.dim, c.time_frequencies),
        **with_bias(at + "time_embed.time_mlp.2", c.dim, c.dim),
        **with_bias(at + "input_embed.proj", c.dim, 4 * c.mel),
        **with_bias(at + "norm_out.linear", 2 * c.dim, c.dim),
        **with_bias(at + "proj_out", c.mel, c.dim),
    }
    for conv in ("conv1", "conv2"):
        key = f"{at}input_embed.conv_pos_embed.{conv}.0"
        shapes |= with_bias(key, c.dim, c.dim // c.conv_groups, c.conv_kernel)
    for block in range(c.depth):
        here = f"{at}transformer_blocks.{block}."
        shapes |= with_bias(here + "attn_norm.linear", 6 * c.dim, c.dim)
        for name in ("to_q", "to_k", "to_v"):
            shapes |= with_bias(f"{here}attn.{name}", inner, c.dim)
        shapes |= with_bias(here + "attn.to_out.0", c.dim, inner)
        shapes |= with_bias(here + "ff.ff.0.0", c.ff, c.dim)
        shapes |= with_bias(here + "ff.ff.2", c.dim, c.ff)
    return shapes


def vocoder_shapes(c: VocoderConfig) -> dict[str, Shape]:
    """Every tensor of the vocoder."""

    def normed(key: str, *shape: int) -> dict[str, Shape]:
        norm = f"{key}.parametrizations.weight."
        return {
            f"{key}.bias": shape[:1],
            norm + "original0": (shape[0], 1, 1),
            norm + "original1": shape,
        }

    def resblock(key: str, width: int, kernel: int) -> dict[str, Shape]:
        shapes: dict[str, Shape] = {}
        for half in ("1", "2"):
            for step in range(len(c.dilations)):
                shapes |= normed(f"{key}.convs{half}.{step}", width, width, kernel)
                shapes[f"{key}.activations{half}.{step}.alpha"] = (width,)
        return shapes

    bins = c.n_fft + 2
    shapes: dict[str, Shape] = {
        "m_source.l_linear.weight": (1, c.harmonics + 1),
        "m_source.l_linear.bias": (1,),
        "f0_predictor.classifier.weight": (1, c.f0_channels),
        "f0_predictor.classifier.bias": (1,),
        **normed("conv_pre", c.channels, c.mel, c.look_right + 1),
    }
    for layer in c.f0_layers:
        above, kernel = (c.mel, c.f0_look_right + 1) if layer == 0 else (c.f0_channels, 3)
        shapes |= normed(f"f0_predictor.condnet.{layer}", c.f0_channels, above, kernel)
    width = c.channels
    for stage, kernel in enumerate(c.upsample_kernels):
        shapes |= normed(f"ups.{stage}", width // 2, width, kernel)
        width //= 2
        stride = c.source_strides[stage]
        shapes[f"source_downs.{stage}.weight"] = (width, bins, 2 * stride if stride > 1 else 1)
        shapes[f"source_downs.{stage}.bias"] = (width,)
        shapes |= resblock(f"source_resblocks.{stage}", width, c.source_kernels[stage])
        for block, block_kernel in enumerate(c.resblock_kernels):
            number = stage * len(c.resblock_kernels) + block
            shapes |= resblock(f"resblocks.{number}", width, block_kernel)
    return shapes | normed("conv_post", bins, width, 7)
