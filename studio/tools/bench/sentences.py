"""What engines say when they are compared: short and long, names, figures, a question."""

from __future__ import annotations

from pathlib import Path

from studio.errors import BadInput

SENTENCES = (
    "The ferry left the landing at seven, and nobody on the quay looked back.",
    "“Is it true?” he whispered, and put the letter down again.",
    "She had waited eleven years for it, through three winters without a harbour.",
    "No.",
    "Down in the cellar the old clock struck thirteen, as it always did before rain.",
    "Between the lamp and the window stood a chair that no one had sat in since the funeral.",
    "He counted the coins twice, then pushed them slowly across the table.",
    "What the doctor wrote that night filled two pages, and he burned both of them.",
    "The bell rang over the dark water, once, and then once more.",
    "Perhaps it would be easier, she thought, to tell them everything and leave in the morning.",
)


def read(path: Path | None, most: int | None) -> list[str]:
    """The sentences of a file, one a line, or our own.

    Args:
        path: The file; None for ours.
        most: Only so many of them.

    Raises:
        BadInput: The file cannot be read or has none.
    """
    if path is None:
        return list(SENTENCES[:most])
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is no text in UTF-8; write a sentence a line.") from error
    except OSError as error:
        raise BadInput(
            f"The sentences in {path} cannot be read ({error.strerror}); name another file."
        ) from error
    found = [line.strip() for line in lines if line.strip()]
    if not found:
        raise BadInput(f"{path} holds no sentence; write one a line.")
    return found[:most]
