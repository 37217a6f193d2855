"""The figures of `engine.bench` as tables and bars for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from studio.commands.reply import table
from studio.tools.bench.drawing import Bar, Group

Found = Mapping[str, Any]


def where(found: Found) -> str:
    """What was measured on what."""
    build = found["build"]
    libraries = [f"{name} {build[name]}" for name in ("torch", "mlx") if build[name] != "missing"]
    threads = "1 thread" if found["threads"] == 1 else f"{found['threads']} threads"
    machine = ", ".join(dict.fromkeys((found["device"], build["cpu"], threads)))
    return f"{machine}; {', '.join(libraries)}; {found['weights']}"


# ---- backends of the language model --------------------------------------------------------------


def _medians(found: Mapping[str, Any]) -> str:
    """What the figures are."""
    rounds = found["rounds"]
    return "one round" if rounds == 1 else f"medians of {rounds} rounds"


def llm(found: Found) -> list[str]:
    """Backends side by side."""
    heads = (
        "backend",
        "prefill",
        "tokens/s",
        "slowest",
        "× first",
        "GB/s",
        "of a copy",
        "dispatch",
        "launches",
        "kernels",
        "sampling",
        "own tokens",
        "led",
        "logits",
    )
    rows = found["backends"]
    first = rows[0]["tokens_per_s"] if rows else 0.0
    cells = [heads, *(_llm_row(row, first, found["tokens"]) for row in rows)]
    said = [
        where(found),
        f"{found['tokens']} speech tokens after {found['prefix']} positions; "
        f"{_medians(found)}, in turns",
        "",
        *table(cells, right=range(1, len(heads))),
        "",
    ]
    said += [
        f"A copy on {device}: {rate / 1e9:,.1f} GB/s, read and written."
        for device, rate in found["copy_bytes_per_s"].items()
    ]
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row["dispatch_unknown"]:
            reasons.setdefault(row["dispatch_unknown"], []).append(row["backend"])
    said += [f"No dispatch share for {_all(names)}: {why}." for why, names in reasons.items()]
    gone: dict[str, list[str]] = {}
    for it in found["absent"]:
        gone.setdefault(it["why"], []).append(it["backend"])
    return [*said, *(f"Not here: {_all(names)}: {why}." for why, names in gone.items())]


def _llm_row(row: Found, first: float, tokens: int) -> tuple[str, ...]:
    same = row.get("same_draws")
    far = row.get("largest_logit_difference")
    return (
        row["backend"],
        f"{row['prefill_s'] * 1e3:,.1f} ms",
        f"{row['tokens_per_s']:,.1f}",
        f"{row['slowest_tokens_per_s']:,.1f}",
        f"{row['tokens_per_s'] / first:.2f}" if first else "–",
        f"{row['bytes_per_s'] / 1e9:,.1f}",
        f"{row['bandwidth_share']:.1%}",
        _share(row["dispatch_share"]),
        _count(row["launches_per_token"]),
        _count(row["kernels_per_token"]),
        _share(row["sampling_share"]),
        _own(row),
        "–" if same is None else f"{same}/{tokens}",
        "–" if far is None else f"{far:.1e}",
    )


def _own(row: Found) -> str:
    """How far it says what the oracle says."""
    if not row["repeats_itself"]:
        return "does not repeat"
    if not row["comparable"]:
        return "other chance"
    if (apart := row.get("differs_from_alone_at")) is not None:
        return f"{apart.count(None)} of {len(apart)} as alone"
    at = row["first_difference"]
    return "all the same" if at is None else f"same to {at}"


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _all(names: Sequence[str]) -> str:
    return ", ".join(names)


def llm_bars(found: Found) -> list[Group]:
    """The same to look at."""
    rows = found["backends"]
    speed = [_bar(row, row["tokens_per_s"], f"{row['tokens_per_s']:,.1f}") for row in rows]
    share = [
        _bar(row, 100 * row["bandwidth_share"], f"{row['bandwidth_share']:.1%}") for row in rows
    ]
    idle = [
        _bar(row, 100 * row["dispatch_share"], f"{row['dispatch_share']:.0%}")
        for row in rows
        if row["dispatch_share"] is not None
    ]
    return [
        Group("Decoding", "speech tokens a second", speed),
        Group("Achieved bandwidth", "% of a copy on the same device", share),
        Group("Dispatch: the device waits for the host", "% of a step", idle),
    ]


def _bar(row: Found, value: float, shown: str) -> Bar:
    return Bar(row["backend"], value, shown, 1 if row["sampler"] == "device" else 0)


# ---- stages --------------------------------------------------------------------------------------

NAMES = {
    "prefill": "LLM prefill",
    "decode": "LLM decode",
    "flow": "flow",
    "vocoder": "vocoder",
}


def stages(found: Found) -> list[str]:
    """What of a clip goes where."""
    ways = found["ways"]
    cells = [("stage", *(way["way"] for way in ways))]
    for stage, name in NAMES.items():
        cells.append((name, *(f"{way['share_of_audio'][stage]:.4f}" for way in ways)))
    cells.append(("a whole clip (RTF)", *(f"{way['rtf']:.4f}" for way in ways)))
    memory = f"{found['footprint'] / 2**20:,.0f} MB"
    if found["device_memory"]:
        memory += f", and {found['device_memory'] / 2**20:,.0f} MB on the device"
    return [
        where(found),
        f"clips of {found['audio_s']:g} s after a reference of {found['reference_s']:g} s, "
        f"{found['backend']}, {found['steps']} flow steps; fractions of the audio’s duration, "
        f"{_medians(found)} of {found['clips_per_turn']} clips, in turns",
        "",
        *table(cells, right=range(1, len(ways) + 1)),
        "",
        f"Footprint {memory}.",
    ]


def stages_bars(found: Found) -> list[Group]:
    """The same to look at."""
    groups = []
    for colour, way in enumerate(found["ways"]):
        bars = [
            Bar(name, way["share_of_audio"][stage], f"{way['share_of_audio'][stage]:.4f}", colour)
            for stage, name in NAMES.items()
        ]
        bars.append(Bar("a whole clip", way["rtf"], f"RTF {way['rtf']:.4f}", colour))
        groups.append(Group(f"Stages, {way['way']}", "seconds of work by second of audio", bars))
    return groups


# ---- samplers ------------------------------------------------------------------------------------


def sampler(found: Found) -> list[str]:
    """Drawing on the device and on the host."""
    cells = [("sampler", "waits", "a token", "by the driver", "a token takes", "× host")]
    rows = found["samplers"]
    for row in rows:
        driver = row["driver_waits"]
        cells.append(
            (
                f"on the {row['sampler']}",
                f"{row['waits']:,}",
                f"{row['waits_per_token']:.1f}",
                "–" if driver is None else f"{driver:,}",
                f"{row['us_per_token']:,.0f} µs",
                f"{row['seconds'] / rows[0]['seconds']:.2f}",
            )
        )
    if found["same_chance"]:
        same = f"Both drew the same token {found['same_tokens']} times of {found['tokens']}."
    else:
        same = "This device’s own random numbers are others, so are its tokens."
    said = [where(found), "", *table(cells, right=range(1, 6)), "", same]
    if rows[0]["driver_waits"] is None:
        said.append("Nobody counts the driver’s own waits here; on an NVIDIA GPU they are told.")
    return said


def sampler_bars(found: Found) -> list[Group]:
    """The same to look at."""
    rows = found["samplers"]
    return [
        Group(
            "The host waits for the device",
            "times a token",
            [
                Bar(
                    f"on the {it['sampler']}",
                    it["waits_per_token"],
                    f"{it['waits_per_token']:.1f}",
                    n,
                )
                for n, it in enumerate(rows)
            ],
        ),
        Group(
            "Time of a draw",
            "µs a token",
            [
                Bar(f"on the {it['sampler']}", it["us_per_token"], f"{it['us_per_token']:,.0f}", n)
                for n, it in enumerate(rows)
            ],
        ),
    ]
