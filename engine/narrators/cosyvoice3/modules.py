"""What the flow and the vocoder share: filling a module, and full precision on CUDA."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import torch
from torch import Tensor, nn

M = TypeVar("M", bound=nn.Module)


def filled(make: Callable[[], M], state: Mapping[str, Tensor]) -> M:
    """Make a module and give it these tensors as they lie, each on its own device.

    Args:
        make: Builds the module; it is called where tensors have shapes but neither memory nor
            random numbers.
        state: Tensor by name. It has passed the part's ``…_config``, which says in plain words
            what is missing, unknown or of another shape.
    """
    with torch.device("meta"):
        module = make()
    module.load_state_dict(dict(state), strict=True, assign=True)
    return module.eval().requires_grad_(False)


@contextmanager
def full_precision(device: torch.device) -> Iterator[None]:
    """Have CUDA's convolutions calculate in float32 while this is open.

    cuDNN rounds the inputs of float32 convolutions to 10 bits (TF32) unless it is told not to, and
    the only switch is one of the process; so it is turned for as long as needed and back. Nothing
    else that an engine does meanwhile has convolutions.
    """
    if device.type != "cuda":
        yield
        return
    with torch.backends.cudnn.flags(
        enabled=True, benchmark=False, deterministic=True, allow_tf32=False
    ):
        yield
