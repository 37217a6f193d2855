"""Text becomes token ids: Qwen2's byte-level BPE, and 281 special tokens after it.

Vocabulary and merges are the model folder's (``CosyVoice-BlankEN``); the special tokens are not in
any file, and their ids follow from their order, so the whole ordered list stands here. Some look
like ordinary text (“[T]”, “[a]”): keeping them out of a book's sentences is the caller's work.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from engine.narrators.cosyvoice3.weights import AGAIN, BadModel

if TYPE_CHECKING:
    import tokenizers

END_OF_PROMPT = "<|endofprompt|>"
_NAMED = """
    <|im_start|> <|im_end|> <|endofprompt|> [breath] <strong> </strong> [noise] [laughter]
    [cough] [clucking] [accent] [quick_breath] <laughter> </laughter> [hissing] [sigh]
    [vocalized-noise] [lipsmack] [mn] <|endofsystem|>
"""
_PHONES = """
    AA AA0 AA1 AA2 AE AE0 AE1 AE2 AH AH0 AH1 AH2 AO AO0 AO1 AO2 AW AW0 AW1 AW2 AY AY0 AY1 AY2 B
    CH D DH EH EH0 EH1 EH2 ER ER0 ER1 ER2 EY EY0 EY1 EY2 F G HH IH IH0 IH1 IH2 IY IY0 IY1 IY2 JH
    K L M N NG OW OW0 OW1 OW2 OY OY0 OY1 OY2 P R S SH T TH UH UH0 UH1 UH2 UW UW0 UW1 UW2 V W Y Z
    ZH
"""
_PINYIN = """
    a ai an ang ao b c ch d e ei en eng f g h i ian in ing iu ià iàn iàng iào iá ián iáng iáo iè
    ié iòng ióng iù iú iā iān iāng iāo iē iě iōng iū iǎ iǎn iǎng iǎo iǒng iǔ j k l m n o ong ou
    p q r s sh t u uang ue un uo uà uài uàn uàng uá uái uán uáng uè ué uì uí uò uó uā uāi uān
    uāng uē uě uī uō uǎ uǎi uǎn uǎng uǐ uǒ vè w x y z zh à ài àn àng ào á ái án áng áo è èi èn
    èng èr é éi én éng ér ì ìn ìng í ín íng ò òng òu ó óng óu ù ùn ú ún ā āi ān āng āo ē ēi ēn
    ēng ě ěi ěn ěng ěr ī īn īng ō ōng ōu ū ūn ǎ ǎi ǎn ǎng ǎo ǐ ǐn ǐng ǒ ǒng ǒu ǔ ǔn ǘ ǚ ǜ
"""
SPECIALS: tuple[str, ...] = (
    "<|endoftext|>",
    *_NAMED.split(),
    *(f"[{phone}]" for phone in _PHONES.split()),
    *(f"[{piece}]" for piece in _PINYIN.split()),
)
"""In the order of their ids, from the size of the vocabulary on (151643 in the official model):
Qwen2's three, CosyVoice's controls, the CMU dictionary's phones, pieces of pinyin with tones."""

SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""Qwen2's: contractions, words with the sign before them, single digits, signs, white space."""


class Tokenizer:
    """Text to ids, as the model was trained: no token opens or closes the text."""

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        """Wrap a tokenizer that has the special tokens; see `of`."""
        self._inner = inner

    @classmethod
    def of(cls, folder: Path) -> Tokenizer:
        """The tokenizer of ``vocab.json`` and ``merges.txt``.

        Args:
            folder: ``CosyVoice-BlankEN`` of a model folder, or any with these two files.

        Raises:
            BadModel: A file is missing or is not what it should be.
        """
        from tokenizers import AddedToken, Regex, models, normalizers, pre_tokenizers
        from tokenizers import Tokenizer as Inner

        vocab, merges = _vocab(folder / "vocab.json"), _merges(folder / "merges.txt")
        try:
            inner = Inner(models.BPE(vocab=vocab, merges=merges))
        except Exception:  # whatever the binding raises, it is about these two files
            raise BadModel(
                f"“merges.txt” in “{folder}” does not belong to “vocab.json” beside it; {AGAIN}."
            ) from None
        inner.normalizer = normalizers.NFC()
        inner.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        inner.add_special_tokens(
            [AddedToken(token, normalized=False, special=True) for token in SPECIALS]
        )
        for number, token in enumerate(SPECIALS, start=len(vocab)):
            if inner.token_to_id(token) != number:
                raise BadModel(
                    f"“vocab.json” in “{folder}” holds the special token “{token}” already; "
                    f"{AGAIN}."
                )
        return cls(inner)

    @property
    def size(self) -> int:
        """Ids that there are, the special ones included."""
        return self._inner.get_vocab_size()

    @property
    def end_of_prompt(self) -> int:
        """The id that has to stand in everything the LLM is given."""
        return self.special(END_OF_PROMPT)

    def special(self, token: str) -> int:
        """The id of a special token.

        Raises:
            KeyError: There is none of that name.
        """
        number = self._inner.token_to_id(token) if token in SPECIALS else None
        if number is None:
            raise KeyError(token)
        return int(number)

    def encode(self, text: str) -> list[int]:
        """The ids of a text; special tokens written in it become their ids.

        Raises:
            ValueError: It holds half of a surrogate pair, which is no character.
        """
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"Character {error.start + 1} of the text is half of a surrogate pair."
            ) from None
        ids: list[int] = self._inner.encode(text, add_special_tokens=False).ids
        return ids


def _vocab(path: Path) -> dict[str, int]:
    """Tokens and their ids, which have to be 0 to n-1: the special ones follow."""
    try:
        vocab = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadModel(f"“{path.name}” is not in the model folder “{path.parent}”.") from None
    except (OSError, ValueError):
        raise BadModel(f"“{path}” cannot be read as JSON; {AGAIN}.") from None
    ids = vocab.values() if isinstance(vocab, dict) else ()
    if not ids or not all(type(number) is int for number in ids):
        raise BadModel(f"“{path}” is not a table of tokens and their ids; {AGAIN}.")
    if sorted(ids) != list(range(len(ids))):
        raise BadModel(f"“{path}” leaves ids out or gives one twice; {AGAIN}.")
    return dict(vocab)


def _merges(path: Path) -> list[tuple[str, str]]:
    """Pairs to join, the earliest first; a first line may tell the version."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise BadModel(f"“{path.name}” is not in the model folder “{path.parent}”.") from None
    except (OSError, ValueError):
        raise BadModel(f"“{path}” cannot be read as text; {AGAIN}.") from None
    if lines and lines[0].startswith("#version"):
        lines = lines[1:]
    merges = []
    for number, line in enumerate(lines):
        pair = tuple(line.rstrip("\r").split(" "))
        if pair == ("",):
            continue
        if len(pair) != 2 or not all(pair):
            raise BadModel(f"“{path}” has no pair of tokens as merge {number + 1}; {AGAIN}.")
        merges.append((pair[0], pair[1]))
    if not merges:
        raise BadModel(f"“{path}” holds no merges; {AGAIN}.")
    return merges
