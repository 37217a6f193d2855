"""The benchmark at full size, tried on networks that take no time."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "perf"))

import cosyvoice_full_size as bench
from cosyvoice_full_size import kind_of

from engine.narrators.cosyvoice3 import shapes

SHORT = ["--tiny", "--seconds", "0.4", "--reference", "0.2", "--runs", "1", "--warm-up", "0"]


@pytest.mark.parametrize("more", [["--json"], ["--profile", "--steps", "2"]])
def test_it_tells_every_stage(
    more: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["cosyvoice_full_size.py", *SHORT, *more])
    bench.main()
    said = capsys.readouterr().out
    stages = ["LLM prefill", "LLM decode", "flow", "vocoder"]
    if "--json" in more:
        report = json.loads(said)
        assert list(report["stages_s"]) == stages
        assert report["clip_s"] == 0.4
        assert report["rtf"] == pytest.approx(sum(report["stages_s"].values()) / 0.4)
        assert report["footprint_bytes"] > 2**20
    else:
        assert [stage for stage in stages if f"\n{stage} " in said] == stages
        assert "with 2 steps" in said
        assert "  attention " in said


def test_the_real_size_is_that_of_the_published_model() -> None:
    size = bench.real()

    def count(wanted: dict[str, tuple[int, ...]]) -> int:
        return sum(bench.torch.Size(shape).numel() for shape in wanted.values())

    assert count(shapes.llm_shapes(size.llm)) == 506_148_480
    # The file has 32 angular speeds more than there are parameters.
    assert count(shapes.flow_shapes(size.flow)) == 332_257_088 + 32
    assert count(shapes.vocoder_shapes(size.vocoder)) == 20_779_887


@pytest.mark.parametrize(
    ("kernel", "kind"),
    [
        ("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_tn_align1>", "matrix products"),
        ("fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::…)", "attention"),
        ("void at::native::vectorized_layer_norm_kernel<float, float, false>", "norms"),
        ("void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1>", "convolutions"),
        ("at::native::vectorized_elementwise_kernel<4, GeluCUDAKernelImpl>", "activations"),
        ("Memcpy HtoD (Pageable -> Device)", "copies to and from the device"),
        ("something new", "the rest"),
    ],
)
def test_kernels_are_told_apart_by_name(kernel: str, kind: str) -> None:
    assert kind_of(kernel) == kind
