"""Checkpoints: what they tell of themselves, and what is said of those that cannot be used."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import golden
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from engine.narrators.cosyvoice3.config import (
    BadModel,
    FlowConfig,
    LlmConfig,
    State,
    VocoderConfig,
    flow_config,
    llm_config,
    load_state,
    vocoder_config,
)
from engine.narrators.cosyvoice3.shapes import flow_shapes, llm_shapes, vocoder_shapes
from engine.narrators.cosyvoice3.weights import (
    PARTS,
    precision_of,
    sanitize_llm,
    sanitize_vocoder,
)

FILES = {"llm": "llm.pt", "flow": "flow.pt", "vocoder": "hift.pt"}


def _tiny(part: str) -> Path:
    """A checkpoint of ours."""
    stem = FILES[part].removesuffix(".pt")
    return golden.folder() / golden.own(f"{stem}_tiny.safetensors")


@pytest.fixture
def qwen(tmp_path: Path) -> Path:
    """The LLM's config.json."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(golden.config(golden.own("llm_tiny.safetensors"))["qwen2_config"]))
    return path


def _config(part: str, state: State, qwen: Path) -> Any:
    """Read a part's configuration off its tensors, checking all of them."""
    if part == "llm":
        return llm_config(state, qwen)
    return flow_config(state) if part == "flow" else vocoder_config(state)


def _whole(path: Path) -> str:
    """A message, whatever the file: one sentence, with the name of the file."""
    with pytest.raises(BadModel) as refused:
        load_state(path, "llm")
    text = str(refused.value)
    assert path.name in text
    assert text.endswith(".")
    assert "\n" not in text
    assert len(text) < 300
    return text


def test_the_llm_tells_its_shapes(qwen: Path) -> None:
    for name in map(golden.weights, golden.names("llm")):
        told = golden.config(name)
        want = told["qwen2_config"]
        qwen.write_text(json.dumps(want))
        config = llm_config(load_state(golden.folder() / name, "llm"), qwen)
        assert config.hidden == want["hidden_size"]
        assert config.layers == want["num_hidden_layers"]
        assert (config.heads, config.kv_heads) == (
            want["num_attention_heads"],
            want["num_key_value_heads"],
        )
        assert config.head_dim == want.get("head_dim", config.hidden // config.heads)
        assert config.intermediate == want["intermediate_size"]
        assert config.vocab == want["vocab_size"]
        assert (config.rope_theta, config.rms_eps) == (want["rope_theta"], want["rms_norm_eps"])
        n = told["speech_token_size"]
        assert config.speech_tokens == n
        assert (config.sos, config.eos, config.task, config.fill) == (n, n + 1, n + 2, n + 3)
        assert config.stop == range(n, n + 200)


def test_the_flow_tells_its_shapes() -> None:
    for name in map(golden.weights, golden.names("flow")):
        told = golden.config(name)
        config = flow_config(load_state(golden.folder() / name, "flow"), chunk=9)
        assert (config.vocab, config.mel) == (told["vocab_size"], told["output_size"])
        assert config.speaker == told["spk_embed_dim"]
        assert config.lookahead == told["pre_lookahead_len"]
        assert config.lookahead_channels == told["pre_lookahead_channels"]
        dit = told["dit"]
        for ours, theirs in (("dim",) * 2, ("depth",) * 2, ("heads",) * 2, ("dim_head",) * 2):
            assert getattr(config, ours) == dit[theirs]
        assert config.ff == dit["ff_mult"] * dit["dim"]
        assert config.cfg_rate == told["cfm"]["inference_cfg_rate"]
        assert config.token_mel_ratio == told["token_mel_ratio"]
        assert (config.conv_groups, config.conv_kernel, config.chunk) == (16, 31, 9)


def test_the_vocoder_tells_its_shapes() -> None:
    for name in map(golden.weights, golden.names("hift")):
        told = golden.config(name)
        config = vocoder_config(load_state(golden.folder() / name, "vocoder"))
        assert (config.mel, config.channels) == (told["in_channels"], told["base_channels"])
        assert config.harmonics == told["nb_harmonics"]
        assert config.rate == told["sampling_rate"]
        assert list(config.upsample_rates) == told["upsample_rates"]
        assert list(config.upsample_kernels) == told["upsample_kernel_sizes"]
        assert config.source_strides == (15, 3, 1)
        assert list(config.resblock_kernels) == told["resblock_kernel_sizes"]
        assert list(config.source_kernels) == told["source_resblock_kernel_sizes"]
        assert [list(config.dilations)] * 3 == told["resblock_dilation_sizes"]
        assert (config.n_fft, config.hop) == tuple(told["istft_params"].values())
        assert config.look_right == told["conv_pre_look_right"]
        assert (config.source_alpha, config.source_sigma) == (
            told["nsf_alpha"],
            told["nsf_sigma"],
        )
        assert config.voiced_threshold == told["nsf_voiced_threshold"]
        assert (config.slope, config.limit) == (told["lrelu_slope"], told["audio_limit"])
        f0 = golden.entry(name)["f0_config"]
        assert config.f0_channels == f0["cond_channels"]
        assert config.f0_layers == (0, 2, 4, 6, 8)
        assert config.f0_look_right == 3
        assert config.samples_per_frame == 480


@pytest.mark.parametrize("part", FILES)
def test_a_torch_file_is_read_as_the_same_tensors(part: str, tmp_path: Path, qwen: Path) -> None:
    """Current and older format, with what training leaves behind."""
    state = load_file(_tiny(part))
    want = load_state(_tiny(part), part)
    for number, zipped in enumerate((True, False)):
        path = tmp_path / f"{number}.pt"
        content = state | {"epoch": 3, "step": 12}
        torch.save(content, path, _use_new_zipfile_serialization=zipped)
        got = load_state(path, part)
        assert got.keys() == want.keys()
        assert all(torch.equal(got[key], want[key]) for key in want)
        _config(part, got, qwen)


@pytest.mark.parametrize("part", FILES)
def test_every_key_is_needed_and_no_other_is_taken(part: str, qwen: Path) -> None:
    state = load_state(_tiny(part), part)
    for key in state:
        less = {other: tensor for other, tensor in state.items() if other != key}
        with pytest.raises(BadModel) as refused:
            _config(part, less, qwen)
        assert FILES[part] in str(refused.value)
    landmark = PARTS[part].landmark
    for key in (f"{landmark}.more", "module.conv.weight"):
        with pytest.raises(BadModel, match=f"“{FILES[part]}” holds “{key}”"):
            _config(part, state | {key: torch.zeros(2)}, qwen)


@pytest.mark.parametrize("part", FILES)
def test_every_shape_is_held_to(part: str, qwen: Path) -> None:
    """One row too many is said of some key of the file; but for a vocabulary, which may be any."""
    state = load_state(_tiny(part), part)
    free = ("llm.model.model.embed_tokens.weight", "input_embedding.weight")
    for key, tensor in state.items():
        longer = torch.cat((tensor, tensor[:1]))
        if key in free:
            assert _config(part, state | {key: longer}, qwen).vocab == len(longer)
            continue
        with pytest.raises(BadModel, match=f"{FILES[part]}”"):
            _config(part, state | {key: longer}, qwen)
        with pytest.raises(BadModel, match=f"{FILES[part]}”"):
            _config(part, state | {key: tensor[None]}, qwen)


def test_a_missing_key_and_a_wrong_shape_are_named(qwen: Path) -> None:
    state = load_state(_tiny("llm"), "llm")
    key = "llm.model.model.layers.0.mlp.up_proj.weight"
    wide, hidden = state[key].shape
    less = {other: tensor for other, tensor in state.items() if other != key}
    with pytest.raises(BadModel, match=f"“llm.pt” lacks “{key}”"):
        llm_config(less, qwen)
    with pytest.raises(BadModel, match=rf"has “{key}” with .* \[2, 64\].*\[{wide}, {hidden}\]"):
        llm_config(state | {key: torch.zeros(2, 64)}, qwen)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "generator."),
        ("parametrizations.weight.original0", "weight_g"),
        ("parametrizations.weight.original1", "weight_v"),
    ],
)
@pytest.mark.parametrize("last", [True, False])
def test_a_tensor_in_two_spellings_is_told(old: str, new: str, last: bool) -> None:
    """Which of them counts would depend on the order of the file."""
    state = load_file(_tiny("vocoder"))
    key = next(key for key in state if old in key)
    other = key.replace(old, new, 1)
    twice = {other: torch.zeros_like(state[key])}
    with pytest.raises(BadModel, match="twice"):
        sanitize_vocoder(state | twice if last else twice | state)


def test_the_text_head_is_dropped_and_nothing_else() -> None:
    state = load_file(_tiny("llm"))
    kept = sanitize_llm(state)
    assert set(state) - set(kept) == {"llm.model.lm_head.weight"}
    assert all(kept[key] is state[key] for key in kept)


def test_the_vocoders_spellings_become_one(qwen: Path) -> None:
    state = load_file(_tiny("vocoder"))
    assert sanitize_vocoder(state) == state
    old = {
        "generator."
        + key.replace("parametrizations.weight.original0", "weight_g").replace(
            "parametrizations.weight.original1", "weight_v"
        ): tensor
        for key, tensor in state.items()
    }
    assert not set(old) & set(state)
    trained = old | {"discriminator.mpd.0.convs.0.weight_g": torch.zeros(3)}
    got = sanitize_vocoder(trained)
    assert got.keys() == state.keys()
    assert all(got[key] is state[key] for key in state)
    # Without the generator's prefix a discriminator is not expected, and is not passed over.
    with pytest.raises(BadModel, match="discriminator"):
        vocoder_config(sanitize_vocoder(state | {"discriminator.x": torch.zeros(3)}))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "is not in the model folder" in _whole(tmp_path / "llm.pt")
    (tmp_path / "folder.pt").mkdir()
    assert "cannot be read" in _whole(tmp_path / "folder.pt")


@pytest.fixture
def llm_pt(tmp_path: Path) -> Path:
    """The tiny LLM as the official layout has it."""
    path = tmp_path / "llm.pt"
    torch.save(load_file(_tiny("llm")), path)
    return path


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.9999])
def test_a_file_that_was_cut_short_is_told(llm_pt: Path, share: float) -> None:
    whole = llm_pt.read_bytes()
    llm_pt.write_bytes(whole[: int(len(whole) * share)])
    assert "cut short" in _whole(llm_pt) or share < 0.001
    assert "engines pull cosyvoice3" in _whole(llm_pt)


def test_a_safetensors_file_that_was_cut_short_is_told(tmp_path: Path) -> None:
    path = tmp_path / "llm.safetensors"
    whole = _tiny("llm").read_bytes()
    for share in (0.0, 0.0001, 0.5, 0.999):
        path.write_bytes(whole[: int(len(whole) * share)])
        assert "cut short or damaged" in _whole(path)


class Trap:
    """Unpickled carelessly, it would write a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (f"touch '{self.mark}'",)


@pytest.mark.parametrize("how", ["archive", "older", "plain pickle"])
def test_a_file_that_would_run_a_program_is_not_opened(tmp_path: Path, how: str) -> None:
    path, mark = tmp_path / "llm.pt", tmp_path / "ran"
    content = {"llm_decoder.weight": torch.zeros(3, 3), "more": Trap(mark)}
    if how == "plain pickle":
        path.write_bytes(pickle.dumps({"more": Trap(mark)}, protocol=2))
    else:
        torch.save(content, path, _use_new_zipfile_serialization=how == "archive")
    text = _whole(path)
    assert "could run a program" in text
    assert "system" in text
    assert not mark.exists()


def test_a_pickle_of_another_kind_is_not_opened(tmp_path: Path) -> None:
    path, mark = tmp_path / "llm.pt", tmp_path / "ran"
    for protocol in (0, 1, 3, 4, 5):
        path.write_bytes(pickle.dumps({"more": Trap(mark)}, protocol=protocol))
        assert "could run a program" in _whole(path) or "safe to open" in _whole(path)
        assert not mark.exists()


def test_a_file_of_another_part_is_called_what_it_is(tmp_path: Path) -> None:
    for part in ("flow", "vocoder"):
        path = tmp_path / "llm.pt"
        torch.save(load_file(_tiny(part)), path)
        assert f"holds {PARTS[part].name}, where {PARTS['llm'].name}" in _whole(path)
    save_file({"llm_embedding.weight": torch.zeros(2, 2)}, tmp_path / "llm.safetensors")
    assert "CosyVoice2" in _whole(tmp_path / "llm.safetensors")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({}, "holds nothing"),
        ({"conv.weight": torch.zeros(2)}, "holds a model with “conv.weight”"),
        ({"llm_decoder.weight": torch.zeros(2).int()}, "something other than weights under"),
        ({"llm_decoder.weight": [1.0]}, "something other than weights under"),
        ({"llm_decoder.weight": torch.eye(2).to_sparse()}, "something other than weights under"),
        ({"llm_decoder.weight": torch.zeros(2, device="meta")}, "something other than weights"),
        ({"llm_decoder.weight": torch.zeros(2).to(torch.float8_e5m2)}, "something other than"),
        *(
            ({"llm_decoder.weight": torch.tensor([0, bad], dtype=kind)}, "are not numbers in “llm_")
            for bad in (float("nan"), float("inf"))
            for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64)
        ),
        ({3: torch.zeros(2)}, "not a table of named tensors"),
        ([torch.zeros(2)], "not a table of named tensors"),
        (torch.zeros(2), "not a table of named tensors"),
    ],
)
def test_a_file_that_holds_something_else_is_told(tmp_path: Path, content: Any, told: str) -> None:
    path = tmp_path / "llm.pt"
    torch.save(content, path)
    assert told in _whole(path)


def test_a_pointer_of_git_lfs_is_told(tmp_path: Path) -> None:
    path = tmp_path / "llm.pt"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 2024\n")
    assert "only a pointer" in _whole(path)


@given(st.binary(max_size=200), st.sampled_from([".pt", ".safetensors"]))
def test_any_other_bytes_are_told(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str
) -> None:
    path = tmp_path_factory.mktemp("any") / f"llm{suffix}"
    path.write_bytes(content)
    _whole(path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"model_type": "llama"}, "not the configuration of a Qwen2"),
        ({"rope_scaling": {"type": "yarn"}}, "does not know"),
        ({"use_sliding_window": True}, "does not know"),
        ({"hidden_act": "gelu"}, "does not know"),
        ({"rms_norm_eps": None}, "lacks a number for “rms_norm_eps”"),
        ({"num_attention_heads": 4.0}, "lacks a number for “num_attention_heads”"),
        ({"num_attention_heads": True}, "lacks a number for “num_attention_heads”"),
        ({"rms_norm_eps": float("nan")}, "lacks a number for “rms_norm_eps”"),
        ({"rope_theta": float("inf")}, "lacks a number for “rope_theta”"),
        ({"num_hidden_layers": 10**30}, "lacks a number for “num_hidden_layers”"),
        ({"rope_parameters": [1]}, "“rope_parameters” that are no table"),
    ],
)
def test_a_configuration_of_another_model_is_told(
    qwen: Path, change: dict[str, Any], told: str
) -> None:
    qwen.write_text(json.dumps(json.loads(qwen.read_text()) | change))
    with pytest.raises(BadModel, match=told) as refused:
        llm_config(load_state(_tiny("llm"), "llm"), qwen)
    assert "config.json" in str(refused.value)


@pytest.mark.parametrize(
    ("key", "at_fault"),
    [
        # Twice the heads are heads of half the width, and then there are twice the others, too.
        ("num_attention_heads", "num_key_value_heads"),
        ("num_key_value_heads", "num_key_value_heads"),
        ("num_hidden_layers", "num_hidden_layers"),
        ("hidden_size", "hidden_size"),
    ],
)
def test_a_configuration_of_another_size_is_told(qwen: Path, key: str, at_fault: str) -> None:
    right = json.loads(qwen.read_text())
    wrong = right | {key: 2 * right[key]}
    qwen.write_text(json.dumps(wrong))
    made = right[at_fault] * (2 if key == "num_attention_heads" else 1)
    with pytest.raises(BadModel, match=f"{at_fault} = {wrong[at_fault]}, .* made with {made}:"):
        llm_config(load_state(_tiny("llm"), "llm"), qwen)


def test_a_configuration_that_cannot_be_read_is_told(qwen: Path) -> None:
    state = load_state(_tiny("llm"), "llm")
    for text in ("", "{", "[]", '"qwen2"'):
        qwen.write_text(text)
        with pytest.raises(BadModel, match=r"config\.json"):
            llm_config(state, qwen)
    qwen.unlink()
    with pytest.raises(BadModel, match=r"“config\.json” is not in the model folder"):
        llm_config(state, qwen)


def test_the_newer_spelling_of_ropes_base_is_read(qwen: Path) -> None:
    told = json.loads(qwen.read_text())
    theta = told.pop("rope_theta")
    told["rope_parameters"] = {"rope_theta": theta, "rope_type": "default"}
    qwen.write_text(json.dumps(told))
    assert llm_config(load_state(_tiny("llm"), "llm"), qwen).rope_theta == theta
    told["rope_parameters"]["rope_type"] = "yarn"
    qwen.write_text(json.dumps(told))
    with pytest.raises(BadModel, match="does not know"):
        llm_config(load_state(_tiny("llm"), "llm"), qwen)


def test_precision_is_told_from_the_tensors() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    assert precision_of(module) == "fp32"
    module[0].half()
    assert precision_of(module) == "fp16+fp32"
    module.bfloat16()
    assert precision_of(module) == "bf16"
    module.double()
    assert precision_of(module) == "fp64"


def test_the_official_shapes_have_the_official_numbers_of_keys_and_values() -> None:
    """Counted in the reference at full size; the text head makes the LLM's 293."""
    llm = LlmConfig(896, 24, 14, 2, 64, 4864, 151936, 1e6, 1e-6, 6561)
    flow = FlowConfig(6561, 80, 192, 3, 1024, 1024, 22, 16, 64, 2048, 256, 16, 31)
    vocoder = VocoderConfig(
        mel=80,
        channels=512,
        upsample_rates=(8, 5, 3),
        upsample_kernels=(16, 11, 7),
        source_strides=(15, 3, 1),
        resblock_kernels=(3, 7, 11),
        source_kernels=(7, 7, 11),
        n_fft=16,
        hop=4,
        look_right=4,
        harmonics=8,
        f0_channels=512,
        f0_layers=(0, 2, 4, 6, 8),
        f0_look_right=3,
    )
    for shapes, keys, millions in (
        (llm_shapes(llm), 292, 506.15),
        (flow_shapes(flow), 330, 332.26),
        (vocoder_shapes(vocoder), 328, 20.78),
    ):
        assert len(shapes) == keys
        assert round(sum(prod(shape) for shape in shapes.values()) / 1e6, 2) == millions
    assert (llm.sos, llm.eos, llm.task, llm.stop) == (6561, 6562, 6563, range(6561, 6761))
