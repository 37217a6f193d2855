"""Where it runs: which device there is, what it holds, and what it cannot do.

Nothing runs elsewhere than it says. An operator that a device lacks ends the engine with the
operator's name: torch could let the CPU do it in silence, many times slower and with other bytes,
and takes the wish for that from ``PYTORCH_ENABLE_MPS_FALLBACK``, which is refused here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from engine.registry import Fatal, Transient

if TYPE_CHECKING:
    import torch

FALLBACK = "PYTORCH_ENABLE_MPS_FALLBACK"
SPARE = 1 << 30
"""Bytes that a device's allocator may hold without using them, from one clip to the next.

Handing all of it back after each clip would cost time (the next clip asks for it again); handing
back none lets it grow with every new length of sentence.
"""

_FULL = re.compile(
    r"out of memory|insufficient memory|unable to allocate|attempting to allocate", re.I
)
"""What torch and MLX say where memory is full; neither has an error of its own for all of it."""


def forbid_fallback() -> None:
    """Refuse to run where torch was told to move work to the CPU in silence.

    Raises:
        Fatal: It was.
    """
    if os.environ.get(FALLBACK, "0") not in ("", "0"):
        raise Fatal(
            f"The environment variable {FALLBACK} is set. With it, operators that the GPU lacks "
            "would run on the CPU without a word, slower and with another sound than the recipe "
            "says. Take it out of the environment, and start again."
        )


def share_the_processor() -> None:
    """Have threads of one operation sleep while they wait for each other; before torch is imported.

    They spin otherwise, which with two halves, or a few workers, is at the cost of those that have
    work: measured on two busy cores, a clip took a tenth of the time.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def choose(wanted: str) -> torch.device:
    """The device that an option names; ``auto`` is the best that there is.

    Raises:
        Fatal: This machine, or this build of torch, has no such device.
    """
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if wanted == "auto":
        wanted = next((name for name, is_there in there.items() if is_there), "cpu")
    if not there.get(wanted, True):
        names = {"cuda": "NVIDIA GPU (cuda)", "mps": "Apple GPU (mps)"}
        raise Fatal(
            f"There is no {names[wanted]} that torch {torch.__version__} could use here. Set the "
            "option “device” to “auto” or “cpu”, or install the engine again for this machine."
        )
    return torch.device(wanted)


def settle(device: torch.device) -> None:
    """Have the device calculate the same way each time, as far as it lets itself be told.

    CUDA's matrix library picks its ways by how much room it has to work in; this is fixed before
    it is first used.
    """
    if device.type == "cuda":
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


def facts(device: torch.device) -> dict[str, str]:
    """What of the device may change the bytes."""
    import torch

    if device.type == "cuda":
        return {
            "gpu": torch.cuda.get_device_name(device),
            "cuda": str(torch.version.cuda),
            "cudnn": str(torch.backends.cudnn.version()),
        }
    if device.type == "cpu":
        return {"instructions": torch.backends.cpu.get_cpu_capability()}
    return {}


def lane(device: torch.device) -> Any:
    """A queue of work of its own on a device that has such; None where there is but one."""
    import torch

    return torch.cuda.Stream(device) if device.type == "cuda" else None


def on_lane(lane: Any) -> AbstractContextManager[Any]:
    """Have what is done inside go into this queue."""
    import torch

    return torch.cuda.stream(lane) if lane is not None else nullcontext()


def wait(device: torch.device) -> None:
    """Wait until the device has done what this thread asked of it."""
    import torch

    if device.type == "cuda":
        torch.cuda.current_stream(device).synchronize()
    elif device.type == "mps":
        torch.mps.synchronize()


def held(device: torch.device | None) -> int:
    """Bytes held on the device; may be asked from any thread."""
    if device is None or device.type == "cpu":
        return 0
    import torch

    if device.type == "cuda":
        return int(torch.cuda.memory_reserved(device))
    return int(torch.mps.driver_allocated_memory())


def tidy(device: torch.device) -> None:
    """Hand back what the device's allocator holds for nothing, if that is more than `SPARE`."""
    if device.type == "cpu":
        return
    import torch

    module = torch.cuda if device.type == "cuda" else torch.mps
    used = (
        torch.cuda.memory_allocated(device)
        if device.type == "cuda"
        else torch.mps.current_allocated_memory()
    )
    if held(device) - used > SPARE:
        module.empty_cache()


@contextmanager
def faults(device: str) -> Iterator[None]:
    """Turn what a device says of itself into words for a person.

    Raises:
        Fatal: It lacks an operator, which is named; or it has failed altogether.
        Transient: Its memory is full.
    """
    import torch

    try:
        yield
    except NotImplementedError as error:
        named = re.search(r"\b[a-z_]\w*::[\w.]+", str(error))
        operator = f"The operator {named[0]}" if named else "An operator"
        raise Fatal(
            f"{operator} is not there for the device “{device}” in torch {torch.__version__}, and "
            "nothing runs elsewhere in silence. Set the option “device” to “cpu”."
        ) from error
    except torch.OutOfMemoryError as error:
        raise Transient(
            f"The memory of the device “{device}” is full. Use fewer workers, or close what else "
            "uses it."
        ) from error
    except torch.AcceleratorError as error:
        raise Fatal(f"The device “{device}” has failed: {str(error).splitlines()[0]}.") from error
    except RuntimeError as error:
        if not _FULL.search(str(error)):
            raise
        raise Transient(
            f"The memory is full: {str(error).splitlines()[0]}. Use fewer workers, or close what "
            "else uses it."
        ) from error
